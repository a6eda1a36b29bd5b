//! Reset and clock control of STM32F446 (RM0390, "Reset and clock control (RCC)").
//!
//! Modelled: HSI, HSE, LSI, LSE and the three PLLs with their ready flags and interrupts, SYSCLK and its switch, the
//! prescalers with the timers' clocks, the clock enables and peripheral resets, the backup domain's register behind
//! PWR_CR.DBP, and the reset flags. The PLLs for audio and SAI lock but feed nothing here. HSE never fails, so the clock
//! security system never acts. Trimming, spread spectrum, clock outputs (MCO) and the choice of kernel clocks are
//! stored without effect, and named when used.

use std::ops::RangeInclusive;

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::rcc::{
    CR, HSE, HSEON, HSERDY, HSI, HSICAL, HSION, HSIRDY, LSEON, LSERDY, LSION, LSIRDY, Oscillator, PLL, PLLON, PLLRDY,
    Rcc, Version, oscillator,
};
use crate::bank::{all, but, some};
use crate::{Clocks, Effect, Env, Instance, Modelled, Pll, Source, Span, Write};

const PLLCFGR: u32 = 0x04;
const CFGR: u32 = 0x08;
const CIR: u32 = 0x0C;
const AHB1RSTR: u32 = 0x10;
const APB2RSTR: u32 = 0x24;
const BDCR: u32 = 0x70;
const CSR: u32 = 0x74;
const DCKCFGR: u32 = 0x8C;
const PLLSAICFGR: u32 = 0x88;
const DCKCFGR2: u32 = 0x94;
const CK48MSEL: u32 = 1 << 27;
/// The index of PLLSAI among the oscillators.
const PLLSAI: usize = 6;

const HSEBYP: u32 = 1 << 18;
const PLLI2SON: u32 = 1 << 26;
const PLLI2SRDY: u32 = 1 << 27;
const PLLSAION: u32 = 1 << 28;
const PLLSAIRDY: u32 = 1 << 29;
const PLLSRC: u32 = 1 << 22;
const TIMPRE: u32 = 1 << 24;

const SW_PLL_R: u32 = 3;

/// The fastest each APB may be (DS10693, General operating conditions, over-drive on).
const LIMITS: &[(Source, Hertz, &str)] = &[
    (Source::Pclk, Hertz::new(45_000_000), "RCC_CFGR.PPRE1: PCLK1 above 45 MHz"),
    (Source::Pclk2, Hertz::new(90_000_000), "RCC_CFGR.PPRE2: PCLK2 above 90 MHz"),
];

/// The modelled registers and fields, with the values after power-on (RM0390, "RCC register map").
pub const MODEL: &[Modelled] = &[
    but("CR", 0x0000_0083, &["HSITRIM", "HSICAL"]),
    all("PLLCFGR", 0x2400_3010),
    some("CFGR", 0, &["SW", "SWS", "HPRE", "PPRE1", "PPRE2", "RTCPRE"]),
    all("CIR", 0),
    all("AHB1RSTR", 0).and(&["AHB2RSTR", "AHB3RSTR", "APB1RSTR", "APB2RSTR"]),
    all("AHB1ENR", 0).and(&["AHB2ENR", "AHB3ENR", "APB1ENR", "APB2ENR"]),
    // Sleep-mode enables are stored: the model's clocks do not stop in Sleep mode, which is their value after reset.
    some("AHB1LPENR", 0x6067_90FF, &[]),
    some("AHB2LPENR", 0x0000_0081, &[]),
    some("AHB3LPENR", 0x0000_0003, &[]),
    some("APB1LPENR", 0x3FFF_C9FF, &[]),
    some("APB2LPENR", 0x00C7_7F33, &[]),
    all("BDCR", 0),
    all("CSR", 0x0E00_0000),
    some("PLLI2SCFGR", 0x2400_3010, &[]),
    // PLLSAI makes the clock of USB; its other outputs feed nothing here.
    some("PLLSAICFGR", 0x0400_3010, &["PLLM", "PLLN", "PLLP"]),
    some("DCKCFGR", 0, &["TIMPRE"]),
    // FMPI2C1's kernel clock, and those of CEC, USB, SDIO and SPDIF: blocks that are named themselves when used.
    all("DCKCFGR2", 0),
];

