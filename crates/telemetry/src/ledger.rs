//! The account of a run: each nanosecond of each worker has one owner.

use std::collections::BTreeMap;
use std::time::Duration;

use cyclescope_machine::units::Cycles;
use cyclescope_scope::{CycleOwner, TaskEvent, TaskId, TaskReport};
use rustc_hash::FxHashMap;

use crate::read::{Events, What};
use crate::tasks::{Places, facts};

/// The numbers that dial9 gives to threads that are no workers: those for blocking calls, and all others.
const NO_WORKERS: [u64; 2] = [254, 255];

/// The most workers; events of more are left out.
const MOST_WORKERS: usize = 256;

/// The days before and after the middle event of a run that its events may be of: sums of what workers do have room.
const MOST_DAYS: u64 = 20;

/// Leaves out events, of `all` in the order of time, that cannot be of the same run. Returns their number.
fn clean(all: &mut Vec<(u64, What)>) -> usize {
    const MOST: u64 = MOST_DAYS * 24 * 3_600 * 1_000_000_000;
    let before = all.len();
    if let Some((middle, _)) = all.get(before / 2).copied() {
        all.retain(|(at, _)| at.abs_diff(middle) <= MOST);
    }
    before - all.len()
}

/// A run of an asynchronous runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The tasks, by the places where they were spawned. A cycle is a nanosecond, a core a worker.
    pub report: TaskReport,
    /// The first events, if they were asked for; those of the report have no numbers of tasks and stay empty.
    pub timeline: Vec<Moment>,
    /// The same tasks: what only such a runtime has.
    pub places: Vec<Place>,
    /// The workers, by their numbers.
    pub workers: Vec<Worker>,
    /// The runtime's own queue.
    pub queues: Queues,
    /// A poll that took longer blocked its worker.
    pub blocking: Duration,
    /// Polls on threads that are no workers; they are in no other figure.
    pub elsewhere: u64,
    /// Notes on missing events, in sentences without their full stop.
    pub incomplete: Vec<String>,
}

/// An event of a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The time since the first event.
    pub at: Cycles,
    /// The worker, by its place in [`View::workers`], on which it happened; `None` elsewhere.
    pub worker: Option<usize>,
    /// The task's place in the report.
    pub place: TaskId,
    /// The task's own number.
    pub task: u64,
    /// The event.
    pub event: TaskEvent,
}

/// The tasks that were spawned at one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The tasks that were seen.
    pub tasks: u64,
    /// Polls on another worker than the same task's poll before.
    pub moves: u64,
    /// The polls that blocked a worker.
    pub blocked: Blocked,
}

/// Polls that blocked a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocked {
    /// Their number.
    pub times: u64,
    /// Their time in nanoseconds.
    pub time: u64,
    /// The worker of the longest.
    pub worker: u64,
    /// The polls of tasks that were woken meanwhile and had to wait for the same worker.
    pub held_up: u64,
    /// The time from the wakes of those to the blocking poll's end, in nanoseconds.
    pub held_up_time: u64,
}

/// A worker's time, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worker {
    /// Its number.
    pub number: u64,
    /// Polls that began.
    pub polls: u64,
    /// Time in polls.
    pub polling: u64,
    /// Time asleep.
    pub parked: u64,
    /// Time awake, as far as both ends of it are known.
    pub awake: u64,
    /// The processor time of its thread meanwhile.
    pub on_processor: u64,
    /// The wakes of which the time in the run queue is told.
    pub queue_samples: u64,
    /// The sum of those times.
    pub queued: u64,
    /// The most tasks in its queue when a poll began.
    pub deepest: u32,
    /// The sum over all polls.
    pub depths: u64,
}

/// The depth of the queue that all workers share, as it was sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queues {
    /// The samples.
    pub samples: u64,
    /// The deepest.
    pub deepest: u64,
    /// The sum over all samples.
    pub sum: u64,
    /// The most tasks that existed at once.
    pub most_tasks: u64,
}

/// The state of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing is known yet.
    Unseen,
    Awake,
    Parked,
    /// It polls a task of this place; since when.
    Polling {
        task: u64,
        place: TaskId,
        since: u64,
    },
}

