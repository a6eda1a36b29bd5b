//! Counts system calls with strace, if this machine has a strace that may trace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Program, command, wait};
use crate::HostError;
use crate::spec::Spec;

/// The system calls of one run, of all threads together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemCalls {
    /// The number of calls, by name.
    pub calls: BTreeMap<String, u64>,
}

impl SystemCalls {
    /// Returns the number of all calls.
    pub fn total(&self) -> u64 {
        self.calls.values().sum()
    }

    /// Returns the number of calls of `name`.
    pub fn of(&self, name: &str) -> u64 {
        self.calls.get(name).copied().unwrap_or(0)
    }

    /// Returns the number of threads that were started, by the calls that start them.
    pub fn threads(&self) -> u64 {
        self.of("clone") + self.of("clone3")
    }

    /// Parses strace's table: lines that end in `calls name`, between two lines of dashes.
    fn read(table: &str) -> Option<Self> {
        let mut calls = BTreeMap::new();
        for line in table.lines().skip_while(|line| !line.starts_with('-')).skip(1) {
            if line.starts_with('-') {
                return Some(Self { calls });
            }
            let mut words = line.split_whitespace();
            let (count, name) = (words.next()?.parse().ok()?, words.next()?);
            calls.insert(name.to_owned(), count);
        }
        None
    }
}

/// Returns this machine's strace, if it has one that may trace.
pub fn tracer() -> Option<PathBuf> {
    let path = PathBuf::from("strace");
    let mut command = Command::new(&path);
    command.args(["-f", "-qq", "-c", "-o", "/dev/null", "true"]);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    status.success().then_some(path)
}

/// Runs `spec` under `tracer` and counts its system calls. Tracing makes a program many times slower, so only the
/// counts are usable. For programs that wait at other places when they are slow, the counts are approximate.
///
/// # Errors
/// [`HostError`] if the program cannot be run or traced.
pub fn count(
    tracer: &Path,
    program: &Program,
    spec: &Spec,
    root: Option<&Path>,
    limit: Duration,
) -> Result<SystemCalls, HostError> {
    let table = tempfile::NamedTempFile::new().map_err(HostError::Wait)?;
    let inner = command(program, spec, root);
    let mut outer = Command::new(tracer);
    outer.args(["-f", "-qq", "-c", "-U", "calls,name", "-o"]).arg(table.path()).arg("--");
    outer.arg(inner.get_program()).args(inner.get_args());
    let (status, _, _, stderr) = wait(outer, tracer, limit)?;
    if !status.success() {
        return Err(HostError::Failed { status, stderr });
    }
    let text = std::fs::read_to_string(table.path()).map_err(HostError::Wait)?;
    SystemCalls::read(&text).ok_or(HostError::Silent(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_to_its_second_rule() {
        let table = "    calls syscall\n--------- ----------------\n      230 futex\n        3 clone3\n--------- ----------------\n      233 total\n";
        let calls = SystemCalls::read(table).unwrap();
        assert_eq!((calls.total(), calls.of("futex"), calls.threads()), (233, 230, 3));
        assert_eq!(SystemCalls::read("strace: no\n"), None);
        assert_eq!(SystemCalls::read("---\n1 a\n"), None, "cut short");
    }
}
