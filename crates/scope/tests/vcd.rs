//! Reads dumps back with the library that other tools use.

use std::collections::BTreeMap;

use cyclescope_chips::{Machine, MemorySetting, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{Pin, Signal, Timebase, Width};
use cyclescope_scope::{DumpTime, Edge, ExceptionPhase, Limits, Resolved, Session, Trace, Traced, write_vcd};
use vcd::{Command, Parser, Value};

use crate::common;

/// That of the part after reset.
const CLOCK: Hertz = Hertz::new(12_000_000);
const PA0: Pin = Pin { port: 0, number: 0 };
const NAMES: [(u16, &str); 2] = [(15, "SysTick"), (22, "USART 2")];

/// The changes of each wire, by full name: time, and bits as a number (`None` if unknown).
type Changes = BTreeMap<String, Vec<Change>>;
type Change = (u64, Option<u64>);

fn read(dump: &[u8]) -> (Changes, u64) {
    let mut parser = Parser::new(dump);
    let header = parser.parse_header().expect("a header");
    let scope = header.items.iter().find_map(|item| match item {
        vcd::ScopeItem::Scope(scope) => Some(scope.clone()),
        _ => None,
    });
    let mut names = BTreeMap::new();
    for group in scope.expect("the part's scope").items {
        let vcd::ScopeItem::Scope(group) = group else { panic!("only groups") };
        for item in group.items {
            let vcd::ScopeItem::Var(wire) = item else { panic!("only wires") };
            names.insert(wire.code, format!("{}.{}", group.identifier, wire.reference));
        }
    }
    let (mut changes, mut now) = (Changes::new(), 0);
    for command in parser {
        let (wire, value) = match command.expect("it reads") {
            Command::Timestamp(at) => {
                assert!(at >= now);
                now = at;
                continue;
            }
            Command::ChangeScalar(wire, value) => (wire, (value != Value::X).then_some(u64::from(value == Value::V1))),
            Command::ChangeReal(wire, number) => (wire, Some(number as u64)),
            Command::ChangeString(wire, text) => {
                let digits = text.strip_prefix("0x").expect("an address");
                (wire, Some(u64::from_str_radix(digits, 16).expect("an address")))
            }
            Command::ChangeVector(..) => panic!("libsigrok ends at a vector"),
            _ => continue,
        };
        changes.entry(names[&wire].clone()).or_default().push((now, value));
    }
    (changes, now)
}

fn dump(trace: &Trace, time: DumpTime) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_vcd(trace, "my part", &NAMES, time, &mut bytes).expect("memory takes it");
    bytes
}

/// Starts SysTick with a period of 1,000 and makes PA0 an output, then loops: high, 3 NOPs, low, NOP, branch.
const PROGRAM: &[u16] = &[
    0x480c, 0x2101, 0x6001, 0x480c, 0x490c, 0x6041, 0x6081, 0x2107, 0x6001, 0x480b, 0x6801, 0x2203, 0x4391, 0x2201,
    0x4311, 0x6001, 0x2101, 0x040a, 0x6181, 0x46c0, 0x46c0, 0x46c0, 0x6182, 0x46c0, 0xe7f8, 0x4770, 0x1034, 0x4002,
    0xe010, 0xe000, 0x03e7, 0x0000, 0x0000, 0x5000,
];

fn machine() -> Machine {
    let mut words = vec![0x0800_0133; 0x40];
    (words[0], words[1]) = (0x2000_3000, 0x0800_0101);
    let mut flash: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    flash.extend(PROGRAM.iter().flat_map(|halfword| halfword.to_le_bytes()));
    let part = Part::find("stm32c031c6").expect("a part of ours");
    let settings = Settings { memory: MemorySetting::Ideal, ..Settings::default() };
    Machine::new(part, settings, [(Address::new(0x0800_0000), &flash[..])]).expect("it starts")
}

#[test]
fn every_edge_stands_at_its_own_cycle() {
    let elf = cyclescope_images::images()[0].elf().expect("a bundled image");
    let image = Image::parse(&elf).expect("a bundled image");
    let mut machine = machine();
    let mut session = Session::new(&mut machine, &image);
    let events = [
        Resolved::Pin(PA0, Edge::Any),
        Resolved::Exception(15, ExceptionPhase::Entered),
        Resolved::Exception(15, ExceptionPhase::Returned),
    ]
    .map(|event| session.watch(event));
    events.iter().for_each(|event| session.record(*event));
    session.trace(usize::MAX, None);
    session.run(Limits::until(Cycles::new(20_000), Cycles::new(700)), |_| false);
    let [pin, entered, returned] = events.map(|event| session.recorded(event).expect("there is room").to_vec());
    let trace = session.take_trace().expect("it was asked for");
    assert!(pin.len() > 1_000 && entered.len() > 18 && trace.lost == 0);
    for time in [DumpTime::Cycles, DumpTime::Nanoseconds, DumpTime::Picoseconds] {
        let (changes, end) = read(&dump(&trace, time));
        // Converts back to the cycle that begins in this unit.
        let cycle = |at: u64| match time {
            DumpTime::Cycles => at,
            DumpTime::Nanoseconds => (at * CLOCK.get()).div_ceil(1_000_000_000),
            DumpTime::Picoseconds => (at * (CLOCK.get() / 1_000)).div_ceil(1_000_000_000),
        };
        assert_eq!(cycle(end), trace.to.get());
        let times = |wire: &str, value: Option<u64>| -> Vec<Cycles> {
            let changes = changes[wire].iter().skip(1);
            changes.filter(|(_, to)| value.is_none() || *to == value).map(|(at, _)| Cycles::new(cycle(*at))).collect()
        };
        assert_eq!(times("pins.PA0", None), pin);
        assert_eq!(times("exceptions.SysTick", Some(1)), entered);
        assert_eq!(times("exceptions.SysTick", Some(0)), returned);
        assert_eq!(times("exceptions.active", Some(15)), entered);
        assert_eq!(changes["core.sleeping"], [(0, Some(0))]);
        assert!(!changes.contains_key("core.task"));
    }
}

