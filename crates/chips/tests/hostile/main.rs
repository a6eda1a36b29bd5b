//! Programs that mean harm, on whole parts.
//!
//! A guest runs and stores random values into random registers of random blocks, with clocks on and pins given to
//! peripherals. DMA channels point at nowhere, at registers and at the code. On the pins hang devices that answer, that never
//! answer, that hold lines low, and wires from outputs to inputs. All of it follows from a seed.
//!
//! `HOSTILE_SEEDS` gives the number of seeds a part (`.ci/long`), `HOSTILE_FIRST` the first of them.
#![allow(clippy::unwrap_used)]

#[path = "../../../avr/tests/common/asm.rs"]
#[allow(dead_code)]
mod avr_asm;
#[path = "../../../cortex-m/tests/common/asm.rs"]
#[allow(dead_code, unused_macros, unused_imports)]
mod cortex_asm;

#[path = "../second_stage.rs"]
mod second_stage;

mod avr;
mod cortex_m;
mod outside;
mod pace;
mod recipes;
mod rude;
mod values;

use std::fmt::Write;

use cyclescope_chips::{Core, Machine, MemorySetting, Part, Settings, Stimulus};
use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_machine::{Attachment, Restore, Signal, SignalKind, Stop, Timebase, Wire};

use crate::pace::Pace;
use crate::rude::{Manner, Rude};

/// The generator of Marsaglia 2003 (xorshift64).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn of(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % count
    }

    pub fn word(&mut self) -> u32 {
        self.of(1 << 32) as u32
    }

    /// True in one of `count` cases.
    pub fn one_in(&mut self, count: u64) -> bool {
        self.of(count) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.of(from.len() as u64) as usize]
    }
}

/// The end of runs in cycles, and in time for those whose clock is slow.
const END: u64 = 120_000;
const LATEST: Picoseconds = Picoseconds::new(20_000_000_000);
/// Runs are cut here and there.
const CUTS: [u64; 4] = [7_919, 40_009, 90_001, END];
/// Events that a part may take in one cycle, over a while, and in 5 ns, where the core's clock is slower than others.
const MOST_EVENTS: u64 = 2;

/// A part with a program, what hangs on its pins, and what happens to it.
#[derive(Clone, Debug)]
struct Case {
    part: &'static Part,
    settings: Settings,
    code: Vec<(u32, Vec<u8>)>,
    attachments: Vec<Attachment>,
    stimuli: Vec<(u64, Stimulus)>,
    /// Somebody records signals.
    watched: bool,
}

impl Case {
    fn new(part: &'static Part, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let memory = *random.pick(&[MemorySetting::Equal, MemorySetting::Shipped]);
        // Nobody and nothing is outside in one case of four, or there are only devices that never answer.
        let (attachments, stimuli) = match random.of(8) {
            0 => Default::default(),
            1 => (outside::mute(part, &mut random), Vec::new()),
            _ => outside::of(part, &mut random),
        };
        let watched = random.one_in(3) || stimuli.is_empty();
        let busy: Vec<&str> = attachments.iter().flat_map(|attachment: &Attachment| peripherals(attachment)).collect();
        let code = match &part.core {
            Core::CortexM(_) => cortex_m::program(part, &busy, &mut random),
            Core::Avr(own) => avr::program(own, &mut random),
            Core::Riscv(_) | Core::Xtensa(_) => unreachable!("these parts have tests of their own"),
        };
        Self { part, settings: Settings { memory, ..Settings::default() }, code, attachments, stimuli, watched }
    }

    fn machine(&self) -> Machine {
        let segments = self.code.iter().map(|(at, bytes)| (Address::new(*at), bytes.as_slice()));
        let mut machine = Machine::new(self.part, self.settings, segments).unwrap();
        if self.watched {
            let kinds = [SignalKind::Pin, SignalKind::Transfer, SignalKind::Exception, SignalKind::Clock];
            kinds.into_iter().for_each(|kind| machine.shared().signals.want(kind));
        }
        for attachment in &self.attachments {
            machine.attach(vec![attachment.clone()]).unwrap_or_else(|error| panic!("{error}"));
        }
        for (at, stimulus) in &self.stimuli {
            machine.stimulate(Cycles::new(*at), stimulus.clone());
        }
        machine
    }

