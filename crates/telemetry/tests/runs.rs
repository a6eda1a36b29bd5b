//! Runs of which each moment is known, written as the recorder writes them: into batches of threads, in the recorder's form.

use std::io::Write as _;
use std::time::Duration;

use cyclescope_scope::{CycleOwner, TaskEvent, TaskFacts};
use cyclescope_telemetry::{BLOCKING, Events, TelemetryError, View, is_trace, view};
use dial9_trace_format::encoder::{Encoder, Schema};
use dial9_trace_format::schema::FieldDef;
use dial9_trace_format::types::{FieldType, FieldValue};

/// One batch of events, with a header of its own.
struct Batch {
    encoder: Encoder,
}

const WORKER: FieldValue = FieldValue::Varint(0);

impl Batch {
    fn new() -> Self {
        Self { encoder: Encoder::new() }
    }

    /// Adds an event of this name at `at`, with its fields.
    fn event(mut self, name: &str, at: u64, fields: &[(&str, FieldValue)]) -> Self {
        let definition = |(name, value): &(&str, FieldValue)| {
            let kind =
                if matches!(value, FieldValue::PooledString(_)) { FieldType::PooledString } else { FieldType::Varint };
            FieldDef::new(*name, kind)
        };
        let schema: Schema =
            self.encoder.register_schema(name, fields.iter().map(definition).collect()).expect("a form of ours");
        let values: Vec<FieldValue> = fields.iter().map(|(_, value)| value.clone()).collect();
        self.encoder.write_event(&schema, at, &values).expect("it fits the form");
        self
    }

    fn poll(mut self, from: u64, to: u64, worker: u64, task: u64, place: &str, queue: u64) -> Self {
        let place = self.encoder.intern_string(place).expect("there is room");
        let fields = [
            ("worker_id", FieldValue::Varint(worker)),
            ("local_queue", FieldValue::Varint(queue)),
            ("task_id", FieldValue::Varint(task)),
            ("spawn_loc", FieldValue::PooledString(place)),
        ];
        self.event("PollStartEvent", from, &fields).event(
            "PollEndEvent",
            to,
            &[("worker_id", FieldValue::Varint(worker))],
        )
    }

    fn spawn(mut self, at: u64, task: u64, place: &str) -> Self {
        let place = self.encoder.intern_string(place).expect("there is room");
        let fields = [("task_id", FieldValue::Varint(task)), ("spawn_loc", FieldValue::PooledString(place))];
        self.event("TaskSpawnEvent", at, &fields)
    }

    fn wake(self, at: u64, task: u64, by: u64) -> Self {
        let fields = [("waker_task_id", FieldValue::Varint(by)), ("woken_task_id", FieldValue::Varint(task))];
        self.event("WakeEventEvent", at, &fields)
    }

    fn sleep(self, from: u64, to: u64, worker: u64, cpu: [u64; 2]) -> Self {
        let fields = |cpu| [("worker_id", FieldValue::Varint(worker)), ("cpu_time_ns", FieldValue::Varint(cpu))];
        self.event("WorkerParkEvent", from, &fields(cpu[0])).event("WorkerUnparkEvent", to, &fields(cpu[1]))
    }

    fn bytes(self) -> Vec<u8> {
        self.encoder.finish()
    }
}

fn seen(files: &[Vec<u8>]) -> View {
    let mut events = Events::default();
    for file in files {
        events.read(file).expect("it is a trace");
    }
    view(events.checked().expect("it has polls"), BLOCKING, 1_000)
}

fn task<'v>(view: &'v View, place: &str) -> &'v TaskFacts {
    view.report.tasks.iter().find(|task| task.info.name == place).expect("the place is known")
}

fn times(view: &View) -> Vec<(CycleOwner, u64)> {
    view.report.owners.iter().map(|(owner, time)| (*owner, time.get())).collect()
}

/// Two workers: one polls a long time, while what it has woken waits; the other sleeps, and then takes a task over.
fn two_workers() -> [Batch; 2] {
    let first = Batch::new()
        .spawn(1_000_000, 7, "src/a.rs:1")
        .spawn(1_000_000, 8, "src/b.rs:2")
        .poll(1_100_000, 6_100_000, 0, 7, "src/a.rs:1", 3)
        .wake(3_100_000, 8, 7)
        .poll(6_200_000, 6_300_000, 0, 8, "src/b.rs:2", 0)
        .sleep(6_400_000, 9_000_000, 0, [5_000_000, 5_000_100]);
    let second = Batch::new()
        .sleep(1_200_000, 7_000_000, 1, [100, 200])
        .wake(7_000_000, 7, 0)
        .poll(7_500_000, 8_000_000, 1, 7, "src/a.rs:1", 1)
        .sleep(8_000_000, 10_000_000, 1, [400_200, 400_300]);
    [first, second]
}

