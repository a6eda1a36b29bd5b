//! The X-ray of tasks on bundled firmware: it changes no cycle, gives each to one owner, and sees what other observers see.

mod polled;
mod trees;

use cyclescope_chips::{Machine, Part, Settings, Tier};
use cyclescope_image::{Image, Types, TypesError};
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Pin, SignalKind, Stimulus};
use cyclescope_scope::{
    Attribution, AwaitState, CycleOwner, Edge, Limits, Observer, Resolved, RunningTask, Session, TaskEvent, TaskFacts,
    TaskReport, TaskScope, TasksError,
};

const BUTTON: Pin = Pin { port: 2, number: 13 };

/// Images of each kind of core, with the cycles that they run here.
const IMAGES: [(&str, &str, u64); 10] = [
    ("button-embassy-interrupt-s-stm32c031c6", "stm32c031c6", 9_000_000),
    ("button-embassy-interrupt-s-stm32f446ze", "stm32f446ze", 30_000_000),
    ("button-embassy-dma-3-stm32f446ze", "stm32f446ze", 30_000_000),
    ("primes-embassy-two-3-stm32c031c6", "stm32c031c6", 2_000_000),
    ("switch-embassy-plain-s-atmega328p", "atmega328p", 2_000_000),
    ("primes-embassy-other-core-3-rp2040", "rp2040", 3_000_000),
    ("button-freertos-interrupt-s-stm32c031c6", "stm32c031c6", 9_000_000),
    ("button-freertos-dma-3-stm32f446ze", "stm32f446ze", 30_000_000),
    ("primes-freertos-two-sliced-3-stm32f446ze", "stm32f446ze", 2_000_000),
    ("switch-freertos-plain-s-atmega328p", "atmega328p", 2_000_000),
];

fn image(name: &str) -> Image {
    let bundled = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
    Image::parse(&bundled.elf().expect("it unpacks")).expect("it is an ELF")
}

/// Returns the machine with a few presses of the button scheduled, where there is one.
fn machine(chip: &str, image: &Image) -> Machine {
    machine_in(Tier::Interpreter, chip, image)
}

fn machine_in(tier: Tier, chip: &str, image: &Image) -> Machine {
    let part = Part::find(chip).expect("a part of ours");
    let settings = Settings { tier, ..Settings::default() };
    let mut machine = Machine::load(part, settings, image).expect("it starts");
    if image.symbol("cyclescope_button_runs").is_ok() {
        for press in 0..6u64 {
            let stimulus = Stimulus::Pin { pin: BUTTON, high: Some(press % 2 == 1) };
            machine.stimulate(Cycles::new(500_000 + 400_001 * press), stimulus);
        }
    }
    machine
}

fn limits(cycles: u64) -> Limits {
    Limits::until(Cycles::new(cycles), Cycles::new(100_000))
}

/// Watches the tasks of a run of `cycles` cycles; the machine is as it is then.
fn watched<'a>(
    machine: &mut Machine,
    image: &'a Image,
    types: impl Into<Option<&'a Types<'a>>>,
    cycles: u64,
) -> TaskReport {
    let mut session = Session::new(machine, image);
    let mut scope = TaskScope::new(image, types.into(), None, &mut session).expect("a runtime is found");
    scope.keep(1 << 20);
    session.run_observed(limits(cycles), &mut scope, |_| false);
    drop(session);
    scope.finish(machine).expect("each cycle has one owner")
}

fn cycles(report: &TaskReport, owner: CycleOwner) -> u64 {
    report.owners.iter().find(|(known, _)| *known == owner).map_or(0, |(_, cycles)| cycles.get())
}

fn task<'r>(report: &'r TaskReport, name: &str) -> (usize, &'r TaskFacts) {
    let found = report.tasks.iter().enumerate().find(|(_, task)| task.info.name == name);
    found.unwrap_or_else(|| panic!("a task `{name}`"))
}

