//! A guest's run with somebody at its serial port, who sends bytes and reads the output.
//!
//! Simulated state alone decides when the guest is asked for its next byte: its port listens. What the desk answers may depend
//! on the real world, and the run with it; a desk that always has the answer makes the same run each time.

use cyclescope_chips::Machine;
use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_machine::{Channel, Moment, Signal, SignalKind, Spin, Stimulus, Stop};

use crate::guest::{OutputForwarder, Pace};
use crate::limits::{End, Limits};
use crate::observer::Unobserved;
use crate::session::Session;

/// The answer of a desk to a guest that listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next byte.
    Byte(u8),
    /// There is none at the moment.
    Nothing,
    /// There will be no more.
    End,
}

/// The other end of a guest's serial ports.
pub trait Desk {
    /// Takes the guest's output as it is written. `false` stops the guest.
    fn take(&mut self, channel: Channel, bytes: &[u8]) -> bool;

    /// The guest sleeps until input comes, or starts anew: what was written so far should be seen.
    fn flush(&mut self) {}

    /// True if the desk may have bytes for the guest.
    fn has_input(&self) -> bool {
        false
    }

    /// Tells if the desk's bytes go to `_port`, which listens.
    fn sends_to(&mut self, _port: Channel) -> bool {
        false
    }

    /// Returns the next byte. If the guest is `asleep` until it comes, the desk may wait a little before it returns
    /// [`Next::Nothing`].
    fn next(&mut self, _asleep: bool) -> Next {
        Next::End
    }

    /// `byte` comes to `port` at the cycle `at`.
    fn sent(&mut self, _at: Cycles, _port: Channel, _byte: u8) {}

    /// Returns the real time since the run began if simulated time is not to outrun it.
    fn clock(&self) -> Option<Picoseconds> {
        None
    }

    /// The run has come to the cycle `_now`, the time `_time` since it began. The desk may wait until as much real time has
    /// passed, or a byte is there.
    fn keep_pace(&mut self, _now: Cycles, _time: Picoseconds) {}

    /// The part was reset at the cycle `at` for the reason `cause`. Returns `true` if the run goes on.
    fn goes_on(&mut self, _at: Cycles, _cause: &'static str) -> bool {
        false
    }
}

/// The reason for the end of a run at a desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeskEnd {
    /// The run's window of time was over.
    Window,
    /// The run's cycles were used up.
    Budget,
    /// The event that ends the run happened.
    Reached,
    /// The guest ended its run.
    Stopped(Stop),
    /// The desk refused output, or the caller ended the run.
    Interrupted,
    /// There is no more input, and the guest waits for more for ever.
    InputEnded,
    /// The guest is in a loop that nothing can end, and the run has no window.
    Spins(Spin),
}

/// The time without output after which a guest without input is looked at.
const SILENCE: Picoseconds = Picoseconds::new(1_000_000_000_000);

/// The time in which a guest that waits for a byte takes it.
const PATIENCE: Picoseconds = SILENCE;

