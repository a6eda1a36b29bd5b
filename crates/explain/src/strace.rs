//! System calls by strace: counts and time by name, futex waits and wakes, and the most threads at once.
//!
//! strace writes a line a call into a named pipe, which is parsed while the command runs, so that nothing grows with the number of
//! calls.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::time::Duration;

use nix::sys::stat::Mode;
use rustix::fs::OFlags;

use crate::command::Command;
use crate::error::RunError;
use crate::process::{Feed, Limits, Ran, alone};
use crate::source::{Unavailable, probe};

/// The longest line that is parsed; the rest of a longer one is passed over.
const LONGEST: usize = 1 << 16;

/// The most names that are told apart.
const NAMES: usize = 1024;

/// The calls of one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// The number of calls, those that never return included.
    pub count: u64,
    /// The time from entry to return, of all threads together.
    pub time: Duration,
}

/// The system calls of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemCalls {
    /// The calls by name.
    pub by_name: BTreeMap<String, Calls>,
    /// futex calls that wait, returned at once or not.
    pub futex_waits: u64,
    /// futex calls that wake.
    pub futex_wakes: u64,
    /// The most threads at once, of all processes together.
    pub threads: u64,
}

impl SystemCalls {
    /// Returns the number of all calls.
    pub fn total(&self) -> u64 {
        self.by_name.values().map(|calls| calls.count).sum()
    }

    /// Returns the time in all calls.
    pub fn time(&self) -> Duration {
        self.by_name.values().fold(Duration::ZERO, |sum, calls| sum.saturating_add(calls.time))
    }
}

/// strace on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strace {
    /// Its name with its version.
    pub version: String,
}

impl Strace {
    /// Finds strace and tries it.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub fn find() -> Result<Self, Unavailable> {
        const MISSING: Unavailable = Unavailable::Missing { tool: "strace", package: "strace" };
        let alone = alone().map_err(|error| Unavailable::Incomplete(error.to_string()))?;
        let version = probe(std::process::Command::new("strace").arg("--version")).ok_or(MISSING)?;
        let number = version.ok().and_then(|text| text.lines().next()?.rsplit(' ').next().map(str::to_owned));
        let trial = probe(std::process::Command::new("strace").args(["-f", "-q", "-o", "/dev/null", "true"]));
        drop(alone);
        match trial.ok_or(MISSING)? {
            Ok(_) => Ok(Self { version: format!("strace {}", number.unwrap_or_default()).trim().to_owned() }),
            Err(why) => Err(Unavailable::Refused {
                tool: "strace",
                why,
                advice: "allow ptrace: kernel.yama.ptrace_scope at most 1, in a container --cap-add SYS_PTRACE",
            }),
        }
    }

    /// Runs `command` under strace.
    ///
    /// # Errors
    /// [`RunError`].
    pub fn run(&self, command: &Command, limits: Limits<'_>) -> Result<(Ran, SystemCalls), RunError> {
        let folder = tempfile::tempdir().map_err(RunError::System)?;
        let pipe = folder.path().join("calls");
        nix::unistd::mkfifo(&pipe, Mode::S_IRUSR | Mode::S_IWUSR).map_err(|error| RunError::System(error.into()))?;
        let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(nonblocking).open(&pipe).map_err(RunError::System)?;
        // Numbers in the place of names cost less; the calls that start threads keep theirs, for the flags.
        let mut prefix: Vec<OsString> =
            ["strace", "-f", "-q", "-ttt", "-T", "-e", "raw=!clone,clone3,fork,vfork", "-o"]
                .map(OsString::from)
                .to_vec();
        prefix.extend([pipe.into_os_string(), "--".into()]);
        let mut reader = Reader::default();
        let mut take = |bytes: &[u8]| reader.take(bytes);
        let ran = alone()?.run(&command.under(&prefix), limits, Some(Feed { file, take: &mut take }))?;
        Ok((ran, reader.finish()))
    }
}

/// Reads lines of strace.
pub fn parse(output: &[u8]) -> SystemCalls {
    let mut reader = Reader::default();
    reader.take(output);
    reader.finish()
}

/// A reader of strace's lines.
#[derive(Debug, Default)]
struct Reader {
    line: Vec<u8>,
    calls: SystemCalls,
    /// The call that each thread is in.
    open: HashMap<u32, String>,
    alive: u64,
}

