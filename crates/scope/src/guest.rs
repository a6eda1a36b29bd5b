//! A guest's run, driven in slices: its output goes to a sink as it is written, and the caller may stop it.

use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_machine::{Channel, Console, Moment, Spin, Stop};

use crate::limits::{End, Limits};
use crate::observer::Observer;
use crate::session::{FORESIGHT, Session};

/// Takes the guest's output as it is written. `false` stops the guest.
pub type OutputSink<'a> = dyn FnMut(Channel, &[u8]) -> bool + 'a;

/// Hears at which cycle a run is, and at which time since it began. `true` ends the run.
pub type Pulse<'a> = dyn Fn(Cycles, Picoseconds) -> bool + 'a;

/// The reason for the end of a guest's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The run's window of time was over.
    Window,
    /// The event that ends the run happened, or the observer had seen enough.
    Reached,
    /// The guest ended its run.
    Stopped(Stop),
    /// The guest is in a loop that nothing can end.
    Spins(Spin),
    /// The caller ended the run.
    Interrupted,
}

/// The time that a guest's run may take.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The run ends at this moment after reset.
    pub window: Moment,
    /// The run ends at this cycle if that comes before.
    pub most: Cycles,
    /// The period at which the probe reads RTT.
    pub poll: Cycles,
    /// The period at which the caller is asked to stop. RTT is read at the start of each slice anew.
    pub slice: Cycles,
    /// [`run_guest`] goes on to the end even where nothing can happen any more.
    pub whole: bool,
    /// The cycle from which on it looks if nothing can happen any more; before, something is to come.
    pub looks_from: Cycles,
}

impl Pace {
    /// The usual period of reading RTT: a millisecond at 48 MHz.
    pub const POLL: Cycles = Cycles::new(48_000);

    /// The usual length of a slice.
    pub const SLICE: Cycles = Cycles::new(10_000_000);

    /// Returns the usual pace of a run that ends at the moment `window` after reset, and not before.
    pub fn until(window: impl Into<Moment>) -> Self {
        Self {
            window: window.into(),
            most: Cycles::MAX,
            poll: Self::POLL,
            slice: Self::SLICE,
            whole: true,
            looks_from: Cycles::ZERO,
        }
    }
}

/// Runs `session` to its end under the eyes of `observer`. Output goes to `sink`; `pulse` is called after each slice.
///
/// Unless the run is to be whole, it ends where nothing can happen any more. That is looked for at times that double, up to
/// [`Pace::SLICE`], and that depend on simulated state only. What the observer has seen by then is what it sees of a whole run.
pub fn run_guest(
    session: &mut Session<'_>,
    pace: Pace,
    observer: &mut dyn Observer,
    sink: &mut OutputSink<'_>,
    pulse: &Pulse<'_>,
) -> RunEnd {
    let mut output = OutputForwarder::default();
    let mut looks = (!pace.whole).then(|| Looks::starting(session.target().now().max(pace.looks_from)));
    let mut slice = Cycles::ZERO;
    loop {
        let now = session.target().now();
        if now >= slice {
            slice = now.saturating_add(pace.slice).min(pace.most);
        }
        let pause = match looks.as_ref().map(|looks| looks.next).filter(|next| *next < slice) {
            None => slice,
            Some(next) if session.polls_steadily() => next,
            // A pause at the session's next reading of RTT changes nothing.
            Some(_) => slice.min(now.saturating_add(pace.poll)),
        };
        let limits = Limits { pause, ..Limits::until(pace.window, pace.poll) };
        let ended = session.run_observed(limits, observer, |console| !output.forward(console, sink));
        output.forward(&session.target().shared().console, sink);
        match ended {
            End::Stopped(stop) => return RunEnd::Stopped(stop),
            End::Satisfied if output.is_refused() => return RunEnd::Interrupted,
            End::Satisfied => return RunEnd::Reached,
            End::Limit => return RunEnd::Window,
            End::Paused if pause == pace.most => return RunEnd::Window,
            End::Paused if pause == slice && pulse(session.target().now(), session.time()) => {
                return RunEnd::Interrupted;
            }
            End::Paused | End::Listens(_) => {}
        }
        if let Some(spin) = looks.as_mut().and_then(|looks| looks.at(session)) {
            return RunEnd::Spins(spin);
        }
    }
}

/// The looks for a loop that nothing can end.
struct Looks {
    next: Cycles,
    interval: Cycles,
    /// The latest look has found one, which the guest may not have come to yet.
    found: bool,
}

impl Looks {
    fn starting(now: Cycles) -> Self {
        Self { next: now.saturating_add(Pace::POLL), interval: Pace::POLL, found: false }
    }

    /// Returns the loop that the guest is in if a look is due and finds that nothing can end it, as the look before did.
    fn at(&mut self, session: &mut Session<'_>) -> Option<Spin> {
        let now = session.target().now();
        if now < self.next {
            return None;
        }
        self.interval = self.interval.saturating_add(self.interval).min(Pace::SLICE);
        let spin = session.will_spin();
        let known = std::mem::replace(&mut self.found, spin.is_some());
        self.next = now.saturating_add(if self.found { FORESIGHT } else { self.interval });
        spin.filter(|_| known)
    }
}

/// Forwards a console's bytes to a sink, each byte once and in order.
#[derive(Debug, Default)]
pub struct OutputForwarder {
    /// The runs of one channel that were forwarded. Only the last of them can have grown since.
    runs: usize,
    /// The forwarded bytes of the last run.
    bytes: usize,
    refused: bool,
}

impl OutputForwarder {
    /// Tells if the sink has refused output.
    pub fn is_refused(&self) -> bool {
        self.refused
    }

    /// Forwards the bytes that are new. Returns `false` once the sink has refused.
    pub fn forward(&mut self, console: &Console, sink: &mut OutputSink<'_>) -> bool {
        for (index, (channel, bytes)) in console.runs().enumerate().skip(self.runs.saturating_sub(1)) {
            let known = if index + 1 == self.runs { self.bytes } else { 0 };
            let new = bytes.get(known..).unwrap_or_default();
            if !new.is_empty() && !self.refused {
                self.refused = !sink(channel, new);
            }
            (self.runs, self.bytes) = (index + 1, bytes.len());
        }
        !self.refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_forwarded_once_and_in_order() {
        let mut console = Console::new(100);
        let mut output = OutputForwarder::default();
        let mut seen = Vec::new();
        let writes: [(Channel, &[u8]); 5] = [
            (Channel::Uart(2), b"ab"),
            (Channel::Uart(2), b"c"),
            (Channel::Rtt(0), b"d"),
            (Channel::Uart(2), b"e"),
            (Channel::Uart(2), b"fg"),
        ];
        for (index, (channel, bytes)) in writes.into_iter().enumerate() {
            console.write(channel, bytes);
            if index != 1 && index != 3 {
                assert!(output.forward(&console, &mut |_, new| {
                    seen.extend_from_slice(new);
                    true
                }));
            }
        }
        assert_eq!(seen, b"abcdefg");
        console.write(Channel::Uart(2), b"h");
        assert!(!output.forward(&console, &mut |_, _| false));
    }
}
