//! A line on standard error, if that is a terminal, that says how far a run is. It goes before anything else is written.

use std::cell::RefCell;
use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cyclescope_machine::figures::time;
use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_scope::Time;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt::interrupted;

/// The line, while it is shown.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// The silence of a run after which its line is shown.
const SILENCE: Duration = Duration::from_secs(2);

/// The period at which the line is renewed.
const EVERY: Duration = Duration::from_millis(200);

/// Shows `text` in place of the line before.
fn show(text: String) {
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let bar = shown.get_or_insert_with(|| {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        bar
    });
    bar.set_message(text);
}

/// Takes the line away, if it is shown. Where another thread is about to renew it, that one takes it away.
pub(crate) fn hide() {
    if let Ok(mut shown) = SHOWN.try_lock()
        && let Some(bar) = shown.take()
    {
        bar.finish_and_clear();
    }
}

/// The line of a run under way.
#[derive(Debug)]
pub(crate) struct Status {
    /// Nobody sees standard error.
    unseen: bool,
    begun: Instant,
    /// The time of the guest's latest output.
    heard: Instant,
    renewed: Option<Instant>,
}

impl Status {
    /// The run begins.
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Self { unseen: !stderr().is_terminal(), begun: now, heard: now, renewed: None }
    }

    /// The guest has written something, which stands where the line would.
    pub(crate) fn heard(&mut self) {
        (self.heard, self.renewed) = (Instant::now(), None);
    }

    /// The run is at the cycle `cycles`, the simulated time `at`. With `room` the line may be shown: no other is under way.
    pub(crate) fn under_way(&mut self, cycles: Cycles, at: Picoseconds, room: bool) {
        if self.is_due(room) {
            show(line(&cycles.to_string(), at, self.begun.elapsed()));
        }
    }

    /// Tells if the line is to be renewed now.
    fn is_due(&mut self, room: bool) -> bool {
        let silent = !self.unseen && room && self.heard.elapsed() >= SILENCE;
        let due = silent && self.renewed.is_none_or(|renewed| renewed.elapsed() >= EVERY);
        if due {
            self.renewed = Some(Instant::now());
        }
        due
    }
}

/// The line of a run that lasts for a certain time, unless it is interrupted.
#[derive(Debug)]
pub(crate) struct Window {
    status: RefCell<Status>,
    length: Time,
}

impl Window {
    /// A run of the length `length` begins.
    pub(crate) fn new(length: Time) -> Self {
        Self { status: RefCell::new(Status::new()), length }
    }

    /// The guest has written something to where the line would stand.
    pub(crate) fn heard(&self) {
        self.status.borrow_mut().heard();
    }

    /// The run is at the simulated time `at`. Returns `true` once it is interrupted.
    pub(crate) fn pulse(&self, _: Cycles, at: Picoseconds) -> bool {
        let mut status = self.status.borrow_mut();
        if status.is_due(true) {
            show(line(&format!("{} asked for", self.length), at, status.begun.elapsed()));
        }
        interrupted()
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        hide();
    }
}

/// Returns the text for a run that took the time `real` so far. `how_far` says more of the place it is at.
fn line(how_far: &str, at: Picoseconds, real: Duration) -> String {
    let speed = at.get() as f64 / 1e12 / real.as_secs_f64().max(1e-9);
    let places = if speed < 9.95 { 2 } else { 0 };
    format!("{} simulated, {how_far}, {speed:.places$} × real time; Ctrl-C ends the run", time(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_time_cycles_speed_and_the_way_to_stop() {
        let cycles = Cycles::new(600_000_000).to_string();
        let line = line(&cycles, Picoseconds::new(12_500_000_000_000), Duration::from_secs(50));
        assert_eq!(line, "12.50 s simulated, 600,000,000 cycles, 0.25 × real time; Ctrl-C ends the run");
        assert!(line.chars().count() <= 80);
    }

    #[test]
    fn only_a_terminal_with_room_shows_a_line() {
        let long_ago = Instant::now().checked_sub(2 * SILENCE).expect("the machine has run for some seconds");
        for (unseen, room, shows) in [(true, true, false), (false, false, false), (false, true, true)] {
            let mut status = Status { unseen, begun: long_ago, heard: long_ago, renewed: None };
            status.under_way(Cycles::new(7), Picoseconds::new(1), room);
            assert_eq!(status.renewed.is_some(), shows, "{unseen} {room}");
            status.heard();
            status.under_way(Cycles::new(8), Picoseconds::new(1), room);
            assert!(status.renewed.is_none(), "the guest has just written");
        }
    }
}
