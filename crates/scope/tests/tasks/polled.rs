//! The X-ray of runtimes that poll futures, beside Embassy.

use cyclescope_scope::ExceptionPhase;

use super::*;

/// Images of each of these runtimes, with the cycles that they run here.
pub(super) const IMAGES: [(&str, &str, u64); 11] = [
    ("button-rtic-interrupt-s-stm32c031c6", "stm32c031c6", 9_000_000),
    ("button-rtic-dma-3-stm32f446ze", "stm32f446ze", 30_000_000),
    ("primes-rtic-two-3-stm32c031c6", "stm32c031c6", 1_000_000),
    ("primes-rtic-two-s-rp2040", "rp2040", 1_000_000),
    ("button-lilos-interrupt-s-stm32c031c6", "stm32c031c6", 9_000_000),
    ("button-lilos-dma-3-stm32f446ze", "stm32f446ze", 30_000_000),
    ("primes-lilos-two-3-stm32c031c6", "stm32c031c6", 1_000_000),
    ("switch-lilos-plain-3-rp2040", "rp2040", 3_000_000),
    ("switch-cpp20-coroutines-plain-s-stm32c031c6", "stm32c031c6", 1_000_000),
    ("switch-cpp20-coroutines-plain-3-stm32f446ze", "stm32f446ze", 1_000_000),
    ("primes-cpp20-coroutines-two-3-stm32f103c8", "stm32f103c8", 1_000_000),
];

/// The cycles of a task's events of one kind, in order of time.
fn times(report: &TaskReport, name: &str, wanted: fn(TaskEvent) -> bool) -> Vec<Cycles> {
    let id = task(report, name).0;
    let events = report.events.iter().filter(|(_, _, task, event)| *task == id && wanted(*event));
    events.map(|(at, ..)| *at).collect()
}

/// The numbers behind `name=` in the line that a guest prints at its end.
fn printed(machine: &mut Machine, name: &str) -> u64 {
    let text: Vec<u8> = machine.shared().console.runs().flat_map(|(_, bytes)| bytes).copied().collect();
    let text = String::from_utf8_lossy(&text);
    let value = text.lines().last().and_then(|line| line.split_once(&format!(" {name}="))).expect("it is printed").1;
    value.split(' ').next().and_then(|value| value.parse().ok()).expect("a number")
}

/// The program counts its own yields, and what its second task does.
#[test]
fn polls_are_as_many_as_the_program_counts() {
    for name in ["primes-rtic-two-3-stm32f446ze", "primes-lilos-two-s-stm32f446ze"] {
        let image = image(name);
        let types = image.types().expect("types are told");
        let mut target = machine("stm32f446ze", &image);
        let report = watched(&mut target, &image, &types, 150_000_000);
        let (yields, counter) = (printed(&mut target, "dispatches"), printed(&mut target, "counter"));
        assert!(yields > 200_000 && counter > 200_000, "{name}");
        let (search, count) = (task(&report, "search").1, task(&report, "count").1);
        // The first poll has no yield before it.
        assert_eq!((search.polls, count.polls), (yields + 1, counter), "{name}");
        assert_eq!((search.spawns, count.spawns), (1, 1), "{name}");
        let wakes = |task: &TaskFacts| task.woken_by.iter().map(|(_, times)| times).sum::<u64>();
        assert_eq!((wakes(search), wakes(count)), (yields, counter), "{name}: each yield wakes its own task");
        let ends = [search, count].map(|task| task.awaits.iter().map(|(_, times)| times).sum::<u64>());
        assert_eq!(ends, [yields, counter], "{name}: the last poll of the first does not return");
        assert_eq!((search.suspended.as_ref(), count.suspended.is_some()), (None, true), "{name}");
    }
}

