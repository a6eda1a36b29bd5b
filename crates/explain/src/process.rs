//! Runs one command as a process: starts it, drains what it prints, waits for it, and leaves nothing of it running.
//!
//! The command has a process group of its own, so that Ctrl-C on the terminal reaches this process first. It reads nothing, and of
//! what it prints only the end is kept. When it ends, runs late or is interrupted, everything that descends from it is killed,
//! on Linux wherever it went (see the page of the crate), elsewhere in its process group.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use wait4::Wait4 as _;

use crate::account::{Account, MainThread, bytes, of_children, own_peak, processor_time, schedstat};
use crate::command::Command;
use crate::error::RunError;
use crate::tree::{Process, descendants};

/// The end of an output that is kept, in bytes.
const TAIL: usize = 4096;

/// The bytes that are read at once.
const PIECE: usize = 1 << 16;

/// The pieces that a pipe may hold, at least: 1 MiB (pipe(7)) and more.
const PIECES: usize = 1 << 6;

/// The time between two looks at Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// The time that processes have to end by themselves after the command has ended.
const GRACE: Duration = Duration::from_millis(100);

/// The time after which killed processes are taken for unkillable.
const KILLED: Duration = Duration::from_secs(10);

/// The limits of a run.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// The most time.
    pub timeout: Duration,
    /// Tells if the user wants the end.
    pub stop: &'a dyn Fn() -> bool,
}

/// A run that has ended by itself.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its account.
    pub account: Account,
    /// The end of its standard output and standard error, as text.
    pub tail: String,
}

/// A stream beside the command's own that is read while it runs.
pub(crate) struct Feed<'a> {
    /// The stream.
    pub file: File,
    /// The receiver of its bytes.
    pub take: &'a mut dyn FnMut(&[u8]),
}

/// Allows one run at a time: this process's children are those of one run.
static ONE_AT_A_TIME: Mutex<Watched> = Mutex::new(Watched { helpers: Vec::new() });

/// The right to start children.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Children that are no part of a run.
    helpers: Vec<i32>,
}

