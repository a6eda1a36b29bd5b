//! The waits of a runtime's threads, by perf: a worker that a task blocks, one that has nothing to do, and a thread that may wait.
//!
//! perf records each switch of a thread with a copy of its stack, which is unwound here by the call frames of the program's files: neither
//! frame pointers nor instrumentation are needed. Line tables tell functions that were compiled into others, and lines.

mod bounds;
mod program;
mod recording;
mod runtimes;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;
use std::time::Duration;

pub use runtimes::{Frame, Place, State};

use crate::command::Command;
use crate::error::RunError;
use crate::process::{Limits, Ran, alone};
use crate::source::{Unavailable, probe};

/// The bytes of a stack that are copied at each switch.
const STACK: &str = "dwarf,16384";

/// The most that is recorded of one run: some 65,000 switches.
const LARGEST: &str = "1G";

/// The same in bytes.
const LARGEST_BYTES: u64 = 1 << 30;

/// The size of the buffer of each processor that perf asks for. Who is not root gets less.
const BUFFER: &str = "4M";

/// Some waits of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Their number.
    pub times: u64,
    /// Their time, from when the thread left its processor until it had one again.
    pub total: Duration,
    /// The time of the longest.
    pub longest: Duration,
}

impl Sum {
    fn add(&mut self, time: Duration) {
        self.merge(&Self { times: 1, total: time, longest: time });
    }

    fn merge(&mut self, other: &Self) {
        self.times += other.times;
        self.total = self.total.saturating_add(other.total);
        self.longest = self.longest.max(other.longest);
    }
}

/// The waits of all threads of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// The switches that were recorded.
    pub switches: u64,
    /// The waits by runtime and state.
    pub states: BTreeMap<(Option<&'static str>, State), Sum>,
    /// The waits of workers that tasks blocked, by runtime and place.
    pub blocks: BTreeMap<(&'static str, Place), Sum>,
}

impl Waits {
    /// Returns the waits in `state`, of all runtimes together.
    pub fn of(&self, state: State) -> Sum {
        let mut sum = Sum::default();
        self.states.iter().filter(|((_, one), _)| *one == state).for_each(|(_, one)| sum.merge(one));
        sum
    }
}

/// perf on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perf {
    /// Its name with its version.
    pub version: String,
    /// Tells if it may have large buffers.
    large: bool,
}

impl Perf {
    /// Finds perf and tries it.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub fn find() -> Result<Self, Unavailable> {
        const MISSING: Unavailable = Unavailable::Missing { tool: "perf", package: "linux-perf" };
        let failed = |error: &dyn std::fmt::Display| Unavailable::Incomplete(error.to_string());
        let _alone = alone().map_err(|error| failed(&error))?;
        let version = probe(std::process::Command::new("perf").arg("--version")).ok_or(MISSING)?;
        let refused = |why| Unavailable::Refused {
            tool: "perf",
            why,
            advice: "run as root, or set kernel.perf_event_paranoid to 1 or less",
        };
        let version = version.map_err(refused)?.trim().replace(" version", "");
        let folder = tempfile::tempdir().map_err(|error| failed(&error))?;
        let file = folder.path().join("trial");
        let mut why = String::new();
        for large in [true, false] {
            let words = words(&file, large);
            let mut trial = std::process::Command::new(&words[0]);
            trial.args(&words[1..]).args(["sleep", "0.001"]);
            match probe(&mut trial).ok_or(MISSING)? {
                Ok(_) => {
                    let recorded = File::open(&file).map_err(|error| failed(&error))?;
                    // Who may not see the kernel is given no switches, without a word.
                    return match parse(BufReader::new(recorded))? {
                        Waits { switches: 0, .. } => Err(refused("it records no switches of threads".to_owned())),
                        _ => Ok(Self { version, large }),
                    };
                }
                Err(words) => why = words,
            }
        }
        Err(refused(why))
    }

    /// Runs `command` while perf records.
    ///
    /// # Errors
    /// [`RunError`] of the command; inside it [`Unavailable`] if perf did not record all.
    pub fn run(&self, command: &Command, limits: Limits<'_>) -> Result<Result<(Ran, Waits), Unavailable>, RunError> {
        let folder = tempfile::tempdir().map_err(RunError::System)?;
        let file = folder.path().join("recording");
        let result = alone()?.run(&command.under(&words(&file, self.large)), limits, None);
        let size = file.metadata().map_or(0, |about| about.len());
        if size >= LARGEST_BYTES {
            // perf has ended the command.
            let why = format!("the run has more switches of threads than {LARGEST} of recording hold");
            return Ok(Err(Unavailable::Incomplete(why)));
        }
        let ran = result?;
        let recorded = File::open(&file).map_err(RunError::System)?;
        Ok(parse(BufReader::new(recorded)).map(|waits| (ran, waits)))
    }
}

/// The words before a command that have perf record it into `file`.
fn words(file: &Path, large: bool) -> Vec<OsString> {
    let mut words: Vec<OsString> = ["perf", "record", "-q", "-B", "-N", "-o"].map(OsString::from).to_vec();
    words.push(file.as_os_str().to_owned());
    let options = [
        "-e",
        "context-switches",
        "-c",
        "1",
        "--switch-events",
        "--user-callchains",
        "--call-graph",
        STACK,
        "--max-size",
        LARGEST,
    ];
    words.extend(options.map(OsString::from));
    if large {
        words.extend(["-m", BUFFER].map(OsString::from));
    }
    words.push("--".into());
    words
}

/// Reads what perf has recorded by this module's command.
///
/// # Errors
/// [`Unavailable::Incomplete`] if it is not of a whole run.
pub fn parse(recording: impl Read + Seek) -> Result<Waits, Unavailable> {
    recording::read(recording)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_recording_has_no_waits() {
        for bytes in [&b""[..], b"PERFILE2", &[0; 4096]] {
            assert!(matches!(parse(std::io::Cursor::new(bytes)), Err(Unavailable::Incomplete(_))), "{bytes:?}");
        }
    }

    #[test]
    fn waits_of_one_state_add_up_over_runtimes() {
        let sum = |ms| Sum { times: 1, total: Duration::from_millis(ms), longest: Duration::from_millis(ms) };
        let states = [((Some("smol"), State::Idle), sum(3)), ((Some("tokio"), State::Idle), sum(5))];
        let waits = Waits { states: states.into(), ..Waits::default() };
        let both = Sum { times: 2, total: Duration::from_millis(8), longest: Duration::from_millis(5) };
        assert_eq!((waits.of(State::Idle), waits.of(State::Blocked)), (both, Sum::default()));
    }
}
