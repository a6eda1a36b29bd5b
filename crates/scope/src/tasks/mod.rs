//! An X-ray of tasks: which runs, who woke it, and where it waits, from debug information alone.
//!
//! A [`TaskScope`] observes a run. The runtime's structures in memory say what happens; it watches stores to them and the functions
//! that run tasks. Each cycle gets one owner ([`CycleOwner`]), and the sum is checked.

mod awaits;
mod calls;
mod coroutines;
mod embassy;
mod ledger;
mod lilos;
mod rtic;
mod runtime;
mod threads;

use std::collections::BTreeMap;

use cyclescope_chips::{Machine, StackUse};
use cyclescope_image::{Image, SymbolError, Types, TypesError};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Signal, SignalKind, Stop};
use rustc_hash::FxHashMap;
use thiserror::Error;

use self::awaits::Future;
pub use self::awaits::{Await, AwaitState};
use self::coroutines::Coroutines;
use self::embassy::Embassy;
use self::ledger::{Ledger, Own};
use self::lilos::Lilos;
use self::rtic::Rtic;
use self::runtime::{Happening, Runtime, Store, Told};
pub use self::runtime::{TaskId, TaskInfo};
use self::threads::Threads;
pub use self::threads::{HeldUp, LongestWait};
use crate::observer::Observer;
use crate::session::Session;

/// The owner of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CycleOwner {
    /// All that ran before the first task was there.
    StartUp,
    /// A task.
    Task(TaskId),
    /// The runtime: what runs where no task, exception or sleep does.
    Runtime,
    /// An exception's handler, with its entry and return.
    Exception(u16),
    /// The sleeping core.
    Sleep,
}

/// The tasks of an image cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TasksError {
    /// The debug information does not tell of types.
    #[error(transparent)]
    Types(#[from] TypesError),
    /// No runtime is found that is known.
    #[error(
        "no runtime was found that is known here (Embassy's executor, RTIC 2, lilos, FreeRTOS, coroutines of C++20 by GCC); if there is one, build all of it with full debug \
         information (Rust: `debug = 2` in the profile; C and C++: `-g`) and with symbols, or name the word that points to the \
         running thread with --task-pointer"
    )]
    NoRuntime,
    /// The compiler has made several variables of each task's executor.
    #[error(
        "the compiler has split the memory of RTIC's task `{task}`, and that of all others, into variables of which symbols do not \
         tell the places in it; a build without optimisation (Rust: `opt-level = 0`) keeps it whole"
    )]
    Split {
        /// The name of one of the tasks.
        task: String,
    },
    /// The word that points to the running thread is unknown.
    #[error(transparent)]
    Pointer(#[from] SymbolError),
    /// The cycles of all owners are not those of the run.
    #[error(
        "{given} cycles were given to tasks, exceptions, runtime and sleep, but {all} ran; this is a defect of cyclescope"
    )]
    Sum {
        /// The sum of all owners' cycles.
        given: u64,
        /// The cycles of the run, times the number of cores.
        all: u64,
    },
}

/// The longest poll of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongestPoll {
    /// The cycle at which it began.
    pub at: Cycles,
    /// The cycles up to its return, exceptions included.
    pub cycles: Cycles,
    /// The task's own of these.
    pub own: Cycles,
    /// The function that had most of its own cycles, without the functions that it called.
    pub function: Option<String>,
}

/// Delays of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// Their number.
    pub times: u64,
    /// Their sum.
    pub sum: Cycles,
    /// The longest.
    pub longest: Cycles,
    /// The cycle at which the longest began.
    pub longest_at: Cycles,
}

impl Delays {
    /// Adds a delay from one cycle to another.
    pub fn add(&mut self, from: Cycles, to: Cycles) {
        let delay = to.saturating_sub(from);
        self.times += 1;
        self.sum = self.sum.saturating_add(delay);
        if self.times == 1 || delay > self.longest {
            (self.longest, self.longest_at) = (delay, from);
        }
    }
}

/// A task's life in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFacts {
    /// The task.
    pub info: TaskInfo,
    /// The size of its future in bytes, if it is told.
    pub future_bytes: Option<u32>,
    /// The number of times that it was spawned.
    pub spawns: u64,
    /// The number of times that its future ended.
    pub ends: u64,
    /// The number of polls that began; of a thread, how often it ran in the place of another.
    pub polls: u64,
    /// Its own cycles.
    pub busy: Cycles,
    /// Its longest poll; of a thread, the longest time until another ran in its place.
    pub longest: Option<LongestPoll>,
    /// From a wake or spawn to the poll; of a thread, from when it was ready until it ran.
    pub wake_to_poll: Delays,
    /// Its wakers, and how often each woke it.
    pub woken_by: Vec<(CycleOwner, u64)>,
    /// The await at which it is suspended at the end of the run; `None` if it does not exist then, or if its future is not told.
    pub suspended: Option<Await>,
    /// The awaits at which its polls left it, and how often, the most frequent first.
    pub awaits: Vec<(Await, u64)>,
    /// The deepest use of a thread's stack, if it is known.
    pub stack: Option<StackUse>,
    /// A thread's waits for what others of lower priority hold.
    pub held_up: HeldUp,
}

