//! Reset and clock control of STM32G0 (RM0444, RM0454, "Reset and clock control (RCC)").
//!
//! Modelled: HSI16 with its divider, HSE, LSI, LSE, HSI48 and the PLL with their ready flags and interrupts, SYSCLK and its
//! switch, the prescalers, the clock enables and peripheral resets, kernel clocks, the domain of the RTC behind PWR_CR1.DBP, and
//! the reset flags. The clock outputs (MCO and MCO2) are waves on their pins. Crystals never fail, so the clock security systems
//! never act. Trimming, the clocks in Sleep mode, HSIKERON, LSCO, the RNG's clock and PLLQ for TIM1 and TIM15 are stored without
//! effect, and named when used.

use std::ops::RangeInclusive;

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::rcc::mux::{self, I2C, Kernel, LPTIM, USART, kernel};
use super::rcc::pll::{Dividers, Limits, Loop, Loops, Output, PLLSRC};
use super::rcc::rows;
use super::rcc::{
    CR, HSE, HSI, LSE, LSEON, LSERDY, LSI, LSION, LSIRDY, Oscillator, PLL, PLLON, PLLRDY, Rcc, Version, of_board,
    oscillator,
};
use crate::bank::{all, but, ones, some};
use crate::{Clocks, Effect, Env, Instance, Modelled, Pll, Source, Span, Write};

const CFGR: u32 = 0x08;
const PLLCFGR: u32 = 0x0C;
const CIER: u32 = 0x18;
const CIFR: u32 = 0x1C;
const CICR: u32 = 0x20;
const IOPRSTR: u32 = 0x24;
const APBRSTR2: u32 = 0x30;
const CCIPR: u32 = 0x54;
const CCIPR2: u32 = 0x58;
const BDCR: u32 = 0x5C;
const CSR: u32 = 0x60;

/// Bits of CR, on STM32G4 and L4 as well.
pub(super) const HSION: u32 = 1 << 8;
pub(super) const HSIRDY: u32 = 1 << 10;
pub(super) const HSEON: u32 = 1 << 16;
pub(super) const HSERDY: u32 = 1 << 17;
pub(super) const HSEBYP: u32 = 1 << 18;
const HSIDIV: u32 = 7 << 11;
const HSI48ON: u32 = 1 << 22;
const HSI48RDY: u32 = 1 << 23;

/// MCO2SEL, MCO2PRE, MCOSEL and MCOPRE of CFGR.
const CLOCK_OUTPUTS: u32 = 0xFFFF_0000;
/// Clears the reset flags.
pub(super) const RMVF: u32 = 1 << 23;

/// HSI48 among the oscillators, and its frequency.
const HSI48: usize = 5;
pub(super) const HSI48_FREQUENCY: Hertz = Hertz::new(48_000_000);

/// The modelled registers and fields, with the values after power-on (RM0444, "RCC register map").
pub const MODEL: &[Modelled] = &[
    but("CR", 0x0000_0500, &["HSIKERON", "CSSON"]).unseen(&["CSSON"]),
    some("ICSCR", 0x0000_4000, &[]),
    all("CFGR", 0),
    all("PLLCFGR", 0x0000_1000),
    some("CRRCR", 0, &[]),
    all("CIER", 0),
    all("CIFR", 0).and(&["CICR"]),
    all("IOPRSTR", 0).and(&["AHBRSTR", "APBRSTR1", "APBRSTR2"]),
    all("IOPENR", 0).and(&["APBENR1", "APBENR2"]),
    all("AHBENR", 0x0000_0100),
    ones("IOPSMENR").and(&["AHBSMENR", "APBSMENR1", "APBSMENR2"]),
    // CEC's kernel clock is of a block that is named itself when used.
    but("CCIPR", 0, &["RNGSEL", "RNGDIV", "TIM1SEL", "TIM15SEL"]),
    all("CCIPR2", 0),
    but("BDCR", 0, DOMAIN_UNUSED).unseen(DOMAIN_UNSEEN),
    all("CSR", 0x0C00_0000),
];

/// The fields of BDCR without a model, on STM32G4 and L4 as well, and those of them that no program can tell from one.
pub(super) const DOMAIN_UNUSED: &[&str] = &["LSEDRV", "LSECSSON", "LSECSSD", "LSCOEN", "LSCOSEL"];
pub(super) const DOMAIN_UNSEEN: &[&str] = &["LSEDRV", "LSECSSON"];

/// Start-up times, in periods of 16 MHz.
pub const ROWS: &[TimingRow] = &[rows::HSI16, rows::HSE, rows::LSI, rows::LSE, rows::LOCK, rows::HSI48, rows::BYPASS];
/// The row of HSE with a clock from outside, on STM32G4 and L4 as well.
pub(super) const BYPASS: usize = 6;

