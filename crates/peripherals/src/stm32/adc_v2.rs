//! The converters of STM32F2 and STM32F4, of which up to three work together, and their common registers (RM0390,
//! "Analog-to-digital converter (ADC)"). Groups and conversions are [`Adc`]'s.
//!
//! Results of converters that work together queue for the DMA in the order of their conversions, one of each converter; a second
//! one is an overrun.

use std::collections::VecDeque;

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::adc::{ADON, Adc, CR2, DMA, Injected, OVR, Regular, Select, Together, Turns, Version, rows};
use super::analog::{Internal, Sensor};
use crate::bank::all;
use crate::{
    Bank, Block, Clocks, Converter, Env, Instance, Instant, Message, Modelled, Receiver, Trigger, Words, Write,
};

const DDS: u32 = 1 << 9;
const EOCS: u32 = 1 << 10;
const JSWSTART: u32 = 1 << 22;
const SWSTART: u32 = 1 << 30;

const CSR: u32 = 0x00;
const CCR: u32 = 0x04;
const CDR: u32 = 0x08;
const COMMON_DDS: u32 = 1 << 13;
const VBATE: u32 = 1 << 22;
const TSVREFE: u32 = 1 << 23;

/// The modelled registers and fields, with the values after reset (RM0390, "ADC register map").
pub const MODEL: &[Modelled] = &[
    all("SR", 0).and(&["CR1", "CR2", "SMPR1", "SMPR2", "JOFR0", "JOFR1", "JOFR2", "JOFR3", "LTR"]),
    all("HTR", 0x0000_0FFF),
    all("SQR1", 0).and(&["SQR2", "SQR3", "JSQR", "JDR0", "JDR1", "JDR2", "JDR3", "DR"]),
];

/// The same of the common registers.
pub const COMMON: &[Modelled] = &[all("CSR", 0).and(&["CCR", "CDR"])];

const LATENCY: &str =
    "DS10693, ADC characteristics: the maximum of tlatr and tlat; a start by software is taken for a trigger";
const EXTERNAL: &str = "DS10693, ADC characteristics: for external triggers a period of PCLK2 is added to the latency";

/// The times of a converter.
pub const ROWS: &[TimingRow] = &rows(3, [LATENCY, EXTERNAL, "DS10693, ADC characteristics: the maximum of tSTAB"]);

/// The version.
#[derive(Clone, Debug, Default)]
pub struct V2;

/// One converter.
pub type AdcV2 = Adc<V2>;

impl V2 {
    /// True if the regular results of converters go to the common data register, and from there to the DMA.
    fn is_shared(adc: &AdcV2) -> bool {
        let together = Self::together(adc);
        adc.number <= together.count && together.regular != Regular::Alone
    }
}