#[test]
fn watching_changes_no_cycle_and_each_has_one_owner() {
    IMAGES.into_iter().chain(polled::IMAGES).for_each(changes_nothing);
}

fn changes_nothing((name, chip, length): (&str, &str, u64)) {
    watching_changes_nothing((chip, length), name, &image(name));
}

fn watching_changes_nothing((chip, length): (&str, u64), name: &str, image: &Image) {
    let types = image.types().ok();
    let (mut plain, mut seen) = (machine(chip, image), machine(chip, image));
    let mut session = Session::new(&mut plain, image);
    session.run(limits(length), |_| false);
    drop(session);
    let report = watched(&mut seen, image, types.as_ref(), length);
    assert_eq!(seen.now(), plain.now(), "{name}");
    assert_eq!(seen.instructions(), plain.instructions(), "{name}");
    assert_eq!(seen.memory().ram.bytes(), plain.memory().ram.bytes(), "{name}");
    let sum: u64 = report.owners.iter().map(|(_, cycles)| cycles.get()).sum();
    assert_eq!(sum, report.cycles.get() * report.cores as u64, "{name}");
    let polled: u64 = report.tasks.iter().map(|task| task.polls).sum();
    assert!(polled > 1, "{name}: {report:?}");
    let compiled = watched(&mut machine_in(Tier::CompiledAtOnce, chip, image), image, types.as_ref(), length);
    assert_eq!(format!("{compiled:?}"), format!("{report:?}"), "{name}: compiled");
}

/// An attribution of each instruction says the same of exceptions and sleep.
#[test]
fn exceptions_and_sleep_take_what_a_trace_says() {
    for (name, chip, length) in IMAGES.into_iter().filter(|(_, chip, _)| *chip != "rp2040") {
        let image = image(name);
        let types = image.types().ok();
        let report = watched(&mut machine(chip, &image), &image, types.as_ref(), length);
        let mut machine = machine(chip, &image);
        let exceptions = machine.exceptions();
        let by_name = traced(&mut machine, &image, length);
        assert_eq!(cycles(&report, CycleOwner::Sleep), by_name("(asleep)"), "{name}");
        let mut met = 0;
        for (number, exception) in &exceptions {
            let own = cycles(&report, CycleOwner::Exception(*number));
            assert_eq!(own, by_name(&format!("(exception {exception})")), "{name}: {exception}");
            met += u64::from(own > 0);
        }
        assert!(met > 0 || name.starts_with("primes-embassy"), "{name}");
    }
}

/// The cycles of what an attribution calls by a name, on the outermost level.
fn traced(machine: &mut Machine, image: &Image, length: u64) -> impl Fn(&str) -> u64 {
    let exceptions = machine.exceptions();
    let mut session = Session::new(machine, image);
    session.want(SignalKind::Exception);
    session.want(SignalKind::Sleep);
    let mut traced = Traced(Attribution::new(image));
    traced.0.open(Cycles::ZERO);
    session.run_observed(limits(length), &mut traced, |_| false);
    traced.0.close(session.target().now());
    let account = traced.0.account(&exceptions);
    move |wanted| {
        let paths = account.paths.iter().filter(|path| path.functions.first().is_some_and(|name| **name == *wanted));
        paths.map(|path| path.own.cycles.get()).sum::<u64>()
    }
}

struct Traced<'i>(Attribution<'i>);

impl Observer for Traced<'_> {
    fn step(&mut self, machine: &mut Machine, until: Cycles) -> cyclescope_machine::Stop {
        machine.run_into(until, &mut self.0)
    }

    fn signal(&mut self, at: Cycles, _: u8, signal: cyclescope_machine::Signal) {
        self.0.signal(at, signal);
    }

    fn stopped(
        &mut self,
        _: u8,
        pc: cyclescope_machine::units::Address,
        stack_pointer: cyclescope_machine::units::Address,
    ) {
        self.0.stopped(pc, stack_pointer);
    }
}