/// Start-up times of the oscillators, in periods of 16 MHz.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "rcc.hsi_startup",
        "HSI from HSION to HSIRDY, in periods of 16 MHz",
        36,
        "2.2 us typical (DS10693, HSI oscillator characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "rcc.hse_startup",
        "HSE from HSEON to HSERDY with a crystal, in periods of 16 MHz",
        32_000,
        "2 ms, typical start-up of a crystal (DS10693, HSE oscillator characteristics); depends on the board",
    ),
    TimingRow::assumed(
        "rcc.lsi_startup",
        "LSI from LSION to LSIRDY, in periods of 16 MHz",
        240,
        "15 us typical (DS10693, LSI oscillator characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "rcc.lse_startup",
        "LSE from LSEON to LSERDY, in periods of 16 MHz",
        32_000_000,
        "2 s, typical start-up of a watch crystal (DS10693, LSE oscillator characteristics); depends on the board",
    ),
    TimingRow::assumed(
        "rcc.pll_lock",
        "a PLL from its ON bit to its RDY bit, in periods of 16 MHz",
        3_200,
        "200 us, between the least and the most of DS10693, Main PLL characteristics (lock time); to be checked",
    ),
    TimingRow::assumed(
        "rcc.hse_bypass_startup",
        "HSE from HSEON to HSERDY with a clock from outside (HSEBYP), in periods of 16 MHz",
        16,
        "1 us; RM0390 gives no figure for a clock that runs already",
    ),
];

const OSCILLATORS: &[Oscillator] = &[
    oscillator(CR, HSION, HSIRDY, 2, 0),
    oscillator(CR, HSEON, HSERDY, 3, 1),
    oscillator(CSR, LSION, LSIRDY, 0, 2),
    oscillator(BDCR, LSEON, LSERDY, 1, 3),
    oscillator(CR, PLLON, PLLRDY, 4, 4),
    oscillator(CR, PLLI2SON, PLLI2SRDY, 5, 4),
    oscillator(CR, PLLSAION, PLLSAIRDY, 6, 4),
];
/// The row of HSE with a clock from outside.
const BYPASS: usize = 5;

/// The version.
#[derive(Clone, Debug)]
pub struct F4;

/// The block.
pub type RccF4 = Rcc<F4>;

impl RccF4 {
    /// The main PLL by its settings (RM0390, RCC_PLLCFGR: PLLSRC, PLLM, PLLN).
    fn pll(&self, clocks: &Clocks) -> Pll {
        let settings = self.bank.get(PLLCFGR);
        let oscillators = clocks.oscillators();
        let input = if settings & PLLSRC != 0 { oscillators.hse.unwrap_or(oscillators.hsi) } else { oscillators.hsi };
        Pll { input, divider: (settings & 0x3F).max(1), multiplier: (settings >> 6 & 0x1FF).max(1) }
    }

    /// Names settings of the main PLL that its manual forbids (RM0390, RCC_PLLCFGR).
    fn check_pll(&self, env: &mut Env<'_, '_>) {
        let settings = self.bank.get(PLLCFGR);
        let (m, n) = (settings & 0x3F, settings >> 6 & 0x1FF);
        if m < 2 || !(50..=432).contains(&n) {
            env.gap(GapKind::Setting, format_args!("RCC_PLLCFGR: PLLM={m} PLLN={n} are not allowed"));
        }
        let pll = self.pll(env.clocks());
        let vco = pll.input.get() * u64::from(pll.multiplier) / u64::from(pll.divider);
        if !(100_000_000..=432_000_000).contains(&vco) {
            env.gap(GapKind::Setting, format_args!("RCC_PLLCFGR: the VCO would run at {}", Hertz::new(vco)));
        }
    }

    fn write_pll(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        // RM0390, RCC_PLLCFGR: written only while the PLLs that share PLLSRC are off; of PLLQ it says nothing.
        if self.bank.get(CR) & PLLON != 0 && old != new {
            self.bank.set(PLLCFGR, old);
            env.gap(GapKind::Setting, format_args!("RCC_PLLCFGR written while the PLL is on: lost"));
        }
    }
}

