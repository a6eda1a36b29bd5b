//! General-purpose I/O of STM32F2 and later, STM32C0 included (RM0490, "General-purpose I/Os (GPIO)").
//!
//! A pin's level is what its driver makes it, else what the outside applies, else what its pull resistor makes it;
//! a floating pin reads low. Each change of level is a signal with its exact cycle. Slew rates take no time.

use cyclescope_machine::{Mark, Pin, Signal, TimingRow};

use crate::bank::all;
use crate::synchroniser::Sampled;
use crate::{Bank, Block, Effect, Env, Instance, Modelled, Port, Words, Write};

const MODER: u32 = 0x00;
const OTYPER: u32 = 0x04;
const PUPDR: u32 = 0x0C;
const IDR: u32 = 0x10;
const ODR: u32 = 0x14;
const BSRR: u32 = 0x18;
const LCKR: u32 = 0x1C;
const AFRL: u32 = 0x20;
const BRR: u32 = 0x28;

const LCKK: u32 = 1 << 16;

/// What is modelled (RM0490, "GPIO register map"); port A's debug pins start in alternate function.
pub const MODEL_A: &[Modelled] = &[
    all("MODER", 0xEBFF_FFFF),
    all("OTYPER", 0),
    all("OSPEEDR", 0x0C00_0000),
    all("PUPDR", 0x2400_0000),
    all("IDR", 0),
    all("ODR", 0),
    all("BSRR", 0),
    all("LCKR", 0),
    all("AFRL", 0),
    all("AFRH", 0),
    all("BRR", 0),
];
/// The other ports.
pub const MODEL: &[Modelled] = &[
    all("MODER", 0xFFFF_FFFF),
    all("OTYPER", 0),
    all("OSPEEDR", 0),
    all("PUPDR", 0),
    all("IDR", 0),
    all("ODR", 0),
    all("BSRR", 0),
    all("LCKR", 0),
    all("AFRL", 0),
    all("AFRH", 0),
    all("BRR", 0),
];

/// Port A of STM32F4 (RM0390, "GPIO register map"), which has no BRR.
pub const MODEL_F4_A: &[Modelled] = &f4(0xA800_0000, 0x0C00_0000, 0x6400_0000);
/// Port B, whose pins 3 and 4 are the debug port's.
pub const MODEL_F4_B: &[Modelled] = &f4(0x0000_0280, 0x0000_00C0, 0x0000_0100);
/// The other ports: inputs after reset.
pub const MODEL_F4: &[Modelled] = &f4(0, 0, 0);

const fn f4(moder: u32, ospeedr: u32, pupdr: u32) -> [Modelled; 10] {
    [
        all("MODER", moder),
        all("OTYPER", 0),
        all("OSPEEDR", ospeedr),
        all("PUPDR", pupdr),
        all("IDR", 0),
        all("ODR", 0),
        all("BSRR", 0),
        all("LCKR", 0),
        all("AFRL", 0),
        all("AFRH", 0),
    ]
}

/// Modes of a pin, two bits each in MODER.
const OUTPUT: u32 = 1;
const ALTERNATE: u32 = 2;
const ANALOG: u32 = 3;
/// Pull-up, of the two bits each in PUPDR.
const PULL_UP: u32 = 1;

/// The pins by what MODER and PUPDR make them.
#[derive(Clone, Copy, Debug, Default)]
struct Roles {
    output: u16,
    alternate: u16,
    analog: u16,
    pulled_up: u16,
}

/// The way of a level.
pub const ROWS: &[TimingRow] = &[
    TimingRow {
        name: "gpio.input",
        what: "edges of HCLK after a change of a pin until IDR shows it",
        cycles: 1,
        mark: Mark::Documented,
        source: "RM0390, RM0490, Input configuration: the input data register samples the pin at every AHB clock cycle",
    },
    TimingRow {
        name: "gpio.output",
        what: "cycles from the data phase of a write to the pin's edge, beyond the bus",
        cycles: 0,
        mark: Mark::Assumed,
        source: "RM0390, RM0490, Output configuration: the output register drives the pin; it changes with the edge that ends the data phase, of which \
                 the cycle begins here. Rise and fall times of the pad (by speed setting and load) are not modelled",
    },
];

/// One port.
#[derive(Clone, Debug)]
pub struct GpioV2 {
    bank: Bank,
    port: u8,
    has_brr: bool,
    /// Pins to which the outside applies a level, and the levels.
    applied: u16,
    applied_high: u16,
    /// Levels that peripherals drive on pins in alternate function, and which pins are driven so.
    alternate_high: u16,
    alternate_driven: u16,
    /// The levels now.
    level: u16,
    /// Of them, what IDR shows.
    sampled: Sampled,
    /// What the configuration registers say, one bit a pin.
    roles: Roles,
    /// How far the lock sequence got (RM0490, "GPIO port configuration lock register").
    lock_step: u8,
    locked: bool,
}

