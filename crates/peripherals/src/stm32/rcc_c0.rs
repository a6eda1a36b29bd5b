//! Reset and clock control of STM32C0 (RM0490, "Reset and clock control (RCC)").
//!
//! Modelled: the oscillators with their ready flags and interrupts, SYSCLK and its switch, the prescalers, the
//! clock enables and peripheral resets, kernel clocks, the RTC domain's register and the reset flags. The clock
//! outputs (MCO and MCO2) are waves on their pins. The clock security systems and trimming are stored without effect.
//! STM32C051 and later (version c0v2) divide SYSCLK once more (SYSDIV); STM32C071 has a second oscillator of 48 MHz for USB
//! (HSIUSB48), which SYSCLK may have too.

use std::ops::RangeInclusive;

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use super::rcc::mux::{self, I2C, Kernel, USART, kernel};
use super::rcc::{
    CR, HSE, HSI, LSE, LSEON, LSERDY, LSI, LSION, LSIRDY, Oscillator, RTCEN, RTCSEL, Rcc, Version, of_board, oscillator,
};
use crate::bank::{all, but, ones, some};
use crate::{Clocks, Effect, Env, Instance, Modelled, Pll, Source, Span, Write};

const CFGR: u32 = 0x08;
const CIER: u32 = 0x18;
const CIFR: u32 = 0x1C;
const CICR: u32 = 0x20;
const IOPRSTR: u32 = 0x24;
const APBRSTR2: u32 = 0x30;
const CRRCR: u32 = 0x14;
const CCIPR: u32 = 0x54;
const CCIPR2: u32 = 0x58;
const CSR1: u32 = 0x5C;
const CSR2: u32 = 0x60;

const HSION: u32 = 1 << 8;
const HSIRDY: u32 = 1 << 10;
const HSEON: u32 = 1 << 16;
const HSERDY: u32 = 1 << 17;
const HSI48ON: u32 = 1 << 22;
const HSI48RDY: u32 = 1 << 23;
/// SYSDIV, HSIKERDIV and HSIDIV of CR.
const DIVIDERS: u32 = 0x38FC;
/// MCOSEL, MCOPRE, MCO2SEL and MCO2PRE of CFGR.
const CLOCK_OUTPUTS: u32 = 0xFFFF_0000;
/// USBSEL of CCIPR2.
const USBSEL: u32 = 1 << 12;
const RTCRST: u32 = 1 << 16;
const RMVF: u32 = 1 << 23;

/// SYSCLK selections of CFGR.SW (RM0490, "Clock configuration register (RCC_CFGR)").
const SW_HSISYS: u32 = 0;
const SW_HSE: u32 = 1;
const SW_HSIUSB48: u32 = 2;
const SW_LSI: u32 = 3;
const SW_LSE: u32 = 4;

/// The modelled registers and fields, with the values after power-on (RM0490, "RCC register map"). Sleep-mode enables
/// are only stored: the model's clocks keep running in Sleep mode, as the enables' values after reset select.
pub const MODEL: &[Modelled] = &[
    but("CR", 0x0000_1540, &["HSIKERON", "CSSON"]),
    some("ICSCR", 0x0000_4000, &[]),
    all("CFGR", 0),
    all("CIER", 0),
    but("CIFR", 0, &["CSSF", "LSECSSF"]),
    all("CICR", 0),
    all("IOPRSTR", 0).and(&["AHBRSTR", "APBRSTR1", "APBRSTR2"]),
    all("IOPENR", 0).and(&["APBENR1", "APBENR2"]),
    all("AHBENR", 0x0000_0100),
    ones("IOPSMENR").and(&["AHBSMENR", "APBSMENR1", "APBSMENR2"]),
    all("CCIPR", 0),
    all("CCIPR2", 0),
    some("CSR1", 0, &["LSEON", "LSERDY", "LSEBYP", "LSEDRV", "RTCSEL", "RTCEN", "RTCRST"]),
    all("CSR2", 0x0C00_0000),
];

