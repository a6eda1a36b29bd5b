//! The four stages of the ESP32's watchdogs (TRM, "Watchdog Timers"): each lasts as long as its register says and ends with an
//! action. Behind the last the first begins again; feeding goes back to it at once.

use crate::{Instant, Span};

/// The key that opens the registers of a watchdog to writes.
pub const KEY: u32 = 0x50D8_3AA1;

/// The action at the end of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// None.
    Off,
    /// An interrupt.
    Interrupt,
    /// A reset of the core.
    ResetCore,
    /// A reset of the part, without or with the real-time clock.
    ResetPart,
}

impl Action {
    /// The action that a field says.
    pub const fn of(field: u32) -> Self {
        match field {
            0 => Self::Off,
            1 => Self::Interrupt,
            2 => Self::ResetCore,
            _ => Self::ResetPart,
        }
    }
}

/// The stage that runs, and its begin.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stages {
    /// Its number, 0 to 3.
    pub stage: usize,
    since: Instant,
}

impl Stages {
    /// The first stage begins at `now`.
    pub const fn feed(&mut self, now: Instant) {
        *self = Self { stage: 0, since: now };
    }

    /// The next stage begins at `now`.
    pub const fn go_on(&mut self, now: Instant) {
        *self = Self { stage: (self.stage + 1) % 4, since: now };
    }

    /// The end of the stage, which lasts `count` periods of `clock`; never without a clock.
    pub fn end(&self, clock: Span, count: u64) -> Instant {
        if clock == Span::ZERO { Instant::NEVER } else { self.since.after(clock.times(count.max(1))) }
    }

    /// The unit of time has become `times` smaller.
    pub fn refine(&mut self, times: u64) {
        self.since = self.since.refined(times);
    }

    /// The clock that it counts has become `new`, from `old`, at `now`: what has passed counts as many periods as before.
    pub fn rescale(&mut self, now: Instant, old: Span, new: Span) {
        self.since = now.before(now.since(self.since).rescaled(old, new));
    }
}
