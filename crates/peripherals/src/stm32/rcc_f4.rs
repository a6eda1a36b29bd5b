//! Reset and clock control of STM32F4 (RM0390; of STM32F410 RM0401, "Reset and clock control (RCC)").
//!
//! Modelled: HSI, HSE, LSI, LSE and the three PLLs with their ready flags and interrupts, SYSCLK and its switch, the
//! prescalers with the timers' clocks, the clock enables and peripheral resets, the backup domain's register behind
//! PWR_CR.DBP, and the reset flags. The PLL for audio makes the clock of I2S, that for SAI the one of 48 MHz where it is
//! chosen, and no other. STM32F410 has the main PLL alone, whose output R is for I2S. The clock outputs (MCO1 and 2) are waves on their pins. HSE never fails, so the clock security
//! system never acts. Trimming, spread spectrum and the other kernel clocks are stored without effect, and named when used.

use std::ops::RangeInclusive;

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::rcc::{
    CR, HSE, HSEON, HSERDY, HSI, HSICAL, HSION, HSIRDY, LSE, LSEON, LSERDY, LSION, LSIRDY, Oscillator, PLL, PLLON,
    PLLRDY, Rcc, Version, oscillator,
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
const PLLI2SCFGR: u32 = 0x84;
const PLLSAICFGR: u32 = 0x88;
const DCKCFGR: u32 = 0x8C;
const DCKCFGR2: u32 = 0x94;

const HSEBYP: u32 = 1 << 18;
const PLLI2SON: u32 = 1 << 26;
const PLLI2SRDY: u32 = 1 << 27;
const PLLSAION: u32 = 1 << 28;
const PLLSAIRDY: u32 = 1 << 29;
const PLLSRC: u32 = 1 << 22;
const TIMPRE: u32 = 1 << 24;

const SW_PLL_R: u32 = 3;

/// Bits of DCKCFGR and DCKCFGR2.
const I2S_SOURCES: u32 = 0xF << 25;
const CK48MSEL: u32 = 1 << 27;
const SDIOSEL: u32 = 1 << 28;
const LPTIM1SEL: u32 = 3 << 30;

/// The loops for audio and SAI among the oscillators.
const PLLI2S: usize = 5;
const PLLSAI: usize = 6;

/// The modelled registers and fields, with the values after power-on (RM0390, "RCC register map").
pub const MODEL: &[Modelled] = &[
    but("CR", 0x0000_0083, &["HSITRIM", "HSICAL"]),
    all("PLLCFGR", 0x2400_3010),
    all("CFGR", 0),
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
    // Outputs and selections for SAI and SPDIF feed blocks that are named themselves when used.
    Modelled { only_fields: true, ..all("PLLI2SCFGR", 0x2400_3010) },
    Modelled { only_fields: true, ..all("PLLSAICFGR", 0x2400_3010) },
    all("DCKCFGR", 0),
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
    /// Tells if the part has a PLL for I2S; STM32F410 has not.
    fn has_audio_pll(&self) -> bool {
        self.has(PLLI2SCFGR)
    }

    /// The main PLL by its settings (RM0390, RCC_PLLCFGR: PLLSRC, PLLM, PLLN).
    fn pll(&self, clocks: &Clocks) -> Pll {
        let settings = self.bank.get(PLLCFGR);
        let oscillators = clocks.oscillators();
        let input = if settings & PLLSRC != 0 { oscillators.hse.unwrap_or(oscillators.hsi) } else { oscillators.hsi };
        Pll { input, divider: (settings & 0x3F).max(1), multiplier: (settings >> 6 & 0x1FF).max(1) }
    }

    /// The field `name` of the register at `offset`, if the part has it.
    fn field(&self, offset: u32, name: &str) -> Option<u32> {
        let (row, value) = self.bank.at(offset)?;
        let field = row.register.fields.iter().find(|field| field.name == name)?;
        Some((value & field.mask()) >> field.low)
    }

    /// The loop of number `oscillator` with settings of its own, and these: N, and on STM32F411, F412, F413 and F446 M (RM0383, RM0402,
    /// RM0430, RM0390, RCC_PLLI2SCFGR; RM0390, RCC_PLLSAICFGR). On the others the main PLL's M divides the input of all loops
    /// (RM0368, RM0090, RM0386, RCC_PLLCFGR.PLLM).
    fn other_pll(&self, oscillator: usize, clocks: &Clocks) -> (Pll, u32) {
        let register = if oscillator == PLLI2S { PLLI2SCFGR } else { PLLSAICFGR };
        let (main, settings) = (self.pll(clocks), self.bank.get(register));
        let divider = self.field(register, "PLLM").map_or(main.divider, |m| m.max(1));
        (Pll { divider, multiplier: (settings >> 6 & 0x1FF).max(1), ..main }, settings)
    }

    /// True if 48 MHz come from a loop other than the main PLL (RM0390, RM0402, RM0430, RCC_DCKCFGR2.CK48MSEL; RM0386, RCC_DCKCFGR).
    fn has_other_clk48(&self) -> bool {
        [DCKCFGR2, DCKCFGR].iter().find_map(|register| self.field(*register, "CLK48SEL")) == Some(1)
    }

    /// The clock of 48 MHz, and the loop that it needs: Q of the main PLL, or P of PLLSAI, or where the part has none Q of PLLI2S.
    fn clk48_divider(&self, clocks: &Clocks) -> (usize, Pll, u64) {
        let q = |settings: u32| u64::from((settings >> 24 & 15).max(1));
        if !self.has_other_clk48() {
            return (PLL, self.pll(clocks), q(self.get(PLLCFGR)));
        }
        let oscillator = if self.field(PLLSAICFGR, "PLLN").is_some() { PLLSAI } else { PLLI2S };
        let (pll, settings) = self.other_pll(oscillator, clocks);
        (oscillator, pll, if oscillator == PLLSAI { u64::from((settings >> 16 & 3) * 2 + 2) } else { q(settings) })
    }

    /// True if SDIO has the system's clock.
    fn has_sdio_sysclk(&self) -> bool {
        [DCKCFGR2, DCKCFGR].iter().find_map(|register| self.field(*register, "SDIOSEL")) == Some(1)
    }

    /// Names settings of the loop `oscillator`, which starts, that its manual forbids (RM0390, RCC_PLLCFGR, RCC_PLLI2SCFGR,
    /// RCC_PLLSAICFGR).
    fn check_pll(&self, oscillator: usize, env: &mut Env<'_, '_>) {
        let (register, pll) = match oscillator {
            PLLI2S => ("RCC_PLLI2SCFGR", self.other_pll(PLLI2S, env.clocks()).0),
            PLLSAI => ("RCC_PLLSAICFGR", self.other_pll(PLLSAI, env.clocks()).0),
            _ => ("RCC_PLLCFGR", self.pll(env.clocks())),
        };
        let (m, n) = (pll.divider, pll.multiplier);
        if m < 2 || !(50..=432).contains(&n) {
            env.gap(GapKind::Setting, format_args!("{register}: PLLM={m} PLLN={n} are not allowed"));
        }
        let vco = pll.input.get() * u64::from(n) / u64::from(m);
        if !(100_000_000..=432_000_000).contains(&vco) {
            env.gap(GapKind::Setting, format_args!("{register}: the VCO would run at {}", Hertz::new(vco)));
        }
    }

    /// A write of the settings of a loop with a switch `on`, which are written only while it is off (RM0390, RCC_PLLI2SCFGR,
    /// RCC_PLLSAICFGR).
    fn write_other_pll(&mut self, offset: u32, (old, new): (u32, u32), on: u32, env: &mut Env<'_, '_>) {
        if self.bank.get(CR) & on != 0 && old != new {
            self.bank.set(offset, old);
            let register = if offset == PLLI2SCFGR { "RCC_PLLI2SCFGR" } else { "RCC_PLLSAICFGR" };
            env.gap(GapKind::Setting, format_args!("{register} written while its PLL is on: lost"));
        }
    }

    fn write_pll(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        // RM0390, RCC_PLLCFGR: written only while the PLLs that share PLLSRC are off; of PLLQ it says nothing.
        let others =
            if self.has_audio_pll() && self.field(PLLI2SCFGR, "PLLM").is_none() { PLLI2SON | PLLSAION } else { 0 };
        if self.bank.get(CR) & PLLON != 0 && old != new {
            self.bank.set(PLLCFGR, old);
            env.gap(GapKind::Setting, format_args!("RCC_PLLCFGR written while the PLL is on: lost"));
        } else if self.bank.get(CR) & others != 0 && (old ^ new) & (PLLSRC | 0x3F) != 0 {
            self.bank.set(PLLCFGR, old);
            env.gap(
                GapKind::Setting,
                format_args!("RCC_PLLCFGR.PLLM written while another PLL that it divides for is on: lost"),
            );
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
    const RESETS: &'static [RangeInclusive<u32>] = &[AHB1RSTR..=APB2RSTR];
    const FLAGS: u32 = CIR;
    const ENABLES: (u32, u32) = (CIR, 8);
    const INTERRUPTS: u32 = 0x7F;
    const BDCR: u32 = BDCR;
    const CSR: u32 = CSR;
    const RESET_FLAGS: u32 = 0xFE00_0000;
    /// RM0390, "Power reset": the end of Standby mode is one.
    const STANDBY_FLAGS: u32 = 0x0E00_0000;
    const RMVF: u32 = 1 << 24;

    /// RM0390, RCC_CFGR.SW; RM0401: 3 is not allowed.
    fn selected(rcc: &RccF4, sw: u32) -> Option<usize> {
        [Some(HSI), Some(HSE), Some(PLL), Some(PLL).filter(|_| rcc.has_audio_pll())][(sw & 3) as usize]
    }

    fn pll_source(rcc: &RccF4, _: usize) -> Option<usize> {
        Some(if rcc.get(PLLCFGR) & PLLSRC != 0 { HSE } else { HSI })
    }

    /// General operating conditions of DS10693 (45 and 90 of 180 MHz), DS8626 (42 and 84 of 168 MHz), DS9716 (42 and 84 of 84 MHz),
    /// DS10314 and DS11144 (50 and 100 of 100 MHz).
    fn bus_limits(fastest: Hertz) -> [Hertz; 2] {
        let halved = if fastest.get() > 100_000_000 { fastest.get() / 2 } else { fastest.get() };
        [Hertz::new(halved / 2), Hertz::new(halved)]
    }

    fn pll_output(rcc: &RccF4, clocks: &Clocks) -> Span {
        let settings = rcc.get(PLLCFGR);
        let r = rcc.get(CFGR) >> 2 & F4::SW == SW_PLL_R;
        let divider = if r { (settings >> 28 & 7).max(1) } else { (settings >> 16 & 3) * 2 + 2 };
        rcc.pll(clocks).period(clocks).times(divider.into())
    }

    fn usb_clock(rcc: &RccF4, clocks: &Clocks) -> Hertz {
        let (oscillator, pll, divider) = rcc.clk48_divider(clocks);
        Hertz::new(if rcc.is_ready(oscillator) { pll.output() / divider } else { 0 })
    }

    /// RM0390, RCC_CFGR.RTCPRE: 2 to 31; 0 and 1 give no clock.
    fn rtc_divider(rcc: &RccF4) -> Option<u64> {
        Some(u64::from(rcc.get(CFGR) >> 16 & 31)).filter(|divider| *divider > 1)
    }

    fn kernel_divider(_: &RccF4) -> u64 {
        1
    }

    /// RM0390, RCC_DCKCFGR2.FMPI2C1SEL: 0 PCLK1, 1 SYSCLK, 2 HSI; SDIOSEL: 48 MHz or SYSCLK.
    fn kernel_clock(rcc: &RccF4, instance: &Instance) -> Option<Source> {
        const SOURCES: [Source; 4] = [Source::Pclk, Source::Sysclk, Source::HsiKernel, Source::Pclk];
        match instance.name {
            "FMPI2C1" => Some(SOURCES[(rcc.get(DCKCFGR2) >> 22 & 3) as usize]),
            "SDIO" if rcc.has_sdio_sysclk() => Some(Source::Sysclk),
            "SDIO" => Some(Source::Clk48),
            "SPI2" | "SPI3" => Some(Source::I2s),
            "SPI1" | "SPI4" | "SPI5" => Some(Source::I2s2),
            // RM0401, RCC_DCKCFGR2.LPTIM1SEL.
            "LPTIM1" => {
                Some([Source::Pclk, Source::HsiKernel, Source::Lsi, Source::Lse][(rcc.get(DCKCFGR2) >> 30) as usize])
            }
            _ => None,
        }
    }

    fn clk48(rcc: &RccF4, clocks: &Clocks) -> Span {
        let (oscillator, pll, divider) = rcc.clk48_divider(clocks);
        if rcc.is_ready(oscillator) { pll.period(clocks).times(divider) } else { Span::ZERO }
    }

    /// RM0390, RM0402, RM0430, RCC_DCKCFGR.I2S1SRC (APB1), I2S2SRC (APB2): R of PLLI2S, the pin I2S_CKIN, R of the main PLL, or HSI
    /// or HSE as PLLSRC says. RM0368, RM0383, RM0090, RM0386, RCC_CFGR.I2SSRC: R of PLLI2S, or the pin. No clock is at the pin.
    fn i2s(rcc: &RccF4, clocks: &Clocks) -> [Span; 2] {
        if !rcc.has_audio_pll() {
            // RM0401, RCC_DCKCFGR.I2SSRC: R of the PLL, the pin, HSI or HSE as PLLSRC says.
            return [match rcc.get(DCKCFGR) >> 25 & 3 {
                0 if rcc.is_ready(PLL) => {
                    rcc.pll(clocks).period(clocks).times((rcc.get(PLLCFGR) >> 28 & 7).max(1).into())
                }
                2 => clocks.period(rcc.pll(clocks).input),
                _ => Span::ZERO,
            }; 2];
        }
        ["I2S1SRC", "I2S2SRC"].map(|name| {
            let r = |ready: bool, pll: Pll, settings: u32| {
                let divider = u64::from((settings >> 28 & 7).max(1));
                if ready { pll.period(clocks).times(divider) } else { Span::ZERO }
            };
            match rcc.field(DCKCFGR, name).or_else(|| rcc.field(CFGR, "I2SSRC")).unwrap_or(0) {
                0 => {
                    let (pll, settings) = rcc.other_pll(PLLI2S, clocks);
                    r(rcc.is_ready(PLLI2S), pll, settings)
                }
                1 => Span::ZERO,
                2 => r(rcc.is_ready(PLL), rcc.pll(clocks), rcc.get(PLLCFGR)),
                _ => clocks.period(rcc.pll(clocks).input),
            }
        })
    }

    /// RM0390, RCC_CFGR: MCO1 (0 HSI, 1 LSE, 2 HSE, 3 PLL) and MCO2 (0 SYSCLK, 1 PLLI2S, 2 HSE, 3 PLL), each divided by 1 to 5.
    /// After reset they show HSI and SYSCLK; only a pin switched to them does. Of PLLI2S it is R's clock, as that for I2S.
    fn outputs(rcc: &RccF4, clocks: &Clocks) -> Vec<(&'static str, Span)> {
        let cfgr = rcc.get(CFGR);
        let divided = |period: Span, field: u32| period.times(u64::from((field & 7).max(3) - 2));
        let pll = || {
            let p = u64::from(rcc.get(PLLCFGR) >> 16 & 3) * 2 + 2;
            if rcc.is_ready(PLL) { rcc.pll(clocks).period(clocks).times(p) } else { Span::ZERO }
        };
        let audio = || {
            let (pll, settings) = rcc.other_pll(PLLI2S, clocks);
            let r = u64::from((settings >> 28 & 7).max(1));
            if rcc.is_ready(PLLI2S) { pll.period(clocks).times(r) } else { Span::ZERO }
        };
        let first = match cfgr >> 21 & 3 {
            0 => rcc.period(HSI, clocks),
            1 => rcc.period(LSE, clocks),
            2 => rcc.period(HSE, clocks),
            _ => pll(),
        };
        let second = match cfgr >> 30 {
            0 => clocks.tree().sysclk,
            // RM0401: the clock of I2S.
            1 if !rcc.has_audio_pll() => clocks.tree().i2s[0],
            1 => audio(),
            2 => rcc.period(HSE, clocks),
            _ => pll(),
        };
        vec![("MCO_1", divided(first, cfgr >> 24)), ("MCO_2", divided(second, cfgr >> 27))]
    }

    /// RM0390, RCC_DCKCFGR.TIMPRE: with TIMPRE = 0 the timers have the bus's clock, twice that where the bus is divided; with
    /// TIMPRE = 1 HCLK up to a division by four, then four times the bus's clock.
    fn timer_divider(rcc: &RccF4, apb: u64) -> u64 {
        (apb / if rcc.get(DCKCFGR) & TIMPRE != 0 { 4 } else { 2 }).max(1)
    }

    fn row(rcc: &RccF4, oscillator: usize) -> usize {
        if oscillator == HSE && rcc.get(CR) & HSEBYP != 0 { BYPASS } else { OSCILLATORS[oscillator].row }
    }

    fn starts(rcc: &RccF4, oscillator: usize, env: &mut Env<'_, '_>) {
        if F4::PLLS.contains(&oscillator) {
            rcc.check_pll(oscillator, env);
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
            CFGR => {
                rcc.write_configuration(old, new, 0, env);
                env.effect(Effect::ClocksChanged);
            }
            CIR => rcc.write_interrupts(old, write),
            BDCR => rcc.write_backup(old, new, env),
            CSR => rcc.write_status(old, new, LSION, env),
            DCKCFGR if (old ^ new) & (TIMPRE | I2S_SOURCES | CK48MSEL | SDIOSEL) != 0 => {
                env.effect(Effect::ClocksChanged)
            }
            PLLI2SCFGR => rcc.write_other_pll(offset, (old, new), PLLI2SON, env),
            PLLSAICFGR => rcc.write_other_pll(offset, (old, new), PLLSAION, env),
            DCKCFGR2 if (old ^ new) & (3 << 22 | CK48MSEL | SDIOSEL | LPTIM1SEL) != 0 => {
                env.effect(Effect::ClocksChanged)
            }
            _ => {}
        }
    }

    fn was_reset(env: &mut Env<'_, '_>) {
        env.effect(Effect::PllSwitched { on: false });
    }

    fn plls(rcc: &RccF4, clocks: &Clocks) -> Vec<Pll> {
        let main = rcc.is_ready(PLL).then(|| rcc.pll(clocks));
        let others = [PLLI2S, PLLSAI].into_iter().filter(|pll| rcc.is_ready(*pll));
        main.into_iter().chain(others.map(|pll| rcc.other_pll(pll, clocks).0)).collect()
    }
}
