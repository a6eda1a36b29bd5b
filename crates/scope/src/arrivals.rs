//! Applies a stimulus at every cycle of a window, in one run for each cycle.
//!
//! Runs that differ only in the cycle of the stimulus are equal up to that cycle. So one machine goes through the
//! window once, from chunk to chunk, and each arrival starts from its state shortly before the chunk. The results equal
//! those of runs from reset with the stimulus requested at the start: the machine stands between two instructions, has
//! done nothing of a later cycle, and a stimulus comes before all else in its cycle.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use cyclescope_chips::Machine;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Restore, Stimulus, Stop};
use thiserror::Error;

/// The number of arrivals that share a start state.
const CHUNK: u64 = 256;

/// The distance in cycles between a chunk's start state and its first arrival: more than most instructions take.
const AHEAD: u64 = 96;

/// The least distance in cycles between the machine and the arrival, because a store may reach a device after its
/// instruction.
const SETTLED: u64 = 16;

/// A request: one stimulus, applied at each cycle of a window.
#[derive(Clone, Copy)]
pub struct Arrivals<'a> {
    /// The first cycle at which the stimulus comes, and the cycle before which the last one comes; counted from reset.
    pub window: (Cycles, Cycles),
    /// The stimulus.
    pub stimulus: &'a Stimulus,
    /// The number of threads; at least one is used. The results do not depend on it.
    pub threads: usize,
    /// Receives the number of arrivals done after each chunk, on any of the threads.
    pub progress: &'a (dyn Fn(u64) + Sync),
    /// Asked before each arrival, on any of the threads; `true` stops.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// An error that leaves no results.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArrivalsError {
    /// The machine is in the window already, or too near to it.
    #[error(
        "the window begins at cycle {}, but the machine is at cycle {}; begin it at least {SETTLED} cycles later",
        .first.grouped(), .now.grouped()
    )]
    TooLate {
        /// The window's first cycle.
        first: Cycles,
        /// The machine's current cycle.
        now: Cycles,
    },
    /// The program ends before the window does, without the stimulus.
    #[error(
        "the program ends at cycle {} without the stimulus, before the window ends ({stop:?}); shorten the window",
        .at.grouped()
    )]
    Ended {
        /// The cycle at which it ended.
        at: Cycles,
        /// The reason.
        stop: Stop,
    },
    /// The caller asked to stop.
    #[error("stopped after {done} arrivals")]
    Stopped {
        /// The number of arrivals measured until then.
        done: u64,
    },
}

/// The start of the next chunk.
struct Front {
    /// The next arrival to hand out.
    next: u64,
    /// The machine at least [`SETTLED`] cycles before `next`.
    base: Machine,
    /// The machine that runs ahead. If it passes the end of one chunk, `base` serves that chunk too.
    ahead: Machine,
    /// The error with which the program ended.
    ended: Option<ArrivalsError>,
}

impl Front {
    /// Takes the next chunk and restores `machine` to its start state. Returns `None` after the last chunk.
    fn take(&mut self, end: u64, machine: &mut Machine) -> Option<Range<u64>> {
        if self.ended.is_some() || self.next >= end {
            return None;
        }
        let first = self.next;
        if let Err(error) = go_to(&mut self.ahead, Cycles::new(first.saturating_sub(AHEAD))) {
            self.ended = Some(error);
            return None;
        }
        if self.ahead.now().get() + SETTLED <= first && self.ahead.now() != self.base.now() {
            self.base.restore(&self.ahead);
        }
        machine.restore(&self.base);
        self.next = (first + CHUNK).min(end);
        Some(first..self.next)
    }
}

/// Runs `machine` to the first instruction boundary at or after `cycle`, or lets it sleep if only the stimulus can wake
/// it.
fn go_to(machine: &mut Machine, cycle: Cycles) -> Result<(), ArrivalsError> {
    while machine.now() < cycle {
        match machine.run(cycle) {
            Stop::Horizon | Stop::Deadlock(_) => break,
            Stop::Watch(_) => {}
            Stop::Signal => machine.shared().signals.drain().for_each(drop),
            stop => return Err(ArrivalsError::Ended { at: machine.now(), stop }),
        }
    }
    Ok(())
}

/// Measures each arrival of the window, as if alone in a run from reset.
///
/// `measure` gets a machine shortly before the arrival, with the stimulus scheduled, and the arrival's cycle. It runs
/// the machine as far as it wants. The results are in order of arrivals. `base` stands before the window and has all
/// that the runs share: stimuli, wanted signals and watched addresses. Signals before the arrival are recorded too;
/// `measure` skips them.
///
/// # Errors
/// [`ArrivalsError`]. `measure` returns errors of single arrivals itself.
pub fn every_arrival<S, M>(base: &Machine, asked: Arrivals<'_>, measure: M) -> Result<Vec<S>, ArrivalsError>
where
    S: Send,
    M: Fn(&mut Machine, Cycles) -> S + Sync,
{
    let (first, end) = (asked.window.0.get(), asked.window.1.get());
    if base.now().get() + SETTLED > first {
        return Err(ArrivalsError::TooLate { first: asked.window.0, now: base.now() });
    }
    let machines: Vec<(Machine, Machine)> = (0..asked.threads.max(1)).map(|_| (base.clone(), base.clone())).collect();
    let front = Mutex::new(Front { next: first, base: base.clone(), ahead: base.clone(), ended: None });
    let results: Mutex<Vec<(u64, Vec<S>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for (mut beginning, mut worker) in machines {
            let (front, results, measure) = (&front, &results, &measure);
            scope.spawn(move || {
                loop {
                    // A guard in the head of a `while let` would be held for the whole iteration.
                    let chunk = lock(front).take(end, &mut beginning);
                    let Some(chunk) = chunk else { return };
                    let began = chunk.start;
                    let mut measured = Vec::with_capacity(CHUNK as usize);
                    for arrival in chunk.map(Cycles::new) {
                        if (asked.stop)() {
                            lock(results).push((began, measured));
                            return;
                        }
                        worker.restore(&beginning);
                        worker.stimulate(arrival, asked.stimulus.clone());
                        measured.push(measure(&mut worker, arrival));
                    }
                    let mut results = lock(results);
                    results.push((began, measured));
                    (asked.progress)(results.iter().map(|(_, chunk)| chunk.len() as u64).sum());
                }
            });
        }
    });
    if let Some(error) = lock(&front).ended.take() {
        return Err(error);
    }
    let mut chunks = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    chunks.sort_by_key(|(began, _)| *began);
    let results: Vec<S> = chunks.into_iter().flat_map(|(_, chunk)| chunk).collect();
    let done = results.len() as u64;
    if done < end.saturating_sub(first) { Err(ArrivalsError::Stopped { done }) } else { Ok(results) }
}

/// Locks the mutex. A panic of one thread ends all of them, so a poisoned value is never used.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
