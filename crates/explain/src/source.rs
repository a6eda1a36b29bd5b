//! Sources of more than the kernel's account.

use std::fmt;
use std::process::{Command, Stdio};

use thiserror::Error;

/// A source that a run is watched by, and slowed down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// System calls, by strace.
    SystemCalls,
    /// The states of all threads, by bpftrace.
    Scheduler,
    /// The waits of runtimes' threads, by perf.
    Waits,
    /// Instruction counts, by valgrind's callgrind, or by perf where there is no valgrind.
    Instructions,
}

impl Source {
    /// All sources, in the order of their runs.
    pub const ALL: [Self; 4] = [Self::SystemCalls, Self::Scheduler, Self::Waits, Self::Instructions];

    /// Returns the name in options and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SystemCalls => "syscalls",
            Self::Scheduler => "scheduler",
            Self::Waits => "waits",
            Self::Instructions => "instructions",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The reason why a source gives nothing, with what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unavailable {
    /// The program is not installed.
    #[error("{tool} is not installed; install the package {package}")]
    Missing {
        /// The program.
        tool: &'static str,
        /// Its package.
        package: &'static str,
    },
    /// The program is there and may not do its work.
    #[error("{tool} may not watch here: {why}; {advice}")]
    Refused {
        /// The program.
        tool: &'static str,
        /// Its own words, on one line.
        why: String,
        /// The advice.
        advice: &'static str,
    },
    /// A run that would take too long.
    #[error("left out: the run would take about {seconds} s; --all-sources asks for it")]
    TooLong {
        /// The estimate.
        seconds: u64,
    },
    /// A run of which the source gave less than the whole.
    #[error("left out: {0}")]
    Incomplete(String),
    /// The user does not want it.
    #[error("left out by --without or --traced 0")]
    Unwanted,
}

/// Runs a tool to see if it works here. Returns its standard output, or its standard error if it fails; `None` if it is missing.
pub(crate) fn probe(command: &mut Command) -> Option<Result<String, String>> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(if output.status.success() { Ok(text(&output.stdout)) } else { Err(one_line(&text(&output.stderr))) })
}

/// Returns the last line of `text` that says something, cut to a reasonable length.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it says nothing");
    line.trim().chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_missing_fails_or_answers() {
        assert_eq!(probe(&mut Command::new("/nonexistent/tool")), None);
        assert_eq!(probe(Command::new("sh").args(["-c", "echo one; echo no >&2; exit 1"])), Some(Err("no".to_owned())));
        assert_eq!(probe(Command::new("sh").args(["-c", "echo one"])), Some(Ok("one\n".to_owned())));
    }
}
