//! The X-ray of tasks against the hooks that runtimes have for tracers (firmware/suites/hooks and threads): each hook stores what it
//! is told of, and the X-ray, which knows nothing of them, sees the same events in the same order.

use std::path::Path;

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_image::{Image, Types};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Signal, Stop};
use cyclescope_scope::{CycleOwner, Limits, Observer, Session, TaskEvent, TaskId, TaskReport, TaskScope};

/// The program `name` of firmware/suites.
fn image(name: &str) -> Image {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../cyclescope/tests/suites/{name}.elf"));
    Image::parse(&std::fs::read(path).expect("it is in the checkout")).expect("an image")
}

/// A hook's call: its cycle, the number of its word, and the value that it stored.
type Call = (Cycles, usize, u32);

/// An X-ray, and beside it the calls of hooks.
struct Hooked<'i> {
    scope: TaskScope<'i>,
    hooks: Option<Address>,
    calls: Vec<Call>,
}

impl Observer for Hooked<'_> {
    fn step(&mut self, machine: &mut Machine, until: Cycles) -> Stop {
        self.scope.step(machine, until)
    }

    fn signal(&mut self, at: Cycles, core: u8, signal: Signal) {
        if let (Signal::Store { address, value, .. }, Some(hooks)) = (signal, self.hooks)
            // The start of the program clears the words.
            && value != 0
            && let Some(offset) = address.get().checked_sub(hooks.get()).filter(|offset| *offset < 32)
        {
            self.calls.push((at, offset as usize / 4, value));
        }
        self.scope.signal(at, core, signal);
    }

    fn stopped(&mut self, core: u8, pc: Address, stack_pointer: Address) {
        self.scope.stopped(core, pc, stack_pointer);
    }
}

/// A task of a report by its name.
fn task(report: &TaskReport, name: &str) -> TaskId {
    report.tasks.iter().position(|task| task.info.name == name).expect("there is such a task")
}

/// Runs `image` for `cycles` cycles. The calls are those of the hooks whose words begin at the symbol `hooks`, if it has one.
fn run(image: &Image, hooks: &str, cycles: u64) -> (TaskReport, Vec<Call>) {
    run_with(image, Some(&image.types().expect("types are told")), hooks, cycles)
}

fn run_with<'a>(image: &'a Image, types: Option<&'a Types<'a>>, hooks: &str, cycles: u64) -> (TaskReport, Vec<Call>) {
    let part = Part::find("stm32f446ze").expect("a part of ours");
    let mut machine = Machine::load(part, Settings::default(), image).expect("it starts");
    let mut session = Session::new(&mut machine, image);
    let mut scope = TaskScope::new(image, types, None, &mut session).expect("a runtime is found");
    scope.keep(1 << 20);
    let words = image.symbol(hooks).ok().map(|symbol| (symbol.address, symbol.size.get() as u32));
    if let Some((hooks, bytes)) = words {
        session.target().watch_stores(hooks..Address::new(hooks.get() + bytes));
    }
    let mut hooked = Hooked { scope, hooks: words.map(|(hooks, _)| hooks), calls: Vec::new() };
    session.run_observed(Limits::until(Cycles::new(cycles), Cycles::new(100_000)), &mut hooked, |_| false);
    drop(session);
    let report = hooked.scope.finish(&machine).expect("each cycle has one owner");
    assert_eq!(report.lost, 0);
    (report, hooked.calls)
}

/// A kind of event, for comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Spawned,
    Woken,
    Began,
    Ended,
    Gone,
}

fn kind(event: TaskEvent) -> Kind {
    match event {
        TaskEvent::Spawned(_) => Kind::Spawned,
        TaskEvent::Woken(_) => Kind::Woken,
        TaskEvent::PollBegan => Kind::Began,
        TaskEvent::PollEnded => Kind::Ended,
        TaskEvent::Ended => Kind::Gone,
    }
}

/// The events of an X-ray with the addresses of their tasks.
fn seen(report: &TaskReport) -> Vec<(Cycles, Kind, u32)> {
    let address = |task: TaskId| report.tasks[task].info.address.get();
    report.events.iter().map(|(at, _, task, event)| (*at, kind(*event), address(*task))).collect()
}

/// Compares the events of hooks with those of an X-ray, which come in the same order. Returns the longest time between the two of an
/// event of each kind.
#[track_caller]
fn compared(hooks: &[(Cycles, Kind, u32)], seen: &[(Cycles, Kind, u32)]) -> Vec<(Kind, u64)> {
    let mut apart: Vec<(Kind, u64)> = Vec::new();
    for (number, (hook, event)) in hooks.iter().zip(seen).enumerate() {
        assert_eq!((hook.1, hook.2), (event.1, event.2), "event {number}: {hook:?} {event:?}");
        let cycles = hook.0.get().abs_diff(event.0.get());
        match apart.iter_mut().find(|(kind, _)| *kind == hook.1) {
            Some((_, most)) => *most = cycles.max(*most),
            None => apart.push((hook.1, cycles)),
        }
    }
    // The run may end between the two.
    assert!(hooks.len().abs_diff(seen.len()) <= 1, "{} {}", hooks.len(), seen.len());
    apart.sort_unstable();
    apart
}