const OSCILLATORS: &[Oscillator] = &[
    oscillator(CR, HSION, HSIRDY, 3, 0),
    oscillator(CR, HSEON, HSERDY, 4, 1),
    oscillator(CSR, LSION, LSIRDY, 0, 2),
    oscillator(BDCR, LSEON, LSERDY, 1, 3),
    oscillator(CR, PLLON, PLLRDY, 5, 4),
    oscillator(CR, HSI48ON, HSI48RDY, 2, 5),
];

/// The clocks of I2S in CCIPR2, and in CCIPR where there is none; 3 is the pin I2S_CKIN, at which no clock is.
const I2S: &[Source] = &[Source::Sysclk, Source::PllP, Source::HsiKernel, Source::I2s];

/// RM0444, RCC_CCIPR, RCC_CCIPR2. Of two entries for one block the first counts where its register is.
const KERNELS: &[Kernel] = &[
    kernel(&["USART1"], CCIPR, 0, USART),
    kernel(&["USART2"], CCIPR, 2, USART),
    kernel(&["USART3"], CCIPR, 4, USART),
    kernel(&["LPUART2"], CCIPR, 8, USART),
    kernel(&["LPUART1"], CCIPR, 10, USART),
    kernel(&["I2C1"], CCIPR, 12, I2C),
    kernel(&["I2C2"], CCIPR, 14, I2C),
    kernel(&["LPTIM1"], CCIPR, 18, LPTIM),
    kernel(&["LPTIM2"], CCIPR, 20, LPTIM),
    kernel(&["ADC1"], CCIPR, 30, &[Source::Sysclk, Source::PllP, Source::HsiKernel, Source::Off]),
    kernel(&["SPI1"], CCIPR2, 0, I2S),
    kernel(&["SPI2"], CCIPR2, 2, I2S),
    kernel(&["FDCAN1", "FDCAN2"], CCIPR2, 8, &[Source::Pclk, Source::PllQ, Source::Hse, Source::Off]),
];
/// RM0444, RCC_CCIPR.I2S1SEL of parts with one I2S.
const FIRST_I2S: &[Kernel] = &[kernel(&["SPI1"], CCIPR, 14, I2S)];

/// The version.
#[derive(Clone, Debug)]
pub struct G0;

/// The block.
pub type RccG0 = Rcc<G0>;

impl RccG0 {
    /// Tells if the part is an STM32G0B0, G0B1 or G0C1, whose second I2S and third I2C need more selectors.
    fn is_large(&self) -> bool {
        const APBENR1: u32 = 0x3C;
        // SPI3EN.
        self.bank.at(APBENR1).is_some_and(|(row, _)| row.declared & 1 << 15 != 0)
    }
}

impl Loops for G0 {
    const LOOPS: &'static [Loop] = &[Loop { number: PLL, register: PLLCFGR, name: "RCC_PLLCFGR" }];
    const M: u32 = 7;
    const DIVIDERS: Dividers = Dividers::Whole;

    /// RM0444, RCC_PLLCFGR.PLLN; DS12232, PLL characteristics: fPLL_IN, fVCO_OUT.
    fn limits(_: &RccG0) -> Limits {
        Limits { n: 8..=86, input: 2_660_000..=16_000_000, vco: 96_000_000..=344_000_000 }
    }
}

/// The oscillator that PLLSRC selects: 2 HSI16, 3 HSE (RM0444, RM0440, RM0351, RCC_PLLCFGR).
pub(super) fn pll_source(pllcfgr: u32) -> Option<usize> {
    [None, None, Some(HSI), Some(HSE)][(pllcfgr & PLLSRC) as usize]
}

