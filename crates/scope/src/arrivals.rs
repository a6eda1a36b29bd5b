//! A stimulus at every cycle of a window, one run each, instead of a sample.
//!
//! Runs that differ only in when the stimulus comes are the same up to then. So one machine goes through the window once,
//! from chunk to chunk; each arrival begins from its state shortly before the chunk. What that gives is what a run from
//! reset gives in which the stimulus was asked for at the beginning: the machine stands between two instructions, has
//! done nothing of any later cycle, and a stimulus comes before all else of its cycle.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use cyclescope_machine::{Restore, Stimulus, Stop, Target};
use cyclescope_units::Cycles;
use thiserror::Error;

/// Arrivals that share a beginning.
const CHUNK: u64 = 256;

/// How long before its chunk's first arrival a beginning is looked for, in cycles: more than most instructions take.
const AHEAD: u64 = 96;

/// How many cycles before the arrival the machine must stand: a store may reach a device after its instruction.
const SETTLED: u64 = 16;

/// What is asked: the same stimulus at each cycle of a window.
#[derive(Clone, Copy)]
pub struct Arrivals<'a> {
    /// The first cycle at which the stimulus comes, and the one before which the last comes; counted from reset.
    pub window: (Cycles, Cycles),
    /// What comes.
    pub stimulus: &'a Stimulus,
    /// How many threads share the work; at least one is used. The results do not depend on it.
    pub threads: usize,
    /// Told after each chunk how many arrivals are done, from any of the threads.
    pub progress: &'a (dyn Fn(u64) + Sync),
    /// Asked before each arrival, from any of the threads, whether to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// Why there are no results.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArrivalsError {
    /// The machine is already in the window, or too near to it.
    #[error(
        "the window begins at cycle {first}, but the machine stands at {now} already; at least {SETTLED} cycles must lie between"
    )]
    TooLate {
        /// The window's first cycle.
        first: Cycles,
        /// Where the machine stands.
        now: Cycles,
    },
    /// The program does not run, or sleep, as far as the window's end without the stimulus.
    #[error("without the stimulus the program ends at cycle {at}, before the window does: {stop:?}")]
    Ended {
        /// When.
        at: Cycles,
        /// How.
        stop: Stop,
    },
    /// Asked to.
    #[error("stopped after {done} arrivals")]
    Stopped {
        /// The arrivals measured until then.
        done: u64,
    },
}

/// Where the next chunk begins.
struct Front<T> {
    /// The next arrival to hand out.
    next: u64,
    /// Stands at least [`SETTLED`] cycles before `next`.
    base: T,
    /// Goes before; where it went too far for one chunk, `base` serves that too.
    ahead: T,
    /// How the program ended on its way.
    ended: Option<ArrivalsError>,
}

impl<T: Target + Restore> Front<T> {
    /// The next chunk, with `machine` become its beginning; `None` after the last.
    fn take(&mut self, end: u64, machine: &mut T) -> Option<Range<u64>> {
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

/// Runs `machine` to the first boundary at or after `cycle`, or lets it sleep where nothing but the stimulus can wake it.
fn go_to<T: Target>(machine: &mut T, cycle: Cycles) -> Result<(), ArrivalsError> {
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

/// Measures each arrival of the window, as if alone in a run from reset: `measure` gets a machine shortly before it, which
/// the stimulus is on its way to, and the arrival's cycle; it runs the machine as far as it likes. Results are in the
/// order of arrivals. `base` stands before the window and has all that the runs have in common, stimuli, signals wanted
/// and addresses watched included; signals that it records before the arrival are the caller's to skip.
///
/// # Errors
/// [`ArrivalsError`]; what fails of one arrival is for `measure` to return.
pub fn every_arrival<T, S, M>(base: &T, asked: Arrivals<'_>, measure: M) -> Result<Vec<S>, ArrivalsError>
where
    T: Target + Restore + Send,
    S: Send,
    M: Fn(&mut T, Cycles) -> S + Sync,
{
    let (first, end) = (asked.window.0.get(), asked.window.1.get());
    if base.now().get() + SETTLED > first {
        return Err(ArrivalsError::TooLate { first: asked.window.0, now: base.now() });
    }
    let machines: Vec<(T, T)> = (0..asked.threads.max(1)).map(|_| (base.clone(), base.clone())).collect();
    let front = Mutex::new(Front { next: first, base: base.clone(), ahead: base.clone(), ended: None });
    let results: Mutex<Vec<(u64, Vec<S>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for (mut beginning, mut worker) in machines {
            let (front, results, measure) = (&front, &results, &measure);
            scope.spawn(move || {
                loop {
                    // A guard in the head of a `while let` would be held for the whole turn.
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

/// A thread that panics ends all: what it held is not looked at again.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