#[test]
fn nested_exceptions_sleep_and_tasks_are_shown() {
    let signal = |at: u64, signal| (Cycles::new(at), Traced::Signal(0, signal));
    let entries = vec![
        signal(10, Signal::Sleep),
        signal(20, Signal::Wake),
        signal(20, Signal::ExceptionEntered { number: 15 }),
        signal(25, Signal::ExceptionEntered { number: 22 }),
        signal(25, Signal::Pin { pin: PA0, high: true }),
        signal(30, Signal::ExceptionReturned { number: 22 }),
        signal(40, Signal::ExceptionReturned { number: 15 }),
        (Cycles::new(40), Traced::Task(0x2000_0040)),
    ];
    let levels = vec![(PA0, false)];
    let (from, to, timebases) = (Cycles::new(5), Cycles::new(50), vec![Timebase::fixed(CLOCK)]);
    let trace = Trace { from, to, timebases, cores: 1, levels, lines: Vec::new(), task: Some(7), entries, lost: 0 };
    let (changes, end) = read(&dump(&trace, DumpTime::Cycles));
    assert_eq!(end, 50);
    let expect: [(&str, &[Change]); 6] = [
        ("core.sleeping", &[(5, Some(0)), (10, Some(1)), (20, Some(0))]),
        ("core.task", &[(5, Some(7)), (40, Some(0x2000_0040))]),
        ("exceptions.SysTick", &[(5, Some(0)), (20, Some(1)), (40, Some(0))]),
        ("exceptions.USART_2", &[(5, Some(0)), (25, Some(1)), (30, Some(0))]),
        ("exceptions.active", &[(5, Some(0)), (20, Some(15)), (25, Some(22)), (30, Some(15)), (40, Some(0))]),
        ("pins.PA0", &[(5, Some(0)), (25, Some(1))]),
    ];
    for (wire, expect) in expect {
        assert_eq!(changes[wire], expect, "{wire}");
    }
    assert_eq!(changes.len(), expect.len());
}

/// Calls its handler for ever (`svc`), which counts in RAM and stores half of the count at [`POINTER`].
const SWITCHES: [u16; 16] = [
    0xF3EF,
    0x8005,
    0x2800,
    0xD101,
    0xDF00,
    0xE7FD, // mrs r0, ipsr; handler if not 0; svc; again
    0x4903,
    0x684A,
    0x3201,
    0x604A,
    0x0852,
    0x600A,
    0x4770,
    0xBF00, // the handler
    POINTER as u16,
    (POINTER >> 16) as u16,
];
const POINTER: u32 = 0x2000_0010;
const SVCALL: u16 = 11;

#[test]
fn the_running_task_is_looked_at_when_exceptions_return_and_a_trace_has_an_end() {
    let (mut target, image) = (common::machine(&SWITCHES), common::image());
    let mut session = Session::new(&mut target, &image);
    session.trace(20, Some(Address::new(POINTER)));
    let rule = format!("after exception:{SVCALL}:returned once pin PA0 high");
    session.apply(&common::plan(&image, &[rule])).expect("it has that pin");
    session.run(Limits::until(Cycles::new(2_000), Cycles::new(2_000)), |_| false);
    let trace = session.take_trace().expect("it was asked for");
    let returned: Vec<Cycles> = trace
        .entries
        .iter()
        .filter(|(_, traced)| *traced == Traced::Signal(0, Signal::ExceptionReturned { number: SVCALL }))
        .map(|(at, _)| *at)
        .collect();
    let tasks: Vec<(Cycles, u32)> = trace
        .entries
        .iter()
        .filter_map(|(at, traced)| match traced {
            Traced::Task(task) => Some((*at, *task)),
            Traced::Signal(..) => None,
        })
        .collect();
    // Every second return finds another task.
    let switches = returned.iter().skip(1).step_by(2).copied().zip(1..).collect::<Vec<_>>();
    assert_eq!((trace.task, tasks), (Some(0), switches));
    let counted = target.memory().read(POINTER + 4, Width::Word).expect("it is RAM");
    assert!(returned.len() >= 4 && counted as usize > returned.len(), "{counted} calls, {} traced", returned.len());
    assert!(trace.entries.len() == 20 && trace.lost > 0, "{} of {}", trace.entries.len(), trace.lost);
    // What an event sets off without a delay comes before the next instruction, at no earlier cycle than the event.
    let high = |traced: &Traced| matches!(traced, Traced::Signal(_, Signal::Pin { pin: PA0, high: true }));
    let rise = trace.entries.iter().find(|(_, traced)| high(traced)).expect("the pin rises").0;
    assert!(rise >= returned[0] && rise < returned[1], "{rise:?} of {returned:?}");
}