#[test]
fn polls_waits_moves_and_blocked_workers_are_those_of_the_run() {
    let [first, second] = two_workers();
    let view = seen(&[first.bytes(), second.bytes()]);
    let a = task(&view, "src/a.rs:1");
    assert_eq!((a.spawns, a.polls, a.busy.get()), (1, 2, 5_500_000));
    let longest = a.longest.as_ref().expect("it has polls");
    assert_eq!((longest.at.get(), longest.cycles.get()), (100_000, 5_000_000));
    // From the spawn 0.1 ms, from the wake 0.5 ms.
    let waits = &a.wake_to_poll;
    assert_eq!((waits.times, waits.sum.get(), waits.longest.get()), (2, 600_000, 500_000));
    assert_eq!(a.woken_by, [(CycleOwner::Runtime, 1)]);
    // It was to be polled from its spawn on: the wake is none.
    let b = task(&view, "src/b.rs:2");
    assert_eq!((b.woken_by.len(), b.wake_to_poll.longest.get()), (0, 5_200_000));
    let [a, b] = &view.places[..] else { panic!("two places") };
    assert_eq!((a.tasks, a.moves, b.moves), (1, 1, 0));
    let blocked = a.blocked;
    assert_eq!((blocked.times, blocked.time, blocked.worker), (1, 5_000_000, 0));
    assert_eq!((blocked.held_up, b.blocked.times), (0, 0), "it was woken before");
    assert_eq!(view.workers.len(), 2);
    let [first, second] = &view.workers[..] else { panic!("two workers") };
    assert_eq!(
        (first.polls, first.polling, first.parked, first.deepest, first.depths),
        (2, 5_100_000, 2_600_000, 3, 3)
    );
    assert_eq!((second.awake, second.on_processor), (1_000_000, 400_000), "from one sleep to the next");
    assert_eq!((first.awake, first.on_processor), (5_300_000, 5_000_000), "from its first poll");
    let old = Batch::new().poll(0, 50, 0, 1, "a", 0).sleep(100, 200, 0, [101, 102]);
    assert_eq!(seen(&[old.bytes()]).workers[0].awake, 0, "the thread has run before");
    assert!(view.incomplete.is_empty() && view.elsewhere == 0);
}

#[test]
fn each_nanosecond_of_each_worker_has_one_owner() {
    let [first, second] = two_workers();
    let view = seen(&[first.bytes(), second.bytes()]);
    let [a, b] = [0, 1].map(CycleOwner::Task);
    assert_eq!(
        times(&view),
        [
            (CycleOwner::StartUp, 100_000 + 200_000),
            (a, 5_500_000),
            (b, 100_000),
            // 0.1 and 0.1 on the first and 1 at its end, 0.5 on the second.
            (CycleOwner::Runtime, 1_200_000 + 500_000),
            (CycleOwner::Sleep, 2_600_000 + 5_800_000 + 2_000_000),
        ]
    );
    let sum: u64 = times(&view).iter().map(|(_, time)| time).sum();
    assert_eq!(sum, view.report.cycles.get() * view.report.cores as u64);
}

#[test]
fn who_is_woken_while_a_worker_is_blocked_is_held_up() {
    let batch = Batch::new()
        .poll(0, 100, 0, 2, "b", 0)
        .poll(200, 5_000_200, 0, 1, "a", 0)
        .wake(2_000_200, 2, 1)
        .poll(5_000_300, 5_000_400, 0, 2, "b", 0)
        // Later wakes have nothing to do with it.
        .wake(5_000_500, 2, 0)
        .poll(5_000_600, 5_000_700, 0, 2, "b", 0);
    let view = seen(&[batch.bytes()]);
    assert_eq!((view.places[1].blocked.held_up, view.places[1].blocked.held_up_time), (1, 3_000_000));
    assert_eq!(task(&view, "b").woken_by, [(CycleOwner::Task(1), 1), (CycleOwner::Runtime, 1)]);
    let mut events = Events::default();
    let batch = Batch::new().poll(0, 5_000_000, 0, 1, "a", 0);
    events.read(&batch.bytes()).expect("it is a trace");
    assert_eq!(view_of(events, Duration::from_millis(6)).places[0].blocked.times, 0, "not longer than that");
}