    /// True if nobody is there who could acknowledge: nobody at all, or only devices that never answer.
    fn is_alone(&self) -> bool {
        let is_mute = |attachment: &Attachment| {
            attachment.device.as_any().downcast_ref().is_some_and(|rude: &Rude| rude.manner == Manner::Mute)
        };
        self.stimuli.is_empty() && self.attachments.iter().all(is_mute)
    }
}

/// The part's peripherals at the other ends of the wires.
fn peripherals(attachment: &Attachment) -> impl Iterator<Item = &str> {
    attachment.wires.iter().flatten().filter_map(|wire| match wire {
        Wire::Signal { peripheral, .. } => Some(peripheral.as_str()),
        Wire::Pin(_) => None,
    })
}

/// A machine under way, with what was seen of it.
#[derive(Clone)]
struct Run {
    machine: Machine,
    pace: Pace,
    /// A checksum of all signals so far.
    seen: u64,
    /// The relation of cycles to time, with its latest changes.
    clocks: Vec<Timebase>,
    stop: Option<Stop>,
}

impl Run {
    fn new(case: &Case) -> Self {
        let pace = Pace::new(case.is_alone());
        let machine = case.machine();
        Self { clocks: vec![machine.timebase()], machine, pace, seen: 0, stop: None }
    }

    /// Goes on to the cycle `until`, or as far as there is time. Checks that it takes a bounded amount of work.
    fn go(&mut self, until: u64) {
        let until = Cycles::new(until);
        while self.stop.is_none() && self.machine.now() < until {
            let timebase = self.machine.timebase();
            let (began, time) = (self.machine.now(), timebase.time(self.machine.now()));
            let events = self.machine.shared().events.taken();
            if time >= LATEST {
                return;
            }
            // A slow clock makes short slices.
            let slice =
                Cycles::new(began.get() + 2_000).min(timebase.cycle((time + Picoseconds::new(500_000_000)).into()));
            let stop = loop {
                let stop = self.machine.run(until.min(slice));
                let changes = self.machine.shared().signals.clock_changes().to_vec();
                self.clocks.extend(changes);
                for (at, signal) in self.machine.shared().signals.drain() {
                    // The clock may have changed behind it.
                    let base = self.clocks.iter().rev().find(|base| base.since() <= at);
                    self.pace.check(at, base.unwrap_or(&self.clocks[0]).time(at), signal);
                    let value = match signal {
                        Signal::Pin { pin, high } => {
                            u64::from(pin.port) << 9 | u64::from(pin.number) << 1 | u64::from(high)
                        }
                        other => digest(&format!("{other:?}")),
                    };
                    self.seen = self.seen.rotate_left(7) ^ (at.get() << 16) ^ value;
                }
                // The last one holds for what comes.
                self.clocks.drain(..self.clocks.len() - 1);
                if stop != Stop::Signal {
                    break stop;
                }
            };
            let (now, later) = (self.machine.now(), self.machine.timebase().time(self.machine.now()));
            let spans = (now.get() - began.get()) + (later.get() - time.get()) / 5_000;
            let taken = self.machine.shared().events.taken() - events;
            assert!(taken <= MOST_EVENTS * spans + 100, "{taken} events from {began} to {now}");
            if stop != Stop::Horizon {
                self.stop = Some(stop);
            }
        }
    }

