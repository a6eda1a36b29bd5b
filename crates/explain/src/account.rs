//! The kernel's account of a run.

use std::io;
use std::time::Duration;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// The bytes of a block in getrusage(2).
const BLOCK: u64 = 512;

/// The account of one run: of the command and all that it has waited for. `None` for what the system does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Time from before the start until the end.
    pub wall: Duration,
    /// Time from before the start until the command's program is in its process (execve(2) is done).
    pub startup: Duration,
    /// Processor time outside the kernel, of all threads.
    pub user: Duration,
    /// Processor time in the kernel, of all threads.
    pub system: Duration,
    /// The largest resident set of one process, in bytes. `None` if it does not exceed that of the process which started the command:
    /// Linux carries the largest of before over to the new program (execve(2)).
    pub peak_bytes: Option<u64>,
    /// Page faults without input from a disk.
    pub minor_faults: u64,
    /// Page faults that waited for a disk.
    pub major_faults: u64,
    /// Context switches because a thread waited.
    pub voluntary: u64,
    /// Context switches because a time slice ended or another thread had precedence.
    pub involuntary: u64,
    /// Bytes read from disks.
    pub disk_read: u64,
    /// Bytes written to disks, or to the cache of pages to be written.
    pub disk_written: u64,
    /// Bytes that read(2) and its like gave.
    pub read: Option<u64>,
    /// Bytes that write(2) and its like took.
    pub written: Option<u64>,
    /// The time of the main thread.
    pub main: Option<MainThread>,
}

/// The time of the main thread of a run's first process, from the end of its start-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MainThread {
    /// Time on a processor.
    pub running: Duration,
    /// Time in which it could run and waited for a processor.
    pub queued: Duration,
    /// Time on a processor before the end of start-up.
    pub before: Duration,
}

/// The resource usage of all children that this process has waited for.
pub(crate) fn of_children() -> io::Result<Usage> {
    Ok(getrusage(UsageWho::RUSAGE_CHILDREN)?)
}

impl Account {
    /// Adds the growth of the children's usage from `before` to `after`.
    pub(crate) fn add_usage(&mut self, before: &Usage, after: &Usage) {
        let grown = |of: fn(&Usage) -> i64| u64::try_from(of(after) - of(before)).unwrap_or(0);
        let time = |of: fn(&Usage) -> TimeVal| duration(of(after)).saturating_sub(duration(of(before)));
        self.user = time(Usage::user_time);
        self.system = time(Usage::system_time);
        self.minor_faults = grown(Usage::minor_page_faults);
        self.major_faults = grown(Usage::major_page_faults);
        self.voluntary = grown(Usage::voluntary_context_switches);
        self.involuntary = grown(Usage::involuntary_context_switches);
        self.disk_read = grown(Usage::block_reads).saturating_mul(BLOCK);
        self.disk_written = grown(Usage::block_writes).saturating_mul(BLOCK);
    }

    /// Processor time of all threads.
    pub fn processor(&self) -> Duration {
        self.user + self.system
    }
}

fn duration(time: TimeVal) -> Duration {
    let micros = i128::from(time.tv_sec()) * 1_000_000 + i128::from(time.tv_usec());
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}

/// Time on a processor and time in the run queue of the main thread of `process`, a number or `thread-self`, from
/// /proc/PID/schedstat, which a process that has ended still has until it is waited for. The kernel's documentation, scheduler/sched-stats, has the fields.
pub(crate) fn schedstat(process: &str) -> Option<(Duration, Duration)> {
    parse_schedstat(&std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?)
}

fn parse_schedstat(text: &str) -> Option<(Duration, Duration)> {
    let mut fields = text.split_whitespace().map(|field| field.parse().ok().map(Duration::from_nanos));
    Some((fields.next()??, fields.next()??))
}

/// The difference to which the kernel's counts of pages are exact, in bytes.
const INEXACT: u64 = 1 << 20;

/// Returns `peak`, the largest resident set that wait4(2) tells of a child, if it is the child's own.
pub(crate) fn own_peak(peak: u64) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    above_floor(peak, &status)
}

fn above_floor(peak: u64, status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let own = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    (peak > own.map_or(0, |own| own.saturating_mul(1024).saturating_add(INEXACT))).then_some(peak)
}

/// Bytes read and written by `pid` and all that it has waited for, from /proc/PID/io (proc_pid_io(5)).
pub(crate) fn bytes(pid: u32) -> Option<(u64, u64)> {
    parse_io(&std::fs::read_to_string(format!("/proc/{pid}/io")).ok()?)
}

fn parse_io(text: &str) -> Option<(u64, u64)> {
    let of = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok());
    Some((of("rchar:")?, of("wchar:")?))
}

/// The processor time of `pid` until now, exact to the nanosecond even while it runs; `None` where the system does not tell.
#[cfg(target_os = "linux")]
pub(crate) fn processor_time(pid: u32) -> Option<Duration> {
    let clock = nix::time::clock_getcpuclockid(nix::unistd::Pid::from_raw(i32::try_from(pid).ok()?)).ok()?;
    let time = nix::time::clock_gettime(clock).ok()?;
    Some(Duration::new(u64::try_from(time.tv_sec()).ok()?, u32::try_from(time.tv_nsec()).ok()?))
}

/// The same, where the system does not tell.
#[cfg(not(target_os = "linux"))]
pub(crate) fn processor_time(_: u32) -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_kernel_are_read_and_others_refused() {
        let nanos = Duration::from_nanos;
        assert_eq!(parse_schedstat("805811 57886 1\n"), Some((nanos(805_811), nanos(57_886))));
        assert_eq!(parse_schedstat("805811"), None);
        assert_eq!(parse_schedstat("a b c"), None);
        assert_eq!(parse_io("rchar: 12\nwchar: 7\nsyscr: 1\n"), Some((12, 7)));
        assert_eq!(parse_io("rchar: 12\n"), None);
    }

    #[test]
    fn a_peak_that_may_be_the_starters_is_none() {
        let status = "Name:\tx\nVmPeak:\t  90000 kB\nVmHWM:\t   10240 kB\n";
        assert_eq!(above_floor(10 << 20, status), None);
        assert_eq!(above_floor(12 << 20, status), Some(12 << 20));
        assert_eq!(above_floor(5, ""), Some(5), "a system that does not tell");
    }
}