/// Start-up times of the oscillators, in periods of 48 MHz.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "rcc.hsi48_startup",
        "HSI48 from HSION to HSIRDY, in periods of 48 MHz",
        192,
        "4 us, the order of magnitude in the datasheet's internal clock characteristics (DS13867); to be checked",
    ),
    TimingRow::assumed(
        "rcc.hse_startup",
        "HSE from HSEON to HSERDY, in periods of 48 MHz",
        96_000,
        "2 ms, typical start-up of a crystal (DS13867, HSE characteristics); depends on the board",
    ),
    TimingRow::assumed(
        "rcc.lsi_startup",
        "LSI from LSION to LSIRDY, in periods of 48 MHz",
        3_840,
        "80 us, typical of the same oscillator on STM32G0 (DS13867, LSI characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "rcc.lse_startup",
        "LSE from LSEON to LSERDY, in periods of 48 MHz",
        96_000_000,
        "2 s, typical start-up of a watch crystal (DS13867, LSE characteristics); depends on the board",
    ),
    TimingRow::assumed(
        "rcc.hsiusb48_startup",
        "HSIUSB48 from HSIUSB48ON to HSIUSB48RDY, in periods of 48 MHz",
        288,
        "6 us, the maximum of the oscillator for USB on STM32G0 (DS13560, HSI48 oscillator characteristics)",
    ),
];

const OSCILLATORS: &[Oscillator] = &[
    oscillator(CR, HSION, HSIRDY, 3, 0),
    oscillator(CR, HSEON, HSERDY, 4, 1),
    oscillator(CSR2, LSION, LSIRDY, 0, 2),
    oscillator(CSR1, LSEON, LSERDY, 1, 3),
    oscillator(CR, HSI48ON, HSI48RDY, 2, 4),
];

/// HSIUSB48 among the oscillators, and its frequency.
const HSIUSB48: usize = 4;
const HSI48: Hertz = Hertz::new(48_000_000);

/// RM0490, RCC_CCIPR. ADC1SEL and I2S1SEL: 0 SYSCLK, 2 HSIKER; I2S1SEL 3 the pin I2S_CKIN, at which no clock is.
const KERNELS: &[Kernel] = &[
    kernel(&["USART1"], CCIPR, 0, USART),
    kernel(&["I2C1"], CCIPR, 12, I2C),
    kernel(&["SPI1"], CCIPR, 14, &[Source::Sysclk, Source::Sysclk, Source::HsiKernel, Source::I2s]),
    kernel(&["ADC1"], CCIPR, 30, &[Source::Sysclk, Source::Sysclk, Source::HsiKernel, Source::Sysclk]),
];

/// The version.
#[derive(Clone, Debug)]
pub struct C0;

/// The block.
pub type RccC0 = Rcc<C0>;