/// The events of a report by names: what came in which order, and who woke whom.
fn order(report: &TaskReport) -> Vec<(String, Kind, Option<String>)> {
    let name = |owner: CycleOwner| match owner {
        CycleOwner::Task(task) => report.tasks[task].info.name.clone(),
        other => format!("{other:?}"),
    };
    let waker = |event| match event {
        TaskEvent::Spawned(by) | TaskEvent::Woken(by) => Some(name(by)),
        _ => None,
    };
    let events = report.events.iter();
    events.map(|(_, _, task, event)| (name(CycleOwner::Task(*task)), kind(*event), waker(*event))).collect()
}

#[track_caller]
fn same_order(one: &TaskReport, other: &TaskReport) {
    let (one, other) = (order(one), order(other));
    let length = one.len().min(other.len());
    // What the hooks take lets one run get a little further.
    assert!(length > 200 && one.len().abs_diff(other.len()) <= 6, "{} {}", one.len(), other.len());
    for (number, (one, other)) in one.iter().zip(&other).enumerate() {
        assert_eq!(one, other, "event {number}");
    }
}

/// Embassy's hooks are told of a task that is new behind its claim and its future's making, and of a wake, a poll and an end next to
/// what the X-ray sees.
#[test]
fn embassys_hooks_tell_the_same_events() {
    let image = image("tasks-hooks");
    let (report, calls) = run(&image, "HOOKS", 1_000_000);
    let mut hooks = Vec::new();
    let mut spawned = None;
    for (at, hook, task) in calls {
        let kind = [Kind::Spawned, Kind::Gone, Kind::Began, Kind::Ended, Kind::Woken][hook];
        // A new task is queued, of which the hook for wakes is told as well.
        if kind == Kind::Woken && spawned.take() == Some(task) {
            continue;
        }
        assert_eq!(spawned, None, "a new task is queued at once");
        spawned = (kind == Kind::Spawned).then_some(task);
        hooks.push((at, kind, task));
    }
    let seen = seen(&report);
    assert!(seen.len() > 1_000 && report.tasks.iter().all(|task| task.polls > 10), "{}", seen.len());
    // The instructions between: a call and a store, and at a spawn the future that is made.
    let most = |kind| if kind == Kind::Spawned { 60 } else { 15 };
    for (kind, cycles) in compared(&hooks, &seen) {
        assert!(cycles <= most(kind), "{kind:?}: {cycles}");
    }
}

#[test]
fn embassys_events_keep_their_order_without_hooks() {
    let (hooks, plain) = (image("tasks-hooks"), image("tasks-plain"));
    let (hooked, calls) = run(&hooks, "HOOKS", 1_000_000);
    let (report, none) = run(&plain, "HOOKS", 1_000_000);
    assert!(none.is_empty() && !calls.is_empty());
    same_order(&hooked, &report);
}

/// The trace macros of FreeRTOS as events: a task that is switched in for another runs in its place, and one that is moved to a ready
/// list is woken, unless it only takes or gives back a priority there.
fn events_of_macros(calls: &[Call]) -> Vec<(Cycles, Kind, u32)> {
    let [switched_in, _, moved, inherits, disinherits] = [0, 1, 2, 3, 4];
    let mut events = Vec::new();
    let mut runs = None;
    for (number, (at, hook, task)) in calls.iter().enumerate() {
        // Switches and their like that find the same task most urgent say nothing; queues are no tasks.
        let beside = |number: Option<usize>, hook: usize| {
            let call = number.and_then(|number| calls.get(number));
            call.is_some_and(|call| (call.1, call.2) == (hook, *task))
        };
        if *hook == switched_in && runs != Some(*task) {
            events.extend(runs.map(|before| (*at, Kind::Ended, before)));
            events.push((*at, Kind::Began, *task));
            runs = Some(*task);
        } else if *hook == moved
            && !beside(number.checked_add(1), inherits)
            && !beside(number.checked_sub(1), disinherits)
        {
            events.push((*at, Kind::Woken, *task));
        }
    }
    events
}

