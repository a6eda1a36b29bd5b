//! Reset and clock control of STM32F1 (RM0008, "Low-, medium-, high- and XL-density reset and clock control (RCC)"; of
//! STM32F105 and F107 "Connectivity line devices: reset and clock control (RCC)"; of STM32F100 RM0041).
//!
//! Modelled: HSI, HSE, LSI, LSE and the PLL, on the connectivity line PLL2 and PLL3 as well, with their ready flags and interrupts, SYSCLK and its switch, the
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
use crate::bank::{all, but};
use crate::{Clocks, Effect, Env, Instance, Message, Modelled, Pll, Receiver, Source, Span, Write};

const CFGR: u32 = 0x04;
const CIR: u32 = 0x08;
const APB2RSTR: u32 = 0x0C;
const APB1RSTR: u32 = 0x10;
const BDCR: u32 = 0x20;
const CSR: u32 = 0x24;
/// Of the connectivity line alone.
const AHBRSTR: u32 = 0x28;
/// Of the connectivity and the value line.
const CFGR2: u32 = 0x2C;

/// Bits of CR on the connectivity line.
const PLL2ON: u32 = 1 << 26;
const PLL2RDY: u32 = 1 << 27;
const PLL3ON: u32 = 1 << 28;
const PLL3RDY: u32 = 1 << 29;

const ADCPRE: u32 = 3 << 14;
const PLLSRC: u32 = 1 << 16;
const PLLXTPRE: u32 = 1 << 17;
const PLLMUL: u32 = 15 << 18;
const USBPRE: u32 = 1 << 22;
const MCOSEL: u32 = 15 << 24;
/// The fields that select the PLL's output; written only while the PLL is off (RM0008, RCC_CFGR).
const PLL_SETTINGS: u32 = PLLSRC | PLLXTPRE | PLLMUL;

/// Fields of CFGR2: PREDIV1 with its source, those of PLL2 and PLL3, and the clocks of I2S.
const PREDIV1: u32 = 15;
const PREDIV1SRC: u32 = 1 << 16;
const PREDIV2: u32 = 15 << 4;
const PLL2MUL: u32 = 15 << 8;
const PLL3MUL: u32 = 15 << 12;
const I2S2SRC: u32 = 1 << 17;
const I2S3SRC: u32 = 1 << 18;

/// PLL2 and PLL3 among the oscillators.
const PLL2: usize = 5;
const PLL3: usize = 6;

/// Clears the reset flags.
const RMVF: u32 = 1 << 24;

/// The modelled registers and fields, with the values after power-on (RM0008, "RCC register map").
pub const MODEL: &[Modelled] = &[
    but("CR", 0x0000_0083, &["HSITRIM"]),
    all("CFGR", 0),
    all("CIR", 0),
    all("APB2RSTR", 0).and(&["APB1RSTR", "AHBRSTR"]),
    all("APB2ENR", 0).and(&["APB1ENR"]),
    all("AHBENR", 0x0000_0014),
    all("BDCR", 0),
    all("CSR", 0x0C00_0000),
    all("CFGR2", 0),
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
    TimingRow::assumed(
        "rcc.pll_lock_connectivity",
        "a PLL of the connectivity line from its ON bit, or its source's readiness, to its RDY bit, in periods of 8 MHz",
        2_800,
        "350 us, the maximum of tLOCK (DS6014, PLL characteristics, PLL2 and PLL3 characteristics); to be checked in its text",
    ),
];
/// The row of a PLL of the connectivity line.
const CONNECTIVITY_LOCK: usize = 5;

const OSCILLATORS: &[Oscillator] = &[
    oscillator(CR, HSION, HSIRDY, 2, 0),
    oscillator(CR, HSEON, HSERDY, 3, 1),
    oscillator(CSR, LSION, LSIRDY, 0, 2),
    oscillator(BDCR, LSEON, LSERDY, 1, 3),
    oscillator(CR, PLLON, PLLRDY, 4, 4),
    oscillator(CR, PLL2ON, PLL2RDY, 5, CONNECTIVITY_LOCK),
    oscillator(CR, PLL3ON, PLL3RDY, 6, CONNECTIVITY_LOCK),
];

/// The version.
#[derive(Clone, Debug)]
pub struct F1;

/// The block.
pub type RccF1 = Rcc<F1>;

impl RccF1 {
    /// Tells if the part belongs to the connectivity line.
    fn is_connectivity(&self) -> bool {
        self.has(AHBRSTR)
    }

