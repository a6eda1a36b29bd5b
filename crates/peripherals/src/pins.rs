//! The levels of a port's pins, below the registers of STM32 and Kinetis.
//!
//! A pin's level is what its driver makes it, else what the outside applies, else what its pull resistor makes it;
//! a floating pin reads low. Each change of level is a signal with its exact cycle. Slew rates take no time.

use cyclescope_machine::{Pin, Signal};

use crate::{Effect, Env, Instance};

/// The pins of a port by their configuration, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    /// Driven from the port's data.
    pub output: u32,
    /// Driven by peripherals.
    pub alternate: u32,
    /// Driven low only.
    pub open_drain: u32,
    /// Without a digital input.
    pub analog: u32,
    /// With a resistor that pulls up.
    pub pulled: u32,
}

/// Pins that someone drives, and the levels.
#[derive(Clone, Copy, Debug, Default)]
struct Driven {
    pins: u32,
    high: u32,
}

impl Driven {
    fn set(&mut self, pin: u8, level: Option<bool>) {
        let bit = 1 << (pin & 31);
        self.pins = if level.is_some() { self.pins | bit } else { self.pins & !bit };
        self.high = if level == Some(true) { self.high | bit } else { self.high & !bit };
    }
}

/// The pins of a port.
#[derive(Clone, Debug)]
pub(crate) struct Pins {
    /// The port: 0 for A.
    pub(crate) port: u8,
    /// The levels now.
    pub(crate) level: u32,
    /// Pins whose level somebody makes: a driver, the outside, a resistor that pulls up.
    pub(crate) held: u32,
    /// Pins to which the outside applies a level.
    applied: Driven,
    /// Pins that a peripheral drives.
    alternate: Driven,
    /// Pins that the part drives at the moment.
    driven: Driven,
    /// Pins that the part pulls up and does not drive at the moment.
    pulled: u32,
    /// Pins that an additional function drives, whatever their role.
    forced: Driven,
    /// Pins that the power control pulls up.
    held_up: u32,
}

impl Pins {
    /// The pins of the port `instance`.
    pub(crate) fn new(instance: &Instance) -> Self {
        Self::of(port_of(instance))
    }

    /// The pins of the port of this number.
    pub(crate) fn of(port: u8) -> Self {
        Self {
            port,
            level: 0,
            held: 0,
            applied: Driven::default(),
            alternate: Driven::default(),
            driven: Driven::default(),
            pulled: 0,
            forced: Driven::default(),
            held_up: 0,
        }
    }

    /// The outside applies a level to `pin`, or (`None`) lets it go.
    pub(crate) fn apply(&mut self, pin: u8, level: Option<bool>) {
        self.applied.set(pin, level);
    }

    /// The level to which the part drives `pin`, if it does.
    pub(crate) fn driven(&self, pin: u8) -> Option<bool> {
        let bit = 1 << (pin & 31);
        (self.driven.pins & bit != 0).then_some(self.driven.high & bit != 0)
    }

    /// True if the part pulls `pin` up and does not drive it.
    pub(crate) fn pulls_up(&self, pin: u8) -> bool {
        self.pulled & (1 << (pin & 31)) != 0
    }

    /// A peripheral drives `pin`; `None`: no longer.
    pub(crate) fn drive_alternate(&mut self, pin: u8, level: Option<bool>) {
        self.alternate.set(pin, level);
    }

    /// The pins that peripherals drive, one bit each.
    pub(crate) fn alternates(&self) -> u32 {
        self.alternate.pins
    }

    /// An additional function drives `pin`; `None`: no longer.
    pub(crate) fn force(&mut self, pin: u8, level: Option<bool>) {
        self.forced.set(pin, level);
    }

    /// The power control pulls the pins `up` up, and no others.
    pub(crate) fn hold_up(&mut self, up: u32) {
        self.held_up = up;
    }

    /// No peripheral drives any pin.
    pub(crate) fn reset(&mut self) {
        self.alternate = Driven::default();
    }

    /// Works out the levels of pins with `roles` and the port's `data`, and tells who listens; returns `true` if a level has
    /// changed.
    pub(crate) fn settle(&mut self, data: u32, roles: &Roles, env: &mut Env<'_, '_>) -> bool {
        let Roles { output, alternate, open_drain, analog, pulled } = *roles;
        let value = (data & output) | (self.alternate.high & alternate);
        // An open-drain high is no driver at all.
        let driven = (output | (self.alternate.pins & alternate)) & !(open_drain & value);
        let outside = (self.applied.pins & self.applied.high) | (!self.applied.pins & (pulled | self.held_up));
        let level = (driven & value) | (!driven & outside);
        let level = (self.forced.pins & self.forced.high) | (!self.forced.pins & level);
        // The resistors of an analog pin are off (RM0390, RM0490, "Analog configuration").
        self.held = driven | self.forced.pins | self.applied.pins | (pulled & !analog);
        let changed = level ^ self.level;
        self.level = level;
        if let Some(levels) = env.wires.levels.get_mut(usize::from(self.port)) {
            *levels = level;
        }
        let Driven { pins: forced, high: forced_high } = self.forced;
        let now = Driven { pins: driven | forced, high: (driven & value & !forced) | (forced & forced_high) };
        let before = std::mem::replace(&mut self.driven, now);
        let pulls = ((pulled & !analog) | self.held_up) & !self.driven.pins;
        let pulled_before = std::mem::replace(&mut self.pulled, pulls);
        if env.wires.outside.has_joined() {
            let redriven =
                (before.pins ^ self.driven.pins) | (before.high ^ self.driven.high) | (pulled_before ^ self.pulled);
            for number in (0..32).filter(|pin| redriven & (1 << pin) != 0) {
                env.wires.outside.drive_changed(Pin { port: self.port, number });
                env.effect(Effect::Outside);
            }
        }
        for number in (0..32).filter(|pin| changed & (1 << pin) != 0) {
            let high = level & (1 << number) != 0;
            let pin = Pin { port: self.port, number };
            env.context.signals.record(env.context.now, Signal::Pin { pin, high });
            // The input path of an analog pin is off (RM0008, RM0490, "Analog configuration").
            env.effect(if analog & 1 << number == 0 {
                Effect::PinChanged { port: self.port, pin: number, high }
            } else {
                Effect::AnalogPinChanged { port: self.port, pin: number, high }
            });
        }
        changed != 0
    }
}

/// The port of `instance`, whose name ends in the port's letter: 0 for A.
pub(crate) fn port_of(instance: &Instance) -> u8 {
    instance.name.bytes().last().unwrap_or(b'A').saturating_sub(b'A')
}
