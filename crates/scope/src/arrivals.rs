//! Applies a stimulus at every cycle of a window, in one run for each cycle.
//!
//! Runs that differ only in the cycle of the stimulus are equal up to that cycle. So one machine goes through the
//! window once, from chunk to chunk, and each arrival starts from its state shortly before the chunk. The results equal
//! those of runs from reset with the stimulus requested at the start: the machine stands between two instructions, has
//! done nothing of a later cycle, and a stimulus comes before all else in its cycle.

use std::sync::{Mutex, PoisonError};

use cyclescope_chips::Machine;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Restore, Stimulus, Stop};
use thiserror::Error;

use crate::guest::Pace;
use crate::limits::{End, Limits};
use crate::session::{Session, Snapshot};

/// The number of arrivals that share a start state, and of cycles between the first and the last.
pub(crate) const CHUNK: u64 = 256;

/// The distance in cycles between a chunk's start state and its first arrival: more than most instructions take.
pub(crate) const AHEAD: u64 = 96;

/// The least distance in cycles between the machine and the arrival, because a store may reach a device after its
/// instruction.
pub(crate) const SETTLED: u64 = 16;

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

/// A run that arrivals are tried on: a machine by itself, or one that a session watches.
pub trait Trial {
    /// A copy of the run, from which others go on.
    type Copy: Restore + Send;

    /// Begins where `copy` is.
    fn begin(copy: &Self::Copy) -> Self;

    /// Goes to where `copy` is, which is of the same image and part.
    fn restore(&mut self, copy: &Self::Copy);

    /// Turns `copy` into one of this moment.
    fn copy_into(&self, copy: &mut Self::Copy);

    /// Returns the cycle at which `copy` is.
    fn now(copy: &Self::Copy) -> Cycles;

    /// Runs to the first instruction boundary at or after `cycle`, or lets the core sleep if only a stimulus can wake it.
    ///
    /// # Errors
    /// [`ArrivalsError::Ended`] if the program ends before.
    fn go_to(&mut self, cycle: Cycles) -> Result<(), ArrivalsError>;
}

impl Trial for Machine {
    type Copy = Self;

    fn begin(copy: &Self) -> Self {
        copy.clone()
    }

    fn restore(&mut self, copy: &Self) {
        Restore::restore(self, copy);
    }

    fn copy_into(&self, copy: &mut Self) {
        Restore::restore(copy, self);
    }

    fn now(copy: &Self) -> Cycles {
        copy.now()
    }

    fn go_to(&mut self, cycle: Cycles) -> Result<(), ArrivalsError> {
        while Machine::now(self) < cycle {
            match self.run(cycle) {
                Stop::Horizon | Stop::Deadlock(_) => break,
                Stop::Watch(_) => {}
                Stop::Signal => self.shared().signals.drain().for_each(drop),
                stop => return Err(ArrivalsError::Ended { at: Machine::now(self), stop }),
            }
        }
        Ok(())
    }
}

impl Trial for Session<'static> {
    type Copy = Snapshot;

    fn begin(copy: &Snapshot) -> Self {
        copy.session()
    }

    fn restore(&mut self, copy: &Snapshot) {
        Session::restore(self, copy);
    }

    fn copy_into(&self, copy: &mut Snapshot) {
        self.snapshot_into(copy);
    }

    fn now(copy: &Snapshot) -> Cycles {
        copy.now()
    }

    fn go_to(&mut self, cycle: Cycles) -> Result<(), ArrivalsError> {
        // A run in which all awaited spans have ended would go no further.
        let awaited = self.swap_awaited(Vec::new());
        let mut ended = Ok(());
        while self.machine().now() < cycle {
            let limits = Limits { pause: cycle, ..Limits::until(Cycles::MAX, Pace::POLL) };
            match self.run(limits, |_| false) {
                End::Stopped(Stop::Deadlock(_)) => break,
                End::Stopped(stop) => {
                    ended = Err(ArrivalsError::Ended { at: self.machine().now(), stop });
                    break;
                }
                End::Paused | End::Limit | End::Satisfied | End::Listens(_) => {}
            }
        }
        self.swap_awaited(awaited);
        self.forget_samples();
        ended
    }
}

/// The cycles at which arrivals are tried, in order.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// From the first up to the second, each.
    Each(Cycles, Cycles),
    /// These.
    Listed(&'a [Cycles]),
}

impl Which<'_> {
    /// Returns the number of arrivals.
    pub fn count(self) -> u64 {
        match self {
            Self::Each(first, end) => end.saturating_sub(first).get(),
            Self::Listed(cycles) => cycles.len() as u64,
        }
    }

    pub(crate) fn get(self, index: u64) -> Option<Cycles> {
        match self {
            Self::Each(first, _) => (index < self.count()).then(|| first.saturating_add(Cycles::new(index))),
            Self::Listed(cycles) => cycles.get(usize::try_from(index).ok()?).copied(),
        }
    }

    /// Returns the arrivals from `index` on that one start state serves, at most `most`.
    fn chunk(self, index: u64, most: u64) -> Vec<Cycles> {
        let from = (index..index.saturating_add(most.max(1))).map_while(|index| self.get(index));
        let end = self.get(index).map(|first| first.saturating_add(Cycles::new(CHUNK)));
        from.take_while(|at| end.is_none_or(|end| *at < end)).collect()
    }
}

