//! The serial port below any vendor's registers: shift registers, buffers, frames, and the line.
//!
//! A [`Port`] has both directions of the line. [`Registers`] are a vendor's in front of it: they say how long a frame is
//! and who is on, and hear what happened; the trait's own functions are the behaviour that all of them share. A byte sent
//! goes to the console when its last stop bit ends; a byte received arrives when its last stop bit ends.

use std::collections::VecDeque;

use cyclescope_machine::figures::integer;
use cyclescope_machine::{Channel, GapKind, Signal, SignalKind, Transfer};

use crate::framework::{Bus, Env, Time};
use crate::{Instant, Serial, Source, Tree, Words};

/// The event at which a frame has gone out.
pub const SENT: u16 = 0;
/// The event at which a frame has come in.
pub const ARRIVED: u16 = 1;
/// The event at which the line has been quiet for long enough.
pub const QUIET: u16 = 2;

/// A break on the line, as no character is; the low byte holds the bits for which the line is low.
pub const BREAK: u16 = 1 << 15;
/// The rest of a break behind the frame that its begin was taken for; the low byte holds the bits.
const REST: u16 = 1 << 14;

/// The most bytes that the outside keeps for a port's line.
pub const MOST_OUTSIDE: usize = 1 << 20;

/// The form of a frame, besides its start bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Data bits.
    pub data: u32,
    /// True if a parity bit follows the data.
    pub parity: bool,
    /// Halves of a bit that the stop bits take.
    pub stop_halves: u64,
}

impl Format {
    /// The halves of a bit that a frame takes.
    pub const fn half_bits(self) -> u64 {
        2 + 2 * (self.data as u64 + self.parity as u64) + self.stop_halves
    }

    /// The levels of the frame of `character` at each half of a bit, the first in bit 0, and their number: start bit, data from
    /// the lowest bit on, and the parity that makes the number of ones odd (`odd`) or even. The stop bit's level stays.
    pub const fn levels(self, character: u16, odd: bool) -> (u64, u8) {
        let data = character & self.mask();
        let parity = self.parity && (data.count_ones() % 2 == 1) != odd;
        let all = 1 + self.data + self.parity as u32;
        let bits = (data as u64) << 1 | (parity as u64) << (1 + self.data) | 1 << all;
        let (mut levels, mut bit) = (0, 0);
        while bit <= all {
            levels |= ((bits >> bit & 1) * 3) << (2 * bit);
            bit += 1;
        }
        (levels, 2 * all as u8 + 1)
    }

    /// The bits of a character that are data.
    pub const fn mask(self) -> u16 {
        (1 << self.data) - 1
    }
}

/// An event of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// A frame is out: its character, or `None` for an idle frame.
    Sent(Option<u16>),
    /// A frame is in: its byte, or a [`BREAK`], or the end of one.
    Arrived(u16),
    /// The line has been quiet.
    Quiet,
}

/// Both directions of a serial port's line.
#[derive(Clone, Debug)]
pub struct Port<T> {
    /// The port's number: 2 for USART2.
    pub number: u8,
    /// Characters behind the shift register, oldest first.
    pub to_send: VecDeque<u16>,
    /// The character in the shift register (`None` for an idle frame), and the end of its frame.
    sending: Option<(Option<u16>, T)>,
    /// Bytes that have arrived and were not read, oldest first.
    pub received: VecDeque<u8>,
    /// Bytes and breaks that the outside is yet to send, the one on the line first.
    incoming: VecDeque<u16>,
    /// The end of the frame on the line.
    arriving: T,
    quiet_at: T,
    listens: bool,
}

impl<T: Time> Port<T> {
    /// The port `number`, idle.
    pub const fn new(number: u8) -> Self {
        Self {
            number,
            to_send: VecDeque::new(),
            sending: None,
            received: VecDeque::new(),
            incoming: VecDeque::new(),
            arriving: T::NEVER,
            quiet_at: T::NEVER,
            listens: false,
        }
    }

