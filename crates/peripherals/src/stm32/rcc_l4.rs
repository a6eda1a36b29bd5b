//! Reset and clock control of STM32L4 (RM0351, RM0394) and STM32L4+ (RM0432), "Reset and clock control (RCC)".
//!
//! Modelled: MSI with its ranges and its mode locked to LSE, HSI16, HSE, LSI with the prescaler of STM32L4+, LSE, HSI48 and three
//! PLLs with their ready flags and interrupts, SYSCLK and its switch, the prescalers with the timers' clocks, the clock enables
//! and peripheral resets, kernel clocks, the domain of the RTC behind PWR_CR1.DBP, and the reset flags. The clock output (MCO) is
//! a wave on its pin. Crystals never fail, so the clock security systems never act. Trimming, the clocks in Sleep mode, HSIKERON,
//! HSIASFS, LSCO and the delays of OCTOSPI are stored without effect, and named when used.

use std::ops::RangeInclusive;

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::rcc::mux::{self, I2C, Kernel, LPTIM, USART, USART_APB2, kernel};
use super::rcc::pll::{Dividers, Limits, Loop, Loops, Output, PLLSRC};
use super::rcc::rows;
use super::rcc::{
    CR, HSE, HSI, LSE, LSEON, LSERDY, LSI, LSION, LSIRDY, Oscillator, PLL, PLLON, PLLRDY, Rcc, Version, of_board,
    oscillator,
};
use super::rcc_g0::{BYPASS, DOMAIN_UNSEEN, HSEBYP, HSEON, HSERDY, HSI48_FREQUENCY, HSION, HSIRDY, RMVF, pll_source};
use super::rcc_g4::{HSI48ON, HSI48RDY, MCO};
use crate::bank::{all, but, ones, some};
use crate::{Clocks, Effect, Env, Instance, Modelled, Pll, Source, Span, Write};

const CFGR: u32 = 0x08;
const PLLCFGR: u32 = 0x0C;
const PLLSAI1CFGR: u32 = 0x10;
const PLLSAI2CFGR: u32 = 0x14;
const CIER: u32 = 0x18;
const CIFR: u32 = 0x1C;
const CICR: u32 = 0x20;
const AHB1RSTR: u32 = 0x28;
const APB2RSTR: u32 = 0x40;
const APB1ENR1: u32 = 0x58;
const CCIPR: u32 = 0x88;
const BDCR: u32 = 0x90;
const CSR: u32 = 0x94;
const CRRCR: u32 = 0x98;
/// Of STM32L4+ alone.
const CCIPR2: u32 = 0x9C;

/// Bits of CR.
const MSION: u32 = 1 << 0;
const MSIRDY: u32 = 1 << 1;
const MSIPLLEN: u32 = 1 << 2;
const MSIRGSEL: u32 = 1 << 3;
const MSIRANGE: u32 = 15 << 4;
const PLLSAI1ON: u32 = 1 << 26;
const PLLSAI1RDY: u32 = 1 << 27;
const PLLSAI2ON: u32 = 1 << 28;
const PLLSAI2RDY: u32 = 1 << 29;
/// A bit of CFGR.
const STOPWUCK: u32 = 1 << 15;
/// Bits of CSR.
const LSIPREDIV: u32 = 1 << 4;
const MSISRANGE: u32 = 15 << 8;
/// CRSEN of APB1ENR1: parts with a CRS have HSI48.
const CRSEN: u32 = 1 << 24;

/// The oscillators and PLLs of these parts alone, by their numbers.
const PLLSAI1: usize = 5;
const PLLSAI2: usize = 6;
const MSI: usize = 7;
const HSI48: usize = 8;

/// MSI's ranges in hertz (RM0351, RCC_CR.MSIRANGE), and in multiples of LSE while it is locked to that (DS10198, MSI oscillator
/// characteristics, PLL mode).
const RANGES: [(u64, u64); 12] = [
    (100_000, 3),
    (200_000, 6),
    (400_000, 12),
    (800_000, 24),
    (1_000_000, 31),
    (2_000_000, 61),
    (4_000_000, 122),
    (8_000_000, 244),
    (16_000_000, 488),
    (24_000_000, 732),
    (32_000_000, 977),
    (48_000_000, 1465),
];

