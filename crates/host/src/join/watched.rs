//! Who polls how often, and who is done when. Nothing of it happens unless it is on.

use std::pin::pin;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

#[derive(Debug)]
struct Watched {
    polls: AtomicU64,
    awaited: AtomicU64,
    ended: AtomicUsize,
    done: Vec<AtomicUsize>,
}

static WATCHED: OnceLock<Watched> = OnceLock::new();

/// Watches `count` futures from now on.
pub(super) fn on(count: usize) {
    let done = (0..count).map(|_| AtomicUsize::new(usize::MAX)).collect();
    // Once a process.
    let _ =
        WATCHED.set(Watched { polls: AtomicU64::new(0), awaited: AtomicU64::new(0), ended: AtomicUsize::new(0), done });
}

pub(super) fn polls() -> Option<u64> {
    WATCHED.get().map(|watched| watched.polls.load(Relaxed))
}

pub(super) fn awaited_polls() -> Option<u64> {
    WATCHED.get().map(|watched| watched.awaited.load(Relaxed))
}

/// The numbers of those that are done, in the order in which they were.
pub(super) fn done() -> Option<Vec<usize>> {
    let watched = WATCHED.get()?;
    Some(watched.done.iter().map(|number| number.load(Relaxed)).collect())
}

/// The sleeping future of this number. It begins to sleep when it is first polled: a timer that was made outside would
/// run from then on, and hide that a future does nothing by itself.
pub(super) async fn sleeping<F: Future>(number: usize, sleep: impl FnOnce() -> F) -> usize {
    match WATCHED.get() {
        None => {
            sleep().await;
        }
        Some(watched) => {
            polled(async { sleep().await }, &watched.polls).await;
            let place = watched.ended.fetch_add(1, Relaxed);
            if let Some(place) = watched.done.get(place) {
                place.store(number, Relaxed);
            }
        }
    }
    number
}

/// What is awaited.
pub(super) async fn awaited<F: Future>(future: F) -> F::Output {
    match WATCHED.get() {
        None => future.await,
        Some(watched) => polled(future, &watched.awaited).await,
    }
}

/// `future` with its polls counted.
async fn polled<F: Future>(future: F, count: &AtomicU64) -> F::Output {
    let mut future = pin!(future);
    std::future::poll_fn(|context| {
        count.fetch_add(1, Relaxed);
        future.as_mut().poll(context)
    })
    .await
}
