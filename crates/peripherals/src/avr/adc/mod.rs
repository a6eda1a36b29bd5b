//! The analog-to-digital converter of the ATmega family (8271H chapter 24, 7766J chapter 24).
//!
//! A conversion takes two events: the sample, and the end. Both are counted in cycles of clkADC, which runs on in Idle and
//! ADC Noise Reduction.
//!
//! # Wiring
//! Registers ADCL, ADCH, ADCSRA, ADCSRB, ADMUX, DIDR0, DIDR2; one vector; no inputs: voltages are those of the moment of the
//! sample. [`Model`] has what parts differ in.
//!
//! # Assumed
//! Conversions are exact: no offset, no noise, no settling of a reference or a gain stage. A pin without a voltage of the
//! outside has its digital level's.

mod channels;

use cyclescope_machine::{GapKind, Pin, TimingRow, Transfer};

pub use self::channels::Model;
use self::channels::Source;
use super::{Avr, Change, Effect, Env, Shared};
use crate::Block;

/// Registers, by their place in [`Instance::registers`](super::Instance::registers).
pub mod register {
    /// ADCL.
    pub const ADCL: u8 = 0;
    /// ADCH.
    pub const ADCH: u8 = 1;
    /// ADCSRA.
    pub const ADCSRA: u8 = 2;
    /// ADCSRB.
    pub const ADCSRB: u8 = 3;
    /// ADMUX.
    pub const ADMUX: u8 = 4;
    /// DIDR0.
    pub const DIDR0: u8 = 5;
    /// DIDR2.
    pub const DIDR2: u8 = 6;
}

/// A conversion.
pub static NORMAL: TimingRow = TimingRow::documented(
    "ADC conversion",
    "cycles of the ADC's clock from the rising edge that begins it to its result",
    13,
    "8271H §24.4, table 24-1",
);

/// The first conversion.
pub static FIRST: TimingRow = TimingRow::documented(
    "ADC first conversion",
    "cycles of the ADC's clock of the first one after ADEN is set",
    25,
    "8271H §24.4, table 24-1",
);

/// A conversion that was triggered.
pub static TRIGGERED: TimingRow = TimingRow::documented(
    "ADC auto triggered conversion",
    "half cycles of the ADC's clock from the reset of its prescaler, 13.5 cycles in all",
    27,
    "8271H §24.4, table 24-1",
);

/// A differential conversion.
pub static DIFFERENTIAL: TimingRow = TimingRow::documented(
    "ADC differential conversion",
    "cycles of the ADC's clock of one that begins in the high half of CKADC2, or behind another one",
    14,
    "7766J §24.5.1",
);

/// From a trigger to the reset of the prescaler.
pub static SYNCHRONISER: TimingRow = TimingRow::documented(
    "ADC trigger",
    "cycles of the core's clock from the trigger's edge to the reset of the prescaler",
    3,
    "8271H §24.4: three more cycles for synchronisation",
);

/// The beginning of a conversion.
pub static BEGIN: TimingRow = TimingRow::assumed(
    "ADC prescaler",
    "from the write of ADEN to the beginning of the first cycle of the ADC's clock",
    0,
    "8271H §24.4: the prescaler counts from the moment at which ADEN is set, and a conversion begins at the next rising \
     edge; taken as one whole period after another from that write on",
);

/// The timing rows of the converter.
pub static ROWS: [&TimingRow; 5] = [&NORMAL, &FIRST, &TRIGGERED, &SYNCHRONISER, &BEGIN];

const ADPS: u8 = 7;
const ADIE: u8 = 1 << 3;
const ADIF: u8 = 1 << 4;
const ADATE: u8 = 1 << 5;
const ADSC: u8 = 1 << 6;
const ADEN: u8 = 1 << 7;

const ADTS: u8 = 7;
const ADTS3: u8 = 1 << 4;
const MUX5: u8 = 1 << 5;
const ACME: u8 = 1 << 6;

const ADLAR: u8 = 1 << 5;

/// The event at which the voltage is sampled.
const SAMPLE: u16 = 0;
/// The event at which the result is there.
const END: u16 = 1;

/// A conversion under way, in the core's cycles.
#[derive(Clone, Copy, Debug)]
struct Conversion {
    begin: u64,
    end: u64,
    /// REFS and MUX as they were when it began.
    choice: (u8, u8),
    result: u16,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Adc {
    model: &'static Model,
    adcsra: u8,
    adcsrb: u8,
    admux: u8,
    didr: [u8; 2],
    data: u16,
    /// ADCL was read, ADCH was not: no result comes in.
    locked: bool,
    /// No conversion has begun since ADEN was set.
    fresh: bool,
    /// The core's cycle from which the prescaler counts.
    since: u64,
    conversion: Option<Conversion>,
}

impl Adc {
    /// The converter of a part that is as `model` says.
    pub fn new(model: &'static Model) -> Self {
        Self {
            model,
            adcsra: 0,
            adcsrb: 0,
            admux: 0,
            didr: [0; 2],
            data: 0,
            locked: false,
            fresh: true,
            since: 0,
            conversion: None,
        }
    }