/// The modelled registers and fields, with the values after power-on (RM0351, RM0432, "RCC register map").
pub const MODEL: &[Modelled] = &[
    but("CR", 0x0000_0063, &["HSIKERON", "HSIASFS", "CSSON"]).unseen(&["CSSON"]),
    some("ICSCR", 0x4000_0000, &[]),
    all("CFGR", 0),
    all("PLLCFGR", 0x0000_1000).and(&["PLLSAI1CFGR", "PLLSAI2CFGR"]),
    all("CIER", 0),
    all("CIFR", 0).and(&["CICR"]),
    all("AHB1RSTR", 0).and(&["AHB2RSTR", "AHB3RSTR", "APB1RSTR1", "APB1RSTR2", "APB2RSTR"]),
    all("AHB1ENR", 0x0000_0100),
    all("AHB2ENR", 0).and(&["AHB3ENR", "APB1ENR1", "APB1ENR2", "APB2ENR"]),
    ones("AHB1SMENR").and(&["AHB2SMENR", "AHB3SMENR", "APB1SMENR1", "APB1SMENR2", "APB2SMENR"]),
    // The kernel clocks of SAI, DFSDM, SWPMI, DSI, LTDC and OCTOSPI are of blocks that are named themselves when used.
    all("CCIPR", 0),
    all("CCIPR2", 0),
    but("BDCR", 0, &["LSEDRV", "LSECSSON", "LSECSSD", "LSESYSDIS", "LSCOEN", "LSCOSEL"]).unseen(DOMAIN_UNSEEN),
    all("CSR", 0x0C00_0600),
    some("CRRCR", 0, &["HSI48ON", "HSI48RDY"]),
];

const fn msi(name: &'static str, range: &'static str, cycles: u32, source: &'static str) -> TimingRow {
    TimingRow::assumed(name, range, cycles, source)
}

/// Start-up times, in periods of 16 MHz.
pub const ROWS: &[TimingRow] = &[
    rows::HSI16,
    rows::HSE,
    rows::LSI,
    rows::LSE,
    rows::LOCK,
    rows::HSI48,
    rows::BYPASS,
    msi(
        "rcc.msi_startup_range_0",
        "MSI of 100 kHz from MSION to MSIRDY, in periods of 16 MHz",
        320,
        "20 us, the maximum of tSU(MSI), range 0 (DS10198, MSI oscillator characteristics)",
    ),
    msi(
        "rcc.msi_startup_range_1",
        "MSI of 200 kHz from MSION to MSIRDY, in periods of 16 MHz",
        160,
        "10 us, the maximum of tSU(MSI), range 1 (DS10198, MSI oscillator characteristics)",
    ),
    msi(
        "rcc.msi_startup_range_2",
        "MSI of 400 kHz from MSION to MSIRDY, in periods of 16 MHz",
        128,
        "8 us, the maximum of tSU(MSI), range 2 (DS10198, MSI oscillator characteristics)",
    ),
    msi(
        "rcc.msi_startup_range_3",
        "MSI of 800 kHz from MSION to MSIRDY, in periods of 16 MHz",
        112,
        "7 us, the maximum of tSU(MSI), range 3 (DS10198, MSI oscillator characteristics)",
    ),
    msi(
        "rcc.msi_startup",
        "MSI of 1 MHz and more from MSION to MSIRDY, in periods of 16 MHz",
        96,
        "6 us, the maximum of tSU(MSI), ranges 4 to 11 (DS10198, MSI oscillator characteristics)",
    ),
];
/// The row of MSI's range 0; those of ranges 1 to 3 and of the others follow.
const MSI_ROWS: usize = 7;

const OSCILLATORS: &[Oscillator] = &[
    oscillator(CR, HSION, HSIRDY, 3, 0),
    oscillator(CR, HSEON, HSERDY, 4, 1),
    oscillator(CSR, LSION, LSIRDY, 0, 2),
    oscillator(BDCR, LSEON, LSERDY, 1, 3),
    oscillator(CR, PLLON, PLLRDY, 5, 4),
    oscillator(CR, PLLSAI1ON, PLLSAI1RDY, 6, 4),
    oscillator(CR, PLLSAI2ON, PLLSAI2RDY, 7, 4),
    oscillator(CR, MSION, MSIRDY, 2, MSI_ROWS),
    oscillator(CRRCR, HSI48ON, HSI48RDY, 10, 5),
];