/// Runs `session` to its end. `stop` is asked after each slice.
///
/// After the end of the input, a guest that is silent for a second of simulated time and waits for a byte ends the run; with
/// `ends` the run has an end of its own, and this is none. Without a window, a guest in a loop that nothing can end ends the run
/// too; that is asked after each slice.
pub fn run_at_desk(
    session: &mut Session<'_>,
    pace: Pace,
    ends: bool,
    desk: &mut dyn Desk,
    stop: &dyn Fn() -> bool,
) -> DeskEnd {
    if desk.has_input() {
        session.want(SignalKind::Serial);
    }
    let mut output = OutputForwarder::default();
    let mut input = Input::default();
    let mut silence = Silence::default();
    let mut pause = Cycles::ZERO;
    loop {
        let now = session.target().now();
        // The pause stays where it is when a port listens before it: RTT is read at the same cycles without a desk.
        if now >= pause {
            pause = now.saturating_add(pace.slice).min(pace.most);
        }
        let limits = Limits { pause, ..Limits::until(pace.window, pace.poll) };
        let ended = session.run_observed(limits, &mut Unobserved, |console| {
            !output.forward(console, &mut |channel, bytes| desk.take(channel, bytes))
        });
        output.forward(&session.target().shared().console, &mut |channel, bytes| desk.take(channel, bytes));
        let refused = output.is_refused();
        match ended {
            End::Stopped(Stop::Reset(cause)) if desk.goes_on(session.target().now(), cause) => {
                desk.flush();
                session.target().reset(cause);
                input.was_reset();
            }
            End::Stopped(Stop::Deadlock(pc)) => match input.awaken(session, pace, desk, stop) {
                None => {}
                Some(DeskEnd::Stopped(_)) => return DeskEnd::Stopped(Stop::Deadlock(pc)),
                Some(end) => return end,
            },
            End::Stopped(stop) => return DeskEnd::Stopped(stop),
            End::Satisfied if refused => return DeskEnd::Interrupted,
            End::Satisfied => return DeskEnd::Reached,
            End::Limit => return DeskEnd::Window,
            End::Paused if session.target().now() >= pace.most => return DeskEnd::Budget,
            End::Paused if refused || stop() => return DeskEnd::Interrupted,
            End::Paused => {
                session.look_for_handler();
                desk.keep_pace(session.target().now(), session.time());
                if input.ended && !ends && silence.is_over(session) && input.is_awaited(session, false) {
                    return DeskEnd::InputEnded;
                }
                let endless = pace.window == Moment::Cycle(Cycles::MAX) && !input.is_to_come();
                if let Some(spin) = session.spins().filter(|_| endless) {
                    let awaited = !ends && input.is_awaited(session, false);
                    return if awaited { DeskEnd::InputEnded } else { DeskEnd::Spins(spin) };
                }
            }
            End::Listens(port) => {
                if desk.sends_to(port) {
                    input.listens(port);
                }
            }
        }
        input.answer(session, desk);
    }
}

/// The way from the desk to the guest.
#[derive(Debug, Default)]
struct Input {
    /// The port.
    port: Option<Channel>,
    /// The port listens, and its byte has not come.
    asked: bool,
    /// There is no more.
    ended: bool,
    /// The byte sent last, until the port listens again.
    sent: Option<u8>,
    /// A byte that a reset has cut off.
    again: Option<u8>,
}

impl Input {
    /// The port `port` listens.
    fn listens(&mut self, port: Channel) {
        (self.port, self.asked, self.sent) = (Some(port), true, None);
    }

    /// The part was reset: a byte that was on the line, or not read yet, is sent again.
    fn was_reset(&mut self) {
        self.asked = false;
        self.again = self.sent.take().or(self.again);
    }

    /// Sends the byte that the guest listens for, if there is one.
    fn answer(&mut self, session: &mut Session<'_>, desk: &mut dyn Desk) {
        let Some(port) = self.port.filter(|_| self.asked && (!self.ended || self.again.is_some())) else { return };
        if !session.target().listens(port) {
            // The receiver was switched off; it says so when it listens again.
            self.asked = false;
            return;
        }
        let next = self.again.take().map_or_else(|| desk.next(false), Next::Byte);
        self.take(next, port, Cycles::ZERO, session, desk);
    }

    /// Handles the answer `next`; a byte comes at the cycle `from` or, if that is past, at the next one.
    fn take(&mut self, next: Next, port: Channel, from: Cycles, session: &mut Session<'_>, desk: &mut dyn Desk) {
        match next {
            Next::Byte(byte) => {
                let at = session.target().now().saturating_add(Cycles::new(1)).max(from);
                session.target().stimulate(at, Stimulus::send(port, vec![byte]));
                desk.sent(at, port, byte);
                (self.asked, self.sent) = (false, Some(byte));
            }
            Next::Nothing => {}
            Next::End => self.ended = true,
        }
    }