/// The button program raises a pin as the first thing that its button task does, and lowers it as the last. Each of RTIC's
/// dispatchers has one task here.
#[test]
fn tasks_of_rtic_are_what_their_dispatchers_poll() {
    for (chip, pin, [edge, button, serial, led]) in [
        ("stm32c031c6", Pin { port: 0, number: 1 }, ["EXTI4_15", "USART1", "I2C1", "SPI1"]),
        ("stm32f446ze", Pin { port: 6, number: 1 }, ["EXTI15_10", "SPI3", "SPI2", "SPI1"]),
    ] {
        let image = image(&format!("button-rtic-interrupt-s-{chip}"));
        let types = image.types().expect("types are told");
        let length = 9_000_000;
        let report = watched(&mut machine(chip, &image), &image, &types, length);
        let mut other = machine(chip, &image);
        let exceptions = other.exceptions();
        let number = |wanted: &str| exceptions.iter().find(|(_, name)| *name == wanted).expect("an interrupt").0;
        let mut session = Session::new(&mut other, &image);
        let events = [Resolved::Pin(pin, Edge::Rise), Resolved::Pin(pin, Edge::Fall)].into_iter();
        let entries =
            [edge, button, serial, led].map(|name| Resolved::Exception(number(name), ExceptionPhase::Entered));
        let watched: Vec<_> = events.chain(entries).map(|event| session.watch(event)).collect();
        watched.iter().for_each(|event| session.record(*event));
        session.run(limits(length), |_| false);
        let recorded: Vec<_> =
            watched.iter().map(|event| session.recorded(*event).expect("there is room").to_vec()).collect();
        let [rises, falls, edges, dispatches @ ..] = recorded.as_slice() else { panic!("six") };

        for (name, dispatched) in ["button", "serial", "led"].into_iter().zip(dispatches) {
            let began = times(&report, name, |event| event == TaskEvent::PollBegan);
            let ended = times(&report, name, |event| event == TaskEvent::PollEnded);
            assert_eq!(began.len(), dispatched.len(), "{chip}: {name}");
            assert!(!began.is_empty() && began.len() == ended.len(), "{chip}: {name}");
            for ((entered, from), to) in dispatched.iter().zip(&began).zip(&ended) {
                assert!(entered < from && from < to, "{chip}: {name}: {entered} {from} {to}");
            }
        }
        let (began, ended) = (
            times(&report, "button", |event| event == TaskEvent::PollBegan),
            times(&report, "button", |event| event == TaskEvent::PollEnded),
        );
        assert!(edges.len() >= 5 && rises.len() == edges.len() && falls.len() == edges.len(), "{chip}");
        for (place, (rise, fall)) in rises.iter().zip(falls).enumerate() {
            let (from, to) = (began[place + 1], ended[place + 1]);
            assert!(from < *rise && rise < fall && *fall < to, "{chip}: {from} {rise} {fall} {to}");
        }
        let waker = CycleOwner::Exception(number(edge));
        let (id, facts) = task(&report, "button");
        assert_eq!(facts.woken_by, [(waker, edges.len() as u64)], "{chip}");
        assert_eq!(task(&report, "serial").1.woken_by[0], (CycleOwner::Task(id), edges.len() as u64), "{chip}");
        // Where the bundled source awaits.
        for (name, line) in [("button", 92), ("serial", 108), ("led", 125)] {
            let facts = task(&report, name).1;
            let (first, _) = &facts.awaits[0];
            let known = first.line.as_ref().expect("a line");
            assert!(known.file.ends_with("src/button.rs"), "{known}");
            assert_eq!((known.line, first.state, first.name.as_str()), (line, AwaitState::Suspended, name), "{chip}");
            assert_eq!(first.bytes, facts.future_bytes, "{chip}");
            assert_eq!(facts.awaits.iter().map(|(_, times)| times).sum::<u64>(), facts.polls, "{chip}");
        }
        assert!(cycles(&report, CycleOwner::Exception(number(button))) > 0, "{chip}: the dispatcher has its own");
    }
}

