//! Counts and times exceptions, and counts the task switches that a tick forces.

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Memory, Signal, Width};

/// Exception numbers of Armv6-M and Armv7-M (DDI 0419E table B1-3).
const SUPERVISOR_CALL: u16 = 11;
const PEND_SV: u16 = 14;
const SYS_TICK: u16 = 15;

/// The words that show the task a kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningTask {
    /// The word that points to the running task's control block (FreeRTOS: `pxCurrentTCB`).
    pub pointer: Address,
    /// The control block of the task under test.
    pub task: Address,
}

/// Counts since the start of the count, or inside a span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exceptions {
    running: Option<RunningTask>,
    entries: Vec<u64>,
    cycles: Vec<u64>,
    /// Active handlers by core, and the cycle at which each was entered.
    open: [Vec<(u16, Cycles)>; 2],
    taken_away: u64,
    given_back: u64,
    /// The latest value of the word that names the running task.
    last: Option<u32>,
    switches: u64,
}

impl Exceptions {
    pub(crate) fn new(running: Option<RunningTask>) -> Self {
        Self { running, ..Self::default() }
    }

    /// Returns the entries of exception `number`.
    pub fn entries(&self, number: u16) -> u64 {
        self.entries.get(usize::from(number)).copied().unwrap_or(0)
    }

    /// Returns the cycles from the first instruction of exception `number`'s handler to its return, including
    /// exceptions that preempt it.
    pub fn cycles(&self, number: u16) -> Cycles {
        Cycles::new(self.cycles.get(usize::from(number)).copied().unwrap_or(0))
    }

    /// Returns the numbers of the exceptions that were entered.
    pub fn numbers(&self) -> impl Iterator<Item = u16> {
        (0u16..).zip(&self.entries).filter(|(_, entries)| **entries > 0).map(|(number, _)| number)
    }

    /// Returns the switches that a tick forced away from the task under test.
    pub fn taken_away(&self) -> u64 {
        self.taken_away
    }

    /// Returns the switches that a tick forced away from any other task.
    pub fn given_back(&self) -> u64 {
        self.given_back
    }

    /// Returns the switches from one task to another, whatever caused them: the changes of the word that names the
    /// running task, read each time PendSV or SVC returns. The start of the first task is none. Returns 0 without such
    /// a word.
    pub fn switches(&self) -> u64 {
        self.switches
    }

    pub(crate) fn saw(&mut self, at: Cycles, core: u8, signal: Signal, memory: &Memory) {
        let core = usize::from(core) % self.open.len();
        match signal {
            Signal::ExceptionEntered { number } => {
                self.open[core].push((number, at));
                *slot(&mut self.entries, number) += 1;
                // The word before the switch is the reference; a start without SVC is not seen otherwise.
                if switches_tasks(number) && self.last.is_none() {
                    self.last = self.now_running(memory);
                }
            }
            Signal::ExceptionReturned { number } => {
                if switches_tasks(number) {
                    let now = self.now_running(memory);
                    self.switches += u64::from(now != self.last);
                    self.last = now;
                }
                if let Some((_, since)) = self.open[core].pop_if(|(open, _)| *open == number) {
                    *slot(&mut self.cycles, number) += (at - since).get();
                }
            }
            Signal::ExceptionPended { number: PEND_SV }
                if self.open[core].last().is_some_and(|(n, _)| *n == SYS_TICK) =>
            {
                let Some(running) = self.running else { return };
                match memory.read(running.pointer.get(), Width::Word) {
                    Some(task) if task == running.task.get() => self.taken_away += 1,
                    _ => self.given_back += 1,
                }
            }
            _ => {}
        }
    }

    fn now_running(&self, memory: &Memory) -> Option<u32> {
        self.running.and_then(|running| memory.read(running.pointer.get(), Width::Word))
    }

    /// Adds the counts of `now` beyond those of `before`.
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
        self.switches += now.switches - before.switches;
    }
}

/// Tells if kernels switch tasks in the handler of exception `number`.
fn switches_tasks(number: u16) -> bool {
    [SUPERVISOR_CALL, PEND_SV].contains(&number)
}

fn slot(counts: &mut Vec<u64>, number: u16) -> &mut u64 {
    let index = usize::from(number);
    counts.resize(counts.len().max(index + 1), 0);
    &mut counts[index]
}
