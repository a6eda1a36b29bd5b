//! A USART in asynchronous mode (8271H chapter 20, 7766J chapter 18).
//!
//! A byte sent goes to the console when its last stop bit ends. The pin TXD is held high as long as the transmitter has
//! it: its single bits are not shown. Bytes from outside come one after the other at the port's own rate, with the parity
//! and the stop bits that the port expects. Synchronous mode, the SPI mode and multi-processor mode are not modelled.

mod receiver;

use cyclescope_machine::{GapKind, TimingRow};

use self::receiver::Receiver;
use super::{Avr, Change, Env, Shared};
use crate::serial::{self, ARRIVED, Happened, Port};
use crate::{Block, Serial};

/// Registers, by their place in [`Instance::registers`](super::Instance::registers).
pub mod register {
    /// UCSRnA.
    pub const UCSRA: u8 = 0;
    /// UCSRnB.
    pub const UCSRB: u8 = 1;
    /// UCSRnC.
    pub const UCSRC: u8 = 2;
    /// UBRRnL.
    pub const UBRRL: u8 = 3;
    /// UBRRnH.
    pub const UBRRH: u8 = 4;
    /// UDRn.
    pub const UDR: u8 = 5;
}

/// Vectors, by their place in [`Instance::vectors`](super::Instance::vectors).
mod vector {
    pub const RX: usize = 0;
    pub const UDRE: usize = 1;
    pub const TX: usize = 2;
}

/// The places of the pins in [`Instance::outputs`](super::Instance::outputs).
mod pin {
    pub const TXD: usize = 0;
    pub const RXD: usize = 1;
}

/// From UDR into the idle shift register.
pub static LOAD: TimingRow = TimingRow::assumed(
    "USART load",
    "from the write of UDR to an idle transmitter until UDR is empty again",
    1,
    "8271H §20.6.1: an idle shift register is loaded at once; taken as the next period of clkI/O",
);

/// When a frame begins.
pub static START: TimingRow = TimingRow::assumed(
    "USART start bit",
    "what a loaded shift register waits for, up to a bit: the next edge of the bit clock, which runs freely since UBRRL \
     was written",
    0,
    "8271H §20.3 figure 20-2: one counter of clkI/O and dividers behind it, which nothing but UBRRL resets; 1228B (the \
     UART's forerunner): the start bit goes out with the baud rate clock that follows the load",
);

/// When a received character is there.
pub static SAMPLED: TimingRow = TimingRow::documented(
    "USART stop bit",
    "a character is received with the last sample that the vote on its first stop bit counts; cycles beyond that",
    0,
    "8271H §20.8.2, figure 20-7: samples 8, 9 and 10 of 16, or 4, 5 and 6 of 8",
);

mod a {
    pub const U2X: u8 = 1 << 1;
    pub const UPE: u8 = 1 << 2;
    pub const DOR: u8 = 1 << 3;
    pub const FE: u8 = 1 << 4;
    pub const UDRE: u8 = 1 << 5;
    pub const TXC: u8 = 1 << 6;
    pub const RXC: u8 = 1 << 7;
}

mod b {
    pub const TXB8: u8 = 1 << 0;
    pub const RXB8: u8 = 1 << 1;
    pub const UCSZ2: u8 = 1 << 2;
    pub const TXEN: u8 = 1 << 3;
    pub const RXEN: u8 = 1 << 4;
    pub const UDRIE: u8 = 1 << 5;
    pub const TXCIE: u8 = 1 << 6;
    pub const RXCIE: u8 = 1 << 7;
}

/// The event at which the shift register takes UDR.
const LOADED: u16 = 3;
/// The event at which a start bit begins on the line.
const START_BIT: u16 = 4;

/// UCSRnC after reset: eight data bits (8271H §20.11.4).
const UCSRC_RESET: u8 = 0x06;

/// The durations of a frame's parts, in periods of clkI/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    /// One sample of the receiver: UBRR + 1.
    sample: u64,
    /// Samples of a bit: 16, or 8 with U2X.
    samples: u64,
    /// The frame as the transmitter sends it; the receiver looks at one stop bit.
    frame: serial::Format,
}

impl Format {
    fn bit(self) -> u64 {
        self.sample * self.samples
    }

    fn frame(self) -> u64 {
        self.bit() * self.frame.half_bits() / 2
    }
}

/// A serial port.
#[derive(Clone, Debug)]
pub struct Usart {
    port: Port<u64>,
    ucsra: u8,
    ucsrb: u8,
    ucsrc: u8,
    /// UBRR as written, and as the counter is loaded with: it takes a new value when UBRRL is written.
    ubrr: u16,
    /// When the counter was loaded last by a write.
    counting_since: u64,
    receiver: Receiver,
}

