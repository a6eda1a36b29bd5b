//! The analog comparator of the ATmega family (8271H chapter 23, 7766J chapter 23).
//!
//! Its output follows the voltages at its inputs. Where one of them changes by itself (a ramp, a sine, samples), the next
//! crossing is looked for; nothing ticks.
//!
//! # Wiring
//! Registers ACSR, DIDR1; one vector; inputs AIN0, AIN1, then ADC0 to ADC7, which the ADC's multiplexer can put in the place of
//! AIN1 ([`Shared::comparator_channel`]).
//!
//! # Assumed
//! No offset, no hysteresis, no time to settle, and no delay of the comparator itself. The ATmega32U4 has no pin AIN1: without
//! the multiplexer its negative input is at 0 V.

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Picoseconds;

use super::adc::voltage;
use super::delayed::Delayed;
use super::{Avr, Effect, Env, Shared};
use crate::Block;

/// Registers, by their place in [`Instance::registers`](super::Instance::registers).
pub mod register {
    /// ACSR.
    pub const ACSR: u8 = 0;
    /// DIDR1.
    pub const DIDR1: u8 = 1;
}

/// From a crossing to ACO.
pub static SYNCHRONISER: TimingRow = TimingRow::documented(
    "comparator synchroniser",
    "from the crossing of the inputs to ACO and its interrupt's flag",
    1,
    "8271H §23.3.2: one to two cycles; one for a crossing at a cycle's beginning",
);

/// The places of the inputs.
mod pin {
    pub const AIN0: usize = 0;
    pub const AIN1: usize = 1;
    pub const ADC0: usize = 2;
}

const ACIS: u8 = 3;
const ACIC: u8 = 1 << 2;
const ACIE: u8 = 1 << 3;
const ACI: u8 = 1 << 4;
const ACO: u8 = 1 << 5;
const ACBG: u8 = 1 << 6;
const ACD: u8 = 1 << 7;

/// The bandgap, in microvolts (8271H table 29-16, typical).
const BANDGAP: i32 = 1_100_000;

/// The event at which a level arrives behind the synchroniser.
const ARRIVED: u16 = 0;
/// The event at which the inputs may cross.
const CROSSING: u16 = 1;

/// The block.
#[derive(Clone, Debug)]
pub struct Comparator {
    /// All bits but ACO.
    acsr: u8,
    didr1: u8,
    /// The place of the negative input among the inputs.
    negative: usize,
    /// The output ahead of the synchroniser, and behind it.
    raw: bool,
    output: bool,
    on_their_way: Delayed,
}

impl Default for Comparator {
    fn default() -> Self {
        let on_their_way = Delayed::default();
        Self { acsr: 0, didr1: 0, negative: pin::AIN1, raw: false, output: false, on_their_way }
    }
}

impl Comparator {
    const fn is(&self, bit: u8) -> bool {
        self.acsr & bit != 0
    }

    /// The difference of the inputs at the time `at`, which is now or later.
    fn difference(&self, at: Picoseconds, env: &Env<'_, '_>) -> i64 {
        let input = |index: usize| {
            let pin = env.instance.inputs.get(index).copied().flatten();
            pin.map_or(0, |pin| {
                let later = env.wires.outside.voltage(pin, at).filter(|_| !env.wires.shared.is_output(pin));
                later.unwrap_or_else(|| voltage(pin, env))
            })
        };
        let positive = if self.is(ACBG) { BANDGAP } else { input(pin::AIN0) };
        i64::from(positive) - i64::from(input(self.negative))
    }

    /// The first time after `now` at which an input may turn round, jump or stand still.
    fn turn(&self, now: Picoseconds, env: &Env<'_, '_>) -> Option<Picoseconds> {
        let positive = (!self.is(ACBG)).then_some(pin::AIN0);
        let places = positive.into_iter().chain([self.negative]);
        let pins = places.filter_map(|index| env.instance.inputs.get(index).copied().flatten());
        pins.filter_map(|pin| env.wires.outside.voltage_turns(pin, now)).min()
    }

    /// True if somebody notices a change before software looks.
    fn is_watched(&self, env: &Env<'_, '_>) -> bool {
        self.acsr & (ACIE | ACIC) != 0 || env.is_trigger(0)
    }

    /// Takes what has passed the synchroniser.
    fn update(&mut self, env: &mut Env<'_, '_>) {
        while let Some(level) = self.on_their_way.arrived(env.now()) {
            let high = level != 0;
            if high == std::mem::replace(&mut self.output, high) {
                continue;
            }
            // ACIS (8271H table 23-2); 1 is reserved.
            if matches!((self.acsr & ACIS, high), (0, _) | (2, false) | (3, true)) {
                self.acsr |= ACI;
            }
            if self.is(ACIC) {
                env.effect(Effect::Capture(high));
            }
        }
        self.line(env);
    }