    /// The guest sleeps and nothing can wake it: a byte may. Returns the end of the run, or `None` if it goes on.
    fn awaken(
        &mut self,
        session: &mut Session<'_>,
        pace: Pace,
        desk: &mut dyn Desk,
        stop: &dyn Fn() -> bool,
    ) -> Option<DeskEnd> {
        let asleep = DeskEnd::Stopped(Stop::Deadlock(session.target().pc()));
        let Some(port) = self.port.filter(|_| self.asked && self.is_awaited(session, true)) else {
            return Some(asleep);
        };
        desk.flush();
        while !self.ended {
            if stop() {
                return Some(DeskEnd::Interrupted);
            }
            let next = desk.next(true);
            let timebase = session.target().timebase();
            let from = desk.clock().map_or(Cycles::ZERO, |real| timebase.cycle(Moment::Time(real)));
            if from >= timebase.cycle(pace.window) {
                return Some(DeskEnd::Window);
            }
            if from >= pace.most {
                return Some(DeskEnd::Budget);
            }
            self.take(next, port, from, session, desk);
            if !self.asked {
                return None;
            }
        }
        Some(DeskEnd::InputEnded)
    }

    /// True if the guest listens, or lacks a byte that a reset has cut off, and there may be one.
    fn is_to_come(&self) -> bool {
        self.asked && !self.ended || self.again.is_some()
    }

    /// True if the guest waits for another byte.
    fn is_awaited(&self, session: &Session<'_>, asleep: bool) -> bool {
        let listening = self.port.filter(|port| session.machine().listens(*port));
        listening.is_some_and(|port| waits(session.machine(), port, asleep))
    }
}

/// True if the guest waits for a byte at `awaited`, as a copy of the machine shows that is given one. One that sleeps
/// for ever waits if anything reads the byte. One that is at work may have an interrupt that only keeps the byte: it waits if
/// its program reads the byte itself, or answers to it.
fn waits(machine: &Machine, awaited: Channel, asleep: bool) -> bool {
    let mut copy = machine.clone();
    copy.shared().signals.want(SignalKind::Exception);
    let (now, timebase) = (copy.now(), copy.timebase());
    let end = timebase.cycle(Moment::Time(timebase.time(now).saturating_add(PATIENCE)));
    let written = copy.shared().console.len();
    copy.stimulate(now.saturating_add(Cycles::new(1)), Stimulus::send(awaited, vec![b'\n']));
    let (mut handlers, mut kept) = (0_u32, false);
    while copy.now() < end {
        let until = copy.now().saturating_add(Pace::POLL).min(end);
        let stop = copy.run(until);
        for (_, signal) in copy.shared().signals.drain() {
            match signal {
                Signal::ExceptionEntered { .. } => handlers += 1,
                Signal::ExceptionReturned { .. } => handlers = handlers.saturating_sub(1),
                // It listens again when the byte was read.
                Signal::Listens { port } if port == awaited && (asleep || handlers == 0) => return true,
                Signal::Listens { port } => kept |= port == awaited,
                _ => {}
            }
        }
        if copy.shared().files.are_missed() {
            // A copy has no files, so that it does not do the same from here on.
            return false;
        }
        if kept && copy.shared().console.len() > written {
            return !writes(machine, copy.now());
        }
        if !matches!(stop, Stop::Horizon | Stop::Watch(_) | Stop::Signal) {
            return false;
        }
    }
    false
}

/// True if the guest writes something up to the cycle `end` without another byte.
fn writes(machine: &Machine, end: Cycles) -> bool {
    let mut copy = machine.clone();
    let written = copy.shared().console.len();
    while copy.now() < end && matches!(copy.run(end), Stop::Horizon | Stop::Watch(_) | Stop::Signal) {
        copy.shared().signals.drain();
    }
    copy.shared().files.are_missed() || copy.shared().console.len() > written
}

/// The time since the guest wrote something.
#[derive(Debug)]
struct Silence {
    /// The bytes written by then.
    written: usize,
    since: Picoseconds,
    /// The time that is too long. It doubles, because it costs time to look at the guest.
    bound: Picoseconds,
}

impl Default for Silence {
    fn default() -> Self {
        Self { written: 0, since: Picoseconds::ZERO, bound: SILENCE }
    }
}

impl Silence {
    /// Tells if the guest has been silent for too long, counted from the first call.
    fn is_over(&mut self, session: &mut Session<'_>) -> bool {
        let (written, now) = (session.target().shared().console.len(), session.time());
        if written != self.written || self.since == Picoseconds::ZERO {
            *self = Self { written, since: now, bound: SILENCE };
        }
        let over = now.saturating_sub(self.since) >= self.bound;
        if over {
            self.bound = Picoseconds::new(self.bound.get().saturating_mul(2));
        }
        over
    }
}