impl Version for C0 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    const REFERENCE: Hertz = Hertz::new(48_000_000);
    const OSCILLATORS: &'static [Oscillator] = OSCILLATORS;
    const CFGR: u32 = CFGR;
    const SW: u32 = 7;
    const HPRE: u32 = 8;
    const PPRE: [u32; 2] = [12, 12];
    const RESETS: &'static [RangeInclusive<u32>] = &[IOPRSTR..=APBRSTR2];
    const FLAGS: u32 = CIFR;
    const ENABLES: (u32, u32) = (CIER, 0);
    const INTERRUPTS: u32 = u32::MAX;
    const BDCR: u32 = CSR1;
    const CSR: u32 = CSR2;
    const RESET_FLAGS: u32 = 0xFE00_0000;
    /// RM0490, "Power reset": the end of Standby mode is one.
    const STANDBY_FLAGS: u32 = 0x0C00_0000;
    const RMVF: u32 = RMVF;

    fn selected(rcc: &RccC0, sw: u32) -> Option<usize> {
        match sw & 7 {
            SW_HSIUSB48 if rcc.has(CRRCR) => Some(HSIUSB48),
            SW_HSISYS => Some(HSI),
            SW_HSE => Some(HSE),
            SW_LSI => Some(LSI),
            SW_LSE => Some(LSE),
            _ => None,
        }
    }

    fn written(rcc: &mut RccC0, offset: u32, (old, new): (u32, u32), write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CR => {
                rcc.write_control(old, new, env);
                if (old ^ new) & DIVIDERS != 0 {
                    env.effect(Effect::ClocksChanged);
                }
            }
            CFGR => {
                rcc.write_configuration(old, new, 0, env);
                if (old ^ new) & CLOCK_OUTPUTS != 0 {
                    env.effect(Effect::ClocksChanged);
                }
            }
            CIFR | CICR => rcc.write_flags(offset, old, write),
            CCIPR | CCIPR2 if old != new => env.effect(Effect::ClocksChanged),
            CSR1 => {
                if new & RTCRST != 0 {
                    // RM0490, "RTC domain reset": everything of the domain but the bit itself.
                    rcc.bank.set(CSR1, RTCRST);
                    env.effect(Effect::ResetBackup);
                } else {
                    // Once selected, the RTC's clock stays until the domain is reset.
                    let kept = LSERDY | if old & RTCSEL != 0 { RTCSEL } else { 0 };
                    rcc.bank.set(CSR1, (old & kept) | (new & !kept));
                }
                if (old ^ new) & (RTCSEL | RTCEN | RTCRST) != 0 {
                    env.effect(Effect::ClocksChanged);
                }
                rcc.power(LSE, env);
            }
            CSR2 => rcc.write_status(old, new, LSION | RMVF, env),
            _ => {}
        }
    }

    /// RM0490, RCC_CFGR: MCOSEL and MCOPRE, MCO2SEL and MCO2PRE. Selector 8 is HSIUSB48; dividers are 1 to 1024 in powers of two.
    fn outputs(rcc: &RccC0, clocks: &Clocks) -> Vec<(&'static str, Span)> {
        let cfgr = rcc.get(CFGR);
        let others = [(8, rcc.period(HSIUSB48, clocks))];
        let output = |fields: u32| mux::output(rcc, clocks, (fields & 15, (fields >> 4 & 15).min(10)), &others);
        vec![("MCO_1", output(cfgr >> 24)), ("MCO_2", output(cfgr >> 16))]
    }

    fn frequency(_: &RccC0, oscillator: usize, clocks: &Clocks) -> Option<Hertz> {
        if oscillator == HSIUSB48 { Some(HSI48) } else { of_board(oscillator, clocks) }
    }

    /// HSIUSB48 and no loop, so that time has units that fit it.
    fn plls(rcc: &RccC0, _: &Clocks) -> Vec<Pll> {
        rcc.is_ready(HSIUSB48).then_some(Pll::unity(HSI48)).into_iter().collect()
    }

    /// RM0490, RCC_CCIPR2.USBSEL: HSIUSB48 or HSE.
    fn clk48(rcc: &RccC0, clocks: &Clocks) -> Span {
        rcc.period(if rcc.get(CCIPR2) & USBSEL == 0 { HSIUSB48 } else { HSE }, clocks)
    }

    /// CR.SYSDIV.
    fn sysclk_divider(rcc: &RccC0) -> u64 {
        if rcc.has(CRRCR) { u64::from(rcc.get(CR) >> 2 & 7) + 1 } else { 1 }
    }

    /// CR.HSIDIV.
    fn hsi_divider(rcc: &RccC0) -> u64 {
        1 << (rcc.get(CR) >> 11 & 7)
    }

    /// RM0490, RCC_CSR1.RTCSEL.
    fn rtc_divider(_: &RccC0) -> Option<u64> {
        Some(32)
    }

    /// CR.HSIKERDIV.
    fn kernel_divider(rcc: &RccC0) -> u64 {
        u64::from(rcc.get(CR) >> 5 & 7) + 1
    }

    fn kernel_clock(rcc: &RccC0, instance: &Instance) -> Option<Source> {
        mux::kernel_clock(rcc, KERNELS, instance)
    }
}