impl Version for V2 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    /// 3, 15, 28, 56, 84, 112, 144 and 480 periods (RM0390, ADC_SMPR1).
    const SAMPLING: [u32; 8] = [6, 30, 56, 112, 168, 224, 288, 960];
    /// RM0390, "External trigger for regular channels", and the same for injected ones.
    const TRIGGERS: [[Option<Trigger>; 16]; 2] = [
        [
            Some(("TIM1", "CC1")),
            Some(("TIM1", "CC2")),
            Some(("TIM1", "CC3")),
            Some(("TIM2", "CC2")),
            Some(("TIM2", "CC3")),
            Some(("TIM2", "CC4")),
            Some(("TIM2", "TRGO")),
            Some(("TIM3", "CC1")),
            Some(("TIM3", "TRGO")),
            Some(("TIM4", "CC4")),
            Some(("TIM5", "CC1")),
            Some(("TIM5", "CC2")),
            Some(("TIM5", "CC3")),
            Some(("TIM8", "CC1")),
            Some(("TIM8", "TRGO")),
            Some(("EXTI", "EXTI11")),
        ],
        [
            Some(("TIM1", "CC4")),
            Some(("TIM1", "TRGO")),
            Some(("TIM2", "CC1")),
            Some(("TIM2", "TRGO")),
            Some(("TIM3", "CC2")),
            Some(("TIM3", "CC4")),
            Some(("TIM4", "CC1")),
            Some(("TIM4", "CC2")),
            Some(("TIM4", "CC3")),
            Some(("TIM4", "TRGO")),
            Some(("TIM5", "CC4")),
            Some(("TIM5", "TRGO")),
            Some(("TIM8", "CC2")),
            Some(("TIM8", "CC3")),
            Some(("TIM8", "CC4")),
            Some(("EXTI", "EXTI15")),
        ],
    ];
    /// DS10693, ADC characteristics: fADC at more than 2.4 V.
    const FASTEST: Hertz = Hertz::new(36_000_000);
    const EOC_INJECTED: bool = false;

    /// CR1.RES.
    fn bits(cr1: u32) -> u8 {
        12 - 2 * (cr1 >> 24 & 3) as u8
    }

    /// RM0390, "Fast conversion mode": a period a bit.
    fn hold(bits: u8) -> u32 {
        2 * u32::from(bits)
    }

    /// CCR.ADCPRE.
    fn divider(common: u32) -> u64 {
        u64::from(common >> 16 & 3) * 2 + 2
    }

    fn select(cr2: u32, injected: bool) -> Option<Select> {
        let low = if injected { 16 } else { 24 };
        let (number, edges) = ((cr2 >> low & 15) as u8, cr2 >> (low + 4) & 3);
        (edges != 0).then_some(Select { number, rising: edges & 1 != 0, falling: edges & 2 != 0 })
    }

    fn each(cr2: u32) -> bool {
        cr2 & EOCS != 0
    }

    /// RM0390, ADC_CR2.EOCS: overruns are found with EOCS, or where the DMA takes the results.
    fn keeps_unread(adc: &AdcV2) -> bool {
        let cr2 = adc.bank.get(CR2);
        cr2 & EOCS != 0 || (cr2 & DMA != 0 && !adc.ended)
    }

    fn ends_with_dma(adc: &AdcV2) -> bool {
        if Self::is_shared(adc) { adc.common & COMMON_DDS == 0 } else { adc.bank.get(CR2) & DDS == 0 }
    }

    /// RM0390, "Temperature sensor": IN18 of ADC1, unless it is the battery's; VREFINT is IN17.
    fn internal(adc: &AdcV2, channel: u8) -> (Option<Internal>, Option<&'static str>) {
        let on = |bit: u32| adc.common & bit != 0;
        match (adc.number, channel) {
            (1, 17) if on(TSVREFE) => (Some(Internal::Reference(1_210_000)), None),
            (1, 18) if on(VBATE) => (Some(Internal::Battery(4)), None),
            (1, 18) if on(TSVREFE) => {
                (Some(Internal::Sensor(Sensor { microvolts: 760_000, degrees: 25, slope: 2_500 })), None)
            }
            (1, 17 | 18) => {
                (None, Some("an internal channel is converted while CCR.TSVREFE and VBATE are 0, and reads 0 V"))
            }
            _ => (None, None),
        }
    }

    /// RM0390, ADC_CCR.MULTI and DELAY.
    fn together(adc: &AdcV2) -> Together {
        let turns = Regular::Turns(Turns::InOrder { delay: 2 * (5 + (adc.common >> 8 & 15)) });
        let count = if adc.common & 16 != 0 { 3 } else { 2 };
        let (regular, injected) = match adc.common & 15 {
            1 => (Regular::Same, Injected::Same),
            2 => (Regular::Same, Injected::Alternate),
            5 => (Regular::Alone, Injected::Same),
            6 => (Regular::Same, Injected::Alone),
            7 => (turns, Injected::Alone),
            9 => (Regular::Alone, Injected::Alternate),
            _ => return Together::default(),
        };
        Together { count, regular, injected }
    }

    fn control(adc: &mut AdcV2, old: u32, new: u32, env: &mut Env<'_, '_>) {
        match (old & ADON != 0, new & ADON != 0) {
            (false, true) => adc.switch_on(env),
            (true, false) => adc.switch_off(env),
            _ => {}
        }
        // The bits fall as soon as the conversion begins, and none does without ADON (RM0390, ADC_CR2.SWSTART).
        adc.bank.flag(CR2, SWSTART | JSWSTART, false);
        for (bit, injected) in [(SWSTART, false), (JSWSTART, true)] {
            if new & bit != 0 {
                adc.start(injected, false, env);
            }
        }
    }

    fn pass_on(adc: &AdcV2, value: u16, env: &mut Env<'_, '_>) {
        if Self::is_shared(adc) {
            env.send(Receiver::Common, Message::Result { from: adc.number, value });
        }
    }

    fn flagged(adc: &AdcV2, flags: u32, env: &mut Env<'_, '_>) {
        env.send(Receiver::Common, Message::Status { from: adc.number, flags });
    }

    fn told(adc: &mut AdcV2, message: Message, env: &mut Env<'_, '_>) {
        match message {
            Message::Common(_) => adc.ended = false,
            Message::Request(active) => adc.dma.drive(active && !adc.ended, env),
            Message::Overrun if Self::is_shared(adc) => adc.overrun(env),
            _ => {}
        }
    }
}

