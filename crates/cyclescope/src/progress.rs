//! Progress on standard error, only where someone is looking.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What reports how far the work is. Called from several threads.
pub trait Progress: Sync {
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

/// A bar on standard error, erased when dropped; nothing where standard error is no terminal.
#[derive(Debug)]
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar that shows itself once the work has begun.
    pub fn new() -> Self {
        let bar = ProgressBar::new(0);
        let seen = std::io::stderr().is_terminal();
        bar.set_draw_target(if seen { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() });
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }
}

impl Default for Bar {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress for Bar {
    fn begin(&self, total: u64) {
        self.0.set_length(total);
        if !self.0.is_hidden() {
            self.0.enable_steady_tick(Duration::from_millis(100));
        }
    }

    fn done(&self, what: &str) {
        self.0.set_message(what.to_owned());
        self.0.inc(1);
    }

    fn step(&self, done: u64, of: u64) {
        // Steps of one part take about the same time each; where several parts go on at once this is not known.
        let left = if self.0.length() == Some(1) && done > 0 {
            let left = self.0.elapsed().as_secs_f64() * of.saturating_sub(done) as f64 / done as f64;
            format!(", about {left:.0} s left")
        } else {
            String::new()
        };
        self.0.set_message(format!("{done} of {of}{left}"));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