    const fn is(&self, bits: u8) -> bool {
        self.adcsra & bits == bits
    }

    /// The core's cycles in one of the ADC's clock (8271H table 24-5).
    const fn divider(&self) -> u64 {
        let adps = self.adcsra & ADPS;
        if adps == 0 { 2 } else { 1 << adps }
    }

    /// REFS, and MUX with MUX5 above it.
    const fn choice(&self) -> (u8, u8) {
        (self.admux >> 6, self.admux & 0x1F | self.adcsrb & MUX5)
    }

    /// The source of triggers: 0 for free running.
    const fn source(&self) -> u8 {
        self.adcsrb & ADTS | if self.adcsrb & ADTS3 != 0 { 8 } else { 0 }
    }

    const fn runs_freely(&self) -> bool {
        self.is(ADEN | ADATE) && self.source() == 0
    }

    fn line(&self, env: &mut Env<'_, '_>) {
        env.line(0, self.is(ADIF | ADIE));
    }

    /// The comparator hears which channel it may have, the blocks whose flag is the trigger, and the ports which inputs are off.
    fn tell(&self, env: &mut Env<'_, '_>) {
        let multiplexed = self.adcsrb & ACME != 0 && !self.is(ADEN);
        let channel = multiplexed.then_some(self.admux & 7);
        if channel != env.wires.shared.comparator_channel {
            env.wires.shared.comparator_channel = channel;
            env.effect(Effect::ComparatorInputs);
        }
        let watched = if self.is(ADEN | ADATE) { self.source() } else { 0 };
        let vector = self.model.triggers.get(usize::from(watched)).copied().unwrap_or(0);
        if vector != env.wires.shared.trigger.vector {
            env.effect(Effect::Watch(vector));
        }
    }

    /// A conversion begins at the next edge of the ADC's clock, or (`triggered`) with the prescaler's reset.
    fn start(&mut self, triggered: bool, env: &mut Env<'_, '_>) {
        let (now, clock) = (env.context.now.get(), self.divider());
        let first = std::mem::take(&mut self.fresh);
        env.wires.note(&BEGIN);
        if triggered {
            self.since = now + env.cycles(&SYNCHRONISER);
        }
        let begin = if triggered { self.since } else { self.since + (now - self.since) / clock * clock + clock };
        // Halves of the ADC's clock to the sample, and to the result.
        let (sample, end) = match (first, triggered) {
            (true, _) => (27, 2 * env.cycles(&FIRST)),
            (_, true) => (4, env.cycles(&TRIGGERED)),
            _ => (3, 2 * self.length(begin, env)),
        };
        self.convert(begin, begin + sample * clock / 2, begin + end * clock / 2, env);
    }

    /// The cycles of a conversion that begins at `begin`.
    fn length(&self, begin: u64, env: &mut Env<'_, '_>) -> u64 {
        let differential = matches!(self.model.source(self.choice().1), Source::Between { .. });
        let even = ((begin - self.since) / self.divider()).is_multiple_of(2);
        let late = !even || self.runs_freely();
        if differential && late { env.cycles(&DIFFERENTIAL) } else { env.cycles(&NORMAL) }
    }

    fn convert(&mut self, begin: u64, sample: u64, end: u64, env: &mut Env<'_, '_>) {
        self.conversion = Some(Conversion { begin, end, choice: self.choice(), result: 0 });
        env.schedule_core(SAMPLE, sample);
        env.schedule_core(END, end);
    }

    fn give_up(&mut self, env: &mut Env<'_, '_>) {
        self.conversion = None;
        env.cancel(SAMPLE);
        env.cancel(END);
    }

    /// The flag that is the trigger has risen.
    pub fn trigger(&mut self, env: &mut Env<'_, '_>) {
        if self.is(ADEN | ADATE) && self.source() != 0 && self.conversion.is_none() {
            self.start(true, env);
        }
    }

    /// The conversion is over.
    fn ended(&mut self, conversion: Conversion, env: &mut Env<'_, '_>) {
        if !self.locked {
            self.data = conversion.result;
        }
        self.adcsra |= ADIF;
        env.transfer(Transfer::Conversion { channel: conversion.choice.1, value: conversion.result & 0x3FF });
        if self.runs_freely() {
            let (begin, clock) = (conversion.end, self.divider());
            let length = self.length(begin, env);
            self.convert(begin, begin + 3 * clock / 2, begin + length * clock, env);
        }
        self.line(env);
    }

