//! A port of pins under the registers of any version: roles, the debug port's pins, data, alternate functions, the lock.

use std::fmt::Debug;

use cyclescope_machine::TimingRow;

use crate::pins::{Pins, Roles, port_of};
use crate::synchroniser::Sampled;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Port, Words, Write};

const LCKK: u32 = 1 << 16;

/// The pins that the debug port has of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DebugPins {
    /// The pins that it owns: they are no GPIO until firmware takes them.
    pub owned: u32,
    /// Those of them that it pulls up; it pulls the others down.
    pub pulled_up: u32,
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
    /// True if ODR chooses the direction of the resistors that [`Roles::pulled`] tells.
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

    /// True if `pin` is connected with the converter whose input it is.
    fn reaches_converter(_bank: &Bank, _pin: u8) -> bool {
        true
    }

    /// True if a peripheral reads a pin as an input whatever drives it.
    const READS_ALWAYS: bool;
}

/// One port.
#[derive(Clone, Debug)]
pub struct Gpio<V> {
    bank: Bank,
    pins: Pins,
    has_brr: bool,
    debug: DebugPins,
    /// The levels that IDR shows.
    sampled: Sampled,
    roles: Roles,
    /// The step that the lock sequence has reached.
    lock_step: u8,
    locked: bool,
    version: std::marker::PhantomData<V>,
}

impl<V: Version> Gpio<V> {
    /// The port of `instance`, whose name ends in the port's letter.
    pub fn new(instance: &Instance) -> Self {
        let bank = Bank::new(instance.map, V::model(instance, port_of(instance)));
        Self {
            roles: V::roles(&bank),
            bank,
            pins: Pins::new(instance),
            has_brr: instance.map.register("BRR").is_some(),
            debug: DebugPins::default(),
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
        let (odr, DebugPins { owned, pulled_up }) = (self.bank.get(V::ODR), self.debug);
        let mut roles = self.roles;
        roles.output &= !owned;
        roles.alternate &= !owned;
        roles.pulled &= if V::ODR_PULLS { odr & !owned } else { !owned };
        roles.pulled |= owned & pulled_up;
        if self.pins.settle(odr, &roles, env) {
            self.sampled.change(self.pins.level, env);
        }
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
        self.pins.port
    }

    fn levels(&self) -> u32 {
        self.pins.level
    }

    fn reaches_converter(&self, pin: u8) -> bool {
        V::reaches_converter(&self.bank, pin)
    }

    fn held(&self, pin: u8) -> Option<bool> {
        let bit = 1 << (pin & 15);
        (self.pins.held & bit != 0).then_some(self.pins.level & bit != 0)
    }

    fn is_switched_to(&self, pin: u8, function: u8) -> bool {
        self.roles.alternate & 1 << (pin & 15) != 0 && V::has_function(&self.bank, pin & 15, function)
    }

    fn is_read_by(&self, pin: u8, function: u8) -> bool {
        if V::READS_ALWAYS { self.roles.analog & 1 << (pin & 15) == 0 } else { self.is_switched_to(pin, function) }
    }

    fn driven(&self, pin: u8) -> Option<bool> {
        self.pins.driven(pin & 15)
    }

    fn pulls_up(&self, pin: u8) -> bool {
        self.pins.pulls_up(pin & 15)
    }

    fn apply(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        self.pins.apply(pin & 15, high);
        self.settle(env);
    }

    fn drive_alternate(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        self.pins.drive_alternate(pin & 15, high);
        self.settle(env);
    }

    fn force(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        self.pins.force(pin & 15, high);
        self.settle(env);
    }

    fn pull_up(&mut self, up: u32, env: &mut Env<'_, '_>) {
        self.pins.hold_up(up & 0xFFFF);
        self.settle(env);
    }
}

impl<V: Version> Block<Words> for Gpio<V> {
    #[inline]
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset != V::IDR {
            return self.bank.read(offset, env);
        }
        self.sampled.read(env) & !self.roles.analog
    }

    #[inline]
    fn still(&self, offset: u32, now: Instant, _: &Clocks) -> Option<Instant> {
        if offset == V::IDR { Some(self.sampled.still(now)) } else { self.bank.still(offset) }
    }

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
                env.effect(Effect::PinsSwitched { port: self.pins.port });
            }
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.roles = V::roles(&self.bank);
        self.pins.reset();
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