/// The button program raises a pin as the first thing that its button task does, and lowers it as the last.
#[test]
fn polls_hold_what_the_task_does_and_wakes_come_from_the_interrupt() {
    for (chip, pin, exception) in [
        ("stm32c031c6", Pin { port: 0, number: 1 }, "EXTI4_15"),
        ("stm32f446ze", Pin { port: 6, number: 1 }, "EXTI15_10"),
    ] {
        let image = image(&format!("button-embassy-interrupt-s-{chip}"));
        let types = image.types().expect("types are told");
        let length = 9_000_000;
        let report = watched(&mut machine(chip, &image), &image, &types, length);
        let (mut other, number) = (machine(chip, &image), {
            let exceptions = machine(chip, &image).exceptions();
            exceptions.iter().find(|(_, name)| *name == exception).expect("an interrupt of the part").0
        });
        let mut session = Session::new(&mut other, &image);
        let [rises, falls, handled] = [
            Resolved::Pin(pin, Edge::Rise),
            Resolved::Pin(pin, Edge::Fall),
            Resolved::Exception(number, cyclescope_scope::ExceptionPhase::Entered),
        ]
        .map(|event| {
            let event = session.watch(event);
            session.record(event);
            event
        });
        session.run(limits(length), |_| false);
        let recorded = |event| session.recorded(event).expect("there is room").to_vec();
        let (rises, falls, handled) = (recorded(rises), recorded(falls), recorded(handled));
        // The first press finds the pin low on one of the boards.
        let edges = handled.len();
        assert!(edges >= 5 && (rises.len(), falls.len()) == (edges, edges), "{chip}: {rises:?} {handled:?}");

        let (id, facts) = task(&report, "report");
        let of = |wanted: fn(TaskEvent) -> bool| {
            let events = report.events.iter().filter(move |(_, _, task, event)| *task == id && wanted(*event));
            events.map(|(at, ..)| *at).collect::<Vec<_>>()
        };
        let began = of(|event| event == TaskEvent::PollBegan);
        let ended = of(|event| event == TaskEvent::PollEnded);
        let woken = of(|event| matches!(event, TaskEvent::Woken(_)));
        assert_eq!((began.len() as u64, ended.len()), (facts.polls, began.len()));
        assert_eq!(began.len(), edges + 1, "one to begin to wait, and one for each edge");
        for passage in 0..edges {
            let (from, to) = (began[passage + 1], ended[passage + 1]);
            assert!(from < rises[passage] && rises[passage] < falls[passage] && falls[passage] < to, "{passage}");
            // The handler wakes it before it returns, and nobody else does.
            assert!(handled[passage] < woken[passage] && woken[passage] < from, "{passage}");
        }
        assert_eq!(facts.woken_by, [(CycleOwner::Exception(number), edges as u64)]);
        assert_eq!(facts.wake_to_poll.times, edges as u64 + 1);
        let (send, serial) = (task(&report, "send").1, task(&report, "report").0);
        assert!(send.woken_by.contains(&(CycleOwner::Task(serial), edges as u64)), "{:?}", send.woken_by);
    }
}

/// A session times the same functions by itself.
#[test]
fn polls_are_the_calls_of_the_function_that_polls() {
    for (name, chip, length) in
        IMAGES.into_iter().filter(|(name, chip, _)| *chip != "rp2040" && name.contains("embassy"))
    {
        let image = image(name);
        let types = image.types().expect("types are told");
        let report = watched(&mut machine(chip, &image), &image, &types, length);
        let mut other = machine(chip, &image);
        let mut session = Session::new(&mut other, &image);
        let polls: Vec<String> = image
            .symbols_matching("*embassy_executor::raw::TaskStorage<*>::poll")
            .map(|symbol| symbol.name.clone())
            .collect();
        let functions: Vec<_> =
            polls.iter().map(|name| session.time_function(&image, name).expect("a function")).collect();
        session.run(limits(length), |_| false);
        let calls: u64 = functions.iter().map(|function| session.function_time(*function).calls).sum();
        let ended = report.events.iter().filter(|(.., event)| *event == TaskEvent::PollEnded).count();
        assert_eq!(ended as u64, calls, "{name}");
        assert_eq!(report.lost, 0, "{name}");
    }
}