    /// The port whose number stands in `name`: 2 for `USART2`.
    pub fn named(name: &str) -> Self {
        Self::new(name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0))
    }

    /// True while a frame goes out.
    pub const fn is_sending(&self) -> bool {
        self.sending.is_some()
    }

    /// True while a frame comes in.
    pub fn is_receiving(&self) -> bool {
        self.arriving != T::NEVER
    }

    /// True if the outside has bytes beyond the one on the line.
    pub fn has_more(&self) -> bool {
        self.incoming.len() > usize::from(self.is_receiving())
    }

    /// True if the outside has nothing to send, and sends nothing.
    pub fn is_free(&self) -> bool {
        self.incoming.is_empty()
    }

    /// The outside sends `bytes`, too. It keeps [`MOST_OUTSIDE`] that the line has no time for; the rest is lost, as a gap.
    pub fn push<B: Bus>(&mut self, bytes: &[u8], env: &mut Env<'_, '_, B>) {
        self.listens &= bytes.is_empty();
        let room = MOST_OUTSIDE.saturating_sub(self.incoming.len()).min(bytes.len());
        self.incoming.extend(bytes[..room].iter().map(|byte| u16::from(*byte)));
        if room < bytes.len() {
            let number = self.number;
            env.gap(
                GapKind::Setting,
                format_args!(
                    "more than {} bytes wait for the line of serial port {number}; these are lost",
                    integer(MOST_OUTSIDE as i128)
                ),
            );
        }
    }

    /// The outside sends a break.
    pub fn push_break(&mut self, character: u16) {
        self.listens = false;
        if self.incoming.len() < MOST_OUTSIDE {
            self.incoming.push_back(character);
        }
    }

    /// See [`Serial::listens`].
    pub const fn listens(&self) -> bool {
        self.listens
    }

    /// Tells observers if the port begins to listen, where its receiver is on and empty if it is `ready`. Call it after each
    /// change.
    pub fn tell<B: Bus>(&mut self, ready: bool, env: &mut Env<'_, '_, B>) {
        if !env.context.signals.wants(SignalKind::Serial) {
            return;
        }
        let listens = ready && self.is_free();
        if listens && !std::mem::replace(&mut self.listens, listens) {
            env.context.signals.record(env.context.now, Signal::Listens { port: Channel::Uart(self.number) });
        }
        self.listens = listens;
    }

    /// The next byte outside is lost, as is the one on the line.
    pub fn lose(&mut self) {
        self.arriving = T::NEVER;
        self.incoming.pop_front();
    }

    /// Drops all but what the outside is yet to send, behind the byte on the line.
    pub fn stay_outside(&mut self) {
        if self.is_receiving() {
            self.lose();
        }
        *self = Self { incoming: std::mem::take(&mut self.incoming), ..Self::new(self.number) };
    }

    /// Takes what is outside into the buffer of `depth` entries, on lines where that takes no time.
    pub fn fill(&mut self, depth: usize) {
        let room = depth.saturating_sub(self.received.len()).min(self.incoming.len());
        self.received.extend(self.incoming.drain(..room).map(|character| character as u8));
    }

    /// Puts `byte` into the buffer of `depth` entries; whether there was room.
    pub fn take(&mut self, byte: u8, depth: usize) -> bool {
        let room = self.received.len() < depth;
        if room {
            self.received.push_back(byte);
        }
        room
    }

    /// Puts `character` behind the shift register; where all `depth` entries are taken, in the place of the latest.
    pub fn put(&mut self, character: u16, depth: usize) {
        if self.to_send.len() == depth {
            self.to_send.pop_back();
        }
        self.to_send.push_back(character);
    }

    /// The shift register sends `character` (`None` for an idle frame) until `end`.
    pub fn send<B: Bus<Time = T>>(&mut self, character: Option<u16>, end: T, env: &mut Env<'_, '_, B>) {
        self.sending = Some((character, end));
        env.schedule(SENT, end);
        if let Some(character) = character {
            env.serial_out(character);
        }
    }

    /// The frame on the line, of the next byte outside, ends at `end`.
    pub fn receive_until<B: Bus<Time = T>>(&mut self, end: T, env: &mut Env<'_, '_, B>) {
        self.arriving = end;
        env.schedule(ARRIVED, end);
    }

    /// The line counts as quiet at `at`, or (`NEVER`) no longer.
    pub fn quiet_at<B: Bus<Time = T>>(&mut self, at: T, env: &mut Env<'_, '_, B>) {
        self.quiet_at = at;
        env.schedule(QUIET, at);
    }

    /// The meaning of the block's event `kind`; `None` if it is another's, or came too early.
    pub fn event<B: Bus<Time = T>>(&mut self, kind: u16, env: &Env<'_, '_, B>) -> Option<Happened> {
        let now = env.now();
        match kind {
            SENT => self.sending.take_if(|(_, end)| now >= *end).map(|(character, _)| Happened::Sent(character)),
            ARRIVED if now >= self.arriving => {
                self.arriving = T::NEVER;
                self.incoming.pop_front().map(Happened::Arrived)
            }
            QUIET if now >= self.quiet_at => {
                self.quiet_at = T::NEVER;
                Some(Happened::Quiet)
            }
            _ => None,
        }
    }

    /// The transmitter drops all it has.
    pub fn stop_sending<B: Bus<Time = T>>(&mut self, env: &mut Env<'_, '_, B>) {
        self.to_send.clear();
        self.sending = None;
        env.cancel(SENT);
    }

    /// Shows the lowest byte of `character` on the console, and tells observers that it was sent.
    pub fn print<B: Bus>(&self, character: impl Into<u16>, env: &mut Env<'_, '_, B>) {
        let character = character.into();
        env.context.console.write(Channel::Uart(self.number), &[character as u8]);
        env.transfer(Transfer::SerialSent(character));
    }

    /// Back to an idle line.
    pub fn reset<B: Bus<Time = T>>(&mut self, env: &mut Env<'_, '_, B>) {
        *self = Self::new(self.number);
        for kind in [SENT, ARRIVED, QUIET] {
            env.cancel(kind);
        }
    }
}

