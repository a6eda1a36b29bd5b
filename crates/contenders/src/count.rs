//! Counters of a child that counts. In a timed child each costs one load of a flag that never changes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use cyclescope_host::spec::Counts;

/// The allocations so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocated {
    /// The number of allocated blocks, including growing ones.
    pub blocks: u64,
    /// The number of bytes.
    pub bytes: u64,
}

impl From<stats_alloc::Stats> for Allocated {
    fn from(stats: stats_alloc::Stats) -> Self {
        Self { blocks: (stats.allocations + stats.reallocations) as u64, bytes: stats.bytes_allocated as u64 }
    }
}

/// Asks a counting allocator, in programs that have one.
pub type AskAllocator = fn() -> Allocated;

static ON: AtomicBool = AtomicBool::new(false);
static TASKS: AtomicU64 = AtomicU64::new(0);
static HOPS: AtomicU64 = AtomicU64::new(0);
static THREADS: AtomicU64 = AtomicU64::new(0);
static LOCKS: AtomicU64 = AtomicU64::new(0);
static LOCK_WAIT: AtomicU64 = AtomicU64::new(0);

/// Starts to count.
pub(crate) fn on() {
    ON.store(true, Relaxed);
}

/// Tells if the process counts.
pub(crate) fn is_on() -> bool {
    ON.load(Relaxed)
}

fn add(counter: &AtomicU64, count: u64) {
    if is_on() {
        counter.fetch_add(count, Relaxed);
    }
}

/// Counts a spawned task.
pub(crate) fn task() {
    add(&TASKS, 1);
}

/// Counts hand-overs of work to the pool of blocking threads.
pub(crate) fn hops(count: u64) {
    add(&HOPS, count);
}

/// Counts a started thread.
pub(crate) fn thread() {
    add(&THREADS, 1);
}

/// Locks tokio's `mutex` and counts the time until it is locked.
pub(crate) async fn lock<T>(mutex: &tokio::sync::Mutex<T>) -> tokio::sync::MutexGuard<'_, T> {
    if !is_on() {
        return mutex.lock().await;
    }
    let asked = Instant::now();
    let guard = mutex.lock().await;
    LOCKS.fetch_add(1, Relaxed);
    LOCK_WAIT.fetch_add(u64::try_from(asked.elapsed().as_nanos()).unwrap_or(u64::MAX), Relaxed);
    guard
}

/// Returns the counts; `hops` and `threads` only if the contender can count them.
pub(crate) fn counts(hops: bool, threads: bool) -> Counts {
    Counts {
        tasks: TASKS.load(Relaxed),
        hops: hops.then(|| HOPS.load(Relaxed)),
        threads: threads.then(|| THREADS.load(Relaxed)),
        locks: LOCKS.load(Relaxed),
        lock_wait_ns: LOCK_WAIT.load(Relaxed),
    }
}
