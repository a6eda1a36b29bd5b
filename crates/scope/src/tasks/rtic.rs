//! RTIC 2, of which each software task is an `AsyncTaskExecutor<F>` in a static: the future, and the flags `running` and `pending`.
//!
//! A dispatcher polls the tasks of one priority. It clears `pending` just before a poll, which is compiled into the dispatcher, so that
//! no function's entry and return tell of it. A coroutine writes its state down as the last thing that it does: that store ends the
//! poll (rtic 2.2 to 2.4, `export/executor.rs`; statics by `rtic-macros`, `codegen/util.rs`).

use std::ops::Range;

use cyclescope_chips::Machine;
use cyclescope_image::{Image, TypeId, Types};
use cyclescope_machine::units::Address;

use super::TasksError;
use super::awaits::{self, Future};
use super::runtime::{Happening, Runtime, Store, TaskId, TaskInfo};

/// The type of an executor, and the scope that it is in.
const EXECUTOR: &str = "AsyncTaskExecutor<";
const SCOPE: &str = "rtic::export::executor::";

/// The name of an executor's static around the task's.
const STATIC: (&str, &str) = ("__rtic_internal_", "_EXEC");

/// The greatest number of tasks. A guest that has more has lost its way.
const MOST_TASKS: usize = 1_024;

/// One software task. The addresses are those of its flags and of its coroutine's state.
#[derive(Clone, Debug)]
struct Executor {
    name: String,
    future: TypeId,
    /// The address of the future.
    at: u32,
    running: Flag,
    pending: Flag,
    state: Range<u32>,
    /// It has been spawned and not been pended yet.
    fresh: bool,
    /// It is being polled.
    open: bool,
}

/// A `bool` in memory, as it is known to be.
#[derive(Clone, Copy, Debug)]
struct Flag {
    at: u32,
    set: bool,
}

/// A flag's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Rose,
    Fell,
}

impl Flag {
    fn at(at: u32) -> Self {
        Self { at, set: false }
    }

    fn take(&mut self, store: Store) -> Option<Change> {
        let set = store.byte(self.at)? != 0;
        match (std::mem::replace(&mut self.set, set), set) {
            (false, true) => Some(Change::Rose),
            (true, false) => Some(Change::Fell),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct Rtic<'i> {
    types: &'i Types<'i>,
    /// The tasks by their numbers.
    executors: Vec<Executor>,
    /// The tasks whose polls have ended since the machine last stood still.
    left: Vec<TaskId>,
}

impl<'i> Rtic<'i> {
    /// Returns the executors of `image`, if it has any.
    ///
    /// # Errors
    /// [`TasksError::Split`] if none of them lies in memory as its type says.
    pub(super) fn find(image: &Image, types: &'i Types<'i>) -> Result<Option<Self>, TasksError> {
        let mut executors = Vec::new();
        let mut split = None;
        let wanted = types.structures().filter(|(_, found)| found.name.starts_with(EXECUTOR));
        for (id, _) in wanted.filter(|(id, _)| types.path(*id).starts_with(SCOPE)) {
            let Some((_, future)) = types.parameters(id).iter().find(|(name, _)| *name == "F") else { continue };
            let path = types.path(*future);
            let Some((module, name)) = path.rsplit_once("::{").and_then(|(path, _)| path.rsplit_once("::")) else {
                continue;
            };
            let holder = format!("{module}::{}{name}{}", STATIC.0, STATIC.1);
            let Some(size) = types.size(id) else { continue };
            // A part of a static that the compiler has split has a number behind its name.
            let is_of =
                |name: &str| name.strip_prefix(&holder).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
            let Some(symbol) = image.symbols().iter().find(|symbol| is_of(symbol.display_name())) else { continue };
            if symbol.size.get() != u64::from(size) {
                split.get_or_insert_with(|| name.to_owned());
                continue;
            }
            let own = |member| Some(symbol.address.get().wrapping_add(types.member(id, member)?.offset));
            let (Some(at), Some(running), Some(pending)) = (own("task"), own("running"), own("pending")) else {
                continue;
            };
            let Some(state) = awaits::state(types, *future) else { continue };
            if executors.len() < MOST_TASKS && executors.iter().all(|known: &Executor| known.at != at) {
                executors.push(Executor {
                    name: name.to_owned(),
                    future: *future,
                    at,
                    running: Flag::at(running),
                    pending: Flag::at(pending),
                    state: at.wrapping_add(state.start)..at.wrapping_add(state.end),
                    fresh: false,
                    open: false,
                });
            }
        }
        executors.sort_unstable_by_key(|executor| executor.at);
        match (executors.is_empty(), split) {
            (true, Some(task)) => Err(TasksError::Split { task }),
            (true, None) => Ok(None),
            (false, _) => Ok(Some(Self { types, executors, left: Vec::new() })),
        }
    }
}

impl Runtime for Rtic<'_> {
    fn name(&self) -> &'static str {
        "RTIC"
    }

    fn watch(&mut self, machine: &mut Machine, tasks: &mut Vec<TaskInfo>) {
        for executor in &self.executors {
            let Executor { running, pending, state, .. } = executor;
            for word in
                [running.at..running.at.saturating_add(1), pending.at..pending.at.saturating_add(1), state.clone()]
            {
                machine.watch_stores(Address::new(word.start)..Address::new(word.end));
            }
            let (name, address) = (executor.name.clone(), Address::new(executor.at));
            tasks.push(TaskInfo { name, address, future: Some(executor.future) });
        }
    }

    fn reached(&mut self, _: &mut Machine, _: Address, _: &mut Vec<TaskInfo>, _: &mut Vec<Happening>) {}

    fn stored(&mut self, store: Store, happened: &mut Vec<Happening>) {
        for (task, executor) in self.executors.iter_mut().enumerate() {
            if executor.open && executor.state.clone().any(|at| store.byte(at).is_some()) {
                executor.open = false;
                self.left.push(task);
                happened.push(Happening::PollEnded(task, None));
            }
            match executor.running.take(store) {
                Some(Change::Rose) => executor.fresh = true,
                Some(Change::Fell) => happened.push(Happening::Ended(task)),
                None => {}
            }
            match executor.pending.take(store) {
                Some(Change::Rose) if std::mem::take(&mut executor.fresh) => happened.push(Happening::Spawned(task)),
                Some(Change::Rose) if executor.running.set => happened.push(Happening::Woken(task)),
                Some(Change::Fell) if executor.running.set && !executor.open => {
                    executor.open = true;
                    happened.push(Happening::PollBegan(task));
                }
                _ => {}
            }
        }
    }

    fn left(&mut self, machine: &Machine) -> Vec<(TaskId, Future)> {
        let Self { types, executors, left } = self;
        let left = left.drain(..).filter_map(|task| executors.get(task).map(|executor| (task, executor)));
        let suspended = left.filter(|(_, executor)| executor.running.set);
        suspended.map(|(task, executor)| (task, awaits::read(types, machine, executor.future, executor.at))).collect()
    }
}