impl Usart {
    /// The port numbered `number` in its part.
    pub fn new(number: u8) -> Self {
        Self {
            port: Port::new(number),
            ucsra: 0,
            ucsrb: 0,
            ucsrc: UCSRC_RESET,
            ubrr: 0,
            counting_since: 0,
            receiver: Receiver::default(),
        }
    }

    fn format(&self) -> Format {
        let data = match (self.ucsrb & b::UCSZ2 != 0, self.ucsrc >> 1 & 3) {
            (false, bits) => 5 + u32::from(bits),
            // 4 to 6 are reserved (8271H table 20-7); taken as nine bits too.
            (true, _) => 9,
        };
        Format {
            sample: u64::from(self.ubrr) + 1,
            samples: if self.ucsra & a::U2X != 0 { 8 } else { 16 },
            frame: serial::Format {
                data,
                parity: self.ucsrc & 1 << 5 != 0,
                stop_halves: if self.ucsrc & 1 << 3 != 0 { 4 } else { 2 },
            },
        }
    }

    fn flags(&self) -> u8 {
        let udre = if self.port.to_send.is_empty() { a::UDRE } else { 0 };
        self.ucsra | udre | self.receiver.flags()
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let (flags, enabled) = (self.flags(), self.ucsrb);
        env.line(vector::RX, flags & a::RXC != 0 && enabled & b::RXCIE != 0);
        env.line(vector::UDRE, flags & a::UDRE != 0 && enabled & b::UDRIE != 0);
        env.line(vector::TX, flags & a::TXC != 0 && enabled & b::TXCIE != 0);
        self.port.tell(enabled & b::RXEN != 0 && flags & a::RXC == 0, env);
    }

    /// Moves what is written into an idle shift register, if the transmitter is on.
    fn load_if_idle(&mut self, env: &mut Env<'_, '_>) {
        if self.ucsrb & b::TXEN != 0 && !self.port.to_send.is_empty() && !self.port.is_sending() {
            let at = env.now() + env.cycles(&LOAD);
            env.schedule(LOADED, at);
        }
    }

    /// The shift register takes what is in UDR; the frame begins with the next edge of the bit clock.
    fn load(&mut self, env: &mut Env<'_, '_>) {
        let format = self.format();
        let now = env.now() + env.cycles(&START);
        let begun = now.saturating_sub(self.counting_since).next_multiple_of(format.bit());
        if let Some(character) = self.port.to_send.pop_front() {
            self.port.send(Some(character), self.counting_since + begun + format.frame(), env);
        }
    }

    /// The last stop bit of `character` has ended.
    fn sent(&mut self, character: u16, env: &mut Env<'_, '_>) {
        self.port.print(character, env);
        if let Some(next) = self.port.to_send.pop_front() {
            self.port.send(Some(next), env.now() + self.format().frame(), env);
        } else {
            self.ucsra |= a::TXC;
            // Switched off while it sent: that takes effect now (8271H §20.6.5).
            self.hold_pins(env);
        }
    }

    /// The start bit of the next frame from outside begins at `at`.
    fn begin_to_receive(&mut self, at: u64, env: &mut Env<'_, '_>) {
        if at <= env.now() {
            self.start_bit(env);
        } else {
            env.schedule(START_BIT, at);
        }
    }

    fn start_bit(&mut self, env: &mut Env<'_, '_>) {
        let format = self.format();
        let now = env.now();
        if self.ucsrb & b::RXEN == 0 {
            // Nobody listens: the frame passes.
            self.port.lose();
            if self.port.has_more() {
                env.schedule(START_BIT, now + format.frame());
            }
            return;
        }
        self.receiver.start_bit();
        // The first sample that sees the start bit is its sample 1.
        let first = self.counting_since
            + now.saturating_sub(self.counting_since).next_multiple_of(format.sample).max(format.sample);
        let last = if format.samples == 16 { 10 } else { 6 };
        let samples = (1 + u64::from(format.frame.data) + u64::from(format.frame.parity)) * format.samples + last - 1;
        let at = first + samples * format.sample + env.cycles(&SAMPLED);
        self.receiver.frame_ends = now + format.frame();
        self.port.receive_until(at, env);
    }

    fn received(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        self.receiver.received(u16::from(byte) & self.format().frame.mask());
        self.expect_next(env);
    }

    /// The outside goes on, if it has more, behind the frame that is on the line.
    fn expect_next(&mut self, env: &mut Env<'_, '_>) {
        if self.port.has_more() {
            self.begin_to_receive(self.receiver.frame_ends, env);
        }
    }

    /// TXD is driven and RXD is an input as long as transmitter and receiver are on (8271H §20.6, §20.7).
    fn hold_pins(&self, env: &mut Env<'_, '_>) {
        let sends = self.ucsrb & b::TXEN != 0 || self.port.is_sending();
        env.output(pin::TXD, sends.then_some(true));
        env.direction(pin::TXD, sends.then_some(true));
        env.direction(pin::RXD, (self.ucsrb & b::RXEN != 0).then_some(false));
    }