fn view_of(events: Events, blocking: Duration) -> View {
    view(events, blocking, 0)
}

#[test]
fn a_timeline_has_the_events_in_the_order_of_time_up_to_its_length() {
    let [first, second] = two_workers();
    let (first, second) = (first.bytes(), second.bytes());
    let whole = seen(&[second.clone(), first.clone()]);
    assert!(whole.timeline.is_sorted_by_key(|moment| moment.at), "though the second thread's file came first");
    let polls: Vec<(Option<usize>, u64)> = whole
        .timeline
        .iter()
        .filter(|moment| moment.event == TaskEvent::PollBegan)
        .map(|moment| (moment.worker, moment.task))
        .collect();
    assert_eq!(polls, [(Some(0), 7), (Some(0), 8), (Some(1), 7)]);
    let mut events = Events::default();
    events.read(&first).expect("it is a trace");
    let short = view(events, BLOCKING, 2);
    assert_eq!((short.timeline.len(), short.report.lost), (2, 4));
}

#[test]
fn times_that_cannot_be_are_left_out() {
    let batch = Batch::new().poll(10, 20, 0, 1, "a", 0).poll(30, 50, 0, 1, "a", 0).poll(60, 80, 1, 2, "b", 0);
    let batch = batch.wake(u64::MAX - 1, 2, 1).poll(u64::MAX - 1, u64::MAX, 1, 2, "b", 0);
    let view = seen(&[batch.bytes()]);
    assert_eq!((view.report.cycles.get(), view.incomplete.len()), (70, 1));
    assert!(view.incomplete[0].starts_with("3 events have times more than 20 days away"), "{:?}", view.incomplete);
}

#[test]
fn queues_and_threads_that_are_no_workers_are_counted_apart() {
    let depth = |batch: Batch, at, depth| {
        let fields =
            [("global_queue_depth", FieldValue::Varint(depth)), ("alive_tasks", FieldValue::Varint(2 * depth))];
        batch.event("RuntimeMetricsEvent", at, &fields)
    };
    let batch = Batch::new().poll(0, 10, 0, 1, "a", 0).poll(20, 30, 255, 2, "b", 0).poll(40, 50, 254, 3, "c", 0);
    let batch = depth(depth(batch, 60, 4), 70, 10).event("FromTheFuture", 80, &[("worker_id", WORKER)]);
    let view = seen(&[batch.bytes()]);
    assert_eq!((view.elsewhere, view.report.cores), (2, 1));
    let queues = view.queues;
    assert_eq!((queues.samples, queues.deepest, queues.sum, queues.most_tasks), (2, 10, 14, 20));
}

#[test]
fn packed_files_are_read_and_cut_ones_as_far_as_they_go() {
    let [first, second] = two_workers();
    let bytes = [first.bytes(), second.bytes()].concat();
    // A file may be of several packed pieces.
    let pack = |bytes: &[u8]| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(bytes).expect("there is room");
        packed.finish().expect("there is room")
    };
    let (half, rest) = bytes.split_at(bytes.len() / 2);
    let packed = [pack(half), pack(rest)].concat();
    assert!(is_trace(&packed) && is_trace(&bytes) && !is_trace(b"\x7fELF"));
    assert_eq!(seen(&[packed]), seen(std::slice::from_ref(&bytes)));
    let cut = seen(&[bytes[..bytes.len() - 3].to_vec()]);
    assert_eq!(cut.incomplete.len(), 1, "{:?}", cut.incomplete);
    assert_eq!(task(&cut, "src/a.rs:1").polls, 2);
}

#[test]
fn what_is_no_trace_or_has_no_polls_is_refused() {
    let read = |bytes: &[u8]| {
        let mut events = Events::default();
        events.read(bytes).and_then(|()| events.checked())
    };
    assert_eq!(read(b"\x7fELF").unwrap_err(), TelemetryError::Header);
    assert!(matches!(read(b"\x1f\x8bnothing").unwrap_err(), TelemetryError::Packed(_)));
    let none = Batch::new().wake(1, 2, 3).bytes();
    assert_eq!(read(&none).unwrap_err(), TelemetryError::NoPolls);
    assert!(matches!(read(&[&none[..5], b"\xff"].concat()).unwrap_err(), TelemetryError::Damaged(_)));
    let headers = none[..5].repeat(10_000);
    assert!(matches!(read(&headers).unwrap_err(), TelemetryError::Damaged(why) if why.contains("10000 batches")));
}
