//! The signals that an observer can record, with the exact cycle of each.

use crate::units::{Address, Cycles};
use crate::{Channel, Line, Timebase, Transfer, Width};

/// A pin of the part: its port's letter as an index from A = 0, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pin {
    /// The port: 0 for A; behind Z [`Pin::GPIO`], and those that have a number for a name, from [`Pin::NUMBERED`] on.
    pub port: u8,
    /// The pin's number in its port.
    pub number: u8,
}

impl Pin {
    /// The port of a part that has one and no name for it: bank 0 of an RP2040.
    pub const GPIO: u8 = 26;
    /// The first of the ports that have a number for a name: P0 of an nRF part.
    pub const NUMBERED: u8 = Self::GPIO + 1;

    /// Returns the pin `number` of the port that is called `port`, from 0.
    pub const fn numbered(port: u8, number: u8) -> Self {
        Self { port: Self::NUMBERED + port, number }
    }

    /// Returns the pin `number` of the one port without a name.
    pub const fn gpio(number: u8) -> Self {
        Self { port: Self::GPIO, number }
    }
}

/// The text is no pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPin;

impl std::str::FromStr for Pin {
    type Err = NoPin;

    /// Reads `PC13`, in any case, `PTC5` as Kinetis parts call theirs, `P0.13` as nRF parts do, or `GPIO15` as the RP2040 does,
    /// whose boards shorten it to `GP15`; ports A to Z, pins 0 to 31.
    fn from_str(text: &str) -> Result<Self, NoPin> {
        let text = text.to_ascii_uppercase();
        let is_port = |rest: &&str| rest.starts_with(|c: char| c.is_ascii_uppercase());
        let (port, digits) = if let Some(digits) = text.strip_prefix("GPIO").or_else(|| text.strip_prefix("GP")) {
            (Self::GPIO, digits)
        } else {
            let rest = text.strip_prefix("PT").filter(is_port).or_else(|| text.strip_prefix('P')).ok_or(NoPin)?;
            match rest.split_once('.') {
                Some((port, digits)) => {
                    let port = port.parse().ok().filter(|port: &u8| *port < 10).ok_or(NoPin)?;
                    (Self::NUMBERED + port, digits)
                }
                None => (rest.bytes().next().filter(u8::is_ascii_uppercase).ok_or(NoPin)? - b'A', &rest[1..]),
            }
        };
        let number: u8 = digits.parse().map_err(|_| NoPin)?;
        if number >= 32 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(NoPin);
        }
        Ok(Self { port, number })
    }
}

impl std::fmt::Display for Pin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.port {
            Self::GPIO => write!(f, "GPIO{}", self.number),
            port @ Self::NUMBERED.. => write!(f, "P{}.{:02}", port - Self::NUMBERED, self.number),
            port => write!(f, "P{}{}", char::from(b'A' + port), self.number),
        }
    }
}

/// The kinds of signal, for choosing which to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SignalKind {
    /// Pin edges.
    Pin,
    /// Exceptions pended, entered and returned from.
    Exception,
    /// Sleep and wake-up.
    Sleep,
    /// Stores to watched addresses.
    Store,
    /// Changes of the core's clock ([`Signals::clock_changes`]).
    Clock,
    /// Serial ports that begin to listen.
    Serial,
    /// Transfers on wires.
    Transfer,
    /// News of model gaps.
    Gap,
}

/// Something that happened at a known cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A pin's level changed.
    Pin {
        /// The pin.
        pin: Pin,
        /// Its new level.
        high: bool,
    },
    /// An exception became pending.
    ExceptionPended {
        /// Its number, as the core's architecture counts: interrupt 0 is exception 16 of a Cortex-M; elsewhere it may be the
        /// place of its vector.
        number: u16,
    },
    /// An exception's handler is about to run its first instruction.
    ExceptionEntered {
        /// Its number.
        number: u16,
    },
    /// An exception's handler has returned.
    ExceptionReturned {
        /// Its number.
        number: u16,
    },
    /// The core went to sleep.
    Sleep,
    /// The core woke up.
    Wake,
    /// A core's store went to a watched address ([`Memory::watch_stores`](crate::Memory::watch_stores)).
    Store {
        /// The address.
        address: Address,
        /// The number of bytes stored.
        width: Width,
        /// The value stored.
        value: u32,
    },
    /// A serial port listens from now on: its receiver is on and empty, and the outside sends nothing.
    Listens {
        /// The port.
        port: Channel,
    },
    /// A part of a transfer has ended.
    Transfer {
        /// The place.
        line: Line,
        /// The transfer.
        transfer: Transfer,
    },
    /// A model gap was met for the first time, or there is other news of one ([`Gaps::news`](crate::Gaps::news)).
    Gap,
}

