//! General-purpose I/O of one port (K20P64M72SF1RM, "General-Purpose Input/Output (GPIO)"): data and direction.
//!
//! The port control selects a pin's function, its pull resistor and its driver: see [`super::PortControl`]. The driver
//! sets the pin's level, else the outside does, else the pull resistor; a floating pin reads low. Each change of level is
//! a signal with its exact cycle.

use cyclescope_machine::{Pin, Signal};

use crate::bank::all;
use crate::{Bank, Block, Effect, Env, Instance, Modelled, Port, Words, Write};

use super::bank;

const PDOR: u32 = 0x00;
const PSOR: u32 = 0x04;
const PCOR: u32 = 0x08;
const PTOR: u32 = 0x0C;
const PDIR: u32 = 0x10;
const PDDR: u32 = 0x14;

/// The modelled registers, with the values after reset ("GPIO memory map").
pub const MODEL: &[Modelled] = &[all("PDOR", 0).and(&["PSOR", "PCOR", "PTOR", "PDIR", "PDDR"])];

/// The function of a pin that is GPIO (PCR.MUX).
const GPIO: u8 = 1;
/// The function of a pin that is off or analog.
const OFF: u8 = 0;

/// The pin settings of a port, from its pin control registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PinRoles {
    /// PCR.MUX of each pin, four bits each.
    pub functions: u128,
    /// Pins with a pull resistor.
    pub pulled: u32,
    /// Of these, those pulled up.
    pub pulled_up: u32,
    /// Pins whose driver only pulls low.
    pub open_drain: u32,
}

impl PinRoles {
    /// The function of `pin`.
    pub const fn function(&self, pin: u8) -> u8 {
        (self.functions >> (pin as u32 % 32 * 4)) as u8 & 15
    }

    /// The pins whose function `is` so, one bit each.
    fn pins(&self, is: impl Fn(u8) -> bool) -> u32 {
        (0..32).filter(|pin| is(self.function(*pin))).fold(0, |bits, pin| bits | 1 << pin)
    }
}

/// One port.
#[derive(Clone, Debug)]
pub struct Gpio {
    bank: Bank,
    port: u8,
    roles: PinRoles,
    /// The pins that are GPIO, that a peripheral has, and that are digital at all.
    gpio: u32,
    alternate: u32,
    digital: u32,
    applied: u32,
    applied_high: u32,
    alternate_high: u32,
    alternate_driven: u32,
    level: u32,
}

impl Gpio {
    /// The port of `instance`, whose name ends in the port's letter.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, MODEL),
            port: instance.name.bytes().last().unwrap_or(b'A').saturating_sub(b'A'),
            roles: PinRoles::default(),
            gpio: 0,
            alternate: 0,
            digital: 0,
            applied: 0,
            applied_high: 0,
            alternate_high: 0,
            alternate_driven: 0,
            level: 0,
        }
    }

    /// The port control changed what the pins are.
    pub fn set_roles(&mut self, roles: PinRoles, env: &mut Env<'_, '_>) {
        self.roles = roles;
        self.gpio = roles.pins(|function| function == GPIO);
        self.digital = roles.pins(|function| function != OFF);
        self.alternate = self.digital & !self.gpio;
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
        for number in (0..32).filter(|pin| changed & (1 << pin) != 0) {
            let high = level & (1 << number) != 0;
            let pin = Pin { port: self.port, number };
            env.context.signals.record(env.context.now, Signal::Pin { pin, high });
            if self.digital & 1 << number != 0 {
                env.effect(Effect::PinChanged { port: self.port, pin: number, high });
            }
        }
    }

    fn resolve(&self) -> u32 {
        let output = self.bank.get(PDDR) & self.gpio;
        let value = (self.bank.get(PDOR) & output) | (self.alternate_high & self.alternate);
        let driven = output | (self.alternate_driven & self.alternate);
        // An open-drain high is no driver at all.
        let driven = driven & !(self.roles.open_drain & value);
        let pulled_up = self.roles.pulled & self.roles.pulled_up;
        let outside = (self.applied & self.applied_high) | (!self.applied & pulled_up);
        (driven & value) | (!driven & outside)
    }
}

impl Port for Gpio {
    fn port(&self) -> u8 {
        self.port
    }

    fn levels(&self) -> u32 {
        self.level
    }

    fn pins(&self) -> u8 {
        32
    }

    fn is_switched_to(&self, pin: u8, function: u8) -> bool {
        self.roles.function(pin) == function
    }

    fn apply(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        let bit = 1 << (pin & 31);
        self.applied = if high.is_some() { self.applied | bit } else { self.applied & !bit };
        self.applied_high = if high == Some(true) { self.applied_high | bit } else { self.applied_high & !bit };
        self.settle(env);
    }

    fn drive_alternate(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        let bit = 1 << (pin & 31);
        self.alternate_driven = if high.is_some() { self.alternate_driven | bit } else { self.alternate_driven & !bit };
        self.alternate_high = if high == Some(true) { self.alternate_high | bit } else { self.alternate_high & !bit };
        self.settle(env);
    }
}

impl Block<Words> for Gpio {
    #[inline]
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        // Pins without a digital function read 0 ("Port Data Input Register").
        if offset & !3 == PDIR { self.level & self.digital } else { self.bank.read(offset & !3, env) }
    }

    #[inline]
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let data = self.bank.get(PDOR);
        match offset {
            PSOR => self.bank.set(PDOR, data | write.ones()),
            PCOR => self.bank.set(PDOR, data & !write.ones()),
            PTOR => self.bank.set(PDOR, data ^ write.ones()),
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        (self.alternate_driven, self.alternate_high) = (0, 0);
        self.settle(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