    fn write_control(&mut self, value: u8, env: &mut Env<'_, '_>) {
        let value = value & !b::RXB8;
        let changed = self.ucsrb ^ value;
        self.ucsrb = value;
        if changed & b::RXEN != 0 && value & b::RXEN == 0 {
            self.receiver.switch_off();
            if self.port.is_receiving() {
                self.port.lose();
            }
            env.cancel(ARRIVED);
            self.expect_next(env);
        }
        if changed & (b::RXEN | b::TXEN) != 0 {
            self.hold_pins(env);
        }
        self.load_if_idle(env);
    }

    /// A change of the format during a frame garbles it on silicon (8271H §20.4, §20.11.5).
    fn name_change_during_frame(&self, what: &str, env: &mut Env<'_, '_>) {
        if self.port.is_sending() || self.port.is_receiving() {
            let number = self.port.number;
            env.gap(GapKind::Setting, format_args!("{what}{number} is changed during a frame"));
        }
    }
}

impl Serial<Avr> for Usart {
    fn number(&self) -> u8 {
        self.port.number
    }

    fn listens(&self) -> bool {
        self.port.listens()
    }

    fn receive(&mut self, bytes: &[u8], env: &mut Env<'_, '_>) {
        let quiet = self.port.is_free() && !bytes.is_empty();
        self.port.push(bytes, env);
        if quiet {
            // The line may still be busy with the last stop bit.
            self.begin_to_receive(env.now().max(self.receiver.frame_ends), env);
        }
    }
}

impl Block<Avr> for Usart {
    fn read(&mut self, register: u8, env: &mut Env<'_, '_>) -> u8 {
        match register {
            register::UCSRA => self.flags(),
            register::UCSRB => self.ucsrb | if self.receiver.ninth_bit() { b::RXB8 } else { 0 },
            register::UCSRC => self.ucsrc,
            register::UBRRL => self.ubrr as u8,
            register::UBRRH => (self.ubrr >> 8) as u8,
            register::UDR => {
                let character = self.receiver.take();
                self.drive(env);
                character
            }
            _ => 0,
        }
    }

    fn still(&self, register: u8, _: u64, _: &Shared) -> Option<u64> {
        (register != register::UDR).then_some(u64::MAX)
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        match register {
            register::UCSRA => {
                if (self.ucsra ^ value) & a::U2X != 0 {
                    self.name_change_during_frame("UCSRA.U2X", env);
                }
                // Writing one to TXC clears it; U2X is the only other bit that is stored.
                self.ucsra = self.ucsra & !value & a::TXC | value & a::U2X;
            }
            register::UCSRB => self.write_control(value, env),
            register::UCSRC => {
                if self.ucsrc != value {
                    self.name_change_during_frame("UCSRC", env);
                }
                self.ucsrc = value;
            }
            register::UBRRH => self.ubrr = self.ubrr & 0xFF | u16::from(value) << 8,
            register::UBRRL => {
                self.name_change_during_frame("UBRR", env);
                self.ubrr = self.ubrr & 0xFF00 | u16::from(value);
                self.counting_since = env.now();
            }
            register::UDR => {
                let ninth = u16::from(self.ucsrb & b::TXB8) << 8;
                // A write is lost while the buffer is full (8271H §20.11.1).
                if self.port.to_send.is_empty() {
                    self.port.put((u16::from(value) | ninth) & self.format().frame.mask(), 1);
                }
                self.load_if_idle(env);
            }
            _ => {}
        }
        self.drive(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match (kind, self.port.event(kind, env)) {
            (LOADED, _) => self.load(env),
            (START_BIT, _) => self.start_bit(env),
            (_, Some(Happened::Sent(Some(character)))) => self.sent(character, env),
            (_, Some(Happened::Arrived(character))) => self.received(character as u8, env),
            _ => {}
        }
        self.drive(env);
    }

    fn acknowledge(&mut self, index: usize, env: &mut Env<'_, '_>) {
        if index == vector::TX {
            self.ucsra &= !a::TXC;
            self.drive(env);
        }
    }

    fn after_change(&mut self, change: Change, env: &mut Env<'_, '_>) {
        if change == Change::Power && !env.powered() {
            self.name_change_during_frame("the clock of USART", env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let (mut port, frame_ends) = (self.port.clone(), self.receiver.frame_ends);
        *self = Self { counting_since: env.now(), ..Self::new(port.number) };
        // The outside goes on sending.
        port.stay_outside();
        self.port = port;
        self.receiver.frame_ends = frame_ends;
        if self.port.has_more() {
            env.schedule(START_BIT, frame_ends);
        }
    }
}