impl Version for G0 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    const REFERENCE: Hertz = Hertz::new(16_000_000);
    const OSCILLATORS: &'static [Oscillator] = OSCILLATORS;
    const PLLS: &'static [usize] = &[PLL];
    const CFGR: u32 = CFGR;
    const SW: u32 = 7;
    const HPRE: u32 = 8;
    const PPRE: [u32; 2] = [12, 12];
    const RESETS: &'static [RangeInclusive<u32>] = &[IOPRSTR..=APBRSTR2];
    const FLAGS: u32 = CIFR;
    const ENABLES: (u32, u32) = (CIER, 0);
    const INTERRUPTS: u32 = u32::MAX;
    const BDCR: u32 = BDCR;
    const CSR: u32 = CSR;
    const RESET_FLAGS: u32 = 0xFE00_0000;
    /// RM0444, "Power reset": the end of Standby mode is one.
    const STANDBY_FLAGS: u32 = 0x0C00_0000;
    const RMVF: u32 = RMVF;

    /// RM0444, RCC_CFGR.SW.
    fn selected(_: &RccG0, sw: u32) -> Option<usize> {
        [Some(HSI), Some(HSE), Some(PLL), Some(LSI), Some(LSE), None, None, None][(sw & 7) as usize]
    }

    fn pll_source(rcc: &RccG0, _: usize) -> Option<usize> {
        pll_source(rcc.get(PLLCFGR))
    }

    fn frequency(_: &RccG0, oscillator: usize, clocks: &Clocks) -> Option<Hertz> {
        if oscillator == HSI48 { Some(HSI48_FREQUENCY) } else { of_board(oscillator, clocks) }
    }

    fn is_usable(rcc: &RccG0, oscillator: usize) -> bool {
        rcc.is_switched_on(oscillator)
    }

    fn pll_output(rcc: &RccG0, clocks: &Clocks) -> Span {
        rcc.output(PLL, Output::R, clocks)
    }

    fn pll_kernels(rcc: &RccG0, clocks: &Clocks) -> [Span; 2] {
        [Output::P, Output::Q].map(|output| rcc.output(PLL, output, clocks))
    }

    fn plls(rcc: &RccG0, clocks: &Clocks) -> Vec<Pll> {
        rcc.running(clocks).into_iter().chain(rcc.is_ready(HSI48).then_some(Pll::unity(HSI48_FREQUENCY))).collect()
    }

    /// RM0444, RCC_CCIPR2.USBSEL: HSI48, HSE, PLLQ.
    fn clk48(rcc: &RccG0, clocks: &Clocks) -> Span {
        match rcc.get(CCIPR2) >> 12 & 3 {
            0 => rcc.period(HSI48, clocks),
            1 => rcc.period(HSE, clocks),
            2 => rcc.output(PLL, Output::Q, clocks),
            _ => Span::ZERO,
        }
    }

    /// CR.HSIDIV.
    fn hsi_divider(rcc: &RccG0) -> u64 {
        1 << ((rcc.get(CR) & HSIDIV) >> 11)
    }

    fn kernel_divider(_: &RccG0) -> u64 {
        1
    }

    /// RM0444, RCC_BDCR.RTCSEL.
    fn rtc_divider(_: &RccG0) -> Option<u64> {
        Some(32)
    }

    fn row(rcc: &RccG0, oscillator: usize) -> usize {
        if oscillator == HSE && rcc.get(CR) & HSEBYP != 0 { BYPASS } else { OSCILLATORS[oscillator].row }
    }

    fn starts(rcc: &RccG0, oscillator: usize, env: &mut Env<'_, '_>) {
        rcc.check(oscillator, env);
    }

    /// RM0444, RCC_CFGR: MCOSEL and MCOPRE, MCO2SEL and MCO2PRE; selectors 2 HSI48, 8 PLLP, 9 PLLQ, 10 the RTC's clock.
    fn outputs(rcc: &RccG0, clocks: &Clocks) -> Vec<(&'static str, Span)> {
        let [p, q] = G0::pll_kernels(rcc, clocks);
        let others = [(2, rcc.period(HSI48, clocks)), (8, p), (9, q), (10, rcc.rtc_period(clocks))];
        let output = |fields: u32| mux::output(rcc, clocks, (fields & 15, (fields >> 4 & 15).min(10)), &others);
        let cfgr = rcc.get(CFGR);
        vec![("MCO_1", output(cfgr >> 24)), ("MCO_2", output(cfgr >> 16))]
    }

    fn kernel_clock(rcc: &RccG0, instance: &Instance) -> Option<Source> {
        let first = (!rcc.is_large()).then(|| mux::kernel_clock(rcc, FIRST_I2S, instance)).flatten();
        // USART3, LPUART2 and I2C2 have a choice on these alone.
        let fixed = !rcc.is_large() && ["USART3", "I2C2", "SPI2"].contains(&instance.name);
        first.or_else(|| if fixed { None } else { mux::kernel_clock(rcc, KERNELS, instance) })
    }

    fn written(rcc: &mut RccG0, offset: u32, (old, new): (u32, u32), write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CR => {
                rcc.write_control(old, new, env);
                if (old ^ new) & HSIDIV != 0 {
                    env.effect(Effect::ClocksChanged);
                }
            }
            CFGR => {
                rcc.write_configuration(old, new, 0, env);
                if (old ^ new) & CLOCK_OUTPUTS != 0 {
                    env.effect(Effect::ClocksChanged);
                }
                for low in [16, 24] {
                    let select = new >> low & 15;
                    if select > 10 {
                        env.gap(GapKind::Setting, format_args!("RCC_CFGR: a clock output selects {select}: no clock"));
                    }
                }
            }
            PLLCFGR => rcc.write_loop(offset, (old, new), env),
            CIFR | CICR => rcc.write_flags(offset, old, write),
            CCIPR | CCIPR2 if old != new => env.effect(Effect::ClocksChanged),
            BDCR => rcc.write_backup(old, new, env),
            CSR => rcc.write_status(old, new, LSION, env),
            _ => {}
        }
    }
}
