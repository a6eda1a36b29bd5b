//! The SPI of the ATmega family, as controller and as target (8271H chapter 19, 7766J chapter 17).
//!
//! As controller a byte is one event, at its end: the attached target then gets all bits and has sent all of its own. As
//! target the block follows the edges of SCK one by one, whoever makes them.
//!
//! # Wiring
//! Registers SPCR, SPSR, SPDR; one vector; outputs and inputs in the order SCK, MOSI, MISO, SS; lines of the bus by name.
//!
//! # Assumed
//! A target sees its lines without the synchroniser's delay, and its SPIF comes with the last edge at which a bit is taken.

use cyclescope_machine::{GapKind, TimingRow};

use super::{Avr, Change, Effect, Env, Shared};
use crate::Block;
use crate::wires::Wave;

/// Registers, by their place in [`Instance::registers`](super::Instance::registers).
pub mod register {
    /// SPCR.
    pub const SPCR: u8 = 0;
    /// SPSR.
    pub const SPSR: u8 = 1;
    /// SPDR.
    pub const SPDR: u8 = 2;
}

/// The places of the pins among outputs and inputs.
pub mod pin {
    /// The clock.
    pub const SCK: usize = 0;
    /// From the controller to the target.
    pub const MOSI: usize = 1;
    /// From the target to the controller.
    pub const MISO: usize = 2;
    /// Selects the target.
    pub const SS: usize = 3;
}

/// From the write of SPDR to the first bit.
pub static START: TimingRow = TimingRow::assumed(
    "SPI start",
    "from the write of SPDR by an idle controller to the beginning of its first bit",
    1,
    "8271H §19.2: writing SPDR starts the clock generator; taken as the next period of clkI/O whatever the prescaler, so \
     that a byte at fosc/2 takes 17 cycles from one write to the next",
);

/// From the end of a byte to its flag.
pub static END: TimingRow = TimingRow::assumed(
    "SPI end",
    "from the end of the controller's last bit to SPIF",
    0,
    "8271H §19.2: after one byte the clock generator stops and sets SPIF",
);

/// The timing rows of the SPI.
pub static ROWS: [&TimingRow; 2] = [&START, &END];

const SPR: u8 = 3;
const CPHA: u8 = 1 << 2;
const CPOL: u8 = 1 << 3;
const MSTR: u8 = 1 << 4;
const DORD: u8 = 1 << 5;
const SPE: u8 = 1 << 6;
const SPIE: u8 = 1 << 7;

const SPI2X: u8 = 1 << 0;
const WCOL: u8 = 1 << 6;
const SPIF: u8 = 1 << 7;

/// The event at which the controller's byte ends.
const DONE: u16 = 0;

/// The block.
#[derive(Clone, Debug, Default)]
pub struct Spi {
    spcr: u8,
    spsr: u8,
    /// SPSR was read with these flags set: the next access to SPDR clears them.
    seen: u8,
    /// The byte that the controller sends at the moment.
    sending: Option<u8>,
    /// The byte that a read of SPDR gives.
    received: u8,
    /// The target's shift register, in the order of the wire, and the bits that it has taken.
    shift: u8,
    bits: u8,
    /// The level of MOSI after the controller's last byte.
    mosi: bool,
}

impl Spi {
    const fn is(&self, bits: u8) -> bool {
        self.spcr & bits == bits
    }

    /// True if the block makes the clock.
    const fn controls(&self) -> bool {
        self.is(SPE | MSTR)
    }

    /// True if the block waits for a controller's clock.
    const fn listens(&self) -> bool {
        self.spcr & (SPE | MSTR) == SPE
    }

    /// Half of a bit, in periods of clkI/O (8271H table 19-5).
    const fn half_bit(&self) -> u64 {
        let half = [2, 8, 32, 64][(self.spcr & SPR) as usize];
        if self.spsr & SPI2X != 0 { half / 2 } else { half }
    }

    /// A byte in the order of the wire, the bit sent first the highest, or back.
    const fn ordered(&self, byte: u8) -> u8 {
        if self.is(DORD) { byte.reverse_bits() } else { byte }
    }

    /// True if bits are taken at falling edges.
    const fn falling(&self) -> bool {
        self.is(CPOL) != self.is(CPHA)
    }

