//! Reset and clock control of STM32F1, medium density (RM0008, "Low-, medium-, high- and XL-density reset and clock
//! control (RCC)").
//!
//! Modelled: HSI, HSE, LSI, LSE and the PLL with their ready flags and interrupts, SYSCLK and its switch, the
//! prescalers, the clock enables and peripheral resets, the backup domain's register behind PWR_CR.DBP, and the reset
//! flags. ADCPRE and USBPRE are stored: the blocks they feed count no time here. HSE never fails, so the clock security
//! system never acts. Trimming and the clock output are stored without effect, and named when used.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::rcc::{
    HSE, HSI, LSE, LSEON, LSERDY, LSI, LSION, LSIRDY, Oscillator, Rcc, Version, ahb_divider, apb_divider, oscillator,
};
use crate::bank::{all, some};
use crate::{ClockControl, Clocks, Effect, Env, Modelled, Pll, Span, Tree, Write};

const CR: u32 = 0x00;
const CFGR: u32 = 0x04;
const CIR: u32 = 0x08;
const APB2RSTR: u32 = 0x0C;
const APB1RSTR: u32 = 0x10;
const BDCR: u32 = 0x20;
const CSR: u32 = 0x24;

const HSION: u32 = 1 << 0;
const HSIRDY: u32 = 1 << 1;
const HSEON: u32 = 1 << 16;
const HSERDY: u32 = 1 << 17;
const PLLON: u32 = 1 << 24;
const PLLRDY: u32 = 1 << 25;

const PLLSRC: u32 = 1 << 16;
const PLLXTPRE: u32 = 1 << 17;
const PLLMUL: u32 = 15 << 18;
/// The fields that select the PLL's output; written only while the PLL is off (RM0008, RCC_CFGR).
const PLL_SETTINGS: u32 = PLLSRC | PLLXTPRE | PLLMUL;
/// HPRE, PPRE1 and PPRE2.
const PRESCALERS: u32 = 0x3FF0;

const SW_HSE: u32 = 1;
const SW_PLL: u32 = 2;

/// The fastest each clock may be (RM0008, RCC_CFGR; DS5319, General operating conditions).
const MAX_SYSCLK: Hertz = Hertz::new(72_000_000);
const MAX_PCLK1: Hertz = Hertz::new(36_000_000);

/// Clears the reset flags.
const RMVF: u32 = 1 << 24;

/// The modelled registers and fields, with the values after power-on (RM0008, "RCC register map").
pub const MODEL: &[Modelled] = &[
    some("CR", 0x0000_0083, &["HSION", "HSIRDY", "HSICAL", "HSEON", "HSERDY", "HSEBYP", "CSSON", "PLLON", "PLLRDY"]),
    some("CFGR", 0, &["SW", "SWS", "HPRE", "PPRE1", "PPRE2", "ADCPRE", "PLLSRC", "PLLXTPRE", "PLLMUL", "USBPRE"]),
    all("CIR", 0),
    all("APB2RSTR", 0).and(&["APB1RSTR"]),
    all("APB2ENR", 0).and(&["APB1ENR"]),
    all("AHBENR", 0x0000_0014),
    all("BDCR", 0),
    all("CSR", 0x0C00_0000),
];

