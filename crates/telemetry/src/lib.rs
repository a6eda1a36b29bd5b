//! Asynchronous runtimes on the host, by the traces that their own telemetry writes.
//!
//! [`Events::read`] reads the files of dial9, which tokio's hooks feed. [`view`] makes of them what the X-ray of a chip gives: a
//! [`cyclescope_scope::TaskReport`], in nanoseconds in the place of cycles and workers in the place of cores, and what only such a
//! runtime has: queues, moves between workers, polls that blocked one.
#![forbid(unsafe_code)]

mod ledger;
mod read;
mod tasks;

pub use ledger::{Blocked, Moment, Place, Queues, View, Worker};
pub use read::{Events, TelemetryError, is_trace};

use std::time::Duration;

/// A poll that takes longer blocks its worker, unless somebody says otherwise.
pub const BLOCKING: Duration = Duration::from_millis(1);

/// Makes the view of `events`. A poll that takes longer than `blocking` blocked its worker; the first `most` events are kept
/// for a timeline.
pub fn view(events: Events, blocking: Duration, most: usize) -> View {
    ledger::Ledger::new(blocking, most).run(events)
}
