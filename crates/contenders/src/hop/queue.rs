//! The time that a thread was ready to run and waited for a processor, by `/proc/thread-self/schedstat`.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The kernel's account of one thread, which others may read.
#[derive(Debug)]
pub(super) struct Thread {
    /// `None` if the kernel keeps no account.
    file: Option<File>,
    /// The sum that was read last.
    before: AtomicU64,
}

thread_local! {
    static OWN: Arc<Thread> = Arc::new(Thread {
        file: File::open("/proc/thread-self/schedstat").ok(),
        before: AtomicU64::new(0),
    });
}

impl Thread {
    /// Returns that of this thread.
    pub(super) fn own() -> Arc<Self> {
        OWN.with(Arc::clone)
    }

    /// Returns how long the thread waited for a processor since the last call, or since its start; zero if the kernel does not
    /// tell.
    pub(super) fn waited(&self) -> Duration {
        let Some(now) = self.file.as_ref().and_then(read) else { return Duration::ZERO };
        Duration::from_nanos(now.saturating_sub(self.before.swap(now, Relaxed)))
    }
}

/// Tells if the kernel keeps that account.
pub(super) fn is_told() -> bool {
    Thread::own().file.as_ref().is_some_and(|file| read(file).is_some())
}

/// Reads the second of three numbers: nanoseconds in the run queue.
fn read(file: &File) -> Option<u64> {
    let mut text = [0; 96];
    let length = file.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}
