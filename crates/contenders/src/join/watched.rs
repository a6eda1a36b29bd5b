//! Counts polls and records the order of completion. Without [`on`], it does nothing.

use std::pin::pin;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The counts and the order.
#[derive(Debug)]
pub(super) struct Watched {
    polls: AtomicU64,
    awaited: AtomicU64,
    ended: AtomicUsize,
    done: Vec<AtomicUsize>,
}

static WATCHED: OnceLock<Watched> = OnceLock::new();

/// Watches `count` futures from now on.
pub(super) fn on(count: usize) {
    let done = (0..count).map(|_| AtomicUsize::new(usize::MAX)).collect();
    // Once in a process.
    let _ =
        WATCHED.set(Watched { polls: AtomicU64::new(0), awaited: AtomicU64::new(0), ended: AtomicUsize::new(0), done });
}

pub(super) fn polls() -> Option<u64> {
    WATCHED.get().map(|watched| watched.polls.load(Relaxed))
}

pub(super) fn awaited_polls() -> Option<u64> {
    WATCHED.get().map(|watched| watched.awaited.load(Relaxed))
}

/// Returns the numbers of the completed futures, in order of completion.
pub(super) fn done() -> Option<Vec<usize>> {
    let watched = WATCHED.get()?;
    Some(watched.done.iter().map(|number| number.load(Relaxed)).collect())
}

/// Watches futures, or not. There is a type for each, so that unwatched futures have their own size and carry no extra
/// state.
pub(super) trait Watch: Copy + Send + 'static {
    /// Returns the sleeping future of this number. It starts to sleep at its first poll. A timer created outside would
    /// run from its creation, and hide that a future does nothing by itself.
    fn sleeping<F: Future + Send>(
        self,
        number: usize,
        sleep: impl FnOnce() -> F + Send,
    ) -> impl Future<Output = usize> + Send;

    /// Returns the awaited future, with its polls counted if watched.
    fn awaited<F: Future>(self, future: F) -> impl Future<Output = F::Output>;
}

/// Does not watch.
#[derive(Clone, Copy)]
pub(super) struct Unwatched;

impl Watch for Unwatched {
    async fn sleeping<F: Future + Send>(self, number: usize, sleep: impl FnOnce() -> F + Send) -> usize {
        sleep().await;
        number
    }

    fn awaited<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        future
    }
}

/// Watches.
#[derive(Clone, Copy)]
pub(super) struct Watching(&'static Watched);

impl Watching {
    /// Returns the watch that [`on`] started, if any.
    pub(super) fn now() -> Option<Self> {
        WATCHED.get().map(Self)
    }
}

impl Watch for Watching {
    async fn sleeping<F: Future + Send>(self, number: usize, sleep: impl FnOnce() -> F + Send) -> usize {
        polled(async { sleep().await }, &self.0.polls).await;
        let place = self.0.ended.fetch_add(1, Relaxed);
        if let Some(place) = self.0.done.get(place) {
            place.store(number, Relaxed);
        }
        number
    }

    fn awaited<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        polled(future, &self.0.awaited)
    }
}

/// Counts the polls of `future`.
async fn polled<F: Future>(future: F, count: &AtomicU64) -> F::Output {
    let mut future = pin!(future);
    std::future::poll_fn(|context| {
        count.fetch_add(1, Relaxed);
        future.as_mut().poll(context)
    })
    .await
}
