//! A port of pins under the registers of any version: levels, edges, the outside, alternate functions, the lock.
//!
//! A pin's level is what its driver makes it, else what the outside applies, else what its pull resistor makes it;
//! a floating pin reads low. Each change of level is a signal with its exact cycle. Slew rates take no time.

use std::fmt::Debug;

use cyclescope_machine::{Pin, Signal, TimingRow};

use crate::synchroniser::Sampled;
use crate::{Bank, Block, Effect, Env, Instance, Modelled, Port, Words, Write};

const LCKK: u32 = 1 << 16;

/// The pins of a port by what its configuration registers make them, one bit each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Roles {
    /// Driven from ODR.
    pub output: u16,
    /// Driven by peripherals.
    pub alternate: u16,
    /// Driven low only.
    pub open_drain: u16,
    /// Without a digital input.
    pub analog: u16,
    /// With a resistor that pulls up, or where ODR chooses ([`Version::ODR_PULLS`]), with any.
    pub pulled: u16,
}

/// The pins that the debug port has of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DebugPins {
    /// The pins that it owns: they are no GPIO until firmware takes them.
    pub owned: u16,
    /// Those of them that it pulls up; it pulls the others down.
    pub pulled_up: u16,
}

/// A version of the registers.
pub trait Version: Clone + Debug {
    /// From a pin to IDR, and from a write to the pin.
    const ROWS: &'static [TimingRow];
    /// The offset of the input data register.
    const IDR: u32;
    /// The offset of the output data register.
    const ODR: u32;
    /// The offset of the register that sets and resets bits of it.
    const BSRR: u32;
    /// The offset of the register that resets bits of it, where the port has one.
    const BRR: u32;
    /// The offset of the configuration lock register.
    const LCKR: u32;
    /// True if ODR chooses the direction of the resistors.
    const ODR_PULLS: bool;

    /// The model of the port `port` with the registers of `instance`.
    fn model(instance: &Instance, port: u8) -> &'static [Modelled];

    /// The roles that the configuration registers give.
    fn roles(bank: &Bank) -> Roles;

    /// The bits of a pin in the configuration register at `offset`, and the register's first pin.
    fn bits_per_pin(offset: u32) -> Option<(u32, u32)>;

    /// True if a write at `offset` may switch pins to alternate functions or away.
    fn switches(offset: u32) -> bool;

    /// True if `pin`, in alternate function, is switched to `function`.
    fn has_function(bank: &Bank, pin: u8, function: u8) -> bool;

    /// True if a peripheral reads a pin as an input whatever drives it.
    const READS_ALWAYS: bool;
}

/// One port.
#[derive(Clone, Debug)]
pub struct Gpio<V> {
    bank: Bank,
    port: u8,
    has_brr: bool,
    /// Pins to which the outside applies a level, and the levels.
    applied: Driven,
    /// Levels that peripherals drive on pins in alternate function, and which pins are driven so.
    alternate: Driven,
    debug: DebugPins,
    /// The levels now.
    level: u16,
    /// Of them, what IDR shows.
    sampled: Sampled,
    roles: Roles,
    /// The step that the lock sequence has reached.
    lock_step: u8,
    locked: bool,
    version: std::marker::PhantomData<V>,
}

/// Pins that someone drives, and the levels.
#[derive(Clone, Copy, Debug, Default)]
struct Driven {
    pins: u16,
    high: u16,
}

impl Driven {
    fn set(&mut self, pin: u8, level: Option<bool>) {
        let bit = 1 << (pin & 15);
        self.pins = if level.is_some() { self.pins | bit } else { self.pins & !bit };
        self.high = if level == Some(true) { self.high | bit } else { self.high & !bit };
    }
}

impl<V: Version> Gpio<V> {
    /// The port of `instance`, whose name ends in the port's letter.
    pub fn new(instance: &Instance) -> Self {
        let port = instance.name.bytes().last().unwrap_or(b'A').saturating_sub(b'A');
        let bank = Bank::new(instance.map, V::model(instance, port));
        Self {
            roles: V::roles(&bank),
            bank,
            port,
            has_brr: instance.map.register("BRR").is_some(),
            applied: Driven::default(),
            alternate: Driven::default(),
            debug: DebugPins::default(),
            level: 0,
            sampled: Sampled::new(instance.clock.source(), &V::ROWS[0]),
            lock_step: 0,
            locked: false,
            version: std::marker::PhantomData,
        }
    }

    /// The debug port gets these pins, and gives all others back.
    pub fn give_to_debug(&mut self, pins: DebugPins, env: &mut Env<'_, '_>) {
        self.debug = pins;
        self.settle(env);
    }

