//! Reset and clock control of STM32G4 (RM0440, "Reset and clock control (RCC)").
//!
//! Modelled: HSI16, HSE, LSI, LSE, HSI48 and the PLL with their ready flags and interrupts, SYSCLK and its switch, the
//! prescalers with the timers' clocks, the clock enables and peripheral resets, kernel clocks, the domain of the RTC behind
//! PWR_CR1.DBP, and the reset flags. The clock output (MCO) is a wave on its pins. Crystals never fail, so the clock security
//! systems never act. Trimming, the clocks in Sleep mode, HSIKERON and LSCO are stored without effect, and named when used.

use std::ops::RangeInclusive;

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use super::rcc::mux::{self, I2C, Kernel, LPTIM, USART, USART_APB2, kernel};
use super::rcc::pll::{Dividers, Limits, Loop, Loops, Output};
use super::rcc::rows;
use super::rcc::{
    CR, HSE, HSI, LSEON, LSERDY, LSION, LSIRDY, Oscillator, PLL, PLLON, PLLRDY, Rcc, Version, of_board, oscillator,
};
use super::rcc_g0::{
    BYPASS, DOMAIN_UNSEEN, DOMAIN_UNUSED, HSEBYP, HSEON, HSERDY, HSI48_FREQUENCY, HSION, HSIRDY, RMVF, pll_source,
};
use crate::bank::{all, but, ones, some};
use crate::{Clocks, Effect, Env, Instance, Modelled, Pll, Source, Span, Write};

const CFGR: u32 = 0x08;
const PLLCFGR: u32 = 0x0C;
const CIER: u32 = 0x18;
const CIFR: u32 = 0x1C;
const CICR: u32 = 0x20;
const AHB1RSTR: u32 = 0x28;
const APB2RSTR: u32 = 0x40;
const CCIPR: u32 = 0x88;
const BDCR: u32 = 0x90;
const CSR: u32 = 0x94;
const CRRCR: u32 = 0x98;
const CCIPR2: u32 = 0x9C;

/// Bits of CRRCR, on STM32L4 as well.
pub(super) const HSI48ON: u32 = 1 << 0;
pub(super) const HSI48RDY: u32 = 1 << 1;
/// MCOSEL and MCOPRE of CFGR, on STM32L4 as well.
pub(super) const MCO: u32 = 0x7F00_0000;

/// HSI48 among the oscillators.
const HSI48: usize = 5;

/// The modelled registers and fields, with the values after power-on (RM0440, "RCC register map").
pub const MODEL: &[Modelled] = &[
    but("CR", 0x0000_0500, &["HSIKERON", "CSSON"]).unseen(&["CSSON"]),
    some("ICSCR", 0x4000_0000, &[]),
    all("CFGR", 0x0000_0005),
    all("PLLCFGR", 0x0000_1000),
    all("CIER", 0),
    all("CIFR", 0).and(&["CICR"]),
    all("AHB1RSTR", 0).and(&["AHB2RSTR", "AHB3RSTR", "APB1RSTR1", "APB1RSTR2", "APB2RSTR"]),
    all("AHB1ENR", 0x0000_0100),
    all("AHB2ENR", 0).and(&["AHB3ENR", "APB1ENR1", "APB1ENR2", "APB2ENR"]),
    ones("AHB1SMENR").and(&["AHB2SMENR", "AHB3SMENR", "APB1SMENR1", "APB1SMENR2", "APB2SMENR"]),
    // The kernel clocks of SAI1 and QUADSPI are of blocks that are named themselves when used.
    all("CCIPR", 0),
    all("CCIPR2", 0),
    but("BDCR", 0, DOMAIN_UNUSED).unseen(DOMAIN_UNSEEN),
    all("CSR", 0x0C00_0000),
    some("CRRCR", 0, &["HSI48ON", "HSI48RDY"]),
];

/// Start-up times, in periods of 16 MHz.
pub const ROWS: &[TimingRow] = &[rows::HSI16, rows::HSE, rows::LSI, rows::LSE, rows::LOCK, rows::HSI48, rows::BYPASS];

const OSCILLATORS: &[Oscillator] = &[
    oscillator(CR, HSION, HSIRDY, 3, 0),
    oscillator(CR, HSEON, HSERDY, 4, 1),
    oscillator(CSR, LSION, LSIRDY, 0, 2),
    oscillator(BDCR, LSEON, LSERDY, 1, 3),
    oscillator(CR, PLLON, PLLRDY, 5, 4),
    oscillator(CRRCR, HSI48ON, HSI48RDY, 10, 5),
];

/// The clocks of converters: none, PLLP, SYSCLK.
const ADC: &[Source] = &[Source::Off, Source::PllP, Source::Sysclk, Source::Off];
/// Those of I2S: SYSCLK, PLLQ, the pin I2S_CKIN, at which no clock is, and HSI16.
const I2S: &[Source] = &[Source::Sysclk, Source::PllQ, Source::I2s, Source::HsiKernel];

/// RM0440, RCC_CCIPR, RCC_CCIPR2.
const KERNELS: &[Kernel] = &[
    kernel(&["USART1"], CCIPR, 0, USART_APB2),
    kernel(&["USART2"], CCIPR, 2, USART),
    kernel(&["USART3"], CCIPR, 4, USART),
    kernel(&["UART4"], CCIPR, 6, USART),
    kernel(&["UART5"], CCIPR, 8, USART),
    kernel(&["LPUART1"], CCIPR, 10, USART),
    kernel(&["I2C1"], CCIPR, 12, I2C),
    kernel(&["I2C2"], CCIPR, 14, I2C),
    kernel(&["I2C3"], CCIPR, 16, I2C),
    kernel(&["LPTIM1"], CCIPR, 18, LPTIM),
    kernel(&["SPI2", "SPI3"], CCIPR, 22, I2S),
    kernel(&["FDCAN1", "FDCAN2", "FDCAN3"], CCIPR, 24, &[Source::Hse, Source::PllQ, Source::Pclk, Source::Off]),
    kernel(&["RNG", "USB"], CCIPR, 26, &[Source::Clk48]),
    kernel(&["ADC1", "ADC2"], CCIPR, 28, ADC),
    kernel(&["ADC3", "ADC4", "ADC5"], CCIPR, 30, ADC),
    kernel(&["I2C4"], CCIPR2, 0, I2C),
];