/// Something that happened to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEvent {
    /// It began to exist, and is to be polled; who made it.
    Spawned(CycleOwner),
    /// It is to be polled; who woke it.
    Woken(CycleOwner),
    /// The core is about to poll it.
    PollBegan,
    /// The poll has returned.
    PollEnded,
    /// Its future has ended.
    Ended,
}

/// The tasks of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskReport {
    /// The runtime's name.
    pub runtime: &'static str,
    /// Its tasks are polled; else they are threads.
    pub polls: bool,
    /// The tasks in the order of their addresses, as far as they are known from the start, then as they were met.
    pub tasks: Vec<TaskFacts>,
    /// The cycles of each owner; they sum to `cycles` times `cores`.
    pub owners: Vec<(CycleOwner, Cycles)>,
    /// The cycles of the run.
    pub cycles: Cycles,
    /// The number of cores.
    pub cores: usize,
    /// The events in order of time, with their cores and tasks, as far as they were kept ([`TaskScope::keep`]).
    pub events: Vec<(Cycles, u8, TaskId, TaskEvent)>,
    /// The number of events that found no room.
    pub lost: u64,
}

#[derive(Debug, Default)]
struct Record {
    spawns: u64,
    ends: u64,
    polls: u64,
    began: Option<Cycles>,
    longest: Option<LongestPoll>,
    /// Since when it is to be polled.
    queued: Option<Cycles>,
    wake_to_poll: Delays,
    woken_by: BTreeMap<CycleOwner, u64>,
    suspended: Option<Future>,
    awaits: FxHashMap<Future, u64>,
}

/// The most places at which one task is told to have been suspended.
const MOST_AWAITS: usize = 1_024;

/// Returns the runtime of `image` that polls futures, if it has one.
///
/// # Errors
/// [`TasksError::Split`] if the places of its tasks are not told.
fn polled<'i>(image: &'i Image, types: &'i Types<'i>) -> Result<Option<Box<dyn Runtime + 'i>>, TasksError> {
    if let Some(found) = Embassy::find(image, types) {
        return Ok(Some(Box::new(found)));
    }
    if let Some(found) = Rtic::find(image, types)? {
        return Ok(Some(Box::new(found)));
    }
    Ok(Lilos::find(image, types).map(|found| Box::new(found) as Box<dyn Runtime + 'i>))
}

/// Observes the tasks of a run.
#[derive(Debug)]
pub struct TaskScope<'i> {
    types: Option<&'i Types<'i>>,
    runtime: Box<dyn Runtime + 'i>,
    ledger: Ledger<'i>,
    cores: usize,
    tasks: Vec<TaskInfo>,
    records: Vec<Record>,
    /// All that the latest stop told, to be taken after the signals before it.
    pending: Vec<(Cycles, usize, Happening)>,
    most_events: usize,
    events: Vec<(Cycles, u8, TaskId, TaskEvent)>,
    lost: u64,
}