    /// Works out the levels and tells who listens.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let level = self.resolve();
        let changed = level ^ self.level;
        if changed == 0 {
            return;
        }
        self.level = level;
        self.sampled.change(level, env);
        for number in (0..16).filter(|pin| changed & (1 << pin) != 0) {
            let high = level & (1 << number) != 0;
            let pin = Pin { port: self.port, number };
            env.context.signals.record(env.context.now, Signal::Pin { pin, high });
            // The input path of an analog pin is off (RM0008, RM0490, "Analog configuration").
            if self.roles.analog & 1 << number == 0 {
                env.effect(Effect::PinChanged { port: self.port, pin: number, high });
            }
        }
    }

    fn resolve(&self) -> u16 {
        let odr = self.bank.get(V::ODR) as u16;
        let Roles { output, alternate, open_drain, pulled, .. } = self.roles;
        let value = (odr & output) | (self.alternate.high & alternate);
        let driven = (output | (self.alternate.pins & alternate)) & !self.debug.owned;
        // An open-drain high is no driver at all.
        let driven = driven & !(open_drain & value);
        let pulled_up = if V::ODR_PULLS { pulled & odr } else { pulled };
        let pulled_up = (pulled_up & !self.debug.owned) | (self.debug.owned & self.debug.pulled_up);
        let outside = (self.applied.pins & self.applied.high) | (!self.applied.pins & pulled_up);
        (driven & value) | (!driven & outside)
    }

    /// The lock sequence (RM0008, RM0490, "Port configuration lock register").
    fn lock(&mut self, write: Write) {
        if self.locked {
            return;
        }
        let (key, pins) = (write.value & LCKK != 0, write.value & 0xFFFF);
        let same = pins == self.bank.get(V::LCKR) & 0xFFFF;
        let right = match self.lock_step {
            0 => key,
            1 => !key && same,
            _ => key && same,
        };
        self.bank.set(V::LCKR, pins);
        self.lock_step = if right { self.lock_step + 1 } else { u8::from(key) };
        if self.lock_step == 3 {
            self.locked = true;
            self.bank.set(V::LCKR, pins | LCKK);
        }
    }

    /// The value of a configuration register after a write, with locked pins kept.
    fn unlocked(&self, old: u32, new: u32, (per_pin, first): (u32, u32)) -> u32 {
        if !self.locked {
            return new;
        }
        let pins = (self.bank.get(V::LCKR) & 0xFFFF) >> first;
        let mask = u32::MAX >> (32 - per_pin);
        let kept =
            (0..32 / per_pin).filter(|pin| pins >> pin & 1 != 0).fold(0, |bits, pin| bits | mask << (pin * per_pin));
        (old & kept) | (new & !kept)
    }
}

impl<V: Version> Port for Gpio<V> {
    fn port(&self) -> u8 {
        self.port
    }

    fn levels(&self) -> u32 {
        u32::from(self.level)
    }

    fn is_switched_to(&self, pin: u8, function: u8) -> bool {
        self.roles.alternate & 1 << (pin & 15) != 0 && V::has_function(&self.bank, pin & 15, function)
    }

    fn is_read_by(&self, pin: u8, function: u8) -> bool {
        if V::READS_ALWAYS { self.roles.analog & 1 << (pin & 15) == 0 } else { self.is_switched_to(pin, function) }
    }

    fn apply(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        self.applied.set(pin, high);
        self.settle(env);
    }

    fn drive_alternate(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        self.alternate.set(pin, high);
        self.settle(env);
    }
}

impl<V: Version> Block<Words> for Gpio<V> {
    #[inline]
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset != V::IDR {
            return self.bank.read(offset, env);
        }
        u32::from(self.sampled.read(env) & !self.roles.analog)
    }

    #[inline]
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if [V::BSRR, V::BRR, V::ODR].contains(&offset) {
            env.cycles(&V::ROWS[1]);
        }
        let sets = if offset == V::BSRR {
            let bits = write.ones();
            // Setting wins over resetting (RM0008, RM0490, "Port bit set/reset register").
            Some((self.bank.get(V::ODR) & !(bits >> 16)) | (bits & 0xFFFF))
        } else if offset == V::BRR && self.has_brr {
            Some(self.bank.get(V::ODR) & !(write.ones() & 0xFFFF))
        } else {
            None
        };
        if let Some(odr) = sets {
            self.bank.set(V::ODR, odr);
        } else if offset == V::LCKR {
            self.lock(write);
        } else {
            let (old, new) = self.bank.write(offset, write, env);
            if let Some(bits) = V::bits_per_pin(offset) {
                self.bank.set(offset, self.unlocked(old, new, bits));
                self.roles = V::roles(&self.bank);
            }
            if V::switches(offset) {
                // What a peripheral drives is asked for again: the pin may now be switched to it.
                env.effect(Effect::PinsSwitched { port: self.port });
            }
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.roles = V::roles(&self.bank);
        self.alternate = Driven::default();
        (self.lock_step, self.locked) = (0, false);
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        self.sampled.refine(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
