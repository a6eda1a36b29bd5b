//! Chunks on the threads of this machine.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::{Parts, SweepError};

/// The end of a run over chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All parts are there.
    Whole,
    /// It was stopped before.
    Stopped,
}

/// Runs the chunks that `parts` lacks on `jobs` threads, and keeps each part as it comes. `stop` is asked all the time;
/// `progress` hears after each chunk how many are there, of how many.
///
/// # Errors
/// The first [`SweepError`] of a chunk, or of a part that cannot be kept. The parts before it stay.
pub fn run(
    parts: &Parts,
    jobs: NonZeroUsize,
    stop: &(dyn Fn() -> bool + Sync),
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Ended, SweepError> {
    let (sweep, missing) = (parts.sweep(), parts.missing());
    each(jobs, missing.len(), stop, &|index| {
        let chunk = missing[index];
        if let Some(part) = sweep.run_chunk(chunk, stop)? {
            let there = parts.put(chunk, &part)?;
            progress(there, sweep.chunks());
        }
        Ok(())
    })?;
    Ok(if parts.missing().is_empty() { Ended::Whole } else { Ended::Stopped })
}

/// Calls `work` with the numbers below `count` in their order, on `jobs` threads. Returns what it returned, in the same order; `None`
/// for those that `stop` has kept from beginning.
///
/// # Errors
/// That of the first number that has one, and none begins behind it.
pub(crate) fn each<T: Send + Sync>(
    jobs: NonZeroUsize,
    count: usize,
    stop: &(dyn Fn() -> bool + Sync),
    work: &(dyn Fn(usize) -> Result<T, SweepError> + Sync),
) -> Result<Vec<Option<T>>, SweepError> {
    let next = AtomicUsize::new(0);
    let given_up = AtomicBool::new(false);
    let failed: Mutex<Option<(usize, SweepError)>> = Mutex::new(None);
    let results: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    let at_work = || {
        while !stop() && !given_up.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = results.get(index) else { return };
            match work(index) {
                // Each index is handed out once, so that the place is empty.
                Ok(done) => drop(result.set(done)),
                Err(error) => {
                    given_up.store(true, Ordering::Relaxed);
                    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    if failed.as_ref().is_none_or(|(first, _)| index < *first) {
                        *failed = Some((index, error));
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.get().min(count) {
            scope.spawn(at_work);
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(results.into_iter().map(OnceLock::into_inner).collect()),
    }
}
