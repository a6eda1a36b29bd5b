//! Progress on standard error: a bar where someone is looking, now and then a line where not.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cyclescope_report::{Surface, Table, terminal};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::error::CliError;
use crate::interrupt::interrupted;
use crate::output::{Console, tell};

/// The report of a run's progress. It is called from several threads.
pub trait Progress: Sync {
    /// Says in a line what is going to be done.
    fn announce(&self, text: &str) {
        let _ = text;
    }
    /// Says in a line what has come up in a run.
    fn note(&self, text: &str) {
        let _ = text;
    }
    /// Takes a table of the results while others are still to come.
    fn finished(&self, table: &Table) {
        let _ = table;
    }
    /// The work has `total` parts.
    fn begin(&self, total: u64);
    /// One more is done; `what` names it.
    fn done(&self, what: &str);
    /// Of a part that is under way, `done` of `of` steps are done.
    fn step(&self, done: u64, of: u64) {
        let _ = (done, of);
    }
}

/// Says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn begin(&self, _: u64) {}
    fn done(&self, _: &str) {}
}

/// The period of progress lines where no bar is seen: those who wait for a log to grow are patient.
const EVERY: Duration = Duration::from_secs(30);

/// A console, its surface, and the tables that it has shown, or why it could not.
type Shown<'c> = (&'c mut Console, Surface, Result<usize, CliError>);

/// A bar on standard error, erased when dropped; where standard error is no terminal, a line every half minute.
pub struct Bar<'c> {
    /// The receiver of tables that are shown as they come, with its first error, if there is one.
    shown: Option<Mutex<Shown<'c>>>,
    bar: ProgressBar,
    pace: Option<Pace>,
    /// When the part that is under way began; parts that tell of steps go on one at a time.
    begun: Mutex<Instant>,
}

impl<'c> Bar<'c> {
    /// A bar that shows itself once the work has begun; on `surface` of `console`, tables show as they come.
    pub fn new(console: &'c mut Console, surface: Option<Surface>) -> Self {
        let bar = ProgressBar::new(0);
        let seen = io::stderr().is_terminal();
        bar.set_draw_target(if seen { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() });
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len}{left} {wide_msg}") {
            bar.set_style(style.with_key("left", time_left));
        }
        let pace = if seen { None } else { Some(Pace::new(EVERY)) };
        let shown = surface.map(|surface| Mutex::new((console, surface, Ok(0))));
        Self { shown, bar, pace, begun: Mutex::new(Instant::now()) }
    }

    /// Ends the bar. Returns the number of tables that it has shown.
    ///
    /// # Errors
    /// [`CliError::Stdout`] if a table could not be shown.
    pub fn end(mut self) -> Result<usize, CliError> {
        let shown = self.shown.take().map(|shown| shown.into_inner().unwrap_or_else(PoisonError::into_inner));
        shown.map_or(Ok(0), |(_, _, result)| result)
    }

    /// A line, where lines are written and the next is due.
    fn say(&self, text: impl FnOnce() -> String) {
        if self.pace.as_ref().is_some_and(Pace::is_due) {
            // Nobody reads it, then.
            let _ = io::Write::write_all(&mut io::stderr(), (text() + "\n").as_bytes());
        }
    }

    /// When the part that is under way began, to be read or set.
    fn begun(&self) -> MutexGuard<'_, Instant> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Bar<'_> {
    fn announce(&self, text: &str) {
        tell(text);
    }

    fn note(&self, text: &str) {
        self.bar.suspend(|| tell(text));
    }

    fn finished(&self, table: &Table) {
        let Some(shown) = &self.shown else { return };
        let (console, surface, result) = &mut *shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(count) = result {
            let written = self.bar.suspend(|| console.write((terminal(table, *surface) + "\n").as_bytes()));
            *result = written.map(|()| *count + 1);
        }
    }

    fn begin(&self, total: u64) {
        self.bar.set_length(total);
        *self.begun() = Instant::now();
        self.pace.as_ref().inspect(|pace| pace.begin());
        if !self.bar.is_hidden() {
            self.bar.enable_steady_tick(Duration::from_millis(100));
        }
    }

    fn done(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.inc(1);
        *self.begun() = Instant::now();
        self.say(|| format!("{} of {}: {what}", self.bar.position(), self.bar.length().unwrap_or(0)));
    }

    fn step(&self, done: u64, of: u64) {
        let (elapsed, last) = (self.begun().elapsed(), self.bar.length() == Some(self.bar.position() + 1));
        let message = format!("{done} of {of}{}", left(elapsed, done, of, last));
        self.say(|| format!("part {} of {}: {message}", self.bar.position() + 1, self.bar.length().unwrap_or(0)));
        self.bar.set_message(message);
    }
}

/// When the next line is due.
#[derive(Debug)]
struct Pace {
    every: Duration,
    latest: Mutex<Instant>,
}

impl Pace {
    fn new(every: Duration) -> Self {
        Self { every, latest: Mutex::new(Instant::now()) }
    }

    fn latest(&self) -> MutexGuard<'_, Instant> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The work begins.
    fn begin(&self) {
        *self.latest() = Instant::now();
    }

    /// Tells if a line is due, which is written then.
    fn is_due(&self) -> bool {
        let mut latest = self.latest();
        let due = latest.elapsed() >= self.every;
        if due {
            *latest = Instant::now();
        }
        due
    }
}

/// Writes the time that the bar's work still takes, once some of it is done; after Ctrl-C, what it ends with.
fn time_left(state: &ProgressState, to: &mut dyn Write) {
    // A text that cannot be written is not seen either.
    let _ = match (interrupted(), state.pos()) {
        (true, _) => to.write_str(", stops after what is under way (Ctrl-C: at once)"),
        (false, 0) => Ok(()),
        (false, _) => write!(to, ", {:#} left", HumanDuration(state.eta())),
    };
}

/// Returns the time left of a part, of which `done` of `of` steps took `elapsed`, if steps take about the same; where others
/// follow it says that these are not counted.
fn left(elapsed: Duration, done: u64, of: u64, last: bool) -> String {
    if done == 0 {
        return String::new();
    }
    let left = elapsed.as_secs_f64() * of.saturating_sub(done) as f64 / done as f64;
    let time = if left < 120.0 { format!("{left:.0} s") } else { format!("{:.0} min", left / 60.0) };
    format!(", about {time} left{}", if last { "" } else { " of this part" })
}

impl Drop for Bar<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_due_when_their_time_has_come() {
        let (often, rarely) = (Pace::new(Duration::ZERO), Pace::new(Duration::MAX));
        assert!(often.is_due() && often.is_due());
        assert!(!rarely.is_due());
    }

    #[test]
    fn what_is_left_is_said_in_units_that_fit() {
        let at = |seconds, done, of, last| left(Duration::from_secs(seconds), done, of, last);
        assert_eq!(at(10, 0, 100, true), "", "nothing is known yet");
        assert_eq!(at(10, 50, 100, true), ", about 10 s left");
        assert_eq!(at(60, 100, 731, false), ", about 6 min left of this part");
        assert_eq!(at(10, 100, 100, true), ", about 0 s left");
    }
}
