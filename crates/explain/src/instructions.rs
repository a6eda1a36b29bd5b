//! Instruction counts: exact by valgrind's callgrind, or by the processor's counter through perf where there is no valgrind.

use std::ffi::OsString;

use crate::command::Command;
use crate::error::RunError;
use crate::process::{Limits, Ran, alone};
use crate::source::{Unavailable, one_line, probe};

/// The instructions of one process are on a line that begins so, behind `==PID== `.
const COLLECTED: &str = "Collected :";

/// The event of perf: instructions outside the kernel.
const EVENT: &str = "instructions:u";

/// The longest file of counts that is read.
const LONGEST: u64 = 1 << 20;

/// A counter of instructions on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The program's name with its version.
    pub version: String,
    tool: Tool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Callgrind,
    Perf,
}

impl Counter {
    /// Finds a counter and tries it.
    ///
    /// # Errors
    /// [`Unavailable`] of valgrind.
    pub fn find() -> Result<Self, Unavailable> {
        const MISSING: Unavailable = Unavailable::Missing { tool: "valgrind", package: "valgrind" };
        let _alone = alone().map_err(|error| Unavailable::Incomplete(error.to_string()))?;
        let version = |tool: &str| probe(std::process::Command::new(tool).arg("--version"));
        let first = |text: String| text.lines().next().unwrap_or_default().trim().to_owned();
        let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=/dev/null", "true"];
        let why = match version("valgrind") {
            None => MISSING,
            Some(name) => match probe(std::process::Command::new("valgrind").args(options)).ok_or(MISSING)? {
                Ok(_) => {
                    let version = first(name.unwrap_or_default()).replace('-', " ");
                    return Ok(Self { version, tool: Tool::Callgrind });
                }
                Err(why) => Unavailable::Refused {
                    tool: "valgrind",
                    why,
                    advice: "install valgrind and the symbols of libc (libc6-dbg) of this system",
                },
            },
        };
        let trial = probe(std::process::Command::new("perf").args([
            "stat",
            "-x",
            ",",
            "-e",
            EVENT,
            "-o",
            "/dev/stdout",
            "true",
        ]));
        match (trial, version("perf")) {
            (Some(Ok(text)), Some(Ok(name))) if parse_perf(&text).is_some() => {
                Ok(Self { version: first(name).replace(" version", ""), tool: Tool::Perf })
            }
            _ => Err(why),
        }
    }

    /// Tells if a program always gives the same count.
    pub fn is_exact(&self) -> bool {
        self.tool == Tool::Callgrind
    }

    /// Returns the number of times that a run takes as long, roughly.
    pub fn slowdown(&self) -> f64 {
        if self.is_exact() { 60.0 } else { 1.1 }
    }

    /// Runs `command` and counts its instructions, of all its processes.
    ///
    /// # Errors
    /// [`RunError`] of the command; inside it [`Unavailable`] if the counter printed no count.
    pub fn run(&self, command: &Command, limits: Limits<'_>) -> Result<Result<(Ran, u64), Unavailable>, RunError> {
        let folder = tempfile::tempdir().map_err(RunError::System)?;
        let log = |name: &str| folder.path().join(name).into_os_string();
        let file = |option: &str, name: &str| {
            let mut word = OsString::from(option);
            word.push(log(name));
            word
        };
        let prefix: Vec<OsString> = match self.tool {
            Tool::Callgrind => {
                let mut words: Vec<OsString> =
                    ["valgrind", "--tool=callgrind", "--trace-children=yes", "--vgdb=no"].map(OsString::from).to_vec();
                words.extend([file("--callgrind-out-file=", "%p.out"), file("--log-file=", "%p.%n.log"), "--".into()]);
                words
            }
            Tool::Perf => {
                let mut words: Vec<OsString> =
                    ["perf", "stat", "-x", ",", "-e", EVENT, "-o"].map(OsString::from).to_vec();
                words.extend([log("0.log"), "--".into()]);
                words
            }
        };
        let ran = alone()?.run(&command.under(&prefix), limits, None)?;
        let texts = texts(folder.path()).map_err(RunError::System)?;
        let count = match self.tool {
            Tool::Callgrind => parse_callgrind(&texts),
            Tool::Perf => texts.iter().find_map(|text| parse_perf(text)),
        };
        let version = &self.version;
        let missing = || {
            Unavailable::Incomplete(format!(
                "{version} printed no count: {}",
                texts.last().map_or(String::new(), |text| one_line(text))
            ))
        };
        Ok(count.ok_or_else(missing).map(|count| (ran, count)))
    }
}

/// Returns the logs in `folder`.
fn texts(folder: &std::path::Path) -> std::io::Result<Vec<String>> {
    use std::io::Read as _;
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "log") {
            let mut bytes = Vec::new();
            std::fs::File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    Ok(texts)
}

/// Adds the counts of all processes in callgrind's logs; `None` if one has none.
pub fn parse_callgrind(texts: &[String]) -> Option<u64> {
    let count = |text: &String| -> Option<u64> {
        let line = text.lines().find_map(|line| line.split_once("== ")?.1.trim().strip_prefix(COLLECTED))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let counts: Option<Vec<u64>> = texts.iter().map(count).collect();
    let counts = counts.filter(|counts| !counts.is_empty())?;
    counts.into_iter().try_fold(0_u64, u64::checked_add)
}

/// Reads `12345,,instructions:u,…` of perf; `None` for `<not supported>`.
pub fn parse_perf(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.contains(EVENT))?;
    line.split(',').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_all_processes_are_added() {
        let log = |count: &str| {
            format!("==519== Callgrind, a profiler\n==519== Events    : Ir\n==519== Collected : {count}\n==519== \n")
        };
        assert_eq!(parse_callgrind(&[log("229735"), log("129322")]), Some(359_057));
        assert_eq!(parse_callgrind(&[log("1"), "==1== killed\n".to_owned()]), None);
        assert_eq!(parse_callgrind(&[]), None);
        assert_eq!(parse_callgrind(&[log("18446744073709551615"), log("1")]), None);
    }

    #[test]
    fn a_machine_without_counters_is_told_apart() {
        assert_eq!(parse_perf("# started on Sun\n\n<not supported>,,instructions:u,0,100.00,,\n"), None);
        assert_eq!(parse_perf("# started on Sun\n\n229735,,instructions:u,100,100.00,,\n"), Some(229_735));
        assert_eq!(parse_perf(""), None);
    }
}