/// An attribution knows no tasks: it gives a dispatcher's cycles and its tasks' to the exception.
#[test]
fn dispatchers_and_their_tasks_take_what_a_trace_says() {
    let (name, chip, length) = IMAGES[0];
    let image = image(name);
    let types = image.types().expect("types are told");
    let report = watched(&mut machine(chip, &image), &image, &types, length);
    let mut machine = machine(chip, &image);
    let exceptions = machine.exceptions();
    let by_name = traced(&mut machine, &image, length);
    let of = |wanted: &str| exceptions.iter().find(|(_, name)| *name == wanted).expect("an interrupt").0;
    for (dispatcher, name) in [("USART1", "button"), ("I2C1", "serial"), ("SPI1", "led")] {
        let own = cycles(&report, CycleOwner::Exception(of(dispatcher)));
        assert_eq!(own + task(&report, name).1.busy.get(), by_name(&format!("(exception {dispatcher})")), "{name}");
    }
    for other in ["USART2", "SysTick", "EXTI4_15"] {
        assert_eq!(
            cycles(&report, CycleOwner::Exception(of(other))),
            by_name(&format!("(exception {other})")),
            "{other}"
        );
    }
    assert_eq!(cycles(&report, CycleOwner::Sleep), by_name("(asleep)"));
}

#[test]
fn a_task_that_the_compiler_has_split_is_named() {
    let image = image("switch-rtic-plain-s-stm32c031c6");
    let types = image.types().expect("types are told");
    let mut target = machine("stm32c031c6", &image);
    let mut session = Session::new(&mut target, &image);
    let error = TaskScope::new(&image, Some(&types), None, &mut session).expect_err("its places are not told");
    assert_eq!(error, TasksError::Split { task: "first".to_owned() });
}

/// A session times the functions that poll by itself, and the program raises a pin as the first thing that its button task does.
#[test]
fn tasks_of_lilos_are_the_calls_of_their_coroutines() {
    for (chip, pin, edge, led) in [
        ("stm32c031c6", Pin { port: 0, number: 1 }, "EXTI4_15", 2),
        ("stm32f446ze", Pin { port: 6, number: 1 }, "EXTI15_10", 1),
    ] {
        let image = image(&format!("button-lilos-interrupt-s-{chip}"));
        let types = image.types().expect("types are told");
        let length = 9_000_000;
        let report = watched(&mut machine(chip, &image), &image, &types, length);
        let names: Vec<&str> = report.tasks.iter().map(|task| task.info.name.as_str()).collect();
        assert_eq!(names, ["button", "serial", "led"], "{chip}: in the order of the array");
        let mut other = machine(chip, &image);
        let exceptions = other.exceptions();
        let number = exceptions.iter().find(|(_, name)| *name == edge).expect("an interrupt of the part").0;
        let mut session = Session::new(&mut other, &image);
        let functions = ["button", "serial", "led"].map(|name| {
            let symbol =
                image.symbols().iter().find(|symbol| symbol.display_name() == format!("button::{name}::{{closure#0}}"));
            session.time_function(&image, &symbol.expect("a function").name).expect("it is one")
        });
        let [rises, falls, handled] = [
            Resolved::Pin(pin, Edge::Rise),
            Resolved::Pin(pin, Edge::Fall),
            Resolved::Exception(number, ExceptionPhase::Entered),
        ]
        .map(|event| {
            let event = session.watch(event);
            session.record(event);
            event
        });
        session.run(limits(length), |_| false);
        for (name, function) in ["button", "serial", "led"].into_iter().zip(functions) {
            let calls = session.function_time(function).calls;
            let facts = task(&report, name).1;
            assert_eq!((facts.polls, facts.ends), (calls, 0), "{chip}: {name}");
            assert!(calls >= led, "{chip}: {name}");
        }
        let recorded = |event| session.recorded(event).expect("there is room").to_vec();
        let (rises, falls, handled) = (recorded(rises), recorded(falls), recorded(handled));
        let began = times(&report, "button", |event| event == TaskEvent::PollBegan);
        let ended = times(&report, "button", |event| event == TaskEvent::PollEnded);
        assert!(handled.len() >= 5 && rises.len() == handled.len(), "{chip}");
        for (place, (rise, fall)) in rises.iter().zip(&falls).enumerate() {
            let (from, to) = (began[place + 1], ended[place + 1]);
            assert!(handled[place] < from && from < *rise && rise < fall && *fall < to, "{chip}: {place}");
        }
        let facts = task(&report, "button").1;
        assert_eq!(facts.woken_by, [(CycleOwner::Exception(number), handled.len() as u64)], "{chip}");
        for (name, line) in [("button", 56), ("serial", 70), ("led", 85)] {
            let (first, _) = &task(&report, name).1.awaits[0];
            let known = first.line.as_ref().expect("a line");
            assert!(known.file.ends_with("src/button.rs"), "{known}");
            assert_eq!((known.line, first.state, first.name.as_str()), (line, AwaitState::Suspended, name), "{chip}");
        }
    }
}