impl Version for F4 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    const REFERENCE: Hertz = Hertz::new(16_000_000);
    const OSCILLATORS: &'static [Oscillator] = OSCILLATORS;
    const PLLS: &'static [usize] = &[PLL, 5, 6];
    const FIXED: u32 = HSICAL;
    const CFGR: u32 = CFGR;
    const SW: u32 = 3;
    const HPRE: u32 = 4;
    const PPRE: [u32; 2] = [10, 13];
    const RESETS: RangeInclusive<u32> = AHB1RSTR..=APB2RSTR;
    const FLAGS: u32 = CIR;
    const ENABLES: (u32, u32) = (CIR, 8);
    const INTERRUPTS: u32 = 0x7F;
    const BDCR: u32 = BDCR;
    const CSR: u32 = CSR;
    const RESET_FLAGS: u32 = 0xFE00_0000;
    const RMVF: u32 = 1 << 24;

    fn selected(sw: u32) -> Option<usize> {
        Some([HSI, HSE, PLL, PLL][(sw & 3) as usize])
    }

    fn pll_source(rcc: &RccF4) -> usize {
        if rcc.get(PLLCFGR) & PLLSRC != 0 { HSE } else { HSI }
    }

    fn pll_output(rcc: &RccF4, clocks: &Clocks) -> Span {
        let settings = rcc.get(PLLCFGR);
        let r = rcc.get(CFGR) >> 2 & F4::SW == SW_PLL_R;
        let divider = if r { (settings >> 28 & 7).max(1) } else { (settings >> 16 & 3) * 2 + 2 };
        rcc.pll(clocks).period(clocks).times(divider.into())
    }

    /// RM0390, RCC_DCKCFGR2.CK48MSEL: Q of the main PLL, or P of PLLSAI.
    fn usb_clock(rcc: &RccF4, clocks: &Clocks) -> Hertz {
        let (pll, main) = (rcc.pll(clocks), rcc.get(DCKCFGR2) & CK48MSEL == 0);
        if !rcc.is_ready(if main { PLL } else { PLLSAI }) {
            return Hertz::new(0);
        }
        if main {
            return Hertz::new(pll.output() / u64::from((rcc.get(PLLCFGR) >> 24 & 15).max(1)));
        }
        let sai = rcc.get(PLLSAICFGR);
        let pll = Pll { divider: (sai & 0x3F).max(1), multiplier: (sai >> 6 & 0x1FF).max(1), ..pll };
        Hertz::new(pll.output() / u64::from((sai >> 16 & 3) * 2 + 2))
    }

    fn kernel_divider(_: &RccF4) -> u64 {
        1
    }

    /// RM0390, RCC_DCKCFGR2.FMPI2C1SEL: 0 PCLK1, 1 SYSCLK, 2 HSI.
    fn kernel_clock(rcc: &RccF4, instance: &Instance) -> Option<Source> {
        const SOURCES: [Source; 4] = [Source::Pclk, Source::Sysclk, Source::HsiKernel, Source::Pclk];
        (instance.name == "FMPI2C1").then(|| SOURCES[(rcc.get(DCKCFGR2) >> 22 & 3) as usize])
    }

    /// RM0390, RCC_DCKCFGR.TIMPRE: with TIMPRE = 0 the timers have the bus's clock, twice that where the bus is divided; with
    /// TIMPRE = 1 HCLK up to a division by four, then four times the bus's clock.
    fn timer_divider(rcc: &RccF4, apb: u64) -> u64 {
        (apb / if rcc.get(DCKCFGR) & TIMPRE != 0 { 4 } else { 2 }).max(1)
    }

    fn row(oscillator: usize, value: u32) -> usize {
        if oscillator == HSE && value & HSEBYP != 0 { BYPASS } else { OSCILLATORS[oscillator].row }
    }

    fn starts(rcc: &RccF4, oscillator: usize, env: &mut Env<'_, '_>) {
        if oscillator == PLL {
            rcc.check_pll(env);
        }
    }

    fn controlled(old: u32, new: u32, env: &mut Env<'_, '_>) {
        if (old ^ new) & PLLON != 0 {
            env.effect(Effect::PllSwitched { on: new & PLLON != 0 });
        }
    }

    fn switched(rcc: &mut RccF4, env: &mut Env<'_, '_>) {
        // Of that output's users only SYSCLK is modelled; the others (I2S, SAI, SPDIF) are named themselves.
        let r = rcc.get(PLLCFGR) >> 28;
        if rcc.get(CFGR) & F4::SW == SW_PLL_R && r < 2 {
            env.gap(GapKind::Setting, format_args!("RCC_PLLCFGR: PLLR={r} is not allowed"));
        }
    }

    fn written(rcc: &mut RccF4, offset: u32, (old, new): (u32, u32), write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CR => rcc.write_control(old, new, env),
            PLLCFGR => rcc.write_pll(old, new, env),
            CFGR => rcc.write_configuration(old, new, 0, env),
            CIR => rcc.write_interrupts(old, write),
            BDCR => rcc.write_backup(old, new, env),
            CSR => rcc.write_status(old, new, LSION, env),
            DCKCFGR if (old ^ new) & TIMPRE != 0 => env.effect(Effect::ClocksChanged),
            DCKCFGR2 if (old ^ new) & (3 << 22 | CK48MSEL) != 0 => env.effect(Effect::ClocksChanged),
            PLLSAICFGR => env.effect(Effect::ClocksChanged),
            _ => {}
        }
    }

    fn was_reset(env: &mut Env<'_, '_>) {
        env.effect(Effect::PllSwitched { on: false });
    }

    fn changed(env: &mut Env<'_, '_>) {
        env.check_limits(*env.clocks().tree(), LIMITS);
    }

    fn plls(rcc: &RccF4, clocks: &Clocks) -> Vec<Pll> {
        if rcc.is_ready(PLL) { vec![rcc.pll(clocks)] } else { Vec::new() }
    }
}