/// Trials: one run for each arrival.
#[derive(Clone, Copy)]
pub struct Trials<'a> {
    /// The arrivals.
    pub which: Which<'a>,
    /// Runs go apart before this cycle, if that comes before the first arrival: something else happens then.
    pub apart: Cycles,
    /// The most arrivals that share a start state and a thread.
    pub chunk: u64,
    /// Arrivals behind the program's end are tried as well: it ends before they come. Else they are [`ArrivalsError::Ended`].
    pub behind_end: bool,
    /// The number of threads; at least one is used. The results do not depend on it.
    pub threads: usize,
    /// Receives the number of arrivals done after each chunk, on any of the threads.
    pub progress: &'a (dyn Fn(u64) + Sync),
    /// Asked before each arrival, on any of the threads; `true` stops.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// The start of the next chunk.
struct Front<'a, T: Trial> {
    trials: Trials<'a>,
    /// The number of the next arrival to hand out.
    next: u64,
    /// The run at least [`SETTLED`] cycles before it.
    base: T::Copy,
    /// The run that is ahead. If it passes the end of one chunk, `base` serves that chunk too.
    ahead: T::Copy,
    /// The error with which the program ended.
    ended: Option<ArrivalsError>,
}

impl<T: Trial> Front<'_, T> {
    /// Takes the next chunk and turns `start` into its start state. `worker` is at hand for that. Returns the number of the chunk's
    /// first arrival and all their cycles, or `None` after the last chunk.
    fn take(&mut self, start: &mut T::Copy, worker: &mut T) -> Option<(u64, Vec<Cycles>)> {
        let chunk = self.trials.which.chunk(self.next, self.trials.chunk);
        let first = chunk.first().filter(|_| self.ended.is_none())?.min(&self.trials.apart).get();
        worker.restore(&self.ahead);
        match worker.go_to(Cycles::new(first.saturating_sub(AHEAD))) {
            Ok(()) => {
                worker.copy_into(&mut self.ahead);
                if T::now(&self.ahead).get() + SETTLED <= first && T::now(&self.ahead) != T::now(&self.base) {
                    worker.copy_into(&mut self.base);
                }
            }
            Err(ArrivalsError::Ended { .. }) if self.trials.behind_end => {}
            Err(error) => {
                self.ended = Some(error);
                return None;
            }
        }
        start.restore(&self.base);
        let number = self.next;
        self.next += chunk.len() as u64;
        Some((number, chunk))
    }
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
    let Arrivals { window: (first, end), stimulus, threads, progress, stop } = asked;
    let which = Which::Each(first, end);
    let trials = Trials { which, apart: Cycles::MAX, chunk: CHUNK, behind_end: false, threads, progress, stop };
    let results = try_arrivals(base, trials, |machine: &mut Machine, arrival| {
        machine.stimulate(arrival, stimulus.clone());
        measure(machine, arrival)
    })?;
    let done = results.len() as u64;
    if done < trials.which.count() { Err(ArrivalsError::Stopped { done }) } else { Ok(results) }
}

/// Carries out `trials`, each as if alone in a run from reset.
///
/// `measure` gets a run shortly before the arrival, and the arrival's cycle; it has the stimulus come and goes on as far as it
/// wants. `base` stands before the first arrival. The results are in order of arrivals; after a stop they are those of some.
///
/// # Errors
/// [`ArrivalsError::TooLate`] and [`ArrivalsError::Ended`].
pub fn try_arrivals<T, S, M>(base: &T::Copy, trials: Trials<'_>, measure: M) -> Result<Vec<S>, ArrivalsError>
where
    T: Trial,
    S: Send,
    M: Fn(&mut T, Cycles) -> S + Sync,
{
    let Trials { which, apart, threads, progress, stop, .. } = trials;
    let Some(first) = which.get(0).map(|first| first.min(apart)) else { return Ok(Vec::new()) };
    if T::now(base).get() + SETTLED > first.get() {
        return Err(ArrivalsError::TooLate { first, now: T::now(base) });
    }
    let copies: Vec<T::Copy> = (0..threads.max(1)).map(|_| base.clone()).collect();
    let front: Front<'_, T> = Front { trials, next: 0, base: base.clone(), ahead: base.clone(), ended: None };
    let front = Mutex::new(front);
    let results: Mutex<Vec<(u64, Vec<S>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for mut start in copies {
            let (front, results, measure) = (&front, &results, &measure);
            scope.spawn(move || {
                let mut worker = T::begin(&start);
                loop {
                    // A guard in the head of a `while let` would be held for the whole iteration.
                    let chunk = lock(front).take(&mut start, &mut worker);
                    let Some((number, chunk)) = chunk else { return };
                    let mut measured = Vec::with_capacity(chunk.len());
                    for arrival in chunk {
                        if stop() {
                            lock(results).push((number, measured));
                            return;
                        }
                        worker.restore(&start);
                        measured.push(measure(&mut worker, arrival));
                    }
                    let mut results = lock(results);
                    results.push((number, measured));
                    progress(results.iter().map(|(_, chunk)| chunk.len() as u64).sum());
                }
            });
        }
    });
    if let Some(error) = lock(&front).ended.take() {
        return Err(error);
    }
    let mut chunks = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    chunks.sort_by_key(|(number, _)| *number);
    Ok(chunks.into_iter().flat_map(|(_, chunk)| chunk).collect())
}

/// Locks the mutex. A panic of one thread ends all of them, so a poisoned value is never used.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