    /// All that can be seen of it.
    fn state(&mut self) -> String {
        let machine = &mut self.machine;
        let mut text = format!("{:?}, {} cycles, {} instructions", self.stop, machine.now(), machine.instructions());
        let names: Vec<&str> = machine.registers().iter().map(|register| register.name).collect();
        for name in names {
            write!(text, ", {name} {:?}", machine.register(name)).unwrap();
        }
        let levels: Vec<bool> = machine.pins().into_iter().map(|pin| machine.pin(pin)).collect();
        write!(text, ", {} resets, {levels:?}, {:?}", machine.resets(), machine.gaps()).unwrap();
        let rows: Vec<&str> = machine.timing_used().iter().map(|row| row.name).collect();
        write!(text, ", {rows:?}, {:?}, signals {}", machine.shared().console, self.seen).unwrap();
        write!(text, ", {} events, then {:?}", machine.shared().events.taken(), machine.shared().events.next_at())
            .unwrap();
        let ram = machine.memory().ram.bytes().iter().fold(0, |sum: u64, byte| sum.rotate_left(5) ^ u64::from(*byte));
        write!(text, ", RAM {ram}").unwrap();
        text
    }
}

fn digest(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().unwrap())
}

/// Runs the case of `seed`; returns how it ended, if before the end.
fn check(part: &'static Part, seed: u64) -> Option<Stop> {
    let case = Case::new(part, seed);
    let mut run = Run::new(&case);
    // One of the same origin that was elsewhere takes the state over.
    let mut other = run.clone();
    other.go(seed.wrapping_mul(7_919) % CUTS[2]);
    run.go(CUTS[0]);
    let copy = run.clone();
    run.go(CUTS[1]);
    let mut restored = Run { machine: other.machine, ..run.clone() };
    restored.machine.restore(&run.machine);
    run.go(CUTS[2]);
    run.go(END);
    let state = run.state();
    for (mut other, text) in [(copy, "a copy"), (restored, "restored"), (Run::new(&case), "the same again")] {
        CUTS.into_iter().for_each(|cut| other.go(cut));
        assert_eq!(other.state(), state, "{} {seed}: {text}", part.name);
    }
    run.stop
}

const PARTS: [&str; 10] = [
    "stm32f103c8",
    "stm32f446re",
    "stm32f446ze",
    "stm32c031c6",
    "mk20dx256",
    "nrf52840",
    "rp2040",
    "cortex-m3",
    "atmega328p",
    "atmega32u4",
];

/// Counts what is written.
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

/// The size of all that a machine holds, as text.
fn size(machine: &Machine) -> usize {
    let mut length = Length(0);
    write!(length, "{machine:?}").unwrap();
    length.0
}

#[test]
fn no_queue_of_a_machine_grows_for_ever() {
    for part in PARTS {
        for seed in 1..=3 {
            let case = Case { watched: false, ..Case::new(Part::find(part).unwrap(), seed) };
            let mut run = Run::new(&case);
            // Decoded code is left aside: a machine that takes the state over has none. Output goes on to its budget.
            let mut other = run.machine.clone();
            run.go(END / 2);
            let mut size = |machine: &mut Machine| {
                other.restore(machine);
                (size(&other), machine.shared().console.len())
            };
            let (before, printed) = size(&mut run.machine);
            run.go(8 * END);
            let (after, all) = size(&mut run.machine);
            assert!(after < before + 20_000 + 8 * (all - printed), "{part} {seed}: from {before} to {after}");
        }
    }
}

/// Checks the seeds of `part`. Most programs must run to the end, or little was checked.
fn check_all(name: &str, seeds: u64) {
    let part = Part::find(name).unwrap();
    let (first, seeds) = (number("HOSTILE_FIRST", 0), number("HOSTILE_SEEDS", seeds));
    let (mut ended, mut failed) = (Vec::new(), Vec::new());
    for seed in first..first + seeds {
        match std::panic::catch_unwind(|| check(part, seed)) {
            Ok(stop) => ended.extend(stop.map(|stop| (seed, stop))),
            Err(_) => failed.push(seed),
        }
    }
    assert!(failed.is_empty(), "{name}: seeds {failed:?}");
    assert!(2 * ended.len() as u64 <= seeds, "{name}: of {seeds} programs these ended early: {ended:?}");
}