    fn line(&self, env: &mut Env<'_, '_>) {
        env.line(0, self.spsr & SPIF != 0 && self.is(SPIE));
    }

    /// Takes the pins as 8271H table 19-1 has it, or gives them back.
    fn hold_pins(&self, env: &mut Env<'_, '_>) {
        let (controls, listens) = (self.controls(), self.listens());
        env.output(pin::SCK, controls.then_some(self.is(CPOL)));
        env.output(pin::MOSI, controls.then_some(self.mosi));
        env.output(pin::MISO, listens.then_some(self.shift & 0x80 != 0));
        env.direction(pin::SCK, listens.then_some(false));
        env.direction(pin::MOSI, listens.then_some(false));
        env.direction(pin::MISO, self.miso_direction(env));
        env.direction(pin::SS, listens.then_some(false));
        env.effect(Effect::BusTaken);
    }

    /// A controller reads MISO; a target that is not selected lets it go.
    fn miso_direction(&self, env: &Env<'_, '_>) -> Option<bool> {
        let deaf = self.listens() && env.input(pin::SS);
        (self.controls() || deaf).then_some(false)
    }

    /// SS as an input that is low makes a target of the controller (8271H §19.3.2).
    fn check_select(&mut self, env: &mut Env<'_, '_>) {
        let Some(Some(select)) = env.instance.inputs.get(pin::SS) else { return };
        let shared = &env.wires.shared;
        if !self.controls() || shared.is_output(*select) || shared.level(*select) {
            return;
        }
        if !shared.is_driven(*select) {
            env.gap(GapKind::Setting, format_args!("SPI: its pin SS is an input that nothing drives, taken as low"));
        }
        self.give_up(env);
        self.spcr &= !MSTR;
        self.spsr |= SPIF;
        self.bits = 0;
        self.hold_pins(env);
        self.line(env);
    }

    fn give_up(&mut self, env: &mut Env<'_, '_>) {
        self.sending = None;
        env.cancel(DONE);
        env.end_waves();
    }

    /// The controller begins with `byte`.
    fn send(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        let half = self.half_bit();
        let at = env.now() + env.cycles(&START);
        self.sending = Some(byte);
        self.waves(self.ordered(byte), at, half, env);
        let end = at + 16 * half + env.cycles(&END);
        env.schedule(DONE, end);
    }

    fn waves(&self, byte: u8, at: u64, half: u64, env: &mut Env<'_, '_>) {
        // CPOL is the idle level. With CPHA the first edge begins the first bit, without it lies in the middle.
        let (idle, late) = (self.is(CPOL), !self.is(CPHA));
        let active_first = 0x5555_5555_5555_5555u64 << u32::from(late);
        let levels = if idle { !active_first } else { active_first };
        env.wave(Wave { signal: pin::SCK as u8, start: at, steps: [half; 2], levels, count: 16 + u8::from(late) });
        let (steps, bits) = ([2 * half; 2], u64::from(byte.reverse_bits()));
        env.wave(Wave { signal: pin::MOSI as u8, start: at, steps, levels: bits, count: 8 });
        if let Some((byte, known)) = env.spi_outgoing("MISO") {
            let levels = u64::from(byte.reverse_bits());
            env.wave(Wave { signal: pin::MISO as u8, start: at, steps, levels, count: known });
        }
    }

    /// The controller's byte is over.
    fn sent(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        let sent = self.ordered(byte);
        let received = match env.spi_frame(sent.into(), 8, self.falling()) {
            Some(received) => received as u8,
            // Nobody answers: the level of the pin.
            None => {
                if env.input(pin::MISO) {
                    u8::MAX
                } else {
                    0
                }
            }
        };
        self.mosi = sent & 1 != 0;
        env.output(pin::MOSI, Some(self.mosi));
        self.arrived(received, env);
    }

    fn arrived(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        self.received = self.ordered(byte);
        self.spsr |= SPIF;
        self.line(env);
    }