    fn line(&self, env: &mut Env<'_, '_>) {
        env.flag(0, self.is(ACI));
        env.line(0, self.is(ACI) && self.is(ACIE));
    }

    /// Looks at the inputs, and for their next crossing.
    pub fn compare(&mut self, env: &mut Env<'_, '_>) {
        self.update(env);
        if env.wires.shared.io.is_stopped() {
            return;
        }
        let channel = env.wires.shared.comparator_channel;
        self.negative = channel.map_or(pin::AIN1, |channel| pin::ADC0 + usize::from(channel));
        let now = env.picoseconds();
        let raw = !self.is(ACD) && self.difference(now, env) > 0;
        if raw != std::mem::replace(&mut self.raw, raw) {
            let at = env.now() + u64::from(SYNCHRONISER.cycles);
            self.on_their_way.push(at, raw.into());
            if self.is_watched(env) {
                env.wires.note(&SYNCHRONISER);
                env.schedule(ARRIVED, self.on_their_way.next());
            }
        }
        self.look_ahead(now, env);
    }

    /// Has the next crossing come by itself. Between two turns of the inputs their difference crosses at most once.
    fn look_ahead(&self, now: Picoseconds, env: &mut Env<'_, '_>) {
        let turn = if self.is(ACD) { None } else { self.turn(now, env) };
        let Some(turn) = turn else { return env.cancel(CROSSING) };
        let crosses = |at: Picoseconds, env: &Env<'_, '_>| (self.difference(at, env) > 0) != self.raw;
        let (mut before, mut at) = (now, turn);
        if crosses(turn, env) {
            while at.get() - before.get() > 1 {
                let middle = Picoseconds::new(before.get() + (at.get() - before.get()) / 2);
                if crosses(middle, env) { at = middle } else { before = middle }
            }
        }
        let periods = env.periods_of(at.saturating_sub(now)).max(1);
        env.schedule(CROSSING, env.now().saturating_add(periods));
    }

    fn write_status(&mut self, value: u8, env: &mut Env<'_, '_>) {
        self.update(env);
        let flag = self.acsr & ACI & !value;
        self.acsr = value & !(ACI | ACO) | flag;
        env.wires.shared.capture_by_comparator = self.is(ACIC);
        self.compare(env);
        if self.is_watched(env) {
            env.schedule(ARRIVED, self.on_their_way.next());
        }
    }
}

impl Block<Avr> for Comparator {
    fn read(&mut self, register: u8, env: &mut Env<'_, '_>) -> u8 {
        if register != register::ACSR {
            return self.didr1;
        }
        env.wires.note(&SYNCHRONISER);
        self.update(env);
        self.acsr | if self.output { ACO } else { 0 }
    }

    fn still(&self, register: u8, now: u64, _: &Shared) -> Option<u64> {
        let next = self.on_their_way.next();
        (register == register::DIDR1 || next > now).then_some(next)
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        if register == register::ACSR {
            return self.write_status(value, env);
        }
        let changed = std::mem::replace(&mut self.didr1, value) ^ value;
        for index in [pin::AIN0, pin::AIN1] {
            if let Some(Some(pin)) = env.instance.inputs.get(index).filter(|_| changed & 1 << index != 0) {
                env.effect(Effect::DigitalInput { pin: *pin, off: value & 1 << index != 0 });
            }
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == CROSSING {
            self.compare(env)
        } else {
            self.update(env)
        }
        if self.is_watched(env) {
            env.schedule(ARRIVED, self.on_their_way.next());
        }
    }

    fn acknowledge(&mut self, _: usize, env: &mut Env<'_, '_>) {
        self.acsr &= !ACI;
        self.line(env);
    }

    fn hears(&self, index: usize) -> bool {
        !self.is(ACD) && (index == self.negative || index == pin::AIN0 && !self.is(ACBG))
    }

    fn input(&mut self, index: usize, _: bool, env: &mut Env<'_, '_>) {
        if self.hears(index) {
            self.compare(env);
        }
    }

    fn sleep(&mut self, mode: Option<u8>, env: &mut Env<'_, '_>) {
        if mode.is_none() {
            self.compare(env);
        }
    }

    fn after_change(&mut self, _: super::Change, env: &mut Env<'_, '_>) {
        self.line(env);
        if self.is_watched(env) {
            env.schedule(ARRIVED, self.on_their_way.next());
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.write(register::DIDR1, 0, env);
        *self = Self::default();
        env.wires.shared.capture_by_comparator = false;
        self.compare(env);
        // What the inputs are at a reset sets no flag.
        self.output = self.raw;
        self.on_their_way = Delayed::default();
        env.cancel(ARRIVED);
    }
}