/// A worker under way.
struct Lane {
    state: State,
    /// The time up to which all is given to an owner.
    until: u64,
    /// When its first poll began, until it has slept.
    first: Option<u64>,
    /// When it woke, and the processor time then.
    woke: Option<(u64, u64)>,
    /// The latest poll that blocked it: its beginning, end and place.
    blocked: Option<(u64, u64, TaskId)>,
    worker: Worker,
}

/// A task under way.
#[derive(Clone, Copy, Debug, Default)]
struct Task {
    /// Since when it is to be polled.
    woken: Option<u64>,
    /// The worker of its latest poll.
    worker: Option<u64>,
}

pub(crate) struct Ledger {
    blocking: u64,
    most: usize,
    places: Places,
    lanes: BTreeMap<u64, Lane>,
    tasks: FxHashMap<u64, (TaskId, Task)>,
    owners: BTreeMap<CycleOwner, u64>,
    queues: Queues,
    elsewhere: u64,
    lost_workers: u64,
    timeline: Vec<Moment>,
    lost: u64,
    start: u64,
}

impl Ledger {
    pub(crate) fn new(blocking: Duration, most: usize) -> Self {
        Self {
            blocking: u64::try_from(blocking.as_nanos()).unwrap_or(u64::MAX),
            most,
            places: Places::default(),
            lanes: BTreeMap::new(),
            tasks: FxHashMap::default(),
            owners: BTreeMap::new(),
            queues: Queues::default(),
            elsewhere: 0,
            lost_workers: 0,
            timeline: Vec::new(),
            lost: 0,
            start: 0,
        }
    }

    /// Takes all events in the order of time, and makes the view.
    pub(crate) fn run(mut self, events: Events) -> View {
        let Events { mut all, places, lost: unread, mut incomplete, .. } = events;
        // Threads write batches of their own; an event that comes later in its batch is not the earlier one.
        all.sort_by_key(|(at, _)| *at);
        let impossible = clean(&mut all);
        if impossible > 0 {
            incomplete.push(format!("{impossible} events have times more than {MOST_DAYS} days away from the others"));
        }
        self.start = all.first().map_or(0, |(at, _)| *at);
        let end = all.last().map_or(0, |(at, _)| *at);
        self.places = Places::new(places);
        // All workers are there from the beginning on.
        let workers: std::collections::BTreeSet<u64> = all.iter().filter_map(|(_, what)| what.worker()).collect();
        for number in workers.into_iter().filter(|number| !NO_WORKERS.contains(number)) {
            if self.lanes.len() == MOST_WORKERS {
                self.lost_workers += 1;
                continue;
            }
            let worker = Worker { number, ..Worker::default() };
            let lane = Lane { state: State::Unseen, until: self.start, first: None, woke: None, blocked: None, worker };
            self.lanes.insert(number, lane);
        }
        for (at, what) in all {
            self.take(at, what);
        }
        let numbers: Vec<u64> = self.lanes.keys().copied().collect();
        for number in numbers {
            self.settle(number, end);
        }
        if unread > 0 {
            incomplete.push(format!("{unread} events were too many to be read"));
        }
        if self.lost_workers > 0 {
            incomplete.push(format!("{} workers are more than {MOST_WORKERS}", self.lost_workers));
        }
        let cycles = Cycles::new(end - self.start);
        let (tasks, extra) = facts(self.places);
        let report = TaskReport {
            runtime: "tokio",
            polls: true,
            tasks,
            owners: self.owners.into_iter().map(|(owner, time)| (owner, Cycles::new(time))).collect(),
            cycles,
            cores: self.lanes.len(),
            events: Vec::new(),
            lost: self.lost,
        };
        View {
            report,
            timeline: self.timeline,
            places: extra,
            workers: self.lanes.into_values().map(|lane| lane.worker).collect(),
            queues: self.queues,
            blocking: Duration::from_nanos(self.blocking),
            elsewhere: self.elsewhere,
            incomplete,
        }
    }

