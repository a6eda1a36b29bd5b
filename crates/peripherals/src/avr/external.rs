//! External interrupts and pin change interrupts (8271H chapter 13, 7766J chapter 11).

use cyclescope_machine::TimingRow;

use super::delayed::Delayed;
use super::{Avr, Env, Shared};
use crate::Block;

/// From an edge of INTn to its flag.
pub static EDGE: TimingRow = TimingRow::assumed(
    "INTn detection",
    "from the pin's edge or level to the interrupt's flag",
    2,
    "8271H §13.2.1: the pin is sampled before edges are detected; taken as the PINx synchroniser and one more flip-flop",
);

/// From an edge of PCINTn to its flag.
pub static PIN_CHANGE: TimingRow = TimingRow::documented(
    "PCINTn detection",
    "from the pin's edge to the flag of its group",
    3,
    "8271H §13.1, figure 13-1: pin_sync, pcint_syn and PCIF, each at the next rising edge of the clock",
);

/// The only event of both blocks: something has passed the flip-flops.
const ARRIVED: u16 = 0;

/// INT0 to INT7: registers EICRA, EICRB, EIMSK, EIFR; vectors and inputs by their number.
#[derive(Clone, Debug, Default)]
pub struct ExternalInterrupts {
    /// Two bits each.
    sense: u16,
    enabled: u8,
    flags: u8,
    levels: u8,
    /// The levels behind the flip-flops.
    seen: u8,
    /// Inputs whose edges are detected without a clock.
    asynchronous: u8,
    on_their_way: Delayed,
}

/// Registers of [`ExternalInterrupts`], by their place in [`Instance::registers`](super::Instance::registers).
pub mod register {
    /// EICRA.
    pub const EICRA: u8 = 0;
    /// EICRB.
    pub const EICRB: u8 = 1;
    /// EIMSK.
    pub const EIMSK: u8 = 2;
    /// EIFR.
    pub const EIFR: u8 = 3;
    /// PCICR, of [`PinChangeInterrupts`](super::PinChangeInterrupts).
    pub const PCICR: u8 = 0;
    /// PCIFR, of [`PinChangeInterrupts`](super::PinChangeInterrupts).
    pub const PCIFR: u8 = 1;
    /// PCMSK0 and those behind it, of [`PinChangeInterrupts`](super::PinChangeInterrupts).
    pub const PCMSK: u8 = 2;
}

/// The values of ISCn1:0.
mod sense {
    pub const LOW: u16 = 0;
    pub const ANY: u16 = 1;
    pub const FALLING: u16 = 2;
}

impl ExternalInterrupts {
    /// The block of a part that detects edges of the inputs in `asynchronous` without clkI/O.
    pub fn new(asynchronous: u8) -> Self {
        Self { asynchronous, ..Self::default() }
    }

    fn sense(&self, number: u8) -> u16 {
        self.sense >> (2 * number) & 3
    }

    /// The flip-flops show `levels`.
    fn see(&mut self, levels: u8, env: &mut Env<'_, '_>) {
        let changed = levels ^ self.seen;
        self.seen = levels;
        for number in 0..8 {
            let bit = 1 << number;
            let fits = match self.sense(number) {
                sense::LOW => false,
                sense::ANY => true,
                sense::FALLING => levels & bit == 0,
                _ => levels & bit != 0,
            };
            if changed & bit != 0 && fits {
                self.flags |= bit;
            }
        }
        self.drive(env);
    }

    /// A level interrupt has no flag: it asks as long as the pin is low (8271H §13.2.3).
    fn drive(&self, env: &mut Env<'_, '_>) {
        for number in 0..8 {
            let bit = 1 << number;
            let active = if self.sense(number) == sense::LOW { !self.seen } else { self.flags };
            env.flag(usize::from(number), active & bit != 0);
            env.line(usize::from(number), active & self.enabled & bit != 0);
        }
    }
}

impl Block<Avr> for ExternalInterrupts {
    fn read(&mut self, register: u8, _: &mut Env<'_, '_>) -> u8 {
        match register {
            register::EICRA => self.sense as u8,
            register::EICRB => (self.sense >> 8) as u8,
            register::EIMSK => self.enabled,
            _ => self.flags,
        }
    }

    fn still(&self, _: u8, _: u64, _: &Shared) -> Option<u64> {
        Some(u64::MAX)
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        match register {
            register::EICRA => self.sense = self.sense & 0xFF00 | u16::from(value),
            register::EICRB => self.sense = self.sense & 0xFF | u16::from(value) << 8,
            register::EIMSK => self.enabled = value,
            _ => self.flags &= !value,
        }
        let by_level =
            (0..8).filter(|number| self.sense(*number) == sense::LOW).fold(0, |bits, number| bits | 1 << number);
        self.flags &= !by_level;
        self.drive(env);
    }