impl Port<Instant> {
    /// Each time kept becomes what `change` makes of it.
    fn each_time(&mut self, change: impl Fn(Instant) -> Instant) {
        self.sending = self.sending.map(|(character, end)| (character, change(end)));
        (self.arriving, self.quiet_at) = (change(self.arriving), change(self.quiet_at));
    }

    /// The unit of time has become `times` smaller.
    pub fn refine(&mut self, times: u64) {
        self.each_time(|at| at.refined(times));
    }

    /// The clock `source`, which counts the bits, has changed from what it was in `old`: what is left of frames
    /// stretches with it.
    pub fn rescale(&mut self, source: Source, old: &Tree, env: &mut crate::Env<'_, '_>) {
        let (before, after, now) = (old.period_of(source), env.clocks().period_of(source), env.now());
        self.each_time(|at| at.rescaled(now, before, after));
        env.schedule(SENT, self.sending.map_or(Instant::NEVER, |(_, end)| end));
        env.schedule(ARRIVED, self.arriving);
        env.schedule(QUIET, self.quiet_at);
        env.rescale_waves(before, after);
    }
}

/// A vendor's registers in front of a serial port.
pub trait Registers<B: Bus> {
    /// True if the time of quiet runs on while the next frame comes in.
    const QUIET_RUNS_ON: bool = false;

    /// The port.
    fn port(&self) -> &Port<B::Time>;

    /// The port.
    fn port_mut(&mut self) -> &mut Port<B::Time>;

    /// The clock that bits are counted by, where the part chooses it.
    fn clock_mut(&mut self) -> Option<&mut Source> {
        None
    }

