//! Reset and clock control of STM32F1, medium density (RM0008, "Low-, medium-, high- and XL-density reset and clock
//! control (RCC)").
//!
//! Modelled: HSI, HSE, LSI, LSE and the PLL with their ready flags and interrupts, SYSCLK and its switch, the
//! prescalers, the clock enables and peripheral resets, the backup domain's register behind PWR_CR.DBP, and the reset
//! flags. ADCPRE is the converters', USBPRE the USB device's. HSE never fails, so the clock security system never acts. The
//! clock output (MCO) is a wave on its pin. Trimming is stored without effect, and named when used.

use std::ops::RangeInclusive;

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::rcc::{
    CR, HSE, HSEON, HSERDY, HSI, HSICAL, HSION, HSIRDY, LSEON, LSERDY, LSION, LSIRDY, Oscillator, PLL, PLLON, PLLRDY,
    Rcc, Version, oscillator,
};
use crate::bank::{all, some};
use crate::{ClockControl, Clocks, Effect, Env, Message, Modelled, Pll, Receiver, Source, Span, Write};

const CFGR: u32 = 0x04;
const CIR: u32 = 0x08;
const APB2RSTR: u32 = 0x0C;
const APB1RSTR: u32 = 0x10;
const BDCR: u32 = 0x20;
const CSR: u32 = 0x24;

const ADCPRE: u32 = 3 << 14;
const PLLSRC: u32 = 1 << 16;
const PLLXTPRE: u32 = 1 << 17;
const PLLMUL: u32 = 15 << 18;
const USBPRE: u32 = 1 << 22;
const MCOSEL: u32 = 7 << 24;
/// The fields that select the PLL's output; written only while the PLL is off (RM0008, RCC_CFGR).
const PLL_SETTINGS: u32 = PLLSRC | PLLXTPRE | PLLMUL;

/// The fastest each clock may be (RM0008, RCC_CFGR; DS5319, General operating conditions).
const LIMITS: &[(Source, Hertz, &str)] = &[
    (Source::Sysclk, Hertz::new(72_000_000), "SYSCLK above 72 MHz"),
    (Source::Pclk, Hertz::new(36_000_000), "RCC_CFGR.PPRE1: PCLK1 above 36 MHz"),
];

/// Clears the reset flags.
const RMVF: u32 = 1 << 24;

/// The modelled registers and fields, with the values after power-on (RM0008, "RCC register map").
pub const MODEL: &[Modelled] = &[
    some("CR", 0x0000_0083, &["HSION", "HSIRDY", "HSICAL", "HSEON", "HSERDY", "HSEBYP", "CSSON", "PLLON", "PLLRDY"]),
    some(
        "CFGR",
        0,
        &["SW", "SWS", "HPRE", "PPRE1", "PPRE2", "ADCPRE", "PLLSRC", "PLLXTPRE", "PLLMUL", "USBPRE", "MCOSEL"],
    ),
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
        env.check_limits(self.tree(env.clocks()), LIMITS);
    }

    /// The converters hear the divider of their clock.
    fn tell_converters(&self, env: &mut Env<'_, '_>) {
        let divider = self.bank.get(CFGR) >> 14 & 3;
        env.send(Receiver::Converters, Message::Common(divider));
    }

    fn configure(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        let mut kept = 0;
        if self.bank.get(CR) & PLLON != 0 {
            kept |= PLL_SETTINGS;
            if (old ^ new) & PLL_SETTINGS != 0 {
                env.gap(GapKind::Setting, format_args!("RCC_CFGR: PLL settings written while the PLL is on"));
            }
        }
        self.write_configuration(old, new, kept, env);
        if (old ^ new) & ADCPRE != 0 {
            self.tell_converters(env);
        }
        if (old ^ new) & MCOSEL != 0 {
            env.effect(Effect::ClocksChanged);
        }
        if (old ^ new) & Self::PRESCALERS != 0 {
            self.check_limits(env);
        }
        if (old ^ new) & USBPRE != 0 {
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
    const FIXED: u32 = HSICAL;
    const CFGR: u32 = CFGR;
    const SW: u32 = 3;
    const HPRE: u32 = 4;
    const PPRE: [u32; 2] = [8, 11];
    const RESETS: RangeInclusive<u32> = APB2RSTR..=APB1RSTR;
    const FLAGS: u32 = CIR;
    const ENABLES: (u32, u32) = (CIR, 8);
    const INTERRUPTS: u32 = 0x1F;
    const BDCR: u32 = BDCR;
    const CSR: u32 = CSR;
    const RESET_FLAGS: u32 = 0xFC00_0000;
    /// RM0008, "Power reset": the end of Standby mode is one.
    const STANDBY_FLAGS: u32 = 0x0C00_0000;
    const RMVF: u32 = RMVF;

    fn selected(sw: u32) -> Option<usize> {
        [Some(HSI), Some(HSE), Some(PLL), None][(sw & 3) as usize]
    }

    fn pll_source(rcc: &RccF1) -> usize {
        if rcc.get(CFGR) & PLLSRC != 0 { HSE } else { HSI }
    }

    fn pll_output(rcc: &RccF1, clocks: &Clocks) -> Span {
        rcc.pll(clocks).period(clocks)
    }

    /// RM0008, RCC_CFGR.USBPRE: the PLL's clock, or two thirds of it.
    fn usb_clock(rcc: &RccF1, clocks: &Clocks) -> Hertz {
        if !rcc.is_ready(PLL) {
            return Hertz::new(0);
        }
        let pll = rcc.pll(clocks).output();
        Hertz::new(if rcc.get(CFGR) & USBPRE != 0 { pll } else { pll * 2 / 3 })
    }

    /// RM0008, RCC_BDCR.RTCSEL.
    fn rtc_divider(_: &RccF1) -> Option<u64> {
        Some(128)
    }

    /// RM0008, RCC_CFGR.MCO: 100 SYSCLK, 101 HSI, 110 HSE, 111 the PLL divided by two.
    fn outputs(rcc: &RccF1, clocks: &Clocks) -> Vec<(&'static str, Span)> {
        let period = match rcc.get(CFGR) >> 24 & 7 {
            4 => clocks.tree().sysclk,
            5 => rcc.period(HSI, clocks),
            6 => rcc.period(HSE, clocks),
            7 if rcc.is_ready(PLL) => rcc.pll(clocks).period(clocks).times(2),
            _ => Span::ZERO,
        };
        vec![("MCO", period)]
    }

    fn switched(rcc: &mut RccF1, env: &mut Env<'_, '_>) {
        rcc.check_limits(env);
    }

    fn written(rcc: &mut RccF1, offset: u32, (old, new): (u32, u32), write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CR => rcc.write_control(old, new, env),
            CFGR => rcc.configure(old, new, env),
            CIR => rcc.write_interrupts(old, write),
            BDCR => rcc.write_backup(old, new, env),
            CSR => rcc.write_status(old, new, LSION | RMVF, env),
            _ => {}
        }
    }

    fn was_reset(env: &mut Env<'_, '_>) {
        env.send(Receiver::Converters, Message::Common(0));
    }

    fn plls(rcc: &RccF1, clocks: &Clocks) -> Vec<Pll> {
        if rcc.get(CR) & PLLON != 0 { vec![rcc.pll(clocks)] } else { Vec::new() }
    }
}
