//! One asynchronous file operation, again and again, with the moments between its parts.
//!
//! [`watched`] takes the moments, [`queue`] asks the kernel how long a thread waited for a processor. `tokio::fs` and `smol::fs`
//! hand a call to their pool by a public function of the runtime; the same call is handed to the same pool here, with the moments
//! around it. The library's own call, unwatched, is timed beside it.

mod queue;
mod watched;

use std::future::Future;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use cyclescope_host::hop::{Account, Part, Spec};
use cyclescope_host::walk::{self, Variant};

use self::watched::{Sums, ask_pool, on_the_pool};
use crate::AskAllocator;
use crate::walk::runtime as tokio_runtime;

/// Runs `spec` on `entry`.
///
/// # Errors
/// The reason if this machine lacks or forbids something, for which nothing was measured.
pub(crate) fn run(spec: &Spec, entry: &Path, allocator: Option<AskAllocator>) -> Result<Account, String> {
    // A child of a walk complains of what it cannot read; here there is nothing to measure.
    std::fs::symlink_metadata(entry).map_err(|error| format!("{}: {error}", entry.display()))?;
    let run = Run { times: spec.times, entry: entry.to_owned(), allocator };
    let mut account = match spec.variant {
        Variant::Sync => run.sync(),
        Variant::TokioAwait => tokio(spec.variant).block_on(run.tokio()),
        Variant::TokioSpawnOne => {
            let runtime = tokio(spec.variant);
            runtime.block_on(async { tokio::spawn(run.tokio()).await.expect("an operation does not panic") })
        }
        Variant::Smol => smol::block_on(run.smol()),
        #[cfg(target_os = "linux")]
        Variant::Compio => crate::walk::compio_runtime()?.block_on(run.compio()),
        #[cfg(target_os = "linux")]
        Variant::Monoio => crate::walk::monoio_runtime()?.block_on(run.monoio()),
        other => return Err(format!("{} has no operation of its own", other.name())),
    };
    if spec.blocks > 0 {
        account.allocation_ns = Some(nanoseconds(allocate(spec)));
    }
    Ok(account)
}

/// Returns tokio's runtime as it is by default.
fn tokio(variant: Variant) -> tokio::runtime::Runtime {
    tokio_runtime(&walk::Spec { variant, workers: None, blocking_threads: None })
}

pub(super) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The operations of one run.
struct Run {
    times: u32,
    entry: PathBuf,
    allocator: Option<AskAllocator>,
}

/// The unwatched operations: how many succeeded, how long all took, and what they allocated.
struct Plain {
    succeeded: u64,
    took: Duration,
    allocated: Option<(u64, u64)>,
}

impl Run {
    /// The operations before those that count: threads start, and the kernel looks the entry up.
    fn warm_up(&self) -> u32 {
        self.times / 10 + 1
    }

    fn sync(&self) -> Account {
        let call = || std::fs::symlink_metadata(&self.entry).is_ok();
        for _ in 0..self.warm_up() {
            black_box(call());
        }
        let asked = self.allocator.map(|ask| ask());
        let from = Instant::now();
        let succeeded = (0..self.times).filter(|_| black_box(call())).count() as u64;
        let plain = Plain { succeeded, took: from.elapsed(), allocated: self.since(asked) };
        let mut sums = Sums::default();
        for _ in 0..self.times {
            let from = Instant::now();
            let succeeded = black_box(call());
            sums.call(succeeded, from.elapsed());
        }
        sums.account(&[Part::Call], &plain)
    }

    async fn tokio(self) -> Account {
        let plain = self.plain(|| tokio::fs::symlink_metadata(self.entry.clone())).await;
        let sums = ask_pool(self.warm_up(), self.times, || {
            let path = self.entry.to_owned();
            let handle = tokio::task::spawn_blocking(move || on_the_pool(&path));
            Joined(handle)
        });
        sums.await.account(&self.of_pool(), &plain)
    }

