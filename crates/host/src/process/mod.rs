//! Runs one contender as a process: starts it, reads its output, waits for it, and reads its resource usage from the
//! kernel.

mod load;
mod syscalls;

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use wait4::Wait4;

use crate::HostError;
use crate::spec::{Account, Spec};
use crate::walk::COMPLAINT;

pub use load::Load;
pub use syscalls::{SystemCalls, count as count_system_calls, tracer};

/// The contenders' program and its leading arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file.
    pub path: PathBuf,
    /// The arguments before the specification.
    pub arguments: Vec<OsString>,
}

/// A process's resource usage, from the kernel and the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Time from before the start until the end.
    pub real: Duration,
    /// Processor time outside the kernel.
    pub user: Duration,
    /// Processor time in the kernel.
    pub system: Duration,
    /// Context switches because the process waited.
    pub voluntary: u64,
    /// Context switches because its time slice ended or another process had precedence.
    pub involuntary: u64,
}

/// The result of a contender's run.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its resource usage.
    pub usage: Usage,
    /// Its standard output.
    pub output: Vec<u8>,
    /// Its error lines, sorted.
    pub complaints: Vec<String>,
    /// Its own account.
    pub account: Account,
}

/// Allows only one child at a time, so that the growth of all children's usage is one child's usage.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs `spec` with `program`, on `root` for a walk, for at most `limit`.
///
/// # Errors
/// [`HostError`] if the program cannot be started, fails, is killed, exceeds the limit or prints no account.
pub fn run(program: &Program, spec: &Spec, root: Option<&Path>, limit: Duration) -> Result<Ran, HostError> {
    let (status, usage, output, stderr) = wait(command(program, spec, root), &program.path, limit)?;
    let (account, complaints) = heard(&stderr);
    match account {
        Some(account) if status.success() => Ok(Ran { usage, output, complaints, account }),
        None if status.success() => Err(HostError::Silent(stderr)),
        _ => Err(HostError::Failed { status, stderr }),
    }
}

/// Returns the command for `spec`.
fn command(program: &Program, spec: &Spec, root: Option<&Path>) -> Command {
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).arg(serde_json::to_string(spec).expect("a specification is names and numbers"));
    command.args(root);
    command
}

/// Splits a child's standard error into its account and its error lines.
fn heard(stderr: &str) -> (Option<Account>, Vec<String>) {
    let account = stderr.lines().rev().find_map(|line| line.strip_prefix(Account::PREFIX));
    let account = account.and_then(|text| serde_json::from_str(text).ok());
    let mut complaints: Vec<String> =
        stderr.lines().filter_map(|line| line.strip_prefix(COMPLAINT)).map(String::from).collect();
    complaints.sort();
    (account, complaints)
}

/// Starts `command`, reads both outputs from pipes, and waits for it.
fn wait(mut command: Command, path: &Path, limit: Duration) -> Result<(ExitStatus, Usage, Vec<u8>, String), HostError> {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // A process group of its own: Ctrl-C on the terminal ends the measurement after this run, not this run.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let children = || getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| HostError::Wait(error.into()));
    let before = children()?;
    let begun = Instant::now();
    let mut child = command.spawn().map_err(|error| HostError::Start { program: path.display().to_string(), error })?;
    let (mut stdout, mut stderr) =
        (child.stdout.take().expect("it is piped"), child.stderr.take().expect("it is piped"));
    let pid = Pid::from_raw(child.id().cast_signed());
    let (done, over) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let errors = scope.spawn(move || {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).map(|_| String::from_utf8_lossy(&text).into_owned())
        });
        let watchdog = scope.spawn(move || {
            let late = over.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
            if late {
                // The whole group, so that its children end too. This fails only if it has just ended by itself.
                let _ = kill(Pid::from_raw(-pid.as_raw()), Signal::SIGKILL);
            }
            late
        });
        let mut output = Vec::new();
        let drained = stdout.read_to_end(&mut output);
        let waited = child.wait4();
        let real = begun.elapsed();
        drop(done);
        let late = watchdog.join().expect("it waits and kills");
        let text = errors.join().expect("it reads").map_err(HostError::Wait)?;
        drained.map_err(HostError::Wait)?;
        let waited = waited.map_err(HostError::Wait)?;
        let after = children()?;
        if late {
            return Err(HostError::TimedOut { seconds: limit.as_secs() });
        }
        let grown = |after: i64, before: i64| u64::try_from(after - before).unwrap_or(0);
        let usage = Usage {
            real,
            user: waited.rusage.utime,
            system: waited.rusage.stime,
            voluntary: grown(after.voluntary_context_switches(), before.voluntary_context_switches()),
            involuntary: grown(after.involuntary_context_switches(), before.involuntary_context_switches()),
        };
        Ok((waited.status, usage, output, text))
    })
}
