//! Runs one contender as a process: starts it, reads its output, waits for it, and reads its resource usage from the
//! kernel.

mod load;
mod syscalls;
#[cfg(unix)]
mod unix;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(not(unix))]
use std::process::ExitStatus;
use std::time::Duration;

use crate::HostError;
use crate::spec::{Account, Spec};
use crate::walk::COMPLAINT;

pub use load::Load;
pub use syscalls::{SystemCalls, count as count_system_calls, tracer};
#[cfg(unix)]
use unix::wait;

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

/// Refuses to run `command`: only Unix systems tell what a process took.
#[cfg(not(unix))]
fn wait(_: Command, path: &Path, _: Duration) -> Result<(ExitStatus, Usage, Vec<u8>, String), HostError> {
    Err(HostError::NotUnix { program: path.display().to_string() })
}
