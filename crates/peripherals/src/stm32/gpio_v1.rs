//! General-purpose I/O of STM32F1 (RM0008, "General-purpose and alternate-function I/Os (GPIOs and AFIOs)").
//!
//! Each pin has four bits in CRL or CRH: two of mode, two of configuration. There is no choice of alternate function:
//! a peripheral that is switched on drives every pin that AFIO maps its signal to and that is in alternate-function
//! output mode. A pin's level is what its driver makes it, else what the outside applies, else what its pull resistor
//! makes it; a floating pin reads low. Each change of level is a signal with its exact cycle. Slew rates take no time.
//!
//! Pins that AFIO gives to the debug port are no GPIO until firmware takes them (RM0008, "JTAG/SWD alternate function
//! remapping"): their output driver is off and their pull resistors are the debug port's.

use cyclescope_machine::{Mark, Pin, Signal, TimingRow};

use crate::bank::all;
use crate::synchroniser::Sampled;
use crate::{Bank, Block, Effect, Env, Instance, Modelled, Port, Words, Write};

const CRL: u32 = 0x00;
const CRH: u32 = 0x04;
const IDR: u32 = 0x08;
const ODR: u32 = 0x0C;
const BSRR: u32 = 0x10;
const BRR: u32 = 0x14;
const LCKR: u32 = 0x18;

const LCKK: u32 = 1 << 16;

/// What is modelled, with the values after reset (RM0008, "GPIO register maps"): all pins are floating inputs.
pub const MODEL: &[Modelled] = &[
    all("CRL", 0x4444_4444),
    all("CRH", 0x4444_4444),
    all("IDR", 0),
    all("ODR", 0),
    all("BSRR", 0),
    all("BRR", 0),
    all("LCKR", 0),
];

/// Configurations of an input, the upper two of a pin's four bits (RM0008, "Port bit configuration table").
const ANALOG: u32 = 0;
const PULLED: u32 = 2;

/// The pins by what CRL and CRH make them.
#[derive(Clone, Copy, Debug, Default)]
struct Roles {
    /// Driven from ODR.
    output: u16,
    /// Driven by peripherals.
    alternate: u16,
    open_drain: u16,
    analog: u16,
    /// With a resistor, up where ODR is 1, else down.
    pulled: u16,
}

/// What the debug port has of a port's pins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DebugPins {
    /// The pins that it owns.
    pub owned: u16,
    /// Those of them that it pulls up; it pulls the clock down.
    pub pulled_up: u16,
}

/// The way of a level.
pub const ROWS: &[TimingRow] = &[
    TimingRow {
        name: "gpio.input",
        what: "edges of PCLK2 after a change of a pin until IDR shows it",
        cycles: 1,
        mark: Mark::Documented,
        source: "RM0008, Input configuration: the input data register samples the pin at every APB2 clock cycle",
    },
    TimingRow {
        name: "gpio.output",
        what: "cycles from the data phase of a write to the pin's edge, beyond the bus",
        cycles: 0,
        mark: Mark::Assumed,
        source: "RM0008, Output configuration: the output register drives the pin; it changes with the edge that ends the data phase, of which \
                 the cycle begins here. Rise and fall times of the pad (by speed setting and load) are not modelled",
    },
];

/// One port.
#[derive(Clone, Debug)]
pub struct GpioV1 {
    bank: Bank,
    port: u8,
    /// Pins to which the outside applies a level, and the levels.
    applied: u16,
    applied_high: u16,
    /// Levels that peripherals drive on pins in alternate function, and which pins are driven so.
    alternate_high: u16,
    alternate_driven: u16,
    debug: DebugPins,
    /// The levels now.
    level: u16,
    /// Of them, what IDR shows.
    sampled: Sampled,
    /// What the configuration registers say, one bit a pin.
    roles: Roles,
    /// How far the lock sequence got (RM0008, "Port configuration lock register").
    lock_step: u8,
    locked: bool,
}

impl GpioV1 {
    /// The port of `instance`, whose name ends in the port's letter.
    pub fn new(instance: &Instance) -> Self {
        let port = instance.name.bytes().last().unwrap_or(b'A').saturating_sub(b'A');
        let mut gpio = Self {
            bank: Bank::new(instance.map, MODEL),
            port,
            applied: 0,
            applied_high: 0,
            alternate_high: 0,
            alternate_driven: 0,
            debug: DebugPins::default(),
            level: 0,
            sampled: Sampled::new(instance.clock.source(), &ROWS[0]),
            roles: Roles::default(),
            lock_step: 0,
            locked: false,
        };
        gpio.assign_roles();
        gpio
    }

    fn assign_roles(&mut self) {
        let mut roles = Roles::default();
        for pin in 0..16 {
            let (bits, bit) = (self.bits(pin), 1 << pin);
            let (mode, configuration) = (bits & 3, bits >> 2);
            if mode == 0 {
                match configuration {
                    ANALOG => roles.analog |= bit,
                    PULLED => roles.pulled |= bit,
                    _ => {}
                }
                continue;
            }
            if configuration & 1 != 0 {
                roles.open_drain |= bit;
            }
            if configuration & 2 == 0 {
                roles.output |= bit;
            } else {
                roles.alternate |= bit;
            }
        }
        self.roles = roles;
    }