    fn ignores_zeros(&self, register: u8) -> bool {
        register == register::EIFR
    }

    fn acknowledge(&mut self, index: usize, env: &mut Env<'_, '_>) {
        self.flags &= !(1 << (index & 7));
        self.drive(env);
    }

    fn hears(&self, index: usize) -> bool {
        self.enabled & 1 << (index & 7) != 0 || self.sense((index & 7) as u8) != sense::LOW
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        let number = (index & 7) as u8;
        let bit = 1 << number;
        self.levels = if high { self.levels | bit } else { self.levels & !bit };
        if env.wires.shared.io.is_stopped() && (self.sense(number) == sense::LOW || self.asynchronous & bit != 0) {
            self.see(self.seen & !bit | self.levels & bit, env);
        }
        if self.on_their_way.is_empty() && self.enabled & bit == 0 && self.sense(number) == sense::LOW {
            // Nobody can tell when it arrives.
            self.seen = self.seen & !bit | self.levels & bit;
            return;
        }
        self.on_their_way.push(env.now() + env.cycles(&EDGE), u32::from(self.levels));
        env.schedule(ARRIVED, self.on_their_way.next());
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        while let Some(levels) = self.on_their_way.arrived(env.now()) {
            self.see(levels as u8, env);
        }
        env.schedule(ARRIVED, self.on_their_way.next());
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let levels = (0..8).filter(|number| env.input(*number)).fold(0, |levels, number| levels | 1 << number);
        *self = Self { asynchronous: self.asynchronous, levels, seen: levels, ..Self::default() };
    }
}

/// Pin change interrupts: registers PCICR, PCIFR and a PCMSK for each group of eight inputs; a vector a group.
#[derive(Clone, Debug, Default)]
pub struct PinChangeInterrupts {
    enabled: u8,
    flags: u8,
    masks: [u8; 3],
    levels: u32,
    seen: u32,
    on_their_way: Delayed,
}

impl PinChangeInterrupts {
    fn see(&mut self, levels: u32, env: &mut Env<'_, '_>) {
        let changed = levels ^ self.seen;
        self.seen = levels;
        for (group, mask) in self.masks.iter().enumerate() {
            if changed >> (8 * group) & u32::from(*mask) != 0 {
                self.flags |= 1 << group;
            }
        }
        self.drive(env);
    }

    fn drive(&self, env: &mut Env<'_, '_>) {
        for group in 0..self.masks.len() {
            env.line(group, self.flags & self.enabled & 1 << group != 0);
        }
    }
}

impl Block<Avr> for PinChangeInterrupts {
    fn read(&mut self, register: u8, _: &mut Env<'_, '_>) -> u8 {
        match register {
            register::PCICR => self.enabled,
            register::PCIFR => self.flags,
            _ => self.masks.get(usize::from(register - register::PCMSK)).copied().unwrap_or(0),
        }
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        match register {
            register::PCICR => self.enabled = value,
            register::PCIFR => self.flags &= !value,
            _ => {
                if let Some(mask) = self.masks.get_mut(usize::from(register - register::PCMSK)) {
                    *mask = value;
                }
            }
        }
        self.drive(env);
    }

    fn ignores_zeros(&self, register: u8) -> bool {
        register == register::PCIFR
    }

    fn acknowledge(&mut self, index: usize, env: &mut Env<'_, '_>) {
        self.flags &= !(1 << (index & 7));
        self.drive(env);
    }

    fn hears(&self, index: usize) -> bool {
        self.masks.get(index / 8).is_some_and(|mask| mask & 1 << (index & 7) != 0)
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        let bit = 1 << (index & 31);
        self.levels = if high { self.levels | bit } else { self.levels & !bit };
        let mask = self.masks.get(index / 8).copied().unwrap_or(0);
        if self.on_their_way.is_empty() && mask & 1 << (index & 7) == 0 {
            // Nobody can tell when it arrives.
            self.seen = self.seen & !bit | self.levels & bit;
            return;
        }
        if env.wires.shared.io.is_stopped() {
            // Detected without a clock in all sleep modes (8271H §13).
            self.see(self.levels, env);
        }
        self.on_their_way.push(env.now() + env.cycles(&PIN_CHANGE), self.levels);
        env.schedule(ARRIVED, self.on_their_way.next());
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        while let Some(levels) = self.on_their_way.arrived(env.now()) {
            self.see(levels, env);
        }
        env.schedule(ARRIVED, self.on_their_way.next());
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let inputs = env.instance.inputs.len().min(24);
        let levels = (0..inputs).filter(|number| env.input(*number)).fold(0, |levels, number| levels | 1 << number);
        *self = Self { levels, seen: levels, ..Self::default() };
    }
}