    /// The PLL by its settings (RM0008, RCC_CFGR: PLLSRC, PLLXTPRE, PLLMUL; RCC_CFGR2: PREDIV1, PREDIV1SRC).
    fn pll(&self, clocks: &Clocks) -> Pll {
        let cfgr = self.bank.get(CFGR);
        let oscillators = clocks.oscillators();
        let hse = oscillators.hse.unwrap_or(oscillators.hsi);
        let mul = (cfgr & PLLMUL) >> 18;
        // 0000 is x2 and so on; 1111 is x16 as 1110 is. On the connectivity line 1101 is x6.5.
        let (multiplier, half) = if self.is_connectivity() && mul == 13 { (13, 2) } else { (mul.min(14) + 2, 1) };
        if cfgr & PLLSRC == 0 {
            return Pll { input: oscillators.hsi, divider: 2 * half, multiplier };
        }
        // The lowest bit of PREDIV1 is PLLXTPRE.
        let divider = (self.bank.get(CFGR2) & PREDIV1 | (cfgr & PLLXTPRE) >> 17) + 1;
        if self.bank.get(CFGR2) & PREDIV1SRC != 0 {
            let second = self.second(PLL2, clocks);
            let (divider, multiplier) = (second.divider * divider * half, second.multiplier * multiplier);
            return Pll { input: second.input, divider, multiplier };
        }
        Pll { input: hse, divider: divider * half, multiplier }
    }

    /// PLL2 or PLL3 by their settings (RM0008, RCC_CFGR2: PREDIV2, PLL2MUL, PLL3MUL): 0110 is x8 and so on, 1111 x20.
    fn second(&self, number: usize, clocks: &Clocks) -> Pll {
        let cfgr2 = self.bank.get(CFGR2);
        let oscillators = clocks.oscillators();
        let mul = if number == PLL2 { (cfgr2 & PLL2MUL) >> 8 } else { (cfgr2 & PLL3MUL) >> 12 };
        let multiplier = if mul == 15 { 20 } else { mul + 2 };
        Pll { input: oscillators.hse.unwrap_or(oscillators.hsi), divider: ((cfgr2 & PREDIV2) >> 4) + 1, multiplier }
    }

    /// Names settings of the PLL `number`, which starts, that its manual forbids (RM0008, RCC_CFGR, RCC_CFGR2; DS6014, PLL2 and PLL3
    /// characteristics: the input).
    fn check_pll(&self, number: usize, env: &mut Env<'_, '_>) {
        if !self.is_connectivity() {
            return;
        }
        let cfgr2 = self.bank.get(CFGR2);
        let (name, mul, allowed) = match number {
            PLL => ("RCC_CFGR.PLLMUL", (self.bank.get(CFGR) & PLLMUL) >> 18, 0b0010_0000_1111_1100),
            PLL2 => ("RCC_CFGR2.PLL2MUL", (cfgr2 & PLL2MUL) >> 8, 0b1101_1111_1100_0000),
            PLL3 => ("RCC_CFGR2.PLL3MUL", (cfgr2 & PLL3MUL) >> 12, 0b1101_1111_1100_0000),
            _ => return,
        };
        if 1u32 << mul & allowed == 0 {
            env.gap(GapKind::Setting, format_args!("{name}={mul} is reserved"));
        }
        let second = self.second(PLL2, env.clocks());
        let input = second.input.get() / u64::from(second.divider);
        if number != PLL && !(3_000_000..=5_000_000).contains(&input) {
            env.gap(GapKind::Setting, format_args!("RCC_CFGR2.PREDIV2: PLL2 and PLL3 would get {}", Hertz::new(input)));
        }
    }

