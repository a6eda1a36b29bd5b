//! General-purpose I/O of one port (K20P64M72SF1RM, "General-Purpose Input/Output (GPIO)"): data and direction.
//!
//! The port control selects a pin's function, its pull resistor and its driver: see [`super::PortControl`].

use crate::bank::all;
use crate::pins::{Pins, Roles};
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Port, Words, Write};

use super::registers::bank;

const PDOR: u32 = 0x00;
const PSOR: u32 = 0x04;
const PCOR: u32 = 0x08;
const PTOR: u32 = 0x0C;
const PDIR: u32 = 0x10;
const PDDR: u32 = 0x14;

/// The modelled registers, with the values after reset ("GPIO memory map").
pub const MODEL: &[Modelled] = &[all("PDOR", 0).and(&["PSOR", "PCOR", "PTOR", "PDIR", "PDDR"])];

/// The pin settings of a port, from its pin control registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PinRoles {
    /// PCR.MUX of each pin, four bits each.
    pub functions: u128,
    /// The roles: [`Roles::output`] has all pins that are GPIO.
    pub roles: Roles,
}

/// One port.
#[derive(Clone, Debug)]
pub struct Gpio {
    bank: Bank,
    pins: Pins,
    settings: PinRoles,
}

impl Gpio {
    /// The port of `instance`, whose name ends in the port's letter.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: bank(instance.map, MODEL), pins: Pins::new(instance), settings: PinRoles::default() }
    }

    /// The port control changed the pins' settings.
    pub fn set_roles(&mut self, settings: PinRoles, env: &mut Env<'_, '_>) {
        self.settings = settings;
        self.settle(env);
    }

    /// Works out the levels and tells who listens.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let mut roles = self.settings.roles;
        roles.output &= self.bank.get(PDDR);
        self.pins.settle(self.bank.get(PDOR), &roles, env);
    }
}

impl Port for Gpio {
    fn port(&self) -> u8 {
        self.pins.port
    }

    fn levels(&self) -> u32 {
        self.pins.level
    }

    fn held(&self, pin: u8) -> Option<bool> {
        let bit = 1 << (pin & 31);
        (self.pins.held & bit != 0).then_some(self.pins.level & bit != 0)
    }

    fn pins(&self) -> u8 {
        32
    }

    fn is_switched_to(&self, pin: u8, function: u8) -> bool {
        (self.settings.functions >> (u32::from(pin & 31) * 4)) as u8 & 15 == function
    }

    fn driven(&self, pin: u8) -> Option<bool> {
        self.pins.driven(pin)
    }

    fn pulls_up(&self, pin: u8) -> bool {
        self.pins.pulls_up(pin)
    }

    fn apply(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        self.pins.apply(pin, high);
        self.settle(env);
    }

    fn drive_alternate(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        self.pins.drive_alternate(pin, high);
        self.settle(env);
    }
}

impl Block<Words> for Gpio {
    #[inline]
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        // Pins without a digital function read 0 ("Port Data Input Register").
        if offset & !3 == PDIR {
            self.pins.level & !self.settings.roles.analog
        } else {
            self.bank.read(offset & !3, env)
        }
    }

    #[inline]
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        let offset = offset & !3;
        if offset == PDIR { Some(Instant::NEVER) } else { self.bank.still(offset) }
    }

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
        self.pins.reset();
        self.settle(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
