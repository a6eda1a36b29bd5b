//! One contender as a process: started, drained, waited for, and what the kernel says it took.

mod load;
mod syscalls;

use std::ffi::OsString;
use std::io::{self, Read};
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

/// The program that contenders are: what it is called with, before the work itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file.
    pub path: PathBuf,
    /// Its first arguments.
    pub arguments: Vec<OsString>,
}

/// What a process took, by the kernel's account of it, and by the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// From before it was started until it was waited for.
    pub real: Duration,
    /// Processor time outside the kernel.
    pub user: Duration,
    /// Processor time in the kernel.
    pub system: Duration,
    /// Context switches because it waited.
    pub voluntary: u64,
    /// Context switches because its time was over or another's came.
    pub involuntary: u64,
}

/// A contender that ran.
#[derive(Clone, Debug)]
pub struct Ran {
    /// What it took.
    pub usage: Usage,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// What it could not read, a sorted line each.
    pub complaints: Vec<String>,
    /// What it says of itself.
    pub account: Account,
}

/// Children are waited for one at a time, so that what all children took so far grows by what one took.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs `spec` by `program`, on `root` for a walk, for at most `limit`.
///
/// # Errors
/// [`HostError`] if it cannot be started, fails, is killed, takes too long or says nothing of itself.
pub fn run(program: &Program, spec: &Spec, root: Option<&Path>, limit: Duration) -> Result<Ran, HostError> {
    let (status, usage, output, stderr) = wait(command(program, spec, root), &program.path, limit)?;
    let (account, complaints) = heard(&stderr);
    match account {
        Some(account) if status.success() => Ok(Ran { usage, output, complaints, account }),
        None if status.success() => Err(HostError::Silent(stderr)),
        _ => Err(HostError::Failed { status, stderr }),
    }
}

/// The command that does `spec`.
fn command(program: &Program, spec: &Spec, root: Option<&Path>) -> Command {
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).arg(serde_json::to_string(spec).expect("a specification is names and numbers"));
    command.args(root);
    command
}

/// What a child says of itself on standard error: its account, and what it could not read.
fn heard(stderr: &str) -> (Option<Account>, Vec<String>) {
    let account = stderr.lines().rev().find_map(|line| line.strip_prefix(Account::MARK));
    let account = account.and_then(|text| serde_json::from_str(text).ok());
    let mut complaints: Vec<String> =
        stderr.lines().filter_map(|line| line.strip_prefix(COMPLAINT)).map(String::from).collect();
    complaints.sort();
    (account, complaints)
}

/// Starts `command` with both outputs in pipes that are drained, and waits for it.
fn wait(mut command: Command, path: &Path, limit: Duration) -> Result<(ExitStatus, Usage, Vec<u8>, String), HostError> {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // A group of its own: Ctrl-C on the terminal ends the measuring after this run, and not this run.
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
                // Its group, so that what it has started ends, too. Fails only where it has just ended by itself.
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

/// Keeps this process to the first `cpus` of the processors that it may use.
///
/// # Errors
/// If there are fewer, or the system cannot do it.
#[cfg(target_os = "linux")]
pub(crate) fn restrict(cpus: usize) -> io::Result<()> {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    let this = Pid::from_raw(0);
    let allowed = sched_getaffinity(this)?;
    let mut chosen = CpuSet::new();
    let mut left = cpus;
    for cpu in 0..CpuSet::count() {
        if left > 0 && allowed.is_set(cpu)? {
            chosen.set(cpu)?;
            left -= 1;
        }
    }
    if cpus == 0 || left > 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("there are {}", cpus - left)));
    }
    Ok(sched_setaffinity(this, &chosen)?)
}

/// Not here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn restrict(_: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
