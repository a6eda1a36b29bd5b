//! Time and instructions between two points.

use std::time::Instant;

/// The time and instructions between the points.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    pub(super) elapsed_ns: u64,
    pub(super) instructions: Option<u64>,
}

/// A clock, and an instruction counter if the machine gives access to one. The counter covers the thread that creates
/// it and all threads that start later, so it is created before the runtime.
pub(super) struct Meter {
    #[cfg(target_os = "linux")]
    counter: Option<perf_event::Counter>,
    begun: Option<Instant>,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            counter: perf_event::Builder::new(perf_event::events::Hardware::INSTRUCTIONS).inherit(true).build().ok(),
            begun: None,
        }
    }

    /// Records the first point.
    pub(super) fn begin(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(counter) = &mut self.counter
            && counter.enable().is_err()
        {
            self.counter = None;
        }
        self.begun = Some(Instant::now());
    }

    /// Records the second point.
    pub(super) fn end(&mut self) -> Reading {
        let elapsed = self.begun.map(|begun| begun.elapsed()).unwrap_or_default();
        #[cfg(target_os = "linux")]
        let instructions = self.counter.as_mut().and_then(|counter| {
            counter.disable().ok()?;
            counter.read().ok().filter(|count| *count > 0)
        });
        #[cfg(not(target_os = "linux"))]
        let instructions = None;
        Reading { elapsed_ns: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX), instructions }
    }
}