/// The program counts its own yields, and what its second task does. A coroutine of C++ has neither types nor an executor: the queue of
/// the bundled scheduler tells of wakes.
#[test]
fn coroutines_of_cpp_are_polled_as_often_as_the_program_counts() {
    for name in ["primes-cpp20-coroutines-two-3-stm32f446ze"] {
        let image = image(name);
        let mut target = machine("stm32f446ze", &image);
        let report = watched(&mut target, &image, None, 150_000_000);
        let (yields, counter) = (printed(&mut target, "dispatches"), printed(&mut target, "counter"));
        assert!(yields > 200_000 && counter > 200_000, "{name}");
        let (search, count) = (task(&report, "search").1, task(&report, "count").1);
        assert_eq!((search.polls, count.polls), (yields + 1, counter), "{name}");
        assert_eq!((search.spawns, count.spawns, count.ends), (1, 1, 0), "{name}");
        // What spawns a task queues it; each yield queues its own task.
        let wakes = |task: &TaskFacts| task.woken_by.iter().map(|(_, times)| times).sum::<u64>();
        assert_eq!((wakes(search), wakes(count)), (yields + 1, counter + 1), "{name}");
        let ends = [search, count].map(|task| task.awaits.iter().map(|(_, times)| times).sum::<u64>());
        assert_eq!(ends[1], counter, "{name}");
        for (facts, line) in [(search, 37), (count, 65)] {
            let (place, _) = &facts.awaits[0];
            let known = place.line.as_ref().unwrap_or_else(|| panic!("{name}: {place:?}"));
            assert!(known.file.ends_with("src/main.cpp"), "{name}: {known}");
            assert_eq!((known.line, place.state), (line, AwaitState::Suspended), "{name}");
        }
    }
}

/// The program's loops say how often each await is reached. GCC merges the ends of both awaits of a loop where it saves space.
#[test]
fn awaits_of_cpp_are_the_lines_that_lead_to_them() {
    for name in ["switch-cpp20-coroutines-plain-s-stm32c031c6", "switch-cpp20-coroutines-plain-3-stm32f446ze"] {
        let image = image(name);
        let chip = name.rsplit('-').next().expect("a chip");
        let report = watched(&mut machine(chip, &image), &image, None, 20_000_000);
        for (task_name, lines) in [("resumed", [17, 19]), ("counted", [27, 29]), ("endless", [37, 39])] {
            let facts = task(&report, task_name).1;
            let mut seen: Vec<_> =
                facts.awaits.iter().map(|(place, times)| (place.line.as_ref().map(|line| line.line), *times)).collect();
            seen.sort_unstable();
            let known: Vec<_> = seen.iter().map(|(line, _)| *line).collect();
            assert_eq!(known, lines.map(Some), "{name}: {task_name}: {seen:?}");
            assert!(seen[0].1.abs_diff(seen[1].1) <= 1 && seen[0].1 > 100, "{name}: {task_name}: {seen:?}");
        }
        // The direct ones are destroyed before the others get their memory, of which one ends.
        let of = |name| task(&report, name).1;
        let ends = ["resumed", "resumed[1]", "counted", "endless"].map(|name| of(name).ends);
        assert_eq!(ends, [1, 1, 1, 0], "{name}");
        assert!(of("resumed").woken_by.is_empty() && of("resumed[1]").woken_by.is_empty(), "{name}: by hand");
        let wakes = of("counted").woken_by.iter().map(|(_, times)| times).sum::<u64>();
        assert_eq!(wakes, of("counted").polls, "{name}");
        assert!(of("counted").suspended.is_none() && of("endless").suspended.is_some(), "{name}");
    }
}
