//! Reads dumps back with the library that other tools use.

use std::collections::BTreeMap;

use cyclescope_chips::{Machine, MemorySetting, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{
    Bus, Memory, Moment, Pin, Shared, Signal, Stimulus, Stop, Target, Timebase, Width, WithoutPeripherals,
};
use cyclescope_scope::{
    DumpTime, Edge, ExceptionPhase, Limits, Names, Plan, Resolved, Rule, Session, Trace, Traced, write_vcd,
};
use vcd::{Command, Parser, Value};

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

/// A target that only returns from exceptions, each time with another task.
struct Switching {
    bus: Bus<WithoutPeripherals>,
    now: u64,
    stimuli: Vec<(Cycles, Stimulus)>,
}

const POINTER: u32 = 0x2000_0010;

impl Target for Switching {
    fn run(&mut self, until: Cycles) -> Stop {
        self.now += 100;
        if self.now >= until.get() {
            return Stop::Horizon;
        }
        self.bus.memory.write(POINTER, Width::Word, (self.now / 200) as u32);
        // The returning instruction took ten more cycles.
        self.bus.shared.signals.record(Cycles::new(self.now - 10), Signal::ExceptionReturned { number: 14 });
        Stop::Signal
    }
    fn spins(&self) -> Option<cyclescope_machine::Spin> {
        None
    }
    fn waits_for(&self) -> Option<cyclescope_machine::Wait> {
        None
    }
    fn now(&self) -> Cycles {
        Cycles::new(self.now)
    }
    fn instructions(&self) -> cyclescope_machine::units::Instructions {
        cyclescope_machine::units::Instructions::ZERO
    }
    fn pc(&self) -> Address {
        Address::ZERO
    }
    fn watch(&mut self, _: Address) {}
    fn call_frame(&self) -> cyclescope_machine::CallFrame {
        cyclescope_machine::CallFrame { return_address: Address::ZERO, stack_pointer: Address::ZERO }
    }

    fn stack_pointer(&self) -> Address {
        Address::ZERO
    }
    fn timebase(&self) -> Timebase {
        Timebase::fixed(CLOCK)
    }

    fn stimulate(&mut self, at: impl Into<Moment>, stimulus: Stimulus) {
        let at = self.timebase().cycle(at.into());
        self.stimuli.push((at, stimulus));
    }
    fn pins(&self) -> Vec<Pin> {
        Vec::new()
    }
    fn pin(&self, _: Pin) -> bool {
        false
    }
    fn serial_ports(&self) -> Vec<cyclescope_machine::Channel> {
        vec![cyclescope_machine::Channel::Uart(3)]
    }
    fn listens(&self, _: cyclescope_machine::Channel) -> bool {
        false
    }
    fn reset(&mut self, _: &'static str) {}
    fn shared(&mut self) -> &mut Shared {
        &mut self.bus.shared
    }
    fn memory(&mut self) -> &mut Memory {
        &mut self.bus.memory
    }
}

#[test]
fn the_running_task_is_looked_at_when_exceptions_return_and_a_trace_has_an_end() {
    let elf = cyclescope_images::images()[0].elf().expect("a bundled image");
    let image = Image::parse(&elf).expect("a bundled image");
    let memory = Memory::new(Address::new(0x0800_0000), vec![0; 64], Address::new(0x2000_0000), 64);
    let mut target = Switching { bus: Bus::new(memory, WithoutPeripherals, 100), now: 0, stimuli: Vec::new() };
    let mut session = Session::new(&mut target, &image);
    session.trace(9, Some(Address::new(POINTER)));
    let rules: Vec<Rule> = [
        "after exception:14:returned 30cy 2 times uart 3 \"a\\n\"",
        "after exception:14:returned once uart 3 \"b\"",
        "every 600cy from 50cy uart 3 \"\\xff\"",
    ]
    .map(|text| text.parse().expect(text))
    .into();
    let names: Names<'_> = &[];
    let plan = Plan::resolve(&rules, &image, names).expect("a plan");
    session.apply(&plan).expect("it has that port");
    session.run(Limits::until(Cycles::new(1_001), Cycles::new(1_001)), |_| false);
    let trace = session.take_trace().expect("it was asked for");
    let tasks: Vec<_> = trace
        .entries
        .iter()
        .filter_map(|(at, traced)| match traced {
            Traced::Task(task) => Some((at.get(), *task)),
            Traced::Signal(..) => None,
        })
        .collect();
    assert_eq!((trace.task, tasks), (Some(0), vec![(190, 1), (390, 2), (590, 3)]));
    assert_eq!((trace.entries.len(), trace.lost), (9, 6), "10 returns and 5 switches");
    let uart = |at, bytes: &[u8]| (Cycles::new(at), Stimulus::Uart { number: 3, bytes: bytes.to_vec() });
    let every = Stimulus::Every { period: 600, stimulus: Box::new(uart(0, b"\xff").1) };
    // An action after an event never comes before the machine's current cycle.
    assert_eq!(target.stimuli, [(Cycles::new(50), every), uart(120, b"a\n"), uart(100, b"b"), uart(220, b"a\n")]);
}