#[test]
fn awaits_are_told_with_their_lines() {
    let image = image("button-embassy-interrupt-s-stm32f446ze");
    let types = image.types().expect("types are told");
    let report = watched(&mut machine("stm32f446ze", &image), &image, &types, 9_000_000);
    // Where the bundled source awaits.
    for (name, line, leaf) in
        [("blink", 72, "Timer"), ("report", 83, "ExtiInputFuture"), ("send", 101, "ReceiveFuture")]
    {
        let facts = task(&report, name).1;
        let at = facts.suspended.as_ref().unwrap_or_else(|| panic!("{name} is suspended"));
        let known = at.line.as_ref().expect("a line");
        assert!(known.file.ends_with("src/button/main.rs"), "{known}");
        assert_eq!((known.line, at.state, at.name.as_str()), (line, AwaitState::Suspended, name));
        assert_eq!(at.leaves().iter().map(|leaf| leaf.name.as_str()).collect::<Vec<_>>(), [leaf], "{name}");
        assert_eq!(facts.awaits.iter().map(|(_, times)| times).sum::<u64>(), facts.polls, "{name}");
        assert_eq!(at.bytes, facts.future_bytes, "{name}");
    }
    let main = task(&report, "main").1;
    assert_eq!((main.ends, main.suspended.as_ref()), (1, None), "it has returned");
}

#[test]
fn an_image_without_a_known_runtime_says_so() {
    let plain = image("switch-rust-plain-plain-s-stm32c031c6");
    let types = plain.types().expect("types are told");
    let mut target = machine("stm32c031c6", &plain);
    let mut session = Session::new(&mut target, &plain);
    let error = TaskScope::new(&plain, Some(&types), None, &mut session).expect_err("there is no runtime");
    assert_eq!(error, TasksError::NoRuntime);
    let lines_alone = image("button-c-plain-interrupt-s-stm32c031c6");
    assert_eq!(lines_alone.types().err(), Some(TypesError::None));
}

/// A session counts the changes of the same word each time an exception returns, and the program raises a pin as the first thing
/// that its button task does once it stops waiting.
#[test]
fn threads_of_freertos_run_from_switch_to_switch() {
    let names = [
        ("button-freertos-interrupt-s-stm32c031c6", "stm32c031c6", Some((Pin { port: 0, number: 1 }, "EXTI4_15"))),
        ("button-freertos-interrupt-3-stm32f446ze", "stm32f446ze", Some((Pin { port: 6, number: 1 }, "EXTI15_10"))),
        ("primes-freertos-two-sliced-3-stm32f446ze", "stm32f446ze", None),
    ];
    for (name, chip, pin) in names {
        let (image, length) = (image(name), 9_000_000);
        let report = watched(&mut machine(chip, &image), &image, None, length);
        let pointer = image.symbol("pxCurrentTCB").expect("FreeRTOS").address;
        let mut other = machine(chip, &image);
        let exceptions = other.exceptions();
        let mut session = Session::new(&mut other, &image);
        session.count_exceptions(Some(RunningTask { pointer, task: pointer }));
        let rises = pin.map(|(pin, _)| session.watch(Resolved::Pin(pin, Edge::Rise)));
        rises.into_iter().for_each(|rises| session.record(rises));
        session.run(limits(length), |_| false);
        let runs: u64 = report.tasks.iter().map(|task| task.polls).sum();
        let switches = session.exceptions().expect("they were counted").switches();
        assert!(switches >= 5, "{name}: {switches}");
        // The start of the first task is no switch.
        assert_eq!(runs, switches + 1, "{name}");
        let (Some(rises), Some((_, exception))) = (rises, pin) else { continue };
        let rises = session.recorded(rises).expect("there is room");
        let (id, button) = task(&report, "button");
        let turns = |wanted| {
            let events = report.events.iter().filter(move |(_, _, task, event)| (*task, *event) == (id, wanted));
            events.map(|(at, ..)| *at).collect::<Vec<_>>()
        };
        let (began, ended) = (turns(TaskEvent::PollBegan), turns(TaskEvent::PollEnded));
        for rise in rises {
            let turn = began.iter().zip(&ended).find(|(from, to)| **from < *rise && *rise < **to);
            assert!(turn.is_some(), "{name}: {rise}");
        }
        let number = exceptions.iter().find(|(_, name)| *name == exception).expect("an interrupt of the part").0;
        assert_eq!(button.woken_by, [(CycleOwner::Exception(number), rises.len() as u64)], "{name}");
        assert_eq!(button.wake_to_poll.times, rises.len() as u64 + 1, "{name}: it was made ready");
        let stack = button.stack.expect("its stack is known");
        assert!(stack.used.get() > 100 && !stack.overflowed() && stack.size.get() <= 1024, "{name}: {stack:?}");
    }
}

