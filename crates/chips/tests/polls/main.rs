//! Loops that poll registers of devices, skipped: everything is as where each turn is carried out.
//!
//! Programs are random: some writes to a part's devices, then a loop that polls a register until a masked value is, or is not,
//! zero, writes some registers more, and polls again. Pins move and bytes come in meanwhile.
#![allow(clippy::unwrap_used)]

#[path = "../../../avr/tests/common/asm.rs"]
#[allow(dead_code)]
mod avr_asm;
#[path = "../../../cortex-m/tests/common/asm.rs"]
#[allow(dead_code, unused_macros, unused_imports)]
mod cortex_asm;
#[path = "../../../riscv/tests/common/asm.rs"]
#[allow(dead_code)]
mod riscv_asm;

mod avr;
mod cortex_m;
mod riscv;

use cyclescope_chips::{Machine, MemorySetting, Part, Settings, Stimulus};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Pin, SignalKind, Stop};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The actions of the outside, each with its time.
pub(crate) type Outside = Vec<(u64, Stimulus)>;

/// A part with a program, and what happens to it.
#[derive(Clone)]
pub(crate) struct Case<'a> {
    pub part: &'a str,
    pub wait: Loop,
    pub memory: MemorySetting,
    pub code: Vec<(u32, Vec<u8>)>,
    pub outside: Outside,
    pub end: u64,
}

impl std::fmt::Debug for Case<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({:?}): {:x?}, outside {:?}", self.part, self.memory, self.wait, self.outside)
    }
}

impl Case<'_> {
    fn machine(&self, skips_loops: bool) -> Machine {
        let part = Part::find(self.part).unwrap();
        let settings = Settings { memory: self.memory, skips_loops, ..Settings::default() };
        let segments = self.code.iter().map(|(at, bytes)| (Address::new(*at), bytes.as_slice()));
        let mut machine = Machine::new(part, settings, segments).unwrap();
        for kind in [SignalKind::Pin, SignalKind::Exception, SignalKind::Clock] {
            machine.shared().signals.want(kind);
        }
        for (at, stimulus) in &self.outside {
            machine.stimulate(Cycles::new(*at), stimulus.clone());
        }
        machine
    }

    /// Runs `machine` to the end, in pieces of `step` cycles; returns all that can be seen of it.
    fn run(&self, mut machine: Machine, step: u64) -> (Vec<String>, Machine) {
        let (mut seen, mut until) = (Vec::new(), 0);
        loop {
            until = self.end.min(until + step);
            let stop = loop {
                let stop = machine.run(Cycles::new(until));
                seen.extend(machine.shared().signals.drain().map(|signal| format!("{signal:?}")));
                if stop != Stop::Signal {
                    break stop;
                }
            };
            if stop != Stop::Horizon || until == self.end {
                seen.push(format!("{stop:?}"));
                break;
            }
        }
        seen.push(format!("{} cycles, {} instructions", machine.now(), machine.instructions()));
        seen.push(format!("{:?}", machine.timing_used().iter().map(|row| row.name).collect::<Vec<_>>()));
        seen.push(format!("{} resets, {:?}", machine.resets(), machine.gaps()));
        let names = (0..32).flat_map(|number| [format!("r{number}"), format!("x{number}")]);
        let names = names.chain(["sp", "lr", "pc", "xpsr", "sreg"].map(str::to_owned));
        seen.extend(names.filter_map(|name| Some(format!("{name} = {:#x}", machine.register(&name)?))));
        seen.push(format!("{:?}", machine.shared().console));
        let levels: Vec<bool> = machine.pins().into_iter().map(|pin| machine.pin(pin)).collect();
        seen.push(format!("{levels:?}"));
        (seen, machine)
    }

    /// Checks that skipping changes nothing; returns the cycles skipped.
    pub fn is_the_same_skipped(&self) -> u64 {
        let (expected, carried_out) = self.run(self.machine(false), self.end);
        assert_eq!(carried_out.skipped(), Cycles::ZERO);
        let mut most = 0;
        for step in [self.end, 50_021] {
            let (seen, skipping) = self.run(self.machine(true), step);
            assert_eq!(seen, expected, "cut every {step}");
            // What comes later is the same too: devices, flash and bridges are in the same state.
            let later = Case { end: self.end + 3_001, ..self.clone() };
            let (after, _) = later.run(skipping.clone(), later.end);
            let (after_carried_out, _) = later.run(carried_out.clone(), later.end);
            assert_eq!(after, after_carried_out, "later");
            most = most.max(skipping.skipped().get());
        }
        most
    }
}

/// The loop: where it looks and for what, how long a turn is, and what it does between two waits.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub setup: Vec<(u32, u32)>,
    pub polled: u32,
    pub mask: u32,
    /// It waits while the masked value is zero.
    pub while_zero: bool,
    pub inside: usize,
    pub between: Vec<(u32, u32)>,
}

/// Registers to write, each with values for it.
pub(crate) type Writes = &'static [(u32, &'static [u32])];

/// A device at work: what sets it up, in this order, and the registers to poll, each with the bits of interest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene {
    pub writes: Writes,
    pub polled: &'static [(u32, u32)],
}

/// One of these writes.
fn write(from: Writes) -> impl Strategy<Value = (u32, u32)> {
    prop::sample::select(from).prop_flat_map(|(at, values)| (Just(at), prop::sample::select(values)))
}

/// Random loops over the registers of `scenes`, behind the writes of `first` and perhaps some of `noise`.
pub(crate) fn loops(
    first: &'static [(u32, u32)],
    noise: Writes,
    scenes: &'static [Scene],
) -> impl Strategy<Value = Loop> {
    prop::sample::select(scenes).prop_flat_map(move |scene| {
        let values: Vec<_> =
            scene.writes.iter().map(|(at, values)| (Just(*at), prop::sample::select(*values))).collect();
        let bits = prop::sample::select(scene.polled).prop_flat_map(|(at, bits)| {
            let any = prop_oneof![5 => Just(bits), 1 => (0..32u32).prop_map(|bit| 1 << bit), 1 => Just(0)];
            (Just(at), any)
        });
        let between = prop::collection::vec(write(scene.writes), 0..3);
        (prop::collection::vec(write(noise), 0..3), values, bits, any::<bool>(), 0..7usize, between).prop_map(
            move |(noise, values, (polled, mask), while_zero, inside, between)| Loop {
                setup: [first, &noise, &values].concat(),
                polled,
                mask,
                while_zero,
                inside,
                between,
            },
        )
    })
}

/// Random pins and bytes.
pub(crate) fn outside(pins: &'static [Pin], port: u8) -> impl Strategy<Value = Outside> {
    let pin =
        (prop::sample::select(pins), any::<bool>()).prop_map(|(pin, high)| Stimulus::Pin { pin, high: Some(high) });
    let byte = any::<u8>().prop_map(move |byte| Stimulus::Uart { number: port, bytes: vec![byte] });
    prop::collection::vec((0..180_000u64, prop_oneof![pin, byte]), 0..6)
}

/// Checks so many cases. A tenth of the loops must be skipped, or little was checked.
pub(crate) fn check(cases: u32, case: &impl Strategy<Value = Case<'static>>) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let skipped = std::cell::Cell::new(0);
    let checked = runner.run(case, |case| {
        skipped.set(skipped.get() + u32::from(case.is_the_same_skipped() > case.end / 2));
        Ok(())
    });
    checked.unwrap_or_else(|error| panic!("{error}"));
    assert!(skipped.get() > cases / 10, "{} of {cases} skipped", skipped.get());
}