/// The common registers.
#[derive(Clone, Debug)]
pub struct AdcCommonV2 {
    bank: Bank,
    /// Results that nobody has read, each with its converter.
    results: VecDeque<(u8, u16)>,
}

impl AdcCommonV2 {
    /// The registers after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, COMMON), results: VecDeque::new() }
    }

    /// CCR.DMA: 0 off, 1 by halves of a word, 2 by two of them, 3 by two bytes.
    fn mode(&self) -> u32 {
        self.bank.get(CCR) >> 14 & 3
    }

    /// Results in a read of CDR.
    fn at_once(&self) -> usize {
        if self.mode() == 1 { 1 } else { 2 }
    }

    fn request(&self, env: &mut Env<'_, '_>) {
        let ready = self.mode() != 0 && self.results.len() >= self.at_once();
        env.send(Receiver::Number(1), Message::Request(ready));
    }

    fn forget(&mut self, env: &mut Env<'_, '_>) {
        self.results.clear();
        self.request(env);
    }

    fn result(&mut self, from: u8, value: u16, env: &mut Env<'_, '_>) {
        if self.mode() == 0 {
            // The second converter has the upper half (RM0390, ADC_CDR).
            let (value, cdr) = (u32::from(value), self.bank.get(CDR));
            let both = if from == 2 { (cdr & 0xFFFF) | value << 16 } else { (cdr & 0xFFFF_0000) | value };
            self.bank.set(CDR, both);
            return;
        }
        if self.results.iter().any(|(other, _)| *other == from) {
            env.send(Receiver::Converters, Message::Overrun);
            return self.forget(env);
        }
        self.results.push_back((from, value));
        self.request(env);
    }
}

impl Converter for AdcCommonV2 {
    fn told(&mut self, message: Message, env: &mut Env<'_, '_>) {
        match message {
            Message::Result { from, value } => self.result(from, value, env),
            Message::Status { from, flags } => {
                let low = 8 * u32::from(from.saturating_sub(1) & 3);
                let csr = self.bank.get(CSR) & !(0x3F << low) | (flags & 0x3F) << low;
                self.bank.set(CSR, csr);
                if flags & OVR != 0 && !self.results.is_empty() {
                    self.forget(env);
                }
            }
            _ => {}
        }
    }
}

impl Block<Words> for AdcCommonV2 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset == CDR && self.mode() != 0 && self.results.len() >= self.at_once() {
            let mut next = || self.results.pop_front().map_or(0, |(_, value)| u32::from(value));
            let value = match self.bank.get(CCR) >> 14 & 3 {
                1 => next(),
                2 => next() | next() << 16,
                _ => next() & 0xFF | (next() & 0xFF) << 8,
            };
            self.bank.set(CDR, value);
            self.request(env);
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == CDR { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        if offset == CCR && old != new {
            let multi = new & 31;
            if (old ^ new) & 31 != 0 && !matches!(multi, 0 | 1 | 2 | 5 | 6 | 7 | 9 | 17 | 18 | 21 | 22 | 23 | 25) {
                env.gap(GapKind::Setting, format_args!("ADC_CCR.MULTI={multi} is reserved"));
            }
            if new & 15 == 2 && (old ^ new) & 31 != 0 {
                env.gap(
                    GapKind::Setting,
                    format_args!("ADC_CCR.MULTI={multi}: an injected group stops only its own converter's regular one"),
                );
            }
            env.send(Receiver::Converters, Message::Common(new));
            self.forget(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.results.clear();
        env.send(Receiver::Converters, Message::Common(0));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