/// Start-up times, in periods of 8 MHz.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "rcc.hsi_startup",
        "HSI from HSION to HSIRDY, in periods of 8 MHz",
        16,
        "2 us, the maximum of tsu(HSI) (DS5319, HSI oscillator characteristics)",
    ),
    TimingRow::assumed(
        "rcc.hse_startup",
        "HSE from HSEON to HSERDY, in periods of 8 MHz",
        16_000,
        "2 ms, the typical tsu(HSE) of DS5319 (HSE 4-16 MHz oscillator characteristics); depends on the board's crystal",
    ),
    TimingRow::documented(
        "rcc.lsi_startup",
        "LSI from LSION to LSIRDY, in periods of 8 MHz",
        680,
        "85 us, the maximum of tsu(LSI) (DS5319, LSI oscillator characteristics)",
    ),
    TimingRow::assumed(
        "rcc.lse_startup",
        "LSE from LSEON to LSERDY, in periods of 8 MHz",
        24_000_000,
        "3 s, the typical tsu(LSE) of DS5319 (LSE oscillator characteristics); depends on the board's crystal",
    ),
    TimingRow::documented(
        "rcc.pll_lock",
        "PLL from PLLON, or its source's readiness, to PLLRDY, in periods of 8 MHz",
        1_600,
        "200 us, the maximum of tLOCK (DS5319, PLL characteristics)",
    ),
];

const OSCILLATORS: &[Oscillator] = &[
    oscillator(CR, HSION, HSIRDY, 2, 0),
    oscillator(CR, HSEON, HSERDY, 3, 1),
    oscillator(CSR, LSION, LSIRDY, 0, 2),
    oscillator(BDCR, LSEON, LSERDY, 1, 3),
    oscillator(CR, PLLON, PLLRDY, 4, 4),
];
const PLL: usize = 4;

/// The version.
#[derive(Clone, Debug)]
pub struct F1;

/// The block.
pub type RccF1 = Rcc<F1>;

impl RccF1 {
    /// The PLL by its settings (RM0008, RCC_CFGR: PLLSRC, PLLXTPRE, PLLMUL).
    fn pll(&self, clocks: &Clocks) -> Pll {
        let cfgr = self.bank.get(CFGR);
        let oscillators = clocks.oscillators();
        let hse = oscillators.hse.unwrap_or(oscillators.hsi);
        let (input, divider) = match cfgr & (PLLSRC | PLLXTPRE) {
            0 | PLLXTPRE => (oscillators.hsi, 2),
            PLLSRC => (hse, 1),
            _ => (hse, 2),
        };
        // 0000 is x2 and so on; 1111 is x16 as 1110 is.
        Pll { input, divider, multiplier: ((cfgr & PLLMUL) >> 18).min(14) + 2 }
    }

    /// Names clocks faster than the part is made for.
    fn check_limits(&mut self, env: &mut Env<'_, '_>) {
        let tree = self.tree(env.clocks());
        let too_fast = |period: Span, limit: Hertz| period < env.clocks().period(limit);
        let (sysclk, pclk1) = (too_fast(tree.sysclk, MAX_SYSCLK), too_fast(tree.pclk, MAX_PCLK1));
        if sysclk {
            env.gap(GapKind::Setting, format_args!("SYSCLK above 72 MHz"));
        }
        if pclk1 {
            env.gap(GapKind::Setting, format_args!("RCC_CFGR.PPRE1: PCLK1 above 36 MHz"));
        }
    }

    /// Switches in CR that cannot be cleared now: those of the oscillators behind SYSCLK.
    fn pinned(&self) -> u32 {
        match self.in_use() {
            PLL => PLLON | OSCILLATORS[F1::pll_source(self)].on,
            in_use => OSCILLATORS[in_use].on,
        }
    }

    fn write_control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        const FLAGS: u32 = HSIRDY | HSERDY | PLLRDY;
        // The calibration is the factory's.
        const FIXED: u32 = FLAGS | 0xFF00;
        self.bank.set(CR, (old & FIXED) | (new & !FIXED) | self.pinned());
        for oscillator in [HSI, HSE, PLL] {
            self.power(oscillator, env);
        }
    }

    fn write_configuration(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        let mut kept = F1::SW << 2;
        if self.bank.get(CR) & PLLON != 0 {
            kept |= PLL_SETTINGS;
            if (old ^ new) & PLL_SETTINGS != 0 {
                env.gap(GapKind::Setting, format_args!("RCC_CFGR: PLL settings written while the PLL is on"));
            }
        }
        self.bank.set(CFGR, (old & kept) | (new & !kept));
        if new & F1::SW == 3 {
            env.gap(GapKind::Setting, format_args!("RCC_CFGR.SW=3 is reserved"));
        }
        self.switch(env);
        if (old ^ new) & PRESCALERS != 0 {
            self.check_limits(env);
            env.effect(Effect::ClocksChanged);
        }
    }
}