impl<'i> TaskScope<'i> {
    /// Finds the runtime of `image`, with its `types` if they are told, and has `session` watch what it needs. With `pointer`, the
    /// symbol of the word that points to the running thread, the runtime is the kernel that it belongs to. The run must not have
    /// begun.
    ///
    /// # Errors
    /// [`TasksError::NoRuntime`], and [`TasksError::Pointer`] if there is no such symbol.
    pub fn new(
        image: &'i Image,
        types: Option<&'i Types<'i>>,
        pointer: Option<&str>,
        session: &mut Session<'_>,
    ) -> Result<Self, TasksError> {
        let freertos = || Threads::freertos(image, types);
        let mut runtime: Box<dyn Runtime + 'i> = match pointer {
            Some("pxCurrentTCB") if let Some(found) = freertos() => Box::new(found),
            Some(name) => Box::new(Threads::pointed(image, "the kernel", image.symbol(name)?.address.get())),
            None => match types.map(|types| polled(image, types)).transpose()?.flatten() {
                Some(found) => found,
                None => match freertos() {
                    Some(found) => Box::new(found),
                    None => Box::new(Coroutines::find(image).ok_or(TasksError::NoRuntime)?),
                },
            },
        };
        session.want(SignalKind::Exception);
        session.want(SignalKind::Sleep);
        let machine = session.target();
        let mut tasks = Vec::new();
        runtime.watch(machine, &mut tasks);
        let (cores, now) = (machine.cores(), machine.now());
        let ledger = Ledger::new(image, cores, now);
        let (records, pending, events) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { types, runtime, ledger, cores, tasks, records, pending, most_events: 0, events, lost: 0 })
    }

    /// Keeps the first `most` events from now on, for [`TaskReport::events`].
    pub fn keep(&mut self, most: usize) {
        self.most_events = most;
    }

    fn note(&mut self, at: Cycles, core: usize, task: TaskId, event: TaskEvent) {
        if self.events.len() < self.most_events {
            self.events.push((at, core as u8, task, event));
        } else {
            self.lost += u64::from(self.most_events > 0);
        }
    }

    fn record(&mut self, task: TaskId) -> &mut Record {
        if self.records.len() <= task {
            self.records.resize_with(task + 1, Record::default);
        }
        &mut self.records[task]
    }

    fn take(&mut self, at: Cycles, core: usize, happening: Happening) {
        match happening {
            Happening::Spawned(task) => {
                self.note(at, core, task, TaskEvent::Spawned(self.ledger.owner(core)));
                self.begun(core);
                let record = self.record(task);
                record.spawns += 1;
                record.queued = Some(at);
            }
            Happening::Woken(task) => {
                let waker = self.ledger.owner(core);
                self.note(at, core, task, TaskEvent::Woken(waker));
                let record = self.record(task);
                *record.woken_by.entry(waker).or_default() += 1;
                record.queued = Some(at);
            }
            Happening::PollBegan(task) => {
                self.note(at, core, task, TaskEvent::PollBegan);
                self.begun(core);
                self.ledger.begin(core, CycleOwner::Task(task));
                let record = self.record(task);
                record.polls += 1;
                record.began = Some(at);
                if let Some(queued) = record.queued.take() {
                    record.wake_to_poll.add(queued, at);
                }
            }
            Happening::PollEnded(task, future) => {
                self.note(at, core, task, TaskEvent::PollEnded);
                let own = self.ledger.end(core, CycleOwner::Task(task));
                self.ended(task, at, own);
                self.record(task).suspended = None;
                if let Some(future) = future {
                    self.left(task, future);
                }
            }
            Happening::Started => self.begun(core),
            Happening::Ready(task) => {
                let waker = self.ledger.owner(core);
                self.note(at, core, task, TaskEvent::Woken(waker));
                let runs = self.ledger.base(core) == CycleOwner::Task(task);
                let record = self.record(task);
                if waker == CycleOwner::StartUp {
                    record.spawns += 1;
                } else {
                    *record.woken_by.entry(waker).or_default() += 1;
                }
                record.queued = Some(at).filter(|_| !runs);
            }
            Happening::Unready(task) => self.record(task).queued = None,
            Happening::Runs(task) => {
                let before = self.ledger.base(core);
                if before == CycleOwner::Task(task) {
                    return;
                }
                let own = self.ledger.run(core, CycleOwner::Task(task));
                if let CycleOwner::Task(before) = before {
                    self.note(at, core, before, TaskEvent::PollEnded);
                    self.ended(before, at, Some(own));
                }
                self.note(at, core, task, TaskEvent::PollBegan);
                let record = self.record(task);
                record.polls += 1;
                record.began = Some(at);
                if let Some(queued) = record.queued.take() {
                    record.wake_to_poll.add(queued, at);
                }
            }
            Happening::Ended(task) => {
                self.note(at, core, task, TaskEvent::Ended);
                let record = self.record(task);
                record.ends += 1;
                record.suspended = None;
            }
        }
    }

    /// The latest poll of `task` has left it at `future`.
    fn left(&mut self, task: TaskId, future: Future) {
        let record = self.record(task);
        if record.awaits.len() < MOST_AWAITS || record.awaits.contains_key(&future) {
            *record.awaits.entry(future.clone()).or_default() += 1;
        }
        record.suspended = Some(future);
    }

    /// A poll of `task`, or a thread's turn, has ended with these cycles of its own.
    fn ended(&mut self, task: TaskId, at: Cycles, own: Option<Own>) {
        let record = self.record(task);
        if let (Some(own), Some(began)) = (own, record.began.take()) {
            let cycles = at.saturating_sub(began);
            if record.longest.as_ref().is_none_or(|longest| cycles > longest.cycles) {
                let (own, function) = (Cycles::new(own.cycles), own.function);
                record.longest = Some(LongestPoll { at: began, cycles, own, function });
            }
        }
    }

    /// There is a task: all that runs beside tasks on `core` is the runtime, and no longer start-up.
    fn begun(&mut self, core: usize) {
        if self.ledger.base(core) == CycleOwner::StartUp {
            self.ledger.run(core, CycleOwner::Runtime);
        }
    }

    /// Returns what the run of `machine` has shown up to now.
    ///
    /// # Errors
    /// [`TasksError::Sum`] if a cycle has no owner or several.
    pub fn finish(mut self, machine: &Machine) -> Result<TaskReport, TasksError> {
        if let Some(last) = self.tasks.len().checked_sub(1) {
            self.record(last);
        }
        for (task, future) in self.runtime.left(machine) {
            self.left(task, future);
        }
        let (owners, cycles) = self.ledger.finish(machine.now());
        let given: u64 = owners.iter().map(|(_, cycles)| cycles).sum();
        let all = cycles.get().saturating_mul(self.cores as u64);
        if given != all {
            return Err(TasksError::Sum { given, all });
        }
        let owners: Vec<_> = owners.into_iter().map(|(owner, cycles)| (owner, Cycles::new(cycles))).collect();
        let busy = |task| owners.iter().find(|(owner, _)| *owner == CycleOwner::Task(task)).map(|(_, cycles)| *cycles);
        let stacks = self.runtime.stacks(machine);
        let mut held_up: BTreeMap<_, _> = self.runtime.held_up(machine.now()).into_iter().collect();
        let types = Types::default();
        let types = self.types.unwrap_or(&types);
        let tasks: Vec<TaskFacts> = self
            .tasks
            .into_iter()
            .zip(self.records)
            .enumerate()
            .map(|(task, (info, record))| {
                let told = |future: &Future| awaits::told(types, future, Some(&info.name));
                let mut awaits: Vec<_> = record.awaits.iter().map(|(future, times)| (told(future), *times)).collect();
                // A future that is being polled is not suspended.
                let suspended = record.suspended.as_ref().map(told);
                let own = self.runtime.told(task).unwrap_or(Told { bytes: None, awaits: Vec::new(), suspended: None });
                awaits.extend(own.awaits);
                let suspended = suspended.or(own.suspended).filter(|_| record.began.is_none());
                awaits.sort_by(|(a, times), (b, others)| others.cmp(times).then_with(|| a.line.cmp(&b.line)));
                let mut woken_by: Vec<_> = record.woken_by.into_iter().collect();
                woken_by.sort_by_key(|(waker, times)| (std::cmp::Reverse(*times), *waker));
                TaskFacts {
                    future_bytes: info.future.and_then(|future| types.size(future)).or(own.bytes),
                    spawns: record.spawns,
                    ends: record.ends,
                    polls: record.polls,
                    busy: busy(task).unwrap_or(Cycles::ZERO),
                    longest: record.longest,
                    wake_to_poll: record.wake_to_poll,
                    woken_by,
                    suspended,
                    awaits,
                    held_up: held_up.remove(&task).unwrap_or_default(),
                    stack: stacks.iter().find(|(of, _)| *of == task).map(|(_, stack)| *stack),
                    info,
                }
            })
            .collect();
        let (events, lost) = (self.events, self.lost);
        let (runtime, polls, cores) = (self.runtime.name(), self.runtime.polls(), self.cores);
        Ok(TaskReport { runtime, polls, tasks, owners, cycles, cores, events, lost })
    }
}

impl Observer for TaskScope<'_> {
    fn step(&mut self, machine: &mut Machine, until: Cycles) -> Stop {
        let stop = machine.run_into(until, &mut self.ledger);
        for (task, future) in self.runtime.left(machine) {
            self.left(task, future);
        }
        let mut happened = Vec::new();
        self.runtime.stopped(machine, &mut self.tasks, &mut happened);
        if let Stop::Watch(address) = stop {
            self.runtime.reached(machine, address, &mut self.tasks, &mut happened);
        }
        let (now, core) = (machine.now(), machine.core());
        self.pending.extend(happened.into_iter().map(|happening| (now, core, happening)));
        stop
    }

    fn signal(&mut self, at: Cycles, core: u8, signal: Signal) {
        let core = usize::from(core);
        match signal {
            Signal::Store { address, width, value } => {
                let mut happened = Vec::new();
                self.runtime.stored(Store { address, width, value }, &mut happened);
                happened.into_iter().for_each(|happening| self.take(at, core, happening));
            }
            _ => self.ledger.signal(at, core, signal),
        }
    }

    fn stopped(&mut self, _: u8, _: Address, _: Address) {
        for (at, core, happening) in std::mem::take(&mut self.pending) {
            self.take(at, core, happening);
        }
    }
}