/// The version.
#[derive(Clone, Debug)]
pub struct G4;

/// The block.
pub type RccG4 = Rcc<G4>;

impl Loops for G4 {
    const LOOPS: &'static [Loop] = &[Loop { number: PLL, register: PLLCFGR, name: "RCC_PLLCFGR" }];
    const M: u32 = 15;
    const DIVIDERS: Dividers = Dividers::Even;

    /// RM0440, RCC_PLLCFGR.PLLN; DS12589, PLL characteristics: fPLL_IN, fVCO_OUT.
    fn limits(_: &RccG4) -> Limits {
        Limits { n: 8..=127, input: 2_660_000..=16_000_000, vco: 96_000_000..=344_000_000 }
    }
}

impl Version for G4 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    const REFERENCE: Hertz = Hertz::new(16_000_000);
    const OSCILLATORS: &'static [Oscillator] = OSCILLATORS;
    const PLLS: &'static [usize] = &[PLL];
    const CFGR: u32 = CFGR;
    const SW: u32 = 3;
    const HPRE: u32 = 4;
    const PPRE: [u32; 2] = [8, 11];
    const RESETS: &'static [RangeInclusive<u32>] = &[AHB1RSTR..=APB2RSTR];
    const FLAGS: u32 = CIFR;
    const ENABLES: (u32, u32) = (CIER, 0);
    const INTERRUPTS: u32 = u32::MAX;
    const BDCR: u32 = BDCR;
    const CSR: u32 = CSR;
    const RESET_FLAGS: u32 = 0xFE00_0000;
    /// RM0440, "Power reset": the end of Standby mode is one.
    const STANDBY_FLAGS: u32 = 0x0C00_0000;
    const RMVF: u32 = RMVF;

    /// RM0440, RCC_CFGR.SW.
    fn selected(_: &RccG4, sw: u32) -> Option<usize> {
        [None, Some(HSI), Some(HSE), Some(PLL)][(sw & 3) as usize]
    }

    fn pll_source(rcc: &RccG4, _: usize) -> Option<usize> {
        pll_source(rcc.get(PLLCFGR))
    }

    fn frequency(_: &RccG4, oscillator: usize, clocks: &Clocks) -> Option<Hertz> {
        if oscillator == HSI48 { Some(HSI48_FREQUENCY) } else { of_board(oscillator, clocks) }
    }

    fn is_usable(rcc: &RccG4, oscillator: usize) -> bool {
        rcc.is_switched_on(oscillator)
    }

    /// RM0440, "Stop mode": HSI16 is the clock after it.
    fn wakes_with(_: &RccG4) -> (usize, u32) {
        (HSI, 1)
    }

    fn pll_output(rcc: &RccG4, clocks: &Clocks) -> Span {
        rcc.output(PLL, Output::R, clocks)
    }

    fn pll_kernels(rcc: &RccG4, clocks: &Clocks) -> [Span; 2] {
        [Output::P, Output::Q].map(|output| rcc.output(PLL, output, clocks))
    }

    fn plls(rcc: &RccG4, clocks: &Clocks) -> Vec<Pll> {
        rcc.running(clocks).into_iter().chain(rcc.is_ready(HSI48).then_some(Pll::unity(HSI48_FREQUENCY))).collect()
    }

    /// RM0440, RCC_CCIPR.CLK48SEL: HSI48 or PLLQ.
    fn clk48(rcc: &RccG4, clocks: &Clocks) -> Span {
        match rcc.get(CCIPR) >> 26 & 3 {
            0 => rcc.period(HSI48, clocks),
            2 => rcc.output(PLL, Output::Q, clocks),
            _ => Span::ZERO,
        }
    }

    fn kernel_divider(_: &RccG4) -> u64 {
        1
    }

    /// RM0440, RCC_BDCR.RTCSEL.
    fn rtc_divider(_: &RccG4) -> Option<u64> {
        Some(32)
    }

    fn row(rcc: &RccG4, oscillator: usize) -> usize {
        if oscillator == HSE && rcc.get(CR) & HSEBYP != 0 { BYPASS } else { OSCILLATORS[oscillator].row }
    }

    fn starts(rcc: &RccG4, oscillator: usize, env: &mut Env<'_, '_>) {
        rcc.check(oscillator, env);
    }

    /// RM0440, RCC_CFGR: MCOSEL and MCOPRE; selector 8 is HSI48.
    fn outputs(rcc: &RccG4, clocks: &Clocks) -> Vec<(&'static str, Span)> {
        vec![("MCO", mux::single(rcc, clocks, &[(8, rcc.period(HSI48, clocks))]))]
    }

    fn kernel_clock(rcc: &RccG4, instance: &Instance) -> Option<Source> {
        mux::kernel_clock(rcc, KERNELS, instance)
    }

    fn written(rcc: &mut RccG4, offset: u32, (old, new): (u32, u32), write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CR => rcc.write_control(old, new, env),
            CRRCR => rcc.write_switches(CRRCR, old, new, env),
            CFGR => {
                rcc.write_configuration(old, new, 0, env);
                if (old ^ new) & MCO != 0 {
                    env.effect(Effect::ClocksChanged);
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