    /// The end of a frame that begins now; `None` while the settings make no bit rate.
    fn frame_end(&self, env: &Env<'_, '_, B>) -> Option<B::Time>;

    /// The same of a frame that the idle transmitter begins.
    fn transmit_end(&self, env: &Env<'_, '_, B>) -> Option<B::Time> {
        self.frame_end(env)
    }

    /// True if the transmitter is on.
    fn sends(&self) -> bool;

    /// True if the receiver is on.
    fn receives(&self) -> bool;

    /// True if the other end lets the transmitter begin a frame.
    fn may_send(&self) -> bool {
        true
    }

    /// True if the receiver lets the other end begin a frame. What is held back waits outside.
    fn may_receive(&self) -> bool {
        true
    }

    /// True if the receiver hears the port's own transmitter instead of the line.
    fn is_looped(&self) -> bool {
        false
    }

    /// True if no byte has arrived that was not read.
    fn is_empty(&self) -> bool {
        self.port().received.is_empty()
    }

    /// Tells observers if the port begins to listen. Each [`Registers::settle`] ends with it.
    fn tell(&mut self, env: &mut Env<'_, '_, B>) {
        if env.context.signals.wants(SignalKind::Serial) {
            let ready = self.receives() && self.is_empty() && self.frame_end(env).is_some();
            self.port_mut().tell(ready, env);
        }
    }

    /// Entries of the receiver's buffer where bytes come in without time, as on lines of emulators.
    fn untimed_depth(&self) -> Option<usize> {
        None
    }

    /// True if the transmitter may begin at once. If not, it is called again when it may.
    fn is_prepared(&mut self, _env: &mut Env<'_, '_, B>) -> bool {
        true
    }

    /// The idle transmitter begins a break, if one is asked for; returns `true` if it has.
    fn begin_break(&mut self, _env: &mut Env<'_, '_, B>) -> bool {
        false
    }

    /// `character` has left [`Port::to_send`] for the shift register.
    fn started(&mut self, _character: u16, _env: &mut Env<'_, '_, B>) {}

    /// `character` is out: the console shows it.
    fn sent(&mut self, character: u16, env: &mut Env<'_, '_, B>) {
        self.port().print(character, env);
    }

    /// `byte` is in: it goes to [`Port::received`], or is lost.
    fn arrived(&mut self, byte: u8, env: &mut Env<'_, '_, B>);

    /// The frame is over that the begin of a break of `low` bits looks like. Returns the bits for which the line is still low, if the
    /// port hears its end.
    fn broken(&mut self, _low: u64, env: &mut Env<'_, '_, B>) -> Option<u64> {
        self.arrived(0, env);
        None
    }

    /// The line is high again behind a break.
    fn mended(&mut self, _env: &mut Env<'_, '_, B>) {}

    /// The time `bits` from now, where the port hears the end of breaks.
    fn bits_end(&self, _bits: u64, _env: &Env<'_, '_, B>) -> Option<B::Time> {
        None
    }

    /// The end of what comes in now.
    fn incoming_end(&self, env: &Env<'_, '_, B>) -> Option<B::Time> {
        match self.port().incoming.front() {
            Some(rest) if rest & REST != 0 => self.bits_end((rest & 0xFF).into(), env),
            _ => self.frame_end(env),
        }
    }

    /// The time at which the line counts as quiet, from a byte that came in now: a frame after the last one.
    fn quiet_from(&self, env: &Env<'_, '_, B>) -> Option<B::Time> {
        (!self.port().has_more()).then(|| self.frame_end(env).unwrap_or(env.now()))
    }

    /// The line has been quiet.
    fn quiet(&mut self) {}

    /// Puts the flags that follow from the buffers into the registers, then drives interrupts and DMA requests.
    fn settle(&mut self, env: &mut Env<'_, '_, B>);

