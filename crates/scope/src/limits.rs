//! The limits of a run, and the reasons for its end.

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, Moment, Stop};

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The moment after reset at which a run without an end stops.
    pub until: Moment,
    /// The cycle after reset at which the run pauses, to be continued by another call.
    pub pause: Cycles,
    /// The period in cycles at which the session reads RTT and asks the caller's end condition.
    pub poll: Cycles,
}

impl Limits {
    /// Returns the limits of a run to `until` without a pause.
    pub fn until(until: impl Into<Moment>, poll: Cycles) -> Self {
        Self { until: until.into(), pause: Cycles::MAX, poll }
    }
}

/// The reason for the end of a session's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The caller's condition held, or the awaited event happened.
    Satisfied,
    /// The machine stopped.
    Stopped(Stop),
    /// The moment came at which the run stops.
    Limit,
    /// The cycle came at which the run pauses.
    Paused,
    /// The serial port of this number began to listen. Only if [`SignalKind::Serial`](cyclescope_machine::SignalKind::Serial) is
    /// wanted.
    Listens(Channel),
}