impl Reader {
    fn take(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LONGEST.saturating_sub(self.line.len());
            self.line.extend(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                self.line(&String::from_utf8_lossy(&line));
            }
        }
    }

    fn finish(self) -> SystemCalls {
        self.calls
    }

    /// Reads `PID TIME CALL(ARGUMENTS) = RESULT <DURATION>` and its halves; passes over what is none.
    fn line(&mut self, line: &str) {
        let Some((thread, rest)) = line.trim_end().split_once(' ') else { return };
        let Ok(thread) = thread.parse::<u32>() else { return };
        let Some((_, text)) = rest.trim_start().split_once(' ') else { return };
        if self.alive == 0 {
            (self.alive, self.calls.threads) = (1, 1);
        }
        if text.starts_with("+++ exited") || text.starts_with("+++ killed") {
            self.alive = self.alive.saturating_sub(1).max(1);
        } else if let Some(rest) = text.strip_prefix("<... ") {
            // A thread whose beginning was not seen has its name here.
            let named = rest.split(' ').next().unwrap_or_default().to_owned();
            let name = self.open.remove(&thread).unwrap_or(named);
            self.end(&name, rest);
        } else if let Some((name, arguments)) = text.split_once('(').filter(|(name, _)| is_name(name)) {
            self.begin(name, arguments);
            if arguments.ends_with("<unfinished ...>") {
                self.open.insert(thread, name.to_owned());
            } else {
                self.end(name, arguments);
            }
        }
    }

    fn begin(&mut self, name: &str, arguments: &str) {
        if self.calls.by_name.contains_key(name) || self.calls.by_name.len() < NAMES {
            self.calls.by_name.entry(name.to_owned()).or_default().count += 1;
        }
        match (name, futex_operation(arguments)) {
            ("futex", Some(Futex::Wait)) | ("futex_wait" | "futex_waitv", _) => self.calls.futex_waits += 1,
            ("futex", Some(Futex::Wake)) | ("futex_wake" | "futex_requeue", _) => self.calls.futex_wakes += 1,
            _ => {}
        }
    }

    fn end(&mut self, name: &str, rest: &str) {
        let time = rest.rsplit_once(" <").and_then(|(_, time)| seconds(time.strip_suffix('>')?));
        if let (Some(time), Some(calls)) = (time, self.calls.by_name.get_mut(name)) {
            calls.time = calls.time.saturating_add(time);
        }
        let result = rest.rsplit_once(" = ").and_then(|(_, result)| result.split(' ').next()?.parse::<i64>().ok());
        if matches!(name, "clone" | "clone3" | "fork" | "vfork") && result.is_some_and(|result| result > 0) {
            self.alive += 1;
            self.calls.threads = self.calls.threads.max(self.alive);
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// `12.345678` as a time.
fn seconds(text: &str) -> Option<Duration> {
    let value: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(value).ok()
}

/// The kind of a futex operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Futex {
    Wait,
    Wake,
}

/// Returns the kind of the operation in the second argument (futex(2)), a number with flags in its higher bits.
fn futex_operation(arguments: &str) -> Option<Futex> {
    let operation = arguments.split(", ").nth(1)?;
    let number = match operation.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => operation.parse().ok()?,
    };
    match number & 0x7f {
        // WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2.
        0 | 6 | 9 | 11 | 13 => Some(Futex::Wait),
        // WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, UNLOCK_PI, WAKE_BITSET, CMP_REQUEUE_PI.
        1 | 3 | 4 | 5 | 7 | 10 | 12 => Some(Futex::Wake),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> SystemCalls {
        let mut reader = Reader::default();
        // In pieces, as a pipe gives them.
        text.as_bytes().chunks(7).for_each(|piece| reader.take(piece));
        reader.finish()
    }

    const TRACE: &str = "\
473   1.000000 execve(0x7ffe0, 0x7ffac0, 0x7ae0) = 0 <0.000146>
473   1.000200 clone3({flags=CLONE_VM|CLONE_THREAD, child_tid=0x7f} => {parent_tid=[474]}, 88) = 474 <0.000100>
473   1.000400 futex(0x7fc7c8000b70, 0x189, 0, 0, 0, 0xffffffff <unfinished ...>
474   1.000500 futex(0x7fc7d834e6f8, 0x81, 0x1, 0, 0, 0) = 1 <0.000004>
474   1.000600 exit(0 <unfinished ...>
473   1.001400 <... futex resumed>) = 0 <0.001000>
474   1.001410 <... exit resumed>)      = ?
474   1.001420 +++ exited with 0 +++
473   1.001500 fork() = 475 <0.000050>
475   1.001600 exit_group(0)   = ?
475   1.001700 +++ exited with 0 +++
473   1.001750 --- SIGCHLD {si_signo=SIGCHLD, si_pid=475} ---
473   1.001800 openat(0xff, 0x7f, 0, 0) = -1 ENOENT (No such file or directory) <0.000007>
473   1.001900 exit_group(0)   = ?
473   1.002000 +++ exited with 0 +++
";

    #[test]
    fn calls_are_counted_and_timed_by_name() {
        let calls = read(TRACE);
        let of = |name: &str| calls.by_name.get(name).map(|calls| (calls.count, calls.time.as_micros()));
        assert_eq!(of("futex"), Some((2, 1004)));
        assert_eq!(of("exit_group"), Some((2, 0)));
        assert_eq!(of("openat"), Some((1, 7)));
        assert_eq!((calls.total(), calls.futex_waits, calls.futex_wakes, calls.threads), (9, 1, 1, 2));
        assert_eq!(calls.time().as_micros(), 146 + 100 + 1004 + 50 + 7);
    }

    #[test]
    fn what_is_no_line_of_strace_is_passed_over() {
        let mut noise = String::from("strace: no\n\n1 \n1 2\n99999999999 1.0 a() = 0 <1>\n1 1.0 a b() = 0 <1>\n");
        noise.push_str(
            "1 1.0 read(0) = 0 <nan>\n1 1.0 read(0) = 0 <-1>\n1 1.0 read(0) = 0 <1e300>\n1 1.0 ()\n1 1.0 +++ exited\n",
        );
        noise.push_str(&format!("1 1.0 write({}\n", "x".repeat(LONGEST)));
        let calls = read(&noise);
        assert_eq!(calls.total(), 4);
        assert_eq!(calls.time(), Duration::ZERO);
        let mut reader = Reader::default();
        for index in 0..2 * NAMES {
            reader.take(format!("1 1.0 c{index}() = 0 <0.1>\n").as_bytes());
        }
        assert_eq!(reader.finish().by_name.len(), NAMES);
    }

    #[test]
    fn futex_operations_are_told_apart_whatever_their_flags() {
        for (text, kind) in [
            ("0x1, 0x80, 0", Some(Futex::Wait)),
            ("0x1, 0x189, 0", Some(Futex::Wait)),
            ("0x1, 0x81, 1", Some(Futex::Wake)),
        ] {
            assert_eq!(futex_operation(text), kind, "{text}");
        }
        assert_eq!(futex_operation("0x1"), None);
        assert_eq!(futex_operation("0x1, 0x8e"), None);
    }
}