    /// The next byte outside comes in, if the line is free.
    fn listen(&mut self, env: &mut Env<'_, '_, B>) {
        if let Some(depth) = self.untimed_depth() {
            return self.port_mut().fill(depth);
        }
        if self.port().is_receiving() || !self.port().has_more() || !self.may_receive() {
            return;
        }
        let Some(end) = self.incoming_end(env).filter(|_| self.receives()) else {
            // Nobody listens: the bytes are lost, as on the wire.
            self.port_mut().incoming.clear();
            env.gap(GapKind::Setting, format_args!("{}: bytes sent to a receiver that is off", env.name()));
            return;
        };
        self.port_mut().receive_until(end, env);
        if !Self::QUIET_RUNS_ON {
            self.port_mut().quiet_at(Time::NEVER, env);
        }
    }

    /// The idle shift register takes what waits behind it, if the transmitter is on.
    fn transmit(&mut self, env: &mut Env<'_, '_, B>) {
        if self.port().is_sending() || !self.sends() || self.begin_break(env) {
            return;
        }
        if self.port().to_send.is_empty() || !self.may_send() || !self.is_prepared(env) {
            return;
        }
        let Some(end) = self.transmit_end(env) else {
            env.gap(GapKind::Setting, format_args!("{}: the transmitter has no clock", env.name()));
            return;
        };
        let Some(character) = self.port_mut().to_send.pop_front() else { return };
        self.port_mut().send(Some(character), end, env);
        self.started(character, env);
    }

    /// The transmitter was switched on: an idle frame goes out first.
    fn send_idle_frame(&mut self, env: &mut Env<'_, '_, B>) {
        if let Some(end) = self.frame_end(env).filter(|_| !self.port().is_sending()) {
            self.port_mut().send(None, end, env);
        }
    }

    /// The block's event `kind` is due.
    fn line_event(&mut self, kind: u16, env: &mut Env<'_, '_, B>) {
        match self.port_mut().event(kind, env) {
            Some(Happened::Sent(character)) => {
                if let Some(character) = character {
                    self.sent(character, env);
                }
                self.transmit(env);
            }
            Some(Happened::Arrived(rest)) if rest & REST != 0 => {
                self.mended(env);
                if let Some(at) = self.quiet_from(env) {
                    self.port_mut().quiet_at(at, env);
                }
                self.listen(env);
            }
            Some(Happened::Arrived(character)) => {
                let byte = if character & BREAK == 0 { character } else { 0 };
                env.transfer(Transfer::SerialReceived(byte));
                if character & BREAK == 0 {
                    self.arrived(character as u8, env);
                } else {
                    match self.broken((character & 0xFF).into(), env) {
                        Some(0) => self.mended(env),
                        Some(rest) => self.port_mut().incoming.push_front(REST | rest as u16),
                        None => {}
                    }
                }
                if let Some(at) = self.quiet_from(env) {
                    self.port_mut().quiet_at(at, env);
                }
                self.listen(env);
            }
            Some(Happened::Quiet) => self.quiet(),
            None => {}
        }
        self.settle(env);
    }
}

impl<P: Registers<Words>> Serial<Words> for P {
    fn number(&self) -> u8 {
        self.port().number
    }

    fn receive(&mut self, bytes: &[u8], env: &mut crate::Env<'_, '_>) {
        if env.clocks().stands() {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}: bytes that arrive while its clock stands are lost"));
            return;
        }
        if self.is_looped() {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}: bytes that arrive while it hears itself are lost"));
            return;
        }
        self.port_mut().push(bytes, env);
        self.listen(env);
    }

    fn receive_character(&mut self, character: u16, env: &mut crate::Env<'_, '_>) {
        if self.is_looped() || character & BREAK == 0 || env.clocks().stands() {
            return self.receive(&[character as u8], env);
        }
        self.port_mut().push_break(character);
        self.listen(env);
    }

    fn listens(&self) -> bool {
        self.port().listens()
    }

    fn set_clock(&mut self, clock: Source) -> bool {
        self.clock_mut().is_some_and(|known| std::mem::replace(known, clock) != clock)
    }
}