/// On an AVR a byte is stored at a time, and pointers have two. The program's two tasks take turns, each by a call of the same function.
#[test]
fn threads_of_freertos_on_an_avr_run_from_yield_to_yield() {
    for chip in ["atmega328p", "atmega32u4"] {
        for mode in ["plain", "profiled"] {
            let (image, length) = (image(&format!("switch-freertos-{mode}-s-{chip}")), 2_000_000);
            let report = watched(&mut machine(chip, &image), &image, None, length);
            let mut other = machine(chip, &image);
            let mut session = Session::new(&mut other, &image);
            let yields = session.time_function(&image, "vPortYield").expect("a function");
            let begins = session.watch(Resolved::At(image.symbol("vPortYield").expect("a function").address));
            session.record(begins);
            session.run(limits(length), |_| false);
            let names: Vec<&str> = report.tasks.iter().map(|task| task.info.name.as_str()).collect();
            assert_eq!(names, ["other", "timing", "IDLE"], "{chip} {mode}");
            let yielded = session.recorded(begins).expect("there is room").len() as u64;
            let runs: u64 = report.tasks.iter().map(|task| task.polls).sum();
            assert!(yielded > 1_000 && runs.abs_diff(yielded + 1) <= 1, "{chip} {mode}: {runs} {yielded}");
            assert!(session.function_time(yields).calls > 0 && report.tasks[2].polls == 0, "{chip} {mode}");
        }
    }
}

/// A kernel that is not known by its structures has its threads by the word alone.
#[test]
fn threads_are_seen_by_one_word() {
    let image = image("button-freertos-interrupt-s-stm32c031c6");
    let known = watched(&mut machine("stm32c031c6", &image), &image, None, 9_000_000);
    let mut target = machine("stm32c031c6", &image);
    let mut session = Session::new(&mut target, &image);
    assert!(matches!(TaskScope::new(&image, None, Some("pxCurrentThread"), &mut session), Err(TasksError::Pointer(_))));
    let address = image.symbol("pxCurrentTCB").expect("FreeRTOS").name.clone() + "*";
    let mut scope = TaskScope::new(&image, None, Some(&address), &mut session).expect("a word");
    session.run_observed(limits(9_000_000), &mut scope, |_| false);
    drop(session);
    let report = scope.finish(&target).expect("each cycle has one owner");
    assert_eq!(report.runtime, "the kernel");
    for task in &known.tasks {
        let same = report.tasks.iter().find(|other| other.info.address == task.info.address).expect("it ran");
        assert!(same.polls >= task.polls && same.busy >= task.busy, "{same:?}");
    }
}