impl Version for F1 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    const REFERENCE: Hertz = Hertz::new(8_000_000);
    const OSCILLATORS: &'static [Oscillator] = OSCILLATORS;
    const PLLS: &'static [usize] = &[PLL];
    const CFGR: u32 = CFGR;
    const SW: u32 = 3;
    const FLAGS: u32 = CIR;
    const ENABLES: (u32, u32) = (CIR, 8);
    const INTERRUPTS: u32 = 0x1F;
    const BDCR: u32 = BDCR;
    const CSR: u32 = CSR;
    const RESET_FLAGS: u32 = 0xFC00_0000;
    const RMVF: u32 = RMVF;

    fn selected(sw: u32) -> Option<usize> {
        [Some(HSI), Some(HSE), Some(PLL), None][(sw & 3) as usize]
    }

    fn pll_source(rcc: &RccF1) -> usize {
        if rcc.get(CFGR) & PLLSRC != 0 { HSE } else { HSI }
    }

    fn switched(rcc: &mut RccF1, env: &mut Env<'_, '_>) {
        rcc.check_limits(env);
    }

    fn written(rcc: &mut RccF1, offset: u32, (old, new): (u32, u32), write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CR => rcc.write_control(old, new, env),
            CFGR => rcc.write_configuration(old, new, env),
            CIR => rcc.write_interrupts(old, write),
            APB2RSTR | APB1RSTR if new != 0 => {
                env.effect(Effect::ResetPeripherals { offset: offset as u16, bits: new });
            }
            BDCR => rcc.write_backup(old, new, env),
            CSR => rcc.write_status(old, new, LSION | RMVF, env),
            _ => {}
        }
    }

    fn tree(rcc: &RccF1, clocks: &Clocks) -> Tree {
        let oscillators = clocks.oscillators();
        let cfgr = rcc.bank.get(CFGR);
        let hsi = clocks.period(oscillators.hsi);
        let sysclk = match cfgr >> 2 & 3 {
            SW_HSE => rcc.period(HSE, oscillators.hse, clocks),
            SW_PLL if rcc.is_ready(PLL) => rcc.pll(clocks).period(clocks),
            _ => hsi,
        };
        // A stopped clock cannot be selected; should one be, the core goes on from HSI, as the CSS would have it.
        let sysclk = if sysclk == Span::ZERO { hsi } else { sysclk };
        let hclk = sysclk.times(ahb_divider(cfgr >> 4 & 15));
        let (apb1, apb2) = (apb_divider(cfgr >> 8 & 7), apb_divider(cfgr >> 11 & 7));
        let (pclk1, pclk2) = (hclk.times(apb1), hclk.times(apb2));
        // RM0008, "Clocks": a timer's clock is PCLK where the APB is not divided, else twice PCLK.
        let timer = |pclk: Span, divider: u64| if divider == 1 { pclk } else { pclk.half() };
        Tree {
            hclk,
            pclk: pclk1,
            pclk2,
            timer: timer(pclk1, apb1),
            timer2: timer(pclk2, apb2),
            sysclk,
            hsi_kernel: Span::ZERO,
            lsi: rcc.period(LSI, Some(oscillators.lsi), clocks),
            lse: rcc.period(LSE, oscillators.lse, clocks),
        }
    }

    fn plls(rcc: &RccF1, clocks: &Clocks) -> Vec<Pll> {
        if rcc.get(CR) & PLLON != 0 { vec![rcc.pll(clocks)] } else { Vec::new() }
    }
}
