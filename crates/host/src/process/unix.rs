//! Starts a process, waits for it and reads its resource usage, by the calls that Unix systems have.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use wait4::Wait4;

use super::Usage;
use crate::HostError;

/// Allows only one child at a time, so that the growth of all children's usage is one child's usage.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Starts `command`, reads both outputs from pipes, and waits for it.
pub(super) fn wait(
    mut command: Command,
    path: &Path,
    limit: Duration,
) -> Result<(ExitStatus, Usage, Vec<u8>, String), HostError> {
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