    fn take(&mut self, at: u64, what: What) {
        match what {
            What::PollBegan { worker, task, place, queue } => self.poll_began(at, worker, task, place, queue),
            What::PollEnded { worker } => self.poll_ended(at, worker),
            What::Park { worker, cpu } => self.park(at, worker, cpu),
            What::Unpark { worker, cpu, queued } => self.unpark(at, worker, cpu, queued),
            What::Queue { depth, alive } => {
                self.queues.samples += 1;
                self.queues.deepest = self.queues.deepest.max(depth);
                self.queues.sum = self.queues.sum.saturating_add(depth);
                self.queues.most_tasks = self.queues.most_tasks.max(alive);
            }
            What::Spawned { task, place, worker } => {
                let by = worker.and_then(|worker| self.polled_on(worker)).unwrap_or(CycleOwner::Runtime);
                let place = self.task(task, place);
                self.places.record(place).spawns += 1;
                self.queue(at, task, place, by, true);
                self.note(at, worker, (place, task), TaskEvent::Spawned(by));
            }
            What::Ended { task } => {
                if let Some((place, Task { worker, .. })) = self.tasks.remove(&task) {
                    self.places.record(place).ends += 1;
                    self.note(at, worker, (place, task), TaskEvent::Ended);
                }
            }
            What::Woken { task, by } => {
                let waker = self.tasks.get(&by).map(|(place, task)| (*place, task.worker));
                let Some((place, _)) = self.tasks.get(&task).copied() else { return };
                let owner = waker.map_or(CycleOwner::Runtime, |(place, _)| CycleOwner::Task(place));
                if self.queue(at, task, place, owner, false) {
                    self.note(at, waker.and_then(|(_, worker)| worker), (place, task), TaskEvent::Woken(owner));
                }
            }
        }
    }

    /// The owner that `worker` polls now.
    fn polled_on(&self, worker: u64) -> Option<CycleOwner> {
        match self.lanes.get(&worker)?.state {
            State::Polling { place, .. } => Some(CycleOwner::Task(place)),
            _ => None,
        }
    }

    /// The place of `task`, which may be new.
    fn task(&mut self, task: u64, place: u32) -> TaskId {
        let place = self.places.number(place);
        let known = self.tasks.entry(task);
        if let std::collections::hash_map::Entry::Vacant(new) = known {
            new.insert((place, Task::default()));
            self.places.extra(place).tasks += 1;
            return place;
        }
        self.tasks[&task].0
    }

    /// Notes that `task` is to be polled. Tells if it was not so already.
    fn queue(&mut self, at: u64, task: u64, place: TaskId, by: CycleOwner, spawned: bool) -> bool {
        let Some((_, state)) = self.tasks.get_mut(&task) else { return false };
        if state.woken.is_some() {
            return false;
        }
        state.woken = Some(at);
        if !spawned {
            *self.places.record(place).woken_by.entry(by).or_default() += 1;
        }
        true
    }

    fn poll_began(&mut self, at: u64, worker: u64, task: u64, place: u32, queue: u32) {
        if !self.lanes.contains_key(&worker) {
            self.elsewhere += 1;
            return;
        }
        self.settle(worker, at);
        let place = self.task(task, place);
        let (_, state) = self.tasks.get_mut(&task).expect("it was just put there");
        let (woken, before) = (state.woken.take(), state.worker.replace(worker));
        let lane = self.lanes.get_mut(&worker).expect("it is there");
        if lane.state == State::Unseen {
            lane.first = Some(at);
        }
        lane.state = State::Polling { task, place, since: at };
        lane.worker.polls += 1;
        lane.worker.deepest = lane.worker.deepest.max(queue);
        lane.worker.depths += u64::from(queue);
        let blocked = lane.blocked;
        let record = self.places.record(place);
        record.polls += 1;
        if let Some(woken) = woken {
            record.wait(self.start, woken, at);
        }
        if before.is_some_and(|before| before != worker) {
            self.places.extra(place).moves += 1;
        }
        // Woken while this worker was blocked, and nobody else has polled it.
        if let (Some(woken), Some((from, to, by))) = (woken, blocked)
            && (from..to).contains(&woken)
        {
            let blocked = &mut self.places.extra(by).blocked;
            blocked.held_up += 1;
            blocked.held_up_time = blocked.held_up_time.saturating_add(to - woken);
        }
        self.note(at, Some(worker), (place, task), TaskEvent::PollBegan);
    }