impl Signal {
    /// The kind that [`Signals::record`] filters by.
    pub const fn kind(&self) -> SignalKind {
        match self {
            Self::Pin { .. } => SignalKind::Pin,
            Self::ExceptionPended { .. } | Self::ExceptionEntered { .. } | Self::ExceptionReturned { .. } => {
                SignalKind::Exception
            }
            Self::Sleep | Self::Wake => SignalKind::Sleep,
            Self::Store { .. } => SignalKind::Store,
            Self::Listens { .. } => SignalKind::Serial,
            Self::Transfer { .. } => SignalKind::Transfer,
            Self::Gap => SignalKind::Gap,
        }
    }
}

/// The signals recorded since they were last drained. Records nothing until asked to.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    wanted: u8,
    /// Those of these kinds make the machine stop.
    urgent: u8,
    /// One that does has been recorded, or there are so many that they are to be taken.
    stops: bool,
    /// The pins whose edges are recorded, if not all are.
    pins: Vec<Pin>,
    asked: u32,
    recorded: Vec<(Cycles, Signal)>,
    /// The core of each of them.
    cores: Vec<u8>,
    /// The core whose turn it is.
    core: u8,
    clocks: Vec<Timebase>,
    /// The signals recorded before the attempt of an instruction.
    attempted: usize,
}

/// So many signals make the machine stop, whatever they are.
const MOST_COLLECTED: usize = 1 << 12;

impl Signals {
    /// Asks for signals of `kind` from now on. Each makes the machine stop.
    pub fn want(&mut self, kind: SignalKind) {
        self.urgent |= 1 << kind as u8;
        self.collect(kind);
    }

    /// Asks for signals of `kind` from now on, which are for who looks at them later: they do not make the machine stop for their own
    /// sake. Edges of pins and changes of the clock always do.
    pub fn collect(&mut self, kind: SignalKind) {
        self.wanted |= 1 << kind as u8;
        self.asked = self.asked.wrapping_add(1);
    }

    /// Asks for the edges of `pin` from now on.
    pub fn want_pin(&mut self, pin: Pin) {
        if !self.wants_pin(pin) {
            self.pins.push(pin);
            self.asked = self.asked.wrapping_add(1);
        }
    }

    /// Tells whether signals of `kind` are recorded, at least some of them.
    pub fn wants(&self, kind: SignalKind) -> bool {
        self.wants_all(kind) || kind == SignalKind::Pin && !self.pins.is_empty()
    }

    /// Tells whether edges of `pin` are recorded.
    pub fn wants_pin(&self, pin: Pin) -> bool {
        self.wants_all(SignalKind::Pin) || self.pins.contains(&pin)
    }

    const fn wants_all(&self, kind: SignalKind) -> bool {
        self.wanted & (1 << kind as u8) != 0
    }

    /// The number of times that more was asked for; wraps.
    pub const fn asked(&self) -> u32 {
        self.asked
    }

    /// Records `signal` at the cycle `at`, if it is wanted.
    pub fn record(&mut self, at: Cycles, signal: Signal) {
        let wanted = match signal {
            Signal::Pin { pin, .. } => self.wants_pin(pin),
            _ => self.wants_all(signal.kind()),
        };
        if wanted {
            self.recorded.push((at, signal));
            self.cores.push(self.core);
            self.stops |= self.is_urgent(signal) || self.recorded.len() >= MOST_COLLECTED;
        }
    }

    /// The core `core` goes on: what is recorded from now on is its.
    pub(crate) fn turn_to(&mut self, core: u8) {
        self.core = core;
    }

    /// Returns the core of each signal that waits to be drained, in order: the one whose turn it was. Exceptions, sleep and stores
    /// are a core's own; other signals come from devices, and their core means nothing.
    pub fn cores(&self) -> &[u8] {
        &self.cores
    }

    /// Records that the core's clock changed, if [`SignalKind::Clock`] is wanted.
    pub fn record_clock(&mut self, timebase: Timebase) {
        if self.wants(SignalKind::Clock) {
            self.clocks.push(timebase);
            self.stops = true;
        }
    }

    /// Returns the changes of the core's clock that wait to be drained, in order.
    pub fn clock_changes(&self) -> &[Timebase] {
        &self.clocks
    }