    /// The four bits of a pin.
    fn bits(&self, pin: u32) -> u32 {
        self.bank.get(if pin < 8 { CRL } else { CRH }) >> (pin % 8 * 4) & 15
    }

    /// AFIO gives these pins to the debug port and all others back.
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
            // The Schmitt trigger of an analog pin is off (RM0008, "Analog configuration").
            if self.roles.analog & 1 << number == 0 {
                env.effect(Effect::PinChanged { port: self.port, pin: number, high });
            }
        }
    }

    fn resolve(&self) -> u16 {
        let odr = self.bank.get(ODR) as u16;
        let Roles { output, alternate, open_drain, pulled, .. } = self.roles;
        let value = (odr & output) | (self.alternate_high & alternate);
        let driven = (output | (self.alternate_driven & alternate)) & !self.debug.owned;
        // An open-drain high is no driver at all.
        let driven = driven & !(open_drain & value);
        let pulled_up = (pulled & odr & !self.debug.owned) | (self.debug.owned & self.debug.pulled_up);
        let outside = (self.applied & self.applied_high) | (!self.applied & pulled_up);
        (driven & value) | (!driven & outside)
    }

    fn lock(&mut self, write: Write) {
        if self.locked {
            return;
        }
        let (key, pins) = (write.value & LCKK != 0, write.value & 0xFFFF);
        let same = pins == self.bank.get(LCKR) & 0xFFFF;
        let right = match self.lock_step {
            0 => key,
            1 => !key && same,
            _ => key && same,
        };
        self.bank.set(LCKR, pins);
        self.lock_step = if right { self.lock_step + 1 } else { u8::from(key) };
        if self.lock_step == 3 {
            self.locked = true;
            self.bank.set(LCKR, pins | LCKK);
        }
    }

    /// Keeps the configuration of locked pins in a write to CRL or CRH.
    fn unlocked(&self, offset: u32, old: u32, new: u32) -> u32 {
        if !self.locked {
            return new;
        }
        let pins = self.bank.get(LCKR) >> if offset == CRH { 8 } else { 0 };
        let kept = (0..8).filter(|pin| pins & 1 << pin != 0).fold(0, |bits, pin| bits | 15 << (pin * 4));
        (old & kept) | (new & !kept)
    }
}

impl Port for GpioV1 {
    fn port(&self) -> u8 {
        self.port
    }

    fn levels(&self) -> u32 {
        u32::from(self.level)
    }

    fn is_switched_to(&self, pin: u8, _: u8) -> bool {
        self.roles.alternate & 1 << (pin & 15) != 0
    }

    /// Every digital input of a peripheral sees its pin, whatever drives it (RM0008, "Alternate functions (AF)").
    fn is_read_by(&self, pin: u8, _: u8) -> bool {
        self.roles.analog & 1 << (pin & 15) == 0
    }

    fn apply(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        let bit = 1 << (pin & 15);
        self.applied = if high.is_some() { self.applied | bit } else { self.applied & !bit };
        self.applied_high = if high == Some(true) { self.applied_high | bit } else { self.applied_high & !bit };
        self.settle(env);
    }

    fn drive_alternate(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        let bit = 1 << (pin & 15);
        self.alternate_driven = if high.is_some() { self.alternate_driven | bit } else { self.alternate_driven & !bit };
        self.alternate_high = if high == Some(true) { self.alternate_high | bit } else { self.alternate_high & !bit };
        self.settle(env);
    }
}

impl Block<Words> for GpioV1 {
    #[inline]
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset != IDR {
            return self.bank.read(offset, env);
        }
        u32::from(self.sampled.read(env) & !self.roles.analog)
    }

    #[inline]
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if matches!(offset, BSRR | BRR | ODR) {
            env.cycles(&ROWS[1]);
        }
        match offset {
            BSRR => {
                let bits = write.ones();
                // Setting wins over resetting (RM0008, "Port bit set/reset register").
                let odr = (self.bank.get(ODR) & !(bits >> 16)) | (bits & 0xFFFF);
                self.bank.set(ODR, odr);
            }
            BRR => {
                let odr = self.bank.get(ODR) & !(write.ones() & 0xFFFF);
                self.bank.set(ODR, odr);
            }
            LCKR => self.lock(write),
            CRL | CRH => {
                let (old, new) = self.bank.write(offset, write, env);
                self.bank.set(offset, self.unlocked(offset, old, new));
                self.assign_roles();
                // What a peripheral drives is asked for again: the pin may now be switched to it.
                env.effect(Effect::PinsSwitched { port: self.port });
            }
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.assign_roles();
        (self.alternate_driven, self.alternate_high) = (0, 0);
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
