//! A whole STM32C031 in Stop mode: its core, its clocks, and copies made at any moment.

use cyclescope_chips::{Machine, Part, Settings, Stimulus};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Pin, Restore, Signal, SignalKind, Stop};

const FLASH: u32 = 0x0800_0000;

/// Makes PA0 an input whose rising edges interrupt, sets SLEEPDEEP and PRIMASK, then for ever: WFI, counts in r7, clears the
/// line's flag in the EXTI and the core.
const PROGRAM: &[u16] = &[
    0x480C, 0x2101, 0x6001, 0x480C, 0x4A0C, 0x6002, 0x4B0C, 0x6019, 0x3380, 0x6019, 0x3B80, 0x480B, 0x2220, 0x6002,
    0x480A, 0x2204, 0x6002, 0xB672, 0xBF30, 0x3701, 0x60D9, 0x4808, 0x2220, 0x6002, 0xE7F8, 0x0000, 0x1034, 0x4002,
    0x0000, 0x5000, 0xFFFC, 0xEBFF, 0x1800, 0x4002, 0xE100, 0xE000, 0xED10, 0xE000, 0xE280, 0xE000,
];

const PA0: Pin = Pin { port: 0, number: 0 };

/// With a rising edge of PA0 at each of `edges`.
fn machine(edges: &[u64]) -> Machine {
    let mut words = vec![(FLASH + 0x100) | 1; 0x40];
    words[0] = 0x2000_3000;
    let mut flash: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    flash.extend(PROGRAM.iter().flat_map(|halfword| halfword.to_le_bytes()));
    let part = Part::find("stm32c031c6").unwrap();
    let mut machine = Machine::new(part, Settings::default(), [(Address::new(FLASH), &flash[..])]).unwrap();
    machine.shared().signals.want(SignalKind::Sleep);
    for at in edges {
        machine.stimulate(Cycles::new(*at), Stimulus::Pin { pin: PA0, high: Some(true) });
        machine.stimulate(Cycles::new(*at + 3_000), Stimulus::Pin { pin: PA0, high: Some(false) });
    }
    machine
}

/// Runs to the cycle `until`, and gives each sleep (`true`) and waking.
fn sleeps(machine: &mut Machine, until: u64) -> Vec<(u64, bool)> {
    let mut seen = Vec::new();
    loop {
        let stop = machine.run(Cycles::new(until));
        let signals: Vec<_> = machine.shared().signals.drain().collect();
        seen.extend(signals.into_iter().map(|(at, signal)| (at.get(), signal == Signal::Sleep)));
        if stop != Stop::Signal {
            return seen;
        }
    }
}

#[test]
fn the_core_sleeps_until_it_runs_again() {
    let mut machine = machine(&[10_000, 50_000]);
    let seen = sleeps(&mut machine, 100_000);
    let [(_, true), (first, false), (again, true), (second, false), (_, true)] = seen[..] else { panic!("{seen:?}") };
    // 9 us, as flash loses power in Stop mode (FPD_STOP is set after reset), are 108 cycles of HSI48 divided by four.
    assert_eq!([first, second], [10_108, 50_108]);
    assert!((first + 10..first + 60).contains(&again));
    assert_eq!(machine.cortex_m().unwrap().cpu().r[7], 2);
}

#[test]
fn copies_made_in_stop_mode_and_in_waking_go_on_as_the_original() {
    for at in (9_990..10_130).step_by(7).chain([3_000, 20_000, 50_030]) {
        let mut original = machine(&[10_000, 50_000]);
        sleeps(&mut original, at);
        let mut copy = original.clone();
        let mut restored = machine(&[]);
        restored.restore(&original);
        let [expected, of_copy, of_restored] = [&mut original, &mut copy, &mut restored].map(|machine| {
            let seen = sleeps(machine, 100_000);
            (seen, machine.now(), machine.cortex_m().unwrap().cpu().r)
        });
        assert_eq!(of_copy, expected, "{at}");
        assert_eq!(of_restored, expected, "{at}");
    }
}

#[test]
fn nothing_that_stands_can_wake_it() {
    let mut machine = machine(&[]);
    assert!(matches!(machine.run(Cycles::new(1 << 40)), Stop::Signal));
    assert!(sleeps(&mut machine, 1 << 40).len() <= 1);
    assert!(matches!(machine.run(Cycles::new(1 << 41)), Stop::Deadlock(_)));
}