    /// A write of CFGR2: the settings of a PLL hold while it is on, and the lowest bit of PREDIV1 is CFGR's PLLXTPRE.
    fn write_configuration_2(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        let on = self.bank.get(CR);
        let settings =
            [(PLLON, PREDIV1 | PREDIV1SRC), (PLL2ON, PREDIV2 | PLL2MUL), (PLL3ON, PREDIV2 | PLL3MUL)].into_iter();
        let kept = settings.filter(|(switch, _)| on & switch != 0).fold(0, |bits, (_, fields)| bits | fields);
        if (old ^ new) & kept != 0 {
            env.gap(GapKind::Setting, format_args!("RCC_CFGR2: settings of a PLL written while it is on: lost"));
        }
        let value = (old & kept) | (new & !kept);
        self.bank.set(CFGR2, value);
        self.bank.flag(CFGR, PLLXTPRE, value & 1 != 0);
        env.effect(Effect::ClocksChanged);
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
        self.bank.flag(CFGR2, 1, self.bank.get(CFGR) & PLLXTPRE != 0);
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
    const PLLS: &'static [usize] = &[PLL, PLL2, PLL3];
    const FIXED: u32 = HSICAL;
    const CFGR: u32 = CFGR;
    const SW: u32 = 3;
    const HPRE: u32 = 4;
    const PPRE: [u32; 2] = [8, 11];
    const RESETS: &'static [RangeInclusive<u32>] = &[APB2RSTR..=APB1RSTR, AHBRSTR..=AHBRSTR];
    const FLAGS: u32 = CIR;
    const ENABLES: (u32, u32) = (CIR, 8);
    const INTERRUPTS: u32 = 0x7F;
    const BDCR: u32 = BDCR;
    const CSR: u32 = CSR;
    const RESET_FLAGS: u32 = 0xFC00_0000;
    /// RM0008, "Power reset": the end of Standby mode is one.
    const STANDBY_FLAGS: u32 = 0x0C00_0000;
    const RMVF: u32 = RMVF;

    fn selected(_: &RccF1, sw: u32) -> Option<usize> {
        [Some(HSI), Some(HSE), Some(PLL), None][(sw & 3) as usize]
    }

    fn pll_source(rcc: &RccF1, pll: usize) -> Option<usize> {
        Some(match pll {
            PLL if rcc.get(CFGR) & PLLSRC == 0 => HSI,
            PLL if rcc.get(CFGR2) & PREDIV1SRC != 0 => PLL2,
            _ => HSE,
        })
    }

    /// RM0008, RM0041, RCC_CFGR.PPRE1; DS5319, DS6014 (36 of 72 MHz), DS5943 (24 of 48 MHz), DS5944 (24 of 24 MHz), General operating
    /// conditions.
    fn bus_limits(fastest: Hertz) -> [Hertz; 2] {
        let slow = if fastest.get() > 36_000_000 { fastest.get() / 2 } else { fastest.get() };
        [Hertz::new(slow), fastest]
    }

    fn row(rcc: &RccF1, oscillator: usize) -> usize {
        if oscillator == PLL && rcc.is_connectivity() { CONNECTIVITY_LOCK } else { OSCILLATORS[oscillator].row }
    }

    fn starts(rcc: &RccF1, oscillator: usize, env: &mut Env<'_, '_>) {
        rcc.check_pll(oscillator, env);
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

    /// RM0008, RCC_CFGR.MCO: 4 SYSCLK, 5 HSI, 6 HSE, 7 the PLL divided by two; on the connectivity line 8 PLL2, 9 PLL3 divided by
    /// two, 10 HSE for the Ethernet, 11 PLL3.
    fn outputs(rcc: &RccF1, clocks: &Clocks) -> Vec<(&'static str, Span)> {
        let loop_at =
            |number| if rcc.is_ready(number) { rcc.second(number, clocks).period(clocks) } else { Span::ZERO };
        let period = match rcc.get(CFGR) >> 24 & 15 {
            4 => clocks.tree().sysclk,
            5 => rcc.period(HSI, clocks),
            6 => rcc.period(HSE, clocks),
            7 if rcc.is_ready(PLL) => rcc.pll(clocks).period(clocks).times(2),
            8 => loop_at(PLL2),
            9 => loop_at(PLL3).times(2),
            10 => rcc.period(HSE, clocks),
            11 => loop_at(PLL3),
            _ => Span::ZERO,
        };
        vec![("MCO", period)]
    }

    /// RM0008, RCC_CFGR2.I2S2SRC, I2S3SRC: SYSCLK, or the VCO of PLL3, which runs at twice PLL3's clock.
    fn kernel_clock(rcc: &RccF1, instance: &Instance) -> Option<Source> {
        let bit = match instance.name {
            "SPI2" => I2S2SRC,
            "SPI3" => I2S3SRC,
            _ => return None,
        };
        Some(if rcc.get(CFGR2) & bit != 0 { Source::I2s } else { Source::Sysclk })
    }

    fn i2s(rcc: &RccF1, clocks: &Clocks) -> [Span; 2] {
        [if rcc.is_ready(PLL3) { rcc.second(PLL3, clocks).period(clocks).half() } else { Span::ZERO }; 2]
    }

    fn written(rcc: &mut RccF1, offset: u32, (old, new): (u32, u32), write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CR => rcc.write_control(old, new, env),
            CFGR => rcc.configure(old, new, env),
            CIR => rcc.write_interrupts(old, write),
            BDCR => rcc.write_backup(old, new, env),
            CSR => rcc.write_status(old, new, LSION | RMVF, env),
            CFGR2 => rcc.write_configuration_2(old, new, env),
            _ => {}
        }
    }

    fn was_reset(env: &mut Env<'_, '_>) {
        env.send(Receiver::Converters, Message::Common(0));
    }

    fn plls(rcc: &RccF1, clocks: &Clocks) -> Vec<Pll> {
        let main = (rcc.get(CR) & PLLON != 0).then(|| rcc.pll(clocks));
        let others = [PLL2, PLL3].into_iter().filter(|number| rcc.is_ready(*number));
        // Units that fit half of PLL3's period fit its VCO.
        let twice = |number| {
            let pll = rcc.second(number, clocks);
            Pll { multiplier: pll.multiplier * 2, ..pll }
        };
        main.into_iter().chain(others.map(twice)).collect()
    }
}