    fn write_status(&mut self, value: u8, env: &mut Env<'_, '_>) {
        let old = self.adcsra;
        if old & value & ADEN != 0 && (old ^ value) & ADPS != 0 && self.conversion.is_some() {
            env.gap(GapKind::Setting, format_args!("ADC: its prescaler is changed during a conversion"));
        }
        self.adcsra = old & ADIF & !value | value & !(ADIF | ADSC);
        if !self.is(ADEN) {
            self.give_up(env);
            self.fresh = true;
        } else if old & ADEN == 0 {
            (self.since, self.fresh) = (env.context.now.get(), true);
        }
        self.tell(env);
        if self.is(ADEN) && value & ADSC != 0 && self.conversion.is_none() {
            self.start(false, env);
        }
        self.line(env);
    }

    /// DIDR0 and DIDR2 switch digital inputs off.
    fn write_didr(&mut self, second: bool, value: u8, env: &mut Env<'_, '_>) {
        let changed = std::mem::replace(&mut self.didr[usize::from(second)], value) ^ value;
        let first = if second { 8 } else { 0 };
        for bit in (0..8).filter(|bit| changed & 1 << bit != 0) {
            if let Some(Some(pin)) = self.model.pins.get(first + bit) {
                env.effect(Effect::DigitalInput { pin: *pin, off: value & 1 << bit != 0 });
            }
        }
    }

    /// ADCL and ADCH together.
    const fn result(&self) -> u16 {
        if self.admux & ADLAR != 0 { self.data << 6 } else { self.data & 0x3FF }
    }
}

/// The voltage at `pin` in microvolts: that of the outside, else its level's.
pub(super) fn voltage(pin: Pin, env: &Env<'_, '_>) -> i32 {
    let shared = &env.wires.shared;
    let level = if shared.level(pin) { env.wires.outside.supply() } else { 0 };
    env.voltage(pin).filter(|_| !shared.is_output(pin)).unwrap_or(level)
}

impl Block<Avr> for Adc {
    fn read(&mut self, register: u8, _: &mut Env<'_, '_>) -> u8 {
        match register {
            register::ADCL => {
                self.locked = true;
                self.result() as u8
            }
            register::ADCH => {
                self.locked = false;
                (self.result() >> 8) as u8
            }
            register::ADCSRA => self.adcsra | if self.conversion.is_some() { ADSC } else { 0 },
            register::ADCSRB => self.adcsrb,
            register::ADMUX => self.admux,
            register::DIDR0 => self.didr[0],
            _ => self.didr[1],
        }
    }

    fn still(&self, register: u8, _: u64, _: &Shared) -> Option<u64> {
        (!matches!(register, register::ADCL | register::ADCH)).then_some(u64::MAX)
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        match register {
            register::ADCSRA => return self.write_status(value, env),
            register::ADCSRB => self.adcsrb = value,
            register::ADMUX => self.admux = value,
            register::DIDR0 => self.write_didr(false, value, env),
            register::DIDR2 => self.write_didr(true, value, env),
            _ => {}
        }
        // Locked once the conversion has begun (8271H §24.5).
        let choice = self.choice();
        if let Some(conversion) = &mut self.conversion
            && env.context.now.get() < conversion.begin
        {
            conversion.choice = choice;
        }
        self.tell(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == SAMPLE {
            if let Some(mut conversion) = self.conversion {
                conversion.result = self.model.convert(conversion.choice, env);
                self.conversion = Some(conversion);
            }
        } else if let Some(conversion) = self.conversion.take() {
            self.ended(conversion, env);
        }
    }

    fn acknowledge(&mut self, _: usize, env: &mut Env<'_, '_>) {
        self.adcsra &= !ADIF;
        self.line(env);
    }

    fn sleep(&mut self, mode: Option<u8>, env: &mut Env<'_, '_>) {
        match mode {
            // A conversion begins by itself in Idle and ADC Noise Reduction (8271H §10.4, §10.5 and §24.6).
            Some(0 | 1) if self.is(ADEN) && !self.is(ADATE) && self.conversion.is_none() => self.start(false, env),
            Some(2..) if self.conversion.is_some() => {
                env.gap(GapKind::Setting, format_args!("ADC: a sleep mode that stops its clock ends a conversion"));
                self.give_up(env);
            }
            _ => {}
        }
    }

    fn after_change(&mut self, change: Change, env: &mut Env<'_, '_>) {
        if change == Change::Power && !env.powered() && self.conversion.is_some() {
            env.gap(GapKind::Setting, format_args!("power reduction stops the ADC during a conversion"));
            self.give_up(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.write_didr(false, 0, env);
        self.write_didr(true, 0, env);
        *self = Self::new(self.model);
        self.tell(env);
    }
}