/// RM0351, RCC_CCIPR; RM0432, RCC_CCIPR, RCC_CCIPR2. ADCSEL: none, PLLSAI1's or PLLSAI2's R, SYSCLK. Without CCIPR2 I2C4 has PCLK1
/// and SDMMC1 the clock of 48 MHz.
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
    kernel(&["LPTIM2"], CCIPR, 20, LPTIM),
    kernel(&["RNG", "USB"], CCIPR, 26, &[Source::Clk48]),
    kernel(
        &["ADC1", "ADC2", "ADC3"],
        CCIPR,
        28,
        &[Source::Off, Source::Converters, Source::Converters, Source::Sysclk],
    ),
    kernel(&["I2C4"], CCIPR2, 0, I2C),
    kernel(&["SDMMC1", "SDMMC2"], CCIPR2, 14, &[Source::Clk48, Source::PllP]),
];

/// The version.
#[derive(Clone, Debug)]
pub struct L4;

/// The block.
pub type RccL4 = Rcc<L4>;

impl RccL4 {
    fn is_plus(&self) -> bool {
        self.has(CCIPR2)
    }

    fn has_hsi48(&self) -> bool {
        self.bank.at(APB1ENR1).is_some_and(|(row, _)| row.declared & CRSEN != 0)
    }

    /// The range of MSI: MSIRANGE, or that after Standby mode until MSIRGSEL is set.
    fn range(&self) -> usize {
        let range = if self.get(CR) & MSIRGSEL != 0 { self.get(CR) >> 4 } else { self.get(CSR) >> 8 };
        ((range & 15) as usize).min(RANGES.len() - 1)
    }

    /// The frequency of MSI.
    fn msi(&self, clocks: &Clocks) -> Hertz {
        let (hertz, multiple) = RANGES[self.range()];
        let locked = self.get(CR) & MSIPLLEN != 0 && self.is_ready(LSE);
        let lse = clocks.oscillators().lse.filter(|_| locked);
        lse.map_or(Hertz::new(hertz), |lse| Hertz::new(lse.get().saturating_mul(multiple)))
    }

    /// RM0351, RCC_CR: MSIRGSEL stays set, values of MSIRANGE above 11 are not taken, MSIPLLEN only while LSE is ready.
    fn write_cr(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        let mut new = new | old & MSIRGSEL;
        let range = (new & MSIRANGE) >> 4;
        if range as usize >= RANGES.len() {
            env.gap(GapKind::Setting, format_args!("RCC_CR.MSIRANGE={range} is not allowed"));
            new = new & !MSIRANGE | old & MSIRANGE;
        } else if (old ^ new) & MSIRANGE != 0 && old & (MSION | MSIRDY) == MSION {
            env.gap(GapKind::Setting, format_args!("RCC_CR.MSIRANGE written while MSI starts up"));
        }
        if new & MSIPLLEN != 0 && !self.is_ready(LSE) {
            env.gap(GapKind::Setting, format_args!("RCC_CR.MSIPLLEN set while LSE is not ready: lost"));
            new &= !MSIPLLEN;
        }
        self.write_control(old, new, env);
        if (old ^ new) & (MSIRANGE | MSIRGSEL | MSIPLLEN) != 0 {
            env.effect(Effect::ClocksChanged);
        }
    }

    /// RM0351, RM0432, RCC_CSR: MSISRANGE is 4 to 7, and written only once MSIRGSEL is set; LSIPREDIV only while LSI is off.
    fn write_csr(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        let range = (new & MSISRANGE) >> 8;
        let mut kept = 0;
        if (old ^ new) & MSISRANGE != 0 && (self.get(CR) & MSIRGSEL == 0 || !(4..=7).contains(&range)) {
            env.gap(GapKind::Setting, format_args!("RCC_CSR.MSISRANGE={range} written while it may not be: lost"));
            kept |= MSISRANGE;
        }
        if (old ^ new) & LSIPREDIV != 0 && old & LSIRDY != 0 {
            env.gap(GapKind::Setting, format_args!("RCC_CSR.LSIPREDIV written while LSI is on: lost"));
            kept |= LSIPREDIV;
        }
        self.write_status(old, old & kept | new & !kept, LSION | LSIPREDIV | MSISRANGE, env);
    }
}