    /// An edge of SCK reaches the target.
    fn clock(&mut self, high: bool, env: &mut Env<'_, '_>) {
        if env.input(pin::SS) {
            return;
        }
        if high == self.falling() {
            // The other edge: the next bit goes out.
            env.output(pin::MISO, Some(self.shift & 0x80 != 0));
            return;
        }
        self.shift = self.shift << 1 | u8::from(env.input(pin::MOSI));
        self.bits += 1;
        if self.bits == 8 {
            self.bits = 0;
            self.arrived(self.shift, env);
        }
    }

    /// An access to SPDR after one to SPSR with flags set clears them (8271H §19.5.2).
    fn access_data(&mut self, env: &mut Env<'_, '_>) {
        self.spsr &= !std::mem::take(&mut self.seen);
        self.line(env);
    }

    fn write_control(&mut self, value: u8, env: &mut Env<'_, '_>) {
        let changed = self.spcr ^ value;
        if self.sending.is_some() && changed & !SPIE != 0 {
            env.gap(GapKind::Setting, format_args!("SPCR is changed during a transfer, which is given up"));
            self.give_up(env);
        }
        self.spcr = value;
        if changed & (SPE | MSTR) != 0 {
            self.bits = 0;
        }
        if changed & (SPE | MSTR | CPOL) != 0 {
            self.hold_pins(env);
        }
        self.check_select(env);
        self.line(env);
    }

    fn write_data(&mut self, value: u8, env: &mut Env<'_, '_>) {
        self.access_data(env);
        if self.sending.is_some() || (self.listens() && self.bits != 0) {
            self.spsr |= WCOL;
        } else if self.controls() {
            self.check_select(env);
            if self.controls() {
                self.send(value, env);
            }
        } else {
            self.shift = self.ordered(value);
            if self.listens() {
                env.output(pin::MISO, Some(self.shift & 0x80 != 0));
            }
        }
    }
}

impl Block<Avr> for Spi {
    fn read(&mut self, register: u8, env: &mut Env<'_, '_>) -> u8 {
        match register {
            register::SPCR => self.spcr,
            register::SPSR => {
                self.seen = self.spsr & (SPIF | WCOL);
                self.spsr
            }
            _ => {
                self.access_data(env);
                self.received
            }
        }
    }

    fn still(&self, register: u8, _: u64, _: &Shared) -> Option<u64> {
        let quiet = match register {
            register::SPCR => true,
            register::SPSR => self.seen == self.spsr & (SPIF | WCOL),
            _ => self.seen == 0,
        };
        quiet.then_some(u64::MAX)
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        match register {
            register::SPCR => self.write_control(value, env),
            register::SPSR => {
                if self.sending.is_some() && (self.spsr ^ value) & SPI2X != 0 {
                    env.gap(GapKind::Setting, format_args!("SPSR.SPI2X is changed during a transfer"));
                }
                self.spsr = self.spsr & !SPI2X | value & SPI2X;
            }
            _ => self.write_data(value, env),
        }
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if let Some(byte) = self.sending.take() {
            self.sent(byte, env);
        }
    }

    fn acknowledge(&mut self, _: usize, env: &mut Env<'_, '_>) {
        self.spsr &= !SPIF;
        self.seen &= !SPIF;
        self.line(env);
    }

    fn hears(&self, index: usize) -> bool {
        self.listens() || (self.controls() && index == pin::SS)
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        match index {
            pin::SS if self.controls() => self.check_select(env),
            pin::SS if self.listens() => {
                // A target that is not selected is reset, and what it has received in part is lost (8271H §19.3.1).
                self.bits = 0;
                let direction = self.miso_direction(env);
                env.direction(pin::MISO, direction);
            }
            pin::SCK if self.listens() => self.clock(high, env),
            _ => {}
        }
    }

    fn after_change(&mut self, change: Change, env: &mut Env<'_, '_>) {
        if change == Change::Power && !env.powered() && self.sending.is_some() {
            env.gap(GapKind::Setting, format_args!("power reduction stops SPI during a transfer"));
            self.give_up(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        *self = Self::default();
        env.end_waves();
        self.hold_pins(env);
    }

    /// The level of the clock between bytes, as long as the block makes it.
    fn output(&self, signal: &str) -> Option<bool> {
        (signal == "SCK" && self.controls()).then_some(self.is(CPOL))
    }
}
