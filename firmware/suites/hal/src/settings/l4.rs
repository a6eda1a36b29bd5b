//! STM32L476RG and STM32L4R5ZI: 8 MHz at OSC_IN, LSE of 32,768 Hz. The latter comes with HSI48 as well, and runs at up to 120 MHz.

use embassy_stm32::rcc::mux::Clk48sel;
use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Config, Hse, HseMode, LsConfig, MSIRange, Pll, PllMul, PllPDiv, PllPreDiv, PllQDiv,
    PllRDiv, PllSource, Sysclk,
};
use embassy_stm32::time::Hertz;

const HSE: Option<Hse> = Some(Hse { freq: Hertz(8_000_000), mode: HseMode::Bypass });

pub const SETTINGS: &[fn(&mut Config)] = &[
    // MSI of 4 MHz, and LSI for the RTC.
    |_| {},
    |rcc| {
        rcc.msi = Some(MSIRange::RANGE100K);
        rcc.ls = LsConfig::off();
    },
    |rcc| {
        rcc.msi = Some(MSIRange::RANGE48M);
        rcc.apb1_pre = APBPrescaler::DIV2;
        rcc.apb2_pre = APBPrescaler::DIV4;
        rcc.mux.clk48sel = Clk48sel::MSI;
    },
    |rcc| {
        rcc.hsi = true;
        rcc.sys = Sysclk::HSI;
        rcc.ahb_pre = AHBPrescaler::DIV8;
        rcc.apb1_pre = APBPrescaler::DIV16;
    },
    |rcc| {
        rcc.hse = HSE;
        rcc.sys = Sysclk::HSE;
        rcc.apb2_pre = APBPrescaler::DIV8;
        rcc.ls = LsConfig::default_lse();
    },
    // 4 MHz of MSI * 40 / 2.
    |rcc| {
        rcc.pll = Some(Pll {
            source: PllSource::MSI,
            prediv: PllPreDiv::DIV1,
            mul: PllMul::MUL40,
            divp: Some(PllPDiv::DIV7),
            divq: Some(PllQDiv::DIV4),
            divr: Some(PllRDiv::DIV2),
        });
        rcc.sys = Sysclk::PLL1_R;
        rcc.mux.clk48sel = Clk48sel::PLL1_Q;
    },
    // 16 MHz of HSI / 2 * 20 / 2; 48 MHz from the loop for SAI.
    |rcc| {
        rcc.hsi = true;
        rcc.pll = Some(Pll {
            source: PllSource::HSI,
            prediv: PllPreDiv::DIV2,
            mul: PllMul::MUL20,
            divp: None,
            divq: None,
            divr: Some(PllRDiv::DIV2),
        });
        rcc.pllsai1 = Some(Pll {
            source: PllSource::HSI,
            prediv: PllPreDiv::DIV2,
            mul: PllMul::MUL24,
            divp: Some(PllPDiv::DIV7),
            divq: Some(PllQDiv::DIV4),
            divr: Some(PllRDiv::DIV6),
        });
        rcc.pllsai2 = Some(Pll {
            source: PllSource::HSI,
            prediv: PllPreDiv::DIV2,
            mul: PllMul::MUL16,
            divp: Some(PllPDiv::DIV7),
            divq: None,
            divr: Some(PllRDiv::DIV8),
        });
        rcc.sys = Sysclk::PLL1_R;
        rcc.apb1_pre = APBPrescaler::DIV2;
        rcc.mux.clk48sel = Clk48sel::PLLSAI1_Q;
        #[cfg(feature = "stm32l4r5zi")]
        {
            rcc.mux.adcsel = embassy_stm32::rcc::mux::Adcsel::PLLSAI1_R;
        }
    },
    // 8 MHz of HSE * 20 / 8, with another divider for P.
    |rcc| {
        rcc.hse = HSE;
        rcc.pll = Some(Pll {
            source: PllSource::HSE,
            prediv: PllPreDiv::DIV1,
            mul: PllMul::MUL20,
            divp: Some(PllPDiv::DIV4),
            divq: Some(PllQDiv::DIV8),
            divr: Some(PllRDiv::DIV8),
        });
        rcc.sys = Sysclk::PLL1_R;
        rcc.ahb_pre = AHBPrescaler::DIV2;
        rcc.mux.clk48sel = Clk48sel::PLL1_Q;
    },
    // MSI locked to LSE, alone and behind the PLL.
    |rcc| rcc.ls = LsConfig::default_lse(),
    |rcc| {
        rcc.msi = Some(MSIRange::RANGE16M);
        rcc.pll = Some(Pll {
            source: PllSource::MSI,
            prediv: PllPreDiv::DIV2,
            mul: PllMul::MUL16,
            divp: None,
            divq: None,
            divr: Some(PllRDiv::DIV4),
        });
        rcc.sys = Sysclk::PLL1_R;
        rcc.ls = LsConfig::default_lse();
    },
    // 8 MHz of HSE / 2 * 60 / 2; the loop for SAI divides its input by another number.
    #[cfg(feature = "stm32l4r5zi")]
    |rcc| {
        rcc.hsi48 = None;
        rcc.hse = HSE;
        rcc.pll = Some(Pll {
            source: PllSource::HSE,
            prediv: PllPreDiv::DIV2,
            mul: PllMul::MUL60,
            divp: Some(PllPDiv::DIV31),
            divq: Some(PllQDiv::DIV8),
            divr: Some(PllRDiv::DIV2),
        });
        rcc.pllsai1 = Some(Pll {
            source: PllSource::HSE,
            prediv: PllPreDiv::DIV1,
            mul: PllMul::MUL24,
            divp: None,
            divq: Some(PllQDiv::DIV4),
            divr: None,
        });
        rcc.sys = Sysclk::PLL1_R;
        rcc.apb1_pre = APBPrescaler::DIV4;
        rcc.apb2_pre = APBPrescaler::DIV2;
        rcc.mux.clk48sel = Clk48sel::PLLSAI1_Q;
    },
];