/// The right to start children, held.
pub(crate) struct Alone(MutexGuard<'static, Watched>);

/// Waits until no other run is under way.
///
/// # Errors
/// [`RunError::System`] where this process cannot become the parent of orphans.
pub(crate) fn alone() -> Result<Alone, RunError> {
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(Alone(alone))
}

/// Runs `command` and returns its account.
///
/// # Errors
/// [`RunError`] if the command cannot be started, fails, is killed, exceeds the time, or leaves processes running.
pub fn run(command: &Command, limits: Limits<'_>) -> Result<Ran, RunError> {
    alone()?.run(command, limits, None)
}

impl Alone {
    /// Starts `command` as a child that is no part of a run. Whoever starts it waits for it, and calls [`Self::forget`].
    pub(crate) fn helper(&mut self, command: &mut std::process::Command) -> io::Result<Child> {
        let child = command.process_group(0).spawn()?;
        self.0.helpers.push(child.id().cast_signed());
        Ok(child)
    }

    /// Forgets a helper that has ended.
    pub(crate) fn forget(&mut self, child: &Child) {
        self.0.helpers.retain(|helper| *helper != child.id().cast_signed());
    }

    /// Runs `command`, and hands on what comes out of `feed` meanwhile.
    pub(crate) fn run(
        &self,
        command: &Command,
        limits: Limits<'_>,
        mut feed: Option<Feed<'_>>,
    ) -> Result<Ran, RunError> {
        let mut process = command.process();
        process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let before = of_children().map_err(RunError::System)?;
        // A shell that this process took the place of may have left it children.
        let there = descendants(std::process::id().cast_signed(), &self.0.helpers);
        let strangers: Vec<i32> = there.iter().map(|one| one.pid).chain(self.0.helpers.iter().copied()).collect();
        let waited_before = queued_here();
        let begun = Instant::now();
        let mut child = process.spawn().map_err(|error| RunError::Start { program: command.program(), error })?;
        // The standard library returns when the program is in the process, or could not be loaded.
        let at_start = processor_time(child.id());
        // This thread's own wait for a processor is not the command's start-up.
        let startup = begun.elapsed().saturating_sub(queued_here().saturating_sub(waited_before));
        let queued_at_start = schedstat(&child.id().to_string()).map(|(_, queued)| queued);
        let mut outputs = [
            Output::new(child.stdout.take().expect("it is piped").into()),
            Output::new(child.stderr.take().expect("it is piped").into()),
        ];
        let ended = self.follow(&child, begun, limits, &mut outputs, feed.as_mut());
        let wall = begun.elapsed();
        let of_main = schedstat(&child.id().to_string());
        let io = bytes(child.id());
        let left = match ended {
            Ok(End::Itself) => left_running(&child, &strangers),
            _ => Vec::new(),
        };
        let names = kill_all(&child, &strangers);
        if !names.is_empty() {
            return Err(RunError::Unkillable { command: command.name.clone(), names });
        }
        let waited = child.wait4().map_err(RunError::System)?;
        drain(&mut outputs, feed.as_mut());
        let after = of_children().map_err(RunError::System)?;
        let tail = tail(&outputs);
        match ended? {
            End::Itself => {}
            End::Stopped => return Err(RunError::Interrupted),
            End::Late => {
                let seconds = limits.timeout.as_secs_f64();
                return Err(RunError::TimedOut { command: command.name.clone(), seconds, tail });
            }
        }
        self.check(command, waited.status, tail.clone(), left)?;
        let main = of_main.zip(at_start).zip(queued_at_start).map(|(((running, queued), before), queued_before)| {
            let before = before.min(running).min(startup);
            MainThread { running: running - before, queued: queued.saturating_sub(queued_before.min(startup)), before }
        });
        let mut account = Account {
            wall,
            startup: startup.min(wall),
            peak_bytes: own_peak(waited.rusage.maxrss),
            read: io.map(|(read, _)| read),
            written: io.map(|(_, written)| written),
            main,
            ..Account::default()
        };
        account.add_usage(&before, &after);
        Ok(Ran { account, tail })
    }

    fn check(&self, command: &Command, status: ExitStatus, tail: String, left: Vec<String>) -> Result<(), RunError> {
        let command = command.name.clone();
        if !status.success() {
            return Err(RunError::Failed { command, status, tail });
        }
        if left.is_empty() { Ok(()) } else { Err(RunError::Left { command, names: left }) }
    }

    /// Reads what `child` prints until it has ended, is late, or the user wants the end.
    fn follow(
        &self,
        child: &Child,
        begun: Instant,
        limits: Limits<'_>,
        outputs: &mut [Output; 2],
        mut feed: Option<&mut Feed<'_>>,
    ) -> Result<End, RunError> {
        let watch = Watch::of(child)?;
        let mut piece = vec![0; PIECE];
        loop {
            let [out, err] = &*outputs;
            let mut files: Vec<BorrowedFd<'_>> = [out, err].into_iter().filter_map(Output::open).collect();
            files.extend(feed.as_ref().map(|feed| feed.file.as_fd()));
            let left = limits.timeout.saturating_sub(begun.elapsed()).min(watch.period());
            if watch.wait(&files, left)? {
                return Ok(End::Itself);
            }
            if (limits.stop)() {
                return Ok(End::Stopped);
            }
            if begun.elapsed() >= limits.timeout {
                return Ok(End::Late);
            }
            read(outputs, feed.as_deref_mut(), &mut piece);
        }
    }
}

/// Returns the processes below this one, without `strangers` and without `child`, which must stay until it is waited for.
fn own(child: &Child, strangers: &[i32]) -> Vec<Process> {
    let mut all = descendants(std::process::id().cast_signed(), strangers);
    all.retain(|one| child.id().cast_signed() != one.pid);
    all
}

/// Returns the names of those of `all` that run.
fn running(all: &[Process]) -> Vec<String> {
    all.iter().filter(|one| !one.is_zombie).map(|one| format!("{} ({})", one.name, one.pid)).collect()
}

/// Returns the names of the processes that still run some time after `child` has ended. Those that end are waited for.
fn left_running(child: &Child, strangers: &[i32]) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let all = own(child, strangers);
        let running = running(&all);
        reap(&all);
        if running.is_empty() || begun.elapsed() >= GRACE {
            return running;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits for those of `all` that have ended and whose parent is this process.
fn reap(all: &[Process]) {
    let own = std::process::id().cast_signed();
    for one in all.iter().filter(|one| one.is_zombie && one.parent == own) {
        if let Some(pid) = Pid::from_raw(one.pid) {
            // Another look finds it again if it is still there.
            let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::NOHANG);
        }
    }
}

/// Kills `child` and everything that descends from it, and waits for all but `child`, which has ended then. Returns the names of those
/// that could not be killed.
fn kill_all(child: &Child, strangers: &[i32]) -> Vec<String> {
    let group = Pid::from_child(child);
    // It may have ended by itself.
    let _ = kill_process_group(group, Signal::KILL);
    let _ = kill_process(group, Signal::KILL);
    let begun = Instant::now();
    loop {
        let all = own(child, strangers);
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // What cannot be asked about has been waited for.
        let is_over = waitid(WaitId::Pid(group), options).map_or(true, |status| status.is_some());
        if all.is_empty() && is_over {
            return Vec::new();
        }
        if begun.elapsed() >= KILLED {
            let own = (!is_over).then(|| format!("the command ({})", child.id()));
            return own.into_iter().chain(running(&all)).collect();
        }
        for one in all.iter().filter(|one| !one.is_zombie) {
            if let Some(pid) = Pid::from_raw(one.pid) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        reap(&all);
        std::thread::yield_now();
    }
}

/// Returns the time that this thread has waited for a processor since it began; zero where the system does not tell.
fn queued_here() -> Duration {
    schedstat("thread-self").map_or(Duration::ZERO, |(_, queued)| queued)
}

/// The end of a run.
enum End {
    Itself,
    Stopped,
    Late,
}

/// The end of a child, as something to wait for.
struct Watch {
    pid: Pid,
    /// A descriptor that is readable when the child has ended, where the system has one.
    end: Option<OwnedFd>,
}

impl Watch {
    fn of(child: &Child) -> Result<Self, RunError> {
        let pid = Pid::from_child(child);
        #[cfg(target_os = "linux")]
        let end = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok();
        #[cfg(not(target_os = "linux"))]
        let end = None;
        Ok(Self { pid, end })
    }

    /// The longest wait at once.
    fn period(&self) -> Duration {
        if self.end.is_some() { LOOK } else { Duration::from_millis(1) }
    }

    /// Waits until the child has ended, one of `files` has something, or `time` has passed. Returns `true` if the child has ended;
    /// it can still be waited for.
    fn wait(&self, files: &[BorrowedFd<'_>], time: Duration) -> Result<bool, RunError> {
        let mut polled: Vec<PollFd<'_>> =
            files.iter().map(|file| PollFd::from_borrowed_fd(*file, PollFlags::IN)).collect();
        polled.extend(self.end.iter().map(|end| PollFd::new(end, PollFlags::IN)));
        let time = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() };
        match poll(&mut polled, Some(&time)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if self.end.is_some() && polled.last().is_some_and(|end| end.revents().is_empty()) {
            return Ok(false);
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.pid), options) {
            Ok(status) => Ok(status.is_some()),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// One output of a command, of which the end is kept.
struct Output {
    pipe: Option<File>,
    tail: VecDeque<u8>,
}

impl Output {
    fn new(pipe: OwnedFd) -> Self {
        Self { pipe: Some(File::from(pipe)), tail: VecDeque::new() }
    }

    fn open(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Reads once, if that does not block. Returns `true` if something came.
    fn read(&mut self, piece: &mut [u8]) -> bool {
        let Some(pipe) = self.pipe.as_mut().filter(|pipe| is_ready(pipe.as_fd())) else { return false };
        match pipe.read(piece) {
            Ok(0) => self.pipe = None,
            Ok(count) => {
                let kept = &piece[count.saturating_sub(TAIL)..count];
                let over = (self.tail.len() + kept.len()).saturating_sub(TAIL);
                self.tail.drain(..over);
                self.tail.extend(kept);
                return true;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A pipe that cannot be read has no more to give.
            Err(_) => self.pipe = None,
        }
        false
    }
}

fn is_ready(file: BorrowedFd<'_>) -> bool {
    let mut one = [PollFd::from_borrowed_fd(file, PollFlags::IN)];
    poll(&mut one, Some(&Timespec::default())).is_ok_and(|count| count > 0)
}

/// Reads what is there, once from each stream. Returns `true` if something came.
fn read(outputs: &mut [Output; 2], feed: Option<&mut Feed<'_>>, piece: &mut [u8]) -> bool {
    let mut came = false;
    for output in outputs {
        came |= output.read(piece);
    }
    if let Some(feed) = feed
        && is_ready(feed.file.as_fd())
        && let Ok(count @ 1..) = feed.file.read(piece)
    {
        (feed.take)(&piece[..count]);
        came = true;
    }
    came
}

/// Reads what is left in the streams: a pipe holds no more than this many pieces, and nobody writes any more.
fn drain(outputs: &mut [Output; 2], mut feed: Option<&mut Feed<'_>>) {
    let mut piece = vec![0; PIECE];
    for _ in 0..PIECES {
        if !read(outputs, feed.as_deref_mut(), &mut piece) {
            break;
        }
    }
}

/// Returns the end of both outputs, standard output first.
fn tail(outputs: &[Output; 2]) -> String {
    let texts = outputs.iter().map(|output| {
        let bytes: Vec<u8> = output.tail.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let texts: Vec<String> = texts.filter(|text| !text.trim().is_empty()).collect();
    texts.join(if texts.first().is_some_and(|text| text.ends_with('\n')) { "" } else { "\n" })
}
