//! General-purpose I/O of one port (nRF52840 PS, "GPIO — General purpose input/output"): levels, pin settings, and the signal
//! DETECT of pins that sense a level.
//!
//! The drive strengths take no time; a pin's input has the level at once.

use cyclescope_machine::Pin;

use crate::pins::{Pins, Roles};
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Port, Words, Write};

use super::registers::{bank, write_view};

const OUT: u32 = 0x504;
const OUTSET: u32 = 0x508;
const OUTCLR: u32 = 0x50C;
const IN: u32 = 0x510;
const DIR: u32 = 0x514;
const DIRSET: u32 = 0x518;
const DIRCLR: u32 = 0x51C;
const LATCH: u32 = 0x520;
const DETECTMODE: u32 = 0x524;
const PIN_CNF: u32 = 0x700;
const PIN_CNF_END: u32 = PIN_CNF + 4 * 32;

/// PIN_CNF.DIR and INPUT, which disconnects the input.
const OUTPUT: u32 = 1 << 0;
const DISCONNECT: u32 = 1 << 1;
const PULL_UP: u32 = 3;
const SENSE_HIGH: u32 = 2;
const SENSE_LOW: u32 = 3;

/// The trigger that DETECT is, for GPIOTE and for waking from System OFF.
pub const DETECT: &str = "DETECT";

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// One port.
#[derive(Clone, Debug)]
pub struct Gpio {
    bank: Bank,
    pins: Pins,
    detects: bool,
}

impl Gpio {
    /// The port of `instance`, whose name ends in the port's number.
    pub fn new(instance: &Instance) -> Self {
        let port = instance.name.bytes().last().unwrap_or(b'0').saturating_sub(b'0');
        Self { bank: bank(instance.map, PARTLY), pins: Pins::of(Pin::numbered(port, 0).port), detects: false }
    }

    /// True while DETECT is high.
    pub fn detects(&self) -> bool {
        self.detects
    }

    fn setting(&self, pin: u32) -> u32 {
        self.bank.get(PIN_CNF + 4 * (pin & 31))
    }

    /// The pins, one bit each, of which `is` says so of their setting.
    fn those(&self, is: impl Fn(u32) -> bool) -> u32 {
        (0..32).filter(|pin| is(self.setting(*pin))).fold(0, |bits, pin| bits | 1 << pin)
    }

    /// Pins whose input is connected.
    fn connected(&self) -> u32 {
        self.those(|setting| setting & DISCONNECT == 0)
    }

    /// Works out the levels and tells who listens.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        // DRIVE: 4 and 5 disconnect a pin instead of driving it low, 6 and 7 instead of driving it high.
        let drives = |low: u32| self.those(|setting| setting >> 8 & 6 == low);
        // A pin that a peripheral has chosen is the peripheral's, whatever its direction here.
        let alternate = self.pins.alternates();
        let (open_source, open_drain) = (drives(4), drives(6));
        let out = self.bank.get(OUT);
        let roles = Roles {
            output: self.bank.get(DIR) & !(open_source & !out) & !alternate,
            alternate,
            open_drain,
            analog: 0,
            pulled: self.those(|setting| setting >> 2 & 3 == PULL_UP),
        };
        self.pins.settle(out, &roles, env);
        self.detect(env);
    }

    /// Latches the pins that have the level they sense, and drives DETECT.
    fn detect(&mut self, env: &mut Env<'_, '_>) {
        let level = self.pins.level & self.connected();
        let sensed = |sense: u32| self.those(|setting| setting >> 16 & 3 == sense && setting & DISCONNECT == 0);
        let met = sensed(SENSE_HIGH) & level | sensed(SENSE_LOW) & !level;
        self.bank.flag(LATCH, met, true);
        let detects = if self.bank.get(DETECTMODE) & 1 != 0 { self.bank.get(LATCH) } else { met } != 0;
        if self.detects != detects {
            self.detects = detects;
            env.trigger(DETECT, detects);
            if detects {
                env.effect(Effect::WakeUp);
            }
        }
    }

    /// DIR changed: PIN_CNF shows it as well.
    fn mirror_directions(&mut self) {
        let directions = self.bank.get(DIR);
        for pin in 0..32 {
            self.bank.flag(PIN_CNF + 4 * pin, OUTPUT, directions & 1 << pin != 0);
        }
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

    fn is_switched_to(&self, _: u8, _: u8) -> bool {
        false
    }

    fn senses(&self, pin: u8) -> bool {
        self.setting(pin.into()) >> 17 & 1 != 0
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

    fn force(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        self.pins.force(pin, high);
        self.settle(env);
    }
}

impl Block<Words> for Gpio {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            IN => self.pins.level & self.connected(),
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            OUT | OUTSET | OUTCLR => {
                write_view(&mut self.bank, OUT, offset, write, env);
            }
            DIR | DIRSET | DIRCLR => {
                write_view(&mut self.bank, DIR, offset, write, env);
                self.mirror_directions();
            }
            LATCH => self.bank.flag(LATCH, write.ones(), false),
            _ => {
                let (_, new) = self.bank.write(offset, write, env);
                if let PIN_CNF..PIN_CNF_END = offset {
                    let pin = (offset - PIN_CNF) / 4;
                    let direction = Write::bit(pin as u8, new & OUTPUT != 0);
                    write_view(&mut self.bank, DIR, DIR, direction, env);
                }
            }
        }
        if offset == LATCH && self.bank.get(DETECTMODE) & 1 != 0 {
            // LDETECT pulses low while a bit of LATCH is cleared, so that what is still met is told again.
            self.detects = false;
            env.trigger(DETECT, false);
        }
        self.settle(env);
    }

    fn heard(&mut self, env: &mut Env<'_, '_>) {
        env.trigger(DETECT, self.detects);
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