impl GpioV2 {
    /// The port of `instance`, whose name ends in the port's letter.
    pub fn new(instance: &Instance) -> Self {
        let port = instance.name.bytes().last().unwrap_or(b'A').saturating_sub(b'A');
        let has_brr = instance.map.register("BRR").is_some();
        let model = match (port, has_brr) {
            (0, true) => MODEL_A,
            (_, true) => MODEL,
            (0, false) => MODEL_F4_A,
            (1, false) => MODEL_F4_B,
            (_, false) => MODEL_F4,
        };
        let mut gpio = Self {
            bank: Bank::new(instance.map, model),
            port,
            has_brr,
            applied: 0,
            applied_high: 0,
            alternate_high: 0,
            alternate_driven: 0,
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
        let (moder, pupdr) = (self.bank.get(MODER), self.bank.get(PUPDR));
        let pins = |register: u32, code: u32| {
            (0..16).filter(|pin| register >> (pin * 2) & 3 == code).fold(0, |bits, pin| bits | 1 << pin)
        };
        self.roles = Roles {
            output: pins(moder, OUTPUT),
            alternate: pins(moder, ALTERNATE),
            analog: pins(moder, ANALOG),
            pulled_up: pins(pupdr, PULL_UP),
        };
    }

    /// The alternate function that `pin` is switched to, if it is.
    pub fn alternate_function(&self, pin: u8) -> Option<u8> {
        let pin = u32::from(pin & 15);
        (self.mode(pin) == ALTERNATE).then(|| (self.bank.get(AFRL + pin / 8 * 4) >> (pin % 8 * 4) & 15) as u8)
    }

    fn mode(&self, pin: u32) -> u32 {
        self.bank.get(MODER) >> (pin * 2) & 3
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
            // The input path of an analog pin is off (RM0490, "Analog configuration").
            if self.roles.analog & 1 << number == 0 {
                env.effect(Effect::PinChanged { port: self.port, pin: number, high });
            }
        }
    }

    fn resolve(&self) -> u16 {
        let open_drain = self.bank.get(OTYPER) as u16;
        let Roles { output, alternate, pulled_up, .. } = self.roles;
        let value = (self.bank.get(ODR) as u16 & output) | (self.alternate_high & alternate);
        let driven = output | (self.alternate_driven & alternate);
        // An open-drain high is no driver at all.
        let driven = driven & !(open_drain & value);
        let outside = (self.applied & self.applied_high) | (!self.applied & pulled_up);
        (driven & value) | (!driven & outside)
    }

    fn lock(&mut self, write: Write) {
        let (key, pins) = (write.value & LCKK != 0, write.value & 0xFFFF);
        let right = match self.lock_step {
            0 => key,
            1 => !key && pins == self.bank.get(LCKR) & 0xFFFF,
            _ => key && pins == self.bank.get(LCKR) & 0xFFFF,
        };
        if self.locked {
            return;
        }
        self.bank.set(LCKR, pins);
        self.lock_step = if right { self.lock_step + 1 } else { u8::from(key) };
        if self.lock_step == 3 {
            self.locked = true;
            self.bank.set(LCKR, pins | LCKK);
        }
    }

    /// Keeps the configuration of locked pins: `per_pin` bits each in the register.
    fn unlocked(&self, old: u32, new: u32, per_pin: u32, first_pin: u32) -> u32 {
        if !self.locked {
            return new;
        }
        let mut kept = 0u32;
        for pin in 0..32 / per_pin {
            if self.bank.get(LCKR) & (1 << (first_pin + pin)) != 0 && first_pin + pin < 16 {
                kept |= (u32::MAX >> (32 - per_pin)) << (pin * per_pin);
            }
        }
        (old & kept) | (new & !kept)
    }
}

impl Port for GpioV2 {
    fn port(&self) -> u8 {
        self.port
    }

    fn levels(&self) -> u32 {
        u32::from(self.level)
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

    fn is_switched_to(&self, pin: u8, function: u8) -> bool {
        self.alternate_function(pin) == Some(function)
    }
}

impl Block<Words> for GpioV2 {
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
                // Setting wins over resetting (RM0490, "GPIO port bit set/reset register").
                let odr = (self.bank.get(ODR) & !(bits >> 16)) | (bits & 0xFFFF);
                self.bank.set(ODR, odr);
            }
            BRR if self.has_brr => {
                let odr = self.bank.get(ODR) & !(write.ones() & 0xFFFF);
                self.bank.set(ODR, odr);
            }
            LCKR => self.lock(write),
            _ => {
                let (old, new) = self.bank.write(offset, write, env);
                let (per_pin, first) = match offset {
                    MODER | 0x08 | PUPDR => (2, 0),
                    OTYPER => (1, 0),
                    AFRL => (4, 0),
                    0x24 => (4, 8),
                    _ => (0, 0),
                };
                if per_pin != 0 {
                    self.bank.set(offset, self.unlocked(old, new, per_pin, first));
                }
                self.assign_roles();
                if matches!(offset, MODER | AFRL | 0x24) {
                    // What a peripheral drives is asked for again: the pin may now be switched to it.
                    env.effect(Effect::PinsSwitched { port: self.port });
                }
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