impl Loops for L4 {
    const LOOPS: &'static [Loop] = &[
        Loop { number: PLL, register: PLLCFGR, name: "RCC_PLLCFGR" },
        Loop { number: PLLSAI1, register: PLLSAI1CFGR, name: "RCC_PLLSAI1CFGR" },
        Loop { number: PLLSAI2, register: PLLSAI2CFGR, name: "RCC_PLLSAI2CFGR" },
    ];
    const M: u32 = 15;
    const DIVIDERS: Dividers = Dividers::Even;

    /// RM0351, RCC_PLLCFGR, RCC_PLLSAI1CFGR; RM0432, the same. DS12023, PLL characteristics: fPLL_IN.
    fn limits(rcc: &RccL4) -> Limits {
        let vco = 64_000_000..=344_000_000;
        if rcc.is_plus() {
            Limits { n: 8..=127, input: 2_660_000..=16_000_000, vco }
        } else {
            Limits { n: 8..=86, input: 4_000_000..=16_000_000, vco }
        }
    }

    /// On STM32L4 all PLLs share PLLM; on STM32L4+ each has its own.
    fn divider_register(rcc: &RccL4, known: &Loop) -> u32 {
        if rcc.is_plus() { known.register } else { PLLCFGR }
    }
}

impl Version for L4 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    const REFERENCE: Hertz = Hertz::new(16_000_000);
    const OSCILLATORS: &'static [Oscillator] = OSCILLATORS;
    const PLLS: &'static [usize] = &[PLL, PLLSAI1, PLLSAI2];
    const CFGR: u32 = CFGR;
    const SW: u32 = 3;
    const HPRE: u32 = 4;
    const PPRE: [u32; 2] = [8, 11];
    const RESETS: &'static [RangeInclusive<u32>] = &[AHB1RSTR..=APB2RSTR];
    const RESET: usize = MSI;
    const FLAGS: u32 = CIFR;
    const ENABLES: (u32, u32) = (CIER, 0);
    const INTERRUPTS: u32 = u32::MAX;
    const BDCR: u32 = BDCR;
    const CSR: u32 = CSR;
    const RESET_FLAGS: u32 = 0xFF00_0000;
    /// RM0351, "Power reset": the end of Standby mode is one.
    const STANDBY_FLAGS: u32 = 0x0C00_0000;
    const STANDBY_KEPT: u32 = MSISRANGE;
    const RMVF: u32 = RMVF;

    /// RM0351, RCC_CFGR.SW.
    fn selected(_: &RccL4, sw: u32) -> Option<usize> {
        Some([MSI, HSI, HSE, PLL][(sw & 3) as usize])
    }

    /// RM0351, RCC_PLLCFGR.PLLSRC: 1 is MSI.
    fn pll_source(rcc: &RccL4, _: usize) -> Option<usize> {
        let value = rcc.get(PLLCFGR);
        if value & PLLSRC == 1 { Some(MSI) } else { pll_source(value) }
    }

    fn frequency(rcc: &RccL4, oscillator: usize, clocks: &Clocks) -> Option<Hertz> {
        match oscillator {
            MSI => Some(rcc.msi(clocks)),
            HSI48 => Some(HSI48_FREQUENCY).filter(|_| rcc.has_hsi48()),
            _ => of_board(oscillator, clocks),
        }
    }

    /// RM0432, RCC_CSR.LSIPREDIV.
    fn divider(rcc: &RccL4, oscillator: usize) -> u64 {
        if oscillator == LSI && rcc.get(CSR) & LSIPREDIV != 0 { 128 } else { 1 }
    }

    fn is_usable(rcc: &RccL4, oscillator: usize) -> bool {
        rcc.is_switched_on(oscillator)
    }

    /// RM0351, RCC_CFGR.STOPWUCK.
    fn wakes_with(rcc: &RccL4) -> (usize, u32) {
        if rcc.get(CFGR) & STOPWUCK != 0 { (HSI, 1) } else { (MSI, 0) }
    }

    fn pll_output(rcc: &RccL4, clocks: &Clocks) -> Span {
        rcc.output(PLL, Output::R, clocks)
    }

    fn pll_kernels(rcc: &RccL4, clocks: &Clocks) -> [Span; 2] {
        [Output::P, Output::Q].map(|output| rcc.output(PLL, output, clocks))
    }

    /// RM0351, RCC_CCIPR.ADCSEL.
    fn converters(rcc: &RccL4, clocks: &Clocks) -> Span {
        match rcc.get(CCIPR) >> 28 & 3 {
            1 => rcc.output(PLLSAI1, Output::R, clocks),
            2 => rcc.output(PLLSAI2, Output::R, clocks),
            _ => Span::ZERO,
        }
    }

    fn plls(rcc: &RccL4, clocks: &Clocks) -> Vec<Pll> {
        let others = [(MSI, rcc.msi(clocks)), (HSI48, HSI48_FREQUENCY)];
        let others = others.into_iter().filter(|(number, _)| rcc.is_ready(*number)).map(|(_, clock)| Pll::unity(clock));
        rcc.running(clocks).into_iter().chain(others).collect()
    }

    /// RM0351, RCC_CCIPR.CLK48SEL: HSI48, Q of PLLSAI1 or of the main PLL, MSI.
    fn clk48(rcc: &RccL4, clocks: &Clocks) -> Span {
        match rcc.get(CCIPR) >> 26 & 3 {
            0 => rcc.period(HSI48, clocks),
            1 => rcc.output(PLLSAI1, Output::Q, clocks),
            2 => rcc.output(PLL, Output::Q, clocks),
            _ => rcc.period(MSI, clocks),
        }
    }

    fn kernel_divider(_: &RccL4) -> u64 {
        1
    }

    /// RM0351, RCC_BDCR.RTCSEL.
    fn rtc_divider(_: &RccL4) -> Option<u64> {
        Some(32)
    }

    fn row(rcc: &RccL4, oscillator: usize) -> usize {
        match oscillator {
            HSE if rcc.get(CR) & HSEBYP != 0 => BYPASS,
            MSI => MSI_ROWS + rcc.range().min(4),
            _ => OSCILLATORS[oscillator].row,
        }
    }

    fn starts(rcc: &RccL4, oscillator: usize, env: &mut Env<'_, '_>) {
        rcc.check(oscillator, env);
    }

    /// RM0351, RCC_CFGR: MCOSEL and MCOPRE; selectors 2 MSI, 8 HSI48.
    fn outputs(rcc: &RccL4, clocks: &Clocks) -> Vec<(&'static str, Span)> {
        let others = [(2, rcc.period(MSI, clocks)), (8, rcc.period(HSI48, clocks))];
        vec![("MCO", mux::single(rcc, clocks, &others))]
    }

    fn kernel_clock(rcc: &RccL4, instance: &Instance) -> Option<Source> {
        mux::kernel_clock(rcc, KERNELS, instance)
    }

    fn written(rcc: &mut RccL4, offset: u32, (old, new): (u32, u32), write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CR => rcc.write_cr(old, new, env),
            CRRCR => {
                if new & HSI48ON != 0 && !rcc.has_hsi48() {
                    env.gap(GapKind::Setting, format_args!("RCC_CRRCR.HSI48ON: the part has no HSI48"));
                }
                rcc.write_switches(CRRCR, old, new, env);
            }
            CFGR => {
                rcc.write_configuration(old, new, 0, env);
                if (old ^ new) & MCO != 0 {
                    env.effect(Effect::ClocksChanged);
                }
            }
            PLLCFGR | PLLSAI1CFGR | PLLSAI2CFGR => rcc.write_loop(offset, (old, new), env),
            CIFR | CICR => rcc.write_flags(offset, old, write),
            CCIPR | CCIPR2 if old != new => env.effect(Effect::ClocksChanged),
            BDCR => rcc.write_backup(old, new, env),
            CSR => rcc.write_csr(old, new, env),
            _ => {}
        }
    }
}