    /// Tells whether nothing waits to be drained.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.recorded.is_empty() && self.clocks.is_empty()
    }

    /// Tells whether the machine is to stop for what waits to be drained.
    #[inline]
    pub const fn stop(&self) -> bool {
        self.stops
    }

    /// Tells whether `signal`, which is wanted, makes the machine stop. A pin's edge does, since it is wanted for itself.
    fn is_urgent(&self, signal: Signal) -> bool {
        let kind = signal.kind();
        kind == SignalKind::Pin || self.urgent & (1 << kind as u8) != 0
    }

    /// A core attempts an instruction.
    pub(crate) fn begin_attempt(&mut self) {
        self.attempted = self.recorded.len();
    }

    /// It is going to make the attempt again: what it has told of itself since is forgotten.
    pub(crate) fn undo_attempt(&mut self) {
        let first = self.attempted.min(self.recorded.len());
        if first == self.recorded.len() {
            return;
        }
        let own = |signal: &Signal| matches!(signal.kind(), SignalKind::Exception | SignalKind::Sleep);
        let kept: Vec<bool> =
            { self.recorded.iter().enumerate() }.map(|(place, (_, signal))| place < first || !own(signal)).collect();
        let (mut signals, mut cores) = (kept.iter(), kept.iter());
        self.recorded.retain(|_| signals.next().is_none_or(|kept| *kept));
        self.cores.retain(|_| cores.next().is_none_or(|kept| *kept));
        let is_full = self.recorded.len() >= MOST_COLLECTED;
        let is_urgent = |(_, signal): &(Cycles, Signal)| self.is_urgent(*signal);
        self.stops = is_full || !self.clocks.is_empty() || self.recorded.iter().any(is_urgent);
    }

    /// Takes the recorded signals in the order in which they happened, and forgets their cores and the changes of the clock.
    pub fn drain(&mut self) -> std::vec::Drain<'_, (Cycles, Signal)> {
        self.stops = false;
        self.clocks.clear();
        self.cores.clear();
        self.recorded.drain(..)
    }

    /// Takes the recorded signals and their cores ([`Self::cores`]) into `signals` and `cores`, which are empty, and forgets the changes
    /// of the clock.
    pub fn take(&mut self, signals: &mut Vec<(Cycles, Signal)>, cores: &mut Vec<u8>) {
        self.stops = false;
        self.clocks.clear();
        std::mem::swap(&mut self.recorded, signals);
        std::mem::swap(&mut self.cores, cores);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_signal_has_the_core_whose_turn_it_was() {
        let mut signals = Signals::default();
        signals.want(SignalKind::Sleep);
        signals.want(SignalKind::Pin);
        let at = Cycles::new(1);
        signals.record(at, Signal::Sleep);
        signals.turn_to(1);
        signals.begin_attempt();
        signals.record(at, Signal::Wake);
        signals.record(at, Signal::Pin { pin: Pin::numbered(0, 3), high: true });
        signals.undo_attempt();
        assert_eq!(signals.cores(), [0, 1], "the pin has changed, and the core has not woken");
        assert_eq!(signals.drain().count(), 2);
        assert!(signals.cores().is_empty());
    }

    #[test]
    fn signals_stop_the_machine_if_they_are_wanted_and_not_if_they_are_collected() {
        let mut signals = Signals::default();
        let at = Cycles::new(1);
        signals.collect(SignalKind::Sleep);
        signals.record(at, Signal::Sleep);
        signals.record(at, Signal::Gap);
        assert!(!signals.stop() && !signals.is_empty());
        signals.want(SignalKind::Exception);
        signals.begin_attempt();
        signals.record(at, Signal::ExceptionEntered { number: 3 });
        assert!(signals.stop());
        signals.undo_attempt();
        assert!(!signals.stop(), "the exception was not entered");
        signals.want(SignalKind::Sleep);
        signals.record(at, Signal::Wake);
        assert!(signals.stop());
        let (mut taken, mut cores) = (Vec::new(), Vec::new());
        signals.take(&mut taken, &mut cores);
        assert_eq!((taken, cores), (vec![(at, Signal::Sleep), (at, Signal::Wake)], vec![0, 0]));
        assert!(!signals.stop() && signals.is_empty());
        let mut signals = Signals::default();
        signals.collect(SignalKind::Sleep);
        (1..MOST_COLLECTED).for_each(|_| signals.record(at, Signal::Sleep));
        assert!(!signals.stop());
        signals.record(at, Signal::Sleep);
        assert!(signals.stop(), "they take memory");
    }

    #[test]
    fn pins_are_written_as_they_are_read() {
        for name in ["PA0", "PC13", "PK7", "P0.03", "P1.15", "GPIO0", "GPIO15"] {
            assert_eq!(name.parse::<Pin>().map(|pin| pin.to_string()), Ok(name.to_owned()));
        }
        assert_eq!("p0.3".parse(), Ok(Pin::numbered(0, 3)));
        assert_eq!("gp15".parse(), Ok(Pin::gpio(15)));
        assert_ne!("P0.3".parse::<Pin>(), "PA3".parse());
        for wrong in ["P10.1", "P0.32", "P.1", "13", "GPIO", "GPIOA", "GPIO32", "GP+1"] {
            assert_eq!(wrong.parse::<Pin>(), Err(NoPin), "{wrong}");
        }
    }
}