    async fn smol(self) -> Account {
        let plain = self.plain(|| smol::fs::symlink_metadata(self.entry.clone())).await;
        let sums = ask_pool(self.warm_up(), self.times, || {
            let path = self.entry.to_owned();
            smol::unblock(move || on_the_pool(&path))
        });
        sums.await.account(&self.of_pool(), &plain)
    }

    #[cfg(target_os = "linux")]
    async fn compio(self) -> Account {
        let operation = || compio::fs::symlink_metadata(&self.entry);
        let plain = self.plain(operation).await;
        let sums = watched::ask_ring(self.warm_up(), self.times, operation).await;
        sums.account(&OF_RING, &plain)
    }

    #[cfg(target_os = "linux")]
    async fn monoio(self) -> Account {
        let operation = || monoio::fs::symlink_metadata(&self.entry);
        let plain = self.plain(operation).await;
        let sums = watched::ask_ring(self.warm_up(), self.times, operation).await;
        sums.account(&OF_RING, &plain)
    }

    /// The parts of an operation by a pool, without those that the kernel does not tell.
    fn of_pool(&self) -> Vec<Part> {
        let told = queue::is_told();
        let all = [Part::Submit, Part::Wake, Part::Queued, Part::Call, Part::Back, Part::QueuedBack, Part::Poll];
        all.into_iter().filter(|part| told || !matches!(part, Part::Queued | Part::QueuedBack)).collect()
    }

    /// Times `operation` with nothing watched.
    async fn plain<F, T>(&self, operation: impl Fn() -> F) -> Plain
    where
        F: Future<Output = io::Result<T>>,
    {
        for _ in 0..self.warm_up() {
            let _ = black_box(operation().await);
        }
        let asked = self.allocator.map(|ask| ask());
        let (mut succeeded, from) = (0, Instant::now());
        for _ in 0..self.times {
            succeeded += u64::from(operation().await.is_ok());
        }
        Plain { succeeded, took: from.elapsed(), allocated: self.since(asked) }
    }

    /// The blocks and bytes that were allocated since `asked`; `None` if the allocator does not count.
    fn since(&self, asked: Option<crate::Allocated>) -> Option<(u64, u64)> {
        let (ask, before) = (self.allocator?, asked?);
        let now = ask();
        Some((now.blocks - before.blocks, now.bytes - before.bytes)).filter(|_| now.blocks > 0)
    }
}

#[cfg(target_os = "linux")]
const OF_RING: [Part; 4] = [Part::Submit, Part::Ring, Part::Back, Part::Poll];

/// tokio's handle of a task that neither panics nor is cancelled.
struct Joined<T>(tokio::task::JoinHandle<T>);

impl<T> Future for Joined<T> {
    type Output = T;

    fn poll(mut self: std::pin::Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<T> {
        std::pin::Pin::new(&mut self.0).poll(context).map(|joined| joined.expect("the call does not panic"))
    }
}

/// The operations whose blocks are allocated before they are freed.
const AT_ONCE: u32 = 64;

/// Allocates and frees what the operations of `spec` do, and returns the time of both. Another thread frees it, so that blocks
/// change threads as an operation's do.
fn allocate(spec: &Spec) -> Duration {
    let (to, from) = mpsc::sync_channel::<Vec<Vec<u8>>>(1);
    std::thread::scope(|scope| {
        let freeing = scope.spawn(move || {
            let free = |blocks: Vec<Vec<u8>>| {
                let from = Instant::now();
                blocks.into_iter().for_each(drop);
                from.elapsed()
            };
            from.into_iter().map(free).sum::<Duration>()
        });
        let (mut left, mut took) = (spec.times, Duration::ZERO);
        while left > 0 {
            let count = left.min(AT_ONCE) * spec.blocks;
            left = left.saturating_sub(AT_ONCE);
            let mut blocks = Vec::with_capacity(count as usize);
            let from = Instant::now();
            blocks.extend((0..count).map(|_| black_box(Vec::with_capacity(spec.block_bytes.max(1) as usize))));
            took += from.elapsed();
            to.send(blocks).expect("the other thread waits for them");
        }
        drop(to);
        took + freeing.join().expect("it only frees")
    })
}
