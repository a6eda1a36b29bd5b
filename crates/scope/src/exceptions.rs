//! Exceptions counted and timed, and the task switches that a tick forces.

use cyclescope_machine::{Memory, Signal, Width};
use cyclescope_units::{Address, Cycles};

/// Exception numbers of Armv6-M and Armv7-M (DDI 0419E table B1-3).
const PEND_SV: u16 = 14;
const SYS_TICK: u16 = 15;

/// How to see which task a kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningTask {
    /// The word that holds the running task's control block (FreeRTOS: `pxCurrentTCB`).
    pub pointer: Address,
    /// The control block of the task under test.
    pub task: Address,
}

/// Counts since the session began, or inside a span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exceptions {
    running: Option<RunningTask>,
    entries: Vec<u64>,
    cycles: Vec<u64>,
    /// Handlers under way, and when each was entered.
    open: Vec<(u16, Cycles)>,
    taken_away: u64,
    given_back: u64,
}

impl Exceptions {
    pub(crate) fn new(running: Option<RunningTask>) -> Self {
        Self { running, ..Self::default() }
    }

    /// Entries of exception `number`.
    pub fn entries(&self, number: u16) -> u64 {
        self.entries.get(usize::from(number)).copied().unwrap_or(0)
    }

    /// Cycles from the first instruction of exception `number`'s handler to its return, more urgent ones included.
    pub fn cycles(&self, number: u16) -> Cycles {
        Cycles::new(self.cycles.get(usize::from(number)).copied().unwrap_or(0))
    }

    /// The exceptions that were entered, by number.
    pub fn numbers(&self) -> impl Iterator<Item = u16> {
        (0u16..).zip(&self.entries).filter(|(_, entries)| **entries > 0).map(|(number, _)| number)
    }

    /// Switches that a tick forced away from the task under test.
    pub fn taken_away(&self) -> u64 {
        self.taken_away
    }

    /// Switches that a tick forced away from any other task.
    pub fn given_back(&self) -> u64 {
        self.given_back
    }

    pub(crate) fn saw(&mut self, at: Cycles, signal: Signal, memory: &Memory) {
        match signal {
            Signal::ExceptionEntered { number } => {
                self.open.push((number, at));
                *slot(&mut self.entries, number) += 1;
            }
            Signal::ExceptionReturned { number } => {
                if let Some((_, since)) = self.open.pop_if(|(open, _)| *open == number) {
                    *slot(&mut self.cycles, number) += (at - since).get();
                }
            }
            Signal::ExceptionPended { number: PEND_SV } if self.open.last().is_some_and(|(n, _)| *n == SYS_TICK) => {
                let Some(running) = self.running else { return };
                match memory.read(running.pointer.get(), Width::Word) {
                    Some(task) if task == running.task.get() => self.taken_away += 1,
                    _ => self.given_back += 1,
                }
            }
            _ => {}
        }
    }

    /// Adds what `now` counted beyond `before`.
    pub(crate) fn add_since(&mut self, now: &Self, before: &Self) {
        for (mine, now, before) in
            [(&mut self.entries, &now.entries, &before.entries), (&mut self.cycles, &now.cycles, &before.cycles)]
        {
            for (index, count) in now.iter().enumerate() {
                *slot(mine, index as u16) += count - before.get(index).copied().unwrap_or(0);
            }
        }
        self.taken_away += now.taken_away - before.taken_away;
        self.given_back += now.given_back - before.given_back;
    }
}

fn slot(counts: &mut Vec<u64>, number: u16) -> &mut u64 {
    let index = usize::from(number);
    counts.resize(counts.len().max(index + 1), 0);
    &mut counts[index]
}
