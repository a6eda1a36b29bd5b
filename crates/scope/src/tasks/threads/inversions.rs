//! Threads that wait for what one of lower priority holds, and those that run meanwhile.

use std::collections::BTreeMap;

use cyclescope_machine::units::Cycles;

use crate::tasks::runtime::TaskId;

/// The waits of a thread for what threads of lower priority hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeldUp {
    /// Their number.
    pub times: u64,
    /// The number of those in which a third ran: inversions of priorities.
    pub inversions: u64,
    /// The longest.
    pub longest: Option<LongestWait>,
}

/// The longest wait for what a thread of lower priority held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongestWait {
    /// The cycle at which it began.
    pub at: Cycles,
    /// The cycles until the thread was ready again, or until the run's end.
    pub cycles: Cycles,
    /// The last of lower priority that held what was waited for.
    pub held_by: TaskId,
    /// The threads of priorities between the two that ran meanwhile, with the cycles of their turns; the longest first.
    pub ran: Vec<(TaskId, Cycles)>,
}

/// A wait that goes on.
#[derive(Clone, Debug)]
pub(super) struct Wait {
    pub(super) task: TaskId,
    pub(super) queue: u32,
    pub(super) priority: u32,
    since: Cycles,
    /// The last holder of lower priority, with its priority.
    held_by: Option<(TaskId, u32)>,
    ran: BTreeMap<TaskId, u64>,
}

/// All waits of a run.
#[derive(Debug, Default)]
pub(super) struct Waits {
    pub(super) open: Vec<Wait>,
    held_up: BTreeMap<TaskId, HeldUp>,
    /// The thread that runs, with its priority, and since when.
    runs: Option<(TaskId, u32, Cycles)>,
}

impl Waits {
    /// `task` of this priority begins to wait for `queue`.
    pub(super) fn begin(&mut self, at: Cycles, task: TaskId, priority: u32, queue: u32) {
        let (held_by, ran) = (None, BTreeMap::new());
        self.open.push(Wait { task, queue, priority, since: at, held_by, ran });
    }

    /// From now on a task of this priority holds what `queue` is the lock of.
    pub(super) fn held(&mut self, at: Cycles, queue: u32, holder: TaskId, priority: u32) {
        self.turn(at);
        for wait in &mut self.open {
            if wait.queue == queue && wait.task != holder && priority < wait.priority {
                wait.held_by = Some((holder, priority));
            }
        }
    }

    /// `task` of this priority runs from now on.
    pub(super) fn run(&mut self, at: Cycles, task: TaskId, priority: u32) {
        self.turn(at);
        self.runs = Some((task, priority, at));
    }

    /// The turn of the one that runs goes to the waits during which it ran.
    fn turn(&mut self, at: Cycles) {
        let Some((task, priority, since)) = self.runs.take() else { return };
        for wait in &mut self.open {
            let is_third = wait.held_by.is_some_and(|(holder, lowest)| {
                task != holder && task != wait.task && (lowest..wait.priority).contains(&priority)
            });
            if is_third {
                *wait.ran.entry(task).or_default() += at.saturating_sub(since.max(wait.since)).get();
            }
        }
        self.runs = Some((task, priority, at));
    }

    /// `task` waits no longer.
    pub(super) fn end(&mut self, at: Cycles, task: TaskId) {
        let Some(place) = self.open.iter().position(|wait| wait.task == task) else { return };
        self.turn(at);
        let wait = self.open.remove(place);
        let Some((held_by, _)) = wait.held_by else { return };
        let held_up = self.held_up.entry(task).or_default();
        held_up.times += 1;
        let mut ran: Vec<_> = wait.ran.into_iter().filter(|(_, cycles)| *cycles > 0).collect();
        ran.sort_by_key(|(task, cycles)| (std::cmp::Reverse(*cycles), *task));
        let ran: Vec<_> = ran.into_iter().map(|(task, cycles)| (task, Cycles::new(cycles))).collect();
        held_up.inversions += u64::from(!ran.is_empty());
        let cycles = at.saturating_sub(wait.since);
        if held_up.longest.as_ref().is_none_or(|longest| cycles > longest.cycles) {
            held_up.longest = Some(LongestWait { at: wait.since, cycles, held_by, ran });
        }
    }

    /// All waits up to `at`.
    pub(super) fn finish(&mut self, at: Cycles) -> Vec<(TaskId, HeldUp)> {
        let open: Vec<_> = self.open.iter().map(|wait| wait.task).collect();
        open.into_iter().for_each(|task| self.end(at, task));
        std::mem::take(&mut self.held_up).into_iter().collect()
    }
}