    fn poll_ended(&mut self, at: u64, worker: u64) {
        let Some(lane) = self.lanes.get(&worker) else { return };
        let State::Polling { task, place, since } = lane.state else { return };
        self.settle(worker, at);
        let time = at - since;
        let longest = self.places.record(place).poll(self.start, since, time);
        let lane = self.lanes.get_mut(&worker).expect("it is there");
        lane.state = State::Awake;
        if time > self.blocking {
            lane.blocked = Some((since, at, place));
            let blocked = &mut self.places.extra(place).blocked;
            blocked.times += 1;
            blocked.time = blocked.time.saturating_add(time);
            if longest {
                blocked.worker = worker;
            }
        }
        self.note(at, Some(worker), (place, task), TaskEvent::PollEnded);
    }

    fn park(&mut self, at: u64, worker: u64, cpu: u64) {
        self.interrupted(at, worker);
        let Some(lane) = self.lanes.get_mut(&worker) else { return };
        lane.state = State::Parked;
        // A thread that has run for less time than is seen of it was new: all of that time is in what is seen.
        let new = lane.first.take().filter(|first| cpu <= at.saturating_sub(*first)).map(|first| (first, 0));
        if let Some((woke, before)) = lane.woke.take().or(new) {
            lane.worker.awake = lane.worker.awake.saturating_add(at.saturating_sub(woke));
            lane.worker.on_processor = lane.worker.on_processor.saturating_add(cpu.saturating_sub(before));
        }
    }

    fn unpark(&mut self, at: u64, worker: u64, cpu: u64, queued: Option<u64>) {
        self.interrupted(at, worker);
        let Some(lane) = self.lanes.get_mut(&worker) else { return };
        lane.state = State::Awake;
        lane.woke = Some((at, cpu));
        if let Some(queued) = queued {
            lane.worker.queue_samples += 1;
            lane.worker.queued = lane.worker.queued.saturating_add(queued);
        }
    }

    /// Ends a poll of which no end was told: a worker that sleeps or wakes polls nothing.
    fn interrupted(&mut self, at: u64, worker: u64) {
        self.settle(worker, at);
        let state = self.lanes.get(&worker).map(|lane| lane.state);
        let Some(State::Polling { task, place, .. }) = state else { return };
        self.note(at, Some(worker), (place, task), TaskEvent::PollEnded);
    }

    /// Gives the time of `worker` up to `at` to its owner.
    fn settle(&mut self, worker: u64, at: u64) {
        let Some(lane) = self.lanes.get_mut(&worker) else { return };
        let time = at.saturating_sub(lane.until);
        lane.until = lane.until.max(at);
        let owner = match lane.state {
            State::Unseen => CycleOwner::StartUp,
            State::Awake => CycleOwner::Runtime,
            State::Parked => {
                lane.worker.parked += time;
                CycleOwner::Sleep
            }
            State::Polling { place, .. } => {
                lane.worker.polling += time;
                self.places.record(place).busy += time;
                CycleOwner::Task(place)
            }
        };
        *self.owners.entry(owner).or_default() += time;
    }

    fn note(&mut self, at: u64, worker: Option<u64>, (place, task): (TaskId, u64), event: TaskEvent) {
        if self.timeline.len() < self.most {
            let worker = worker.and_then(|worker| self.lanes.keys().position(|number| *number == worker));
            self.timeline.push(Moment { at: Cycles::new(at - self.start), worker, place, task, event });
        } else {
            self.lost += u64::from(self.most > 0);
        }
    }
}

impl What {
    /// The worker that the event is of.
    fn worker(&self) -> Option<u64> {
        match *self {
            Self::PollBegan { worker, .. }
            | Self::PollEnded { worker }
            | Self::Park { worker, .. }
            | Self::Unpark { worker, .. } => Some(worker),
            _ => None,
        }
    }
}
