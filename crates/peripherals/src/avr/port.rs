//! A port of pins: PINx, DDRx and PORTx (8271H chapter 14, 7766J chapter 10).
//!
//! A pin that nothing drives and nothing pulls reads low.

use cyclescope_machine::{Pin, TimingRow};

use super::{Avr, Effect, Env, Shared};
use crate::Block;

/// Registers, by their place in [`Instance::registers`](super::Instance::registers).
pub mod register {
    /// PINx.
    pub const PIN: u8 = 0;
    /// DDRx.
    pub const DDR: u8 = 1;
    /// PORTx.
    pub const PORT: u8 = 2;
}

/// From the cycle in which an instruction writes a port to the edge of its pins.
pub static OUTPUT: TimingRow = TimingRow::documented(
    "port output",
    "from the cycle of the write to the pin's edge",
    1,
    "8271H §14.2.4, figure 14-4: SYNC LATCH shows the new level behind the clock edge that ends OUT",
);

/// From a pin's edge to PINx.
pub static SYNCHRONISER: TimingRow = TimingRow::documented(
    "PINx synchroniser",
    "from the pin's edge to the first cycle that reads the new level",
    1,
    "8271H §14.2.4, figures 14-3 and 14-4: latched while the clock is low, in PINx at its next rising edge, so that a \
     NOP is needed between OUT and IN; edges lie on the clock's here, where half a period to one and a half is possible",
);

/// Enough levels of the last three cycles, so that the one of any cycle still to be read is among them.
const HISTORY: usize = 4;

/// A port of up to eight pins.
#[derive(Clone, Debug, Default)]
pub struct Port {
    ddr: u8,
    port: u8,
    /// Levels that the outside applies.
    applied: Bits,
    /// Levels that a peripheral drives in the place of PORT.
    level: Bits,
    /// Directions that a peripheral sets in the place of DDR; 1 for an output.
    direction: Bits,
    pull_ups_off: bool,
    /// Pins that the part pulls up and does not drive.
    pulls: u8,
    /// Pins whose digital input is off.
    inputs_off: u8,
    levels: u8,
    /// Levels with the time from which PINx shows them, the newest last.
    history: [(u64, u8); HISTORY],
}

/// Bits of which some have a value.
#[derive(Clone, Copy, Debug, Default)]
struct Bits {
    mask: u8,
    value: u8,
}

impl Bits {
    fn set(&mut self, bit: u8, value: Option<bool>) {
        let bit = 1 << (bit & 7);
        self.mask = if value.is_some() { self.mask | bit } else { self.mask & !bit };
        self.value = if value == Some(true) { self.value | bit } else { self.value & !bit };
    }

    fn over(self, other: u8) -> u8 {
        self.value | other & !self.mask
    }
}

impl Port {
    /// The levels of the pins now.
    pub fn levels(&self) -> u8 {
        self.levels
    }

    /// True if the part pulls `pin` up and does not drive it.
    pub fn pulls_up(&self, pin: u8) -> bool {
        self.pulls & 1 << (pin & 7) != 0
    }

    /// The outside applies a level to `pin`, or (`None`) lets it go; the edge comes `after` cycles from now.
    pub fn apply(&mut self, pin: u8, high: Option<bool>, after: u8, env: &mut Env<'_, '_>) {
        self.applied.set(pin, high);
        self.update(after, env);
    }

    /// A peripheral takes the level of `pin` from PORT, or (`None`) gives it back; the edge comes `after` cycles from now.
    pub fn take_level(&mut self, pin: u8, high: Option<bool>, after: u8, env: &mut Env<'_, '_>) {
        self.level.set(pin, high);
        self.update(after, env);
    }

    /// A peripheral decides whether `pin` is an output, or (`None`) leaves that to DDR again.
    pub fn take_direction(&mut self, pin: u8, output: Option<bool>, after: u8, env: &mut Env<'_, '_>) {
        self.direction.set(pin, output);
        self.update(after, env);
    }

    /// MCUCR.PUD.
    pub fn set_pull_ups_off(&mut self, off: bool, env: &mut Env<'_, '_>) {
        self.pull_ups_off = off;
        self.update(0, env);
    }

    /// Switches the digital input of `pin` off or on (DIDRn): PINx shows 0 while it is off.
    pub fn switch_input(&mut self, pin: u8, off: bool) {
        let bit = 1 << (pin & 7);
        self.inputs_off = if off { self.inputs_off | bit } else { self.inputs_off & !bit };
    }

    /// Brings the pins up to date `after` cycles from now.
    fn update(&mut self, after: u8, env: &mut Env<'_, '_>) {
        let output = self.direction.over(self.ddr);
        let pulled = if self.pull_ups_off { 0 } else { self.port };
        let levels = output & self.level.over(self.port) | !output & self.applied.over(pulled);
        let number = env.instance.number;
        let (place, shared) = (usize::from(number & 7), &mut env.wires.shared);
        let before = std::mem::replace(&mut shared.outputs[place], output);
        shared.driven[place] = output | self.applied.mask | pulled;
        let pulled_before = std::mem::replace(&mut self.pulls, pulled & !output);
        let changed = levels ^ self.levels;
        if env.wires.outside.has_joined() {
            let redriven = before ^ output | changed & output | pulled_before ^ self.pulls;
            for pin in (0..8).filter(|pin| redriven & 1 << pin != 0) {
                env.effect(Effect::DriveChanged { pin: Pin { port: number, number: pin }, after });
            }
        }
        if changed == 0 {
            return;
        }
        self.levels = levels;
        if let Some(all) = env.wires.shared.levels.get_mut(usize::from(number)) {
            *all = levels;
        }
        let from = env.now() + u64::from(after) + u64::from(SYNCHRONISER.cycles);
        if self.history[HISTORY - 1].0 < from {
            self.history.rotate_left(1);
        }
        self.history[HISTORY - 1] = (from, levels);
        for pin in (0..8).filter(|pin| changed & 1 << pin != 0) {
            let high = levels & 1 << pin != 0;
            env.effect(Effect::PinChanged { pin: Pin { port: number, number: pin }, high, after });
        }
    }

    /// Returns the levels that PINx shows at `now`.
    fn shown(&self, now: u64) -> u8 {
        let at = self.history.iter().rev().find(|(from, _)| *from <= now);
        at.map_or(self.history[0].1, |(_, levels)| *levels)
    }
}

impl Block<Avr> for Port {
    #[inline]
    fn read(&mut self, register: u8, env: &mut Env<'_, '_>) -> u8 {
        match register {
            register::PIN => {
                env.wires.note(&SYNCHRONISER);
                self.shown(env.now()) & !self.inputs_off
            }
            register::DDR => self.ddr,
            _ => self.port,
        }
    }

    #[inline]
    fn still(&self, register: u8, now: u64, _: &Shared) -> Option<u64> {
        let next = self.history.iter().map(|(from, _)| *from).filter(|from| *from > now).min();
        Some(if register == register::PIN { next.unwrap_or(u64::MAX) } else { u64::MAX })
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        match register {
            register::PIN => self.port ^= value,
            register::DDR => self.ddr = value,
            _ => self.port = value,
        }
        let after = env.cycles(&OUTPUT) as u8;
        self.update(after, env);
    }

    /// A one toggles its bit of PORTx, a zero does nothing (8271H §14.2.2).
    fn ignores_zeros(&self, register: u8) -> bool {
        register == register::PIN
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let Self { applied, levels, history, .. } = *self;
        *self = Self { applied, levels, history, ..Self::default() };
        self.update(0, env);
    }
}