#[test]
fn the_trace_macros_of_freertos_tell_the_same_events() {
    for name in ["threads-semaphore-hooks", "threads-mutex-hooks"] {
        let image = image(name);
        let (report, calls) = run(&image, "hooks", 4_000_000);
        let (mut hooks, mut seen) = (events_of_macros(&calls), seen(&report));
        assert!(seen.len() > 200, "{name}: {}", seen.len());
        let inherits = calls.iter().filter(|(_, hook, _)| *hook == 3).count();
        assert_eq!(inherits > 20, name.contains("mutex"), "{name}: {inherits}");
        // The first task is switched in by the scheduler's start, and runs later, from its first instruction.
        let begins = |events: &mut Vec<(Cycles, Kind, u32)>| {
            let place = events.iter().position(|(_, kind, _)| *kind == Kind::Began).expect("one begins");
            (place, events.remove(place).2)
        };
        assert_eq!(begins(&mut hooks), begins(&mut seen), "{name}");
        for (kind, cycles) in compared(&hooks, &seen) {
            // A task is moved into its list behind the hook that tells of it.
            let most = if kind == Kind::Woken { 30 } else { 5 };
            assert!(cycles <= most, "{name}, {kind:?}: {cycles}");
        }
    }
}

#[test]
fn events_of_freertos_keep_their_order_without_macros() {
    for name in ["threads-semaphore", "threads-mutex"] {
        let (hooked, _) = run(&image(&format!("{name}-hooks")), "hooks", 4_000_000);
        let (report, none) = run(&image(name), "hooks", 4_000_000);
        assert!(none.is_empty());
        same_order(&hooked, &report);
    }
}

/// The highest thread waits for a lock of the lowest while the middle one computes. Where the lock is a semaphore the wait has the
/// middle one's work in it; a mutex lets its holder inherit, and nothing but the lowest runs.
#[test]
fn an_inversion_of_priorities_is_told_and_a_mutex_bounds_it() {
    let waits = ["threads-semaphore", "threads-mutex"].map(|name| {
        let image = image(name);
        let report = run(&image, "hooks", 4_000_000).0;
        // Without debug information priorities are known by what they were.
        let blind = run_with(&image, None, "hooks", 4_000_000).0;
        for (one, other) in report.tasks.iter().zip(&blind.tasks) {
            assert_eq!((&one.info.name, &one.held_up), (&other.info.name, &other.held_up), "{name}");
        }
        let [low, middle, high] = ["low", "middle", "high"].map(|name| task(&report, name));
        for other in [low, middle] {
            assert_eq!(report.tasks[other].held_up.times, 0, "{name}: nothing lower holds what they wait for");
        }
        let held_up = report.tasks[high].held_up.clone();
        let longest = held_up.longest.expect("it waited");
        assert_eq!(longest.held_by, low, "{name}");
        // Who ran in the wait, by the events.
        let (from, to) = (longest.at, longest.at + longest.cycles);
        let turns = |of: TaskId| {
            let at = |wanted: TaskEvent| {
                let events = report.events.iter().filter(move |(_, _, task, event)| (*task, *event) == (of, wanted));
                events.map(|(at, ..)| *at).collect::<Vec<_>>()
            };
            let turns = at(TaskEvent::PollBegan).into_iter().zip(at(TaskEvent::PollEnded));
            turns.map(|(began, ended)| ended.min(to).saturating_sub(began.max(from)).get()).sum::<u64>()
        };
        let ran: u64 = longest.ran.iter().map(|(_, cycles)| cycles.get()).sum();
        let late = task(&report, "late");
        assert_eq!(ran, if name == "threads-mutex" { 0 } else { turns(middle) + turns(late) }, "{name}");
        if let Some((most, _)) = longest.ran.first() {
            assert_eq!(*most, middle, "{name}");
        }
        let woken = (longest.at + longest.cycles, TaskEvent::Woken(CycleOwner::Task(low)));
        assert!(report.events.iter().any(|(at, _, task, event)| (*at, *event) == woken && *task == high), "{name}");
        (held_up.times, held_up.inversions, longest.cycles.get())
    });
    let [(_, inversions, unbounded), (times, none, bounded)] = waits;
    assert!(inversions >= 5 && times >= 5 && none == 0, "{waits:?}");
    // What the lowest does with the lock is 4 ms of 16,000 cycles, and what the middle one does 6 ms.
    assert!(bounded < 4 * 17_000 && unbounded > bounded + 40_000, "{waits:?}");
}

/// Stacks have the words that they were made with, whether of variables, of the kernel's or of the heap's.
#[test]
fn stacks_have_the_sizes_that_they_were_made_with() {
    let image = image("threads-mutex");
    let types = image.types().expect("types are told");
    for types in [Some(&types), None] {
        let report = run_with(&image, types, "hooks", 4_000_000).0;
        for (name, words) in
            [("low", 128), ("middle", 128), ("high", 131), ("first", 128), ("IDLE", 128), ("late", 101)]
        {
            let stack = report.tasks[task(&report, name)].stack.expect("it is known");
            assert_eq!(stack.size.get(), 4 * words, "{name}");
            assert!(stack.used.get() >= 64 && !stack.overflowed(), "{name}: {stack:?}");
        }
    }
}
