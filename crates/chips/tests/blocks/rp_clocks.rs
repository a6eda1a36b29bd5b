//! RP2040: dormant oscillators and what wakes them, and clocks at pins (RP-008371-DS, "DORMANT State", "Clocks").

use cyclescope_machine::{GapKind, Pin, Signals};

use crate::bench::Bench;
use crate::rp_system::{fast, released};

const CLOCKS: u32 = 0x4000_8000;
const GPOUT0_CTRL: u32 = CLOCKS;
const GPOUT0_DIV: u32 = CLOCKS + 4;
const CLK_REF_CTRL: u32 = CLOCKS + 0x30;
const CLK_SYS_CTRL: u32 = CLOCKS + 0x3C;
const CLK_PERI_CTRL: u32 = CLOCKS + 0x48;
const FC0_REF_KHZ: u32 = CLOCKS + 0x80;
const FC0_INTERVAL: u32 = CLOCKS + 0x90;
const FC0_SRC: u32 = CLOCKS + 0x94;
const FC0_STATUS: u32 = CLOCKS + 0x98;
const FC0_RESULT: u32 = CLOCKS + 0x9C;
const IO_BANK0: u32 = 0x4001_4000;
const PADS_BANK0: u32 = 0x4001_C000;
const XOSC: u32 = 0x4002_4000;
const ROSC: u32 = 0x4006_0000;
const SYSCFG_MEMPOWERDOWN: u32 = 0x4000_4018;
const TIMERAWL: u32 = 0x4005_4028;
const WATCHDOG_TICK: u32 = 0x4005_802C;
const PIO0: u32 = 0x5020_0000;
const USB_MAIN_CTRL: u32 = 0x5011_0040;
const RESETS: u32 = 0x4000_C000;
/// The aliases of a register that set and clear bits.
const SET: u32 = 0x2000;
const CLEAR: u32 = 0x3000;
/// CTRL of an oscillator that is on, and off.
const ON: u32 = 0x00FA_BAA0;
const OFF: u32 = 0x00D1_EAA0;

const COMA: u32 = 0x636F_6D61;
const WAKE: u32 = 0x7761_6B65;
const DORMANT_WAKE_INTE0: u32 = IO_BANK0 + 0x160;
const DORMANT_WAKE_INTF0: u32 = IO_BANK0 + 0x170;
const DORMANT_WAKE_INTS0: u32 = IO_BANK0 + 0x180;
/// GPIO3 in these registers.
const LEVEL_LOW: u32 = 1 << 12;
const EDGE_LOW: u32 = 4 << 12;
/// STARTUP.DELAY as tests write it, in periods of the crystal.
const STARTUP: u64 = 47 * 256;

/// At 12 MHz from the crystal, with GPIO3 pulled up, and a timer.
fn by_crystal() -> Bench {
    let mut bench = released();
    bench.write(XOSC + 0xC, 47);
    bench.write(XOSC, 0x00FA_BAA0);
    bench.pass(10_000);
    bench.write(CLK_REF_CTRL, 2);
    bench.write(WATCHDOG_TICK, 1 << 9 | 12);
    bench.write(PADS_BANK0 + 4 + 4 * 3, 1 << 3 | 1 << 6);
    bench.pass(100);
    assert_eq!(bench.bus.peripherals.hclk().get(), 12_000_000);
    bench
}

fn stands(bench: &Bench) -> bool {
    assert_eq!(bench.bus.peripherals.clocks().stands(), bench.bus.shared.interrupts.stands());
    bench.bus.shared.interrupts.stands()
}

/// Lets time pass until all runs again; the cycles that takes.
fn until_it_runs(bench: &mut Bench) -> u64 {
    let begun = bench.now;
    while stands(bench) {
        let next = bench.bus.shared.events.next_at().get();
        assert_ne!(next, u64::MAX, "nothing wakes it");
        bench.pass(next - bench.now);
    }
    bench.now - begun
}

#[test]
fn a_dormant_crystal_stops_everything_until_an_edge_and_starts_anew() {
    let mut bench = by_crystal();
    bench.write(DORMANT_WAKE_INTE0, EDGE_LOW);
    let counted = bench.read(TIMERAWL);
    bench.write(XOSC + 8, COMA);
    assert!(stands(&bench));
    // Its own time goes on, the timer's does not.
    bench.set_pin(50_000, Pin::GPIO, 3, Some(false));
    assert_eq!(until_it_runs(&mut bench), 50_000 + STARTUP);
    assert!(bench.read(TIMERAWL) - counted <= 1);
    assert_eq!((bench.read(XOSC + 8), bench.read(XOSC + 4) >> 31), (WAKE, 1));
    bench.pass(10);
    assert_eq!(bench.read(DORMANT_WAKE_INTS0), EDGE_LOW, "the edge is still there for the program");
    // It would wake at once.
    bench.write(XOSC + 8, COMA);
    assert_eq!(until_it_runs(&mut bench), STARTUP);
    bench.write(IO_BANK0 + 0xF0, EDGE_LOW);
    assert_eq!(bench.read(DORMANT_WAKE_INTS0), 0);
    assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
}

#[test]
fn a_level_and_a_forced_interrupt_wake_and_a_ring_starts_at_once() {
    let mut bench = released();
    bench.write(PADS_BANK0 + 4 + 4 * 3, 1 << 3 | 1 << 6);
    bench.pass(100);
    bench.write(DORMANT_WAKE_INTE0, LEVEL_LOW);
    bench.write(ROSC + 0xC, COMA);
    bench.set_pin(1_000, Pin::GPIO, 3, Some(false));
    assert_eq!(until_it_runs(&mut bench), 1_001, "the next cycle of its clock");
    assert_eq!((bench.read(ROSC + 0xC), bench.read(ROSC + 0x18) >> 31), (WAKE, 1));
    bench.write(DORMANT_WAKE_INTE0, 0);
    bench.write(DORMANT_WAKE_INTF0, LEVEL_LOW << 4);
    assert_eq!(bench.read(DORMANT_WAKE_INTS0), LEVEL_LOW << 4);
    bench.write(ROSC + 0xC, COMA);
    assert_eq!(until_it_runs(&mut bench), 1);
    // Nothing wakes it: there is no event any more. A reset ends it.
    bench.write(DORMANT_WAKE_INTF0, 0);
    bench.write(ROSC + 0xC, COMA);
    assert_eq!(bench.bus.shared.events.next_at().get(), u64::MAX);
    bench.pass(1_000_000);
    assert!(stands(&bench));
    *bench
        .bus
        .with_context(cyclescope_machine::units::Cycles::new(bench.now), cyclescope_machine::units::Address::ZERO)
        .1
        .reset = Some("pin");
    assert_eq!(bench.reset(), Some("pin"));
    assert!(!stands(&bench));
    // Another word is none.
    bench.write(ROSC + 0xC, 1);
    assert_eq!(bench.read(ROSC + 0x18) >> 24 & 1, 1);
}

/// Kilohertz by the frequency counter.
fn kilohertz(bench: &mut Bench, source: u32) -> u32 {
    bench.write(FC0_REF_KHZ, 12_000);
    bench.write(FC0_INTERVAL, 10);
    bench.write(FC0_SRC, source);
    while bench.read(FC0_STATUS) >> 4 & 1 == 0 {
        bench.pass(1_000);
    }
    bench.read(FC0_RESULT) >> 5
}

#[test]
fn an_oscillator_that_does_not_feed_the_system_stops_alone() {
    let mut bench = by_crystal();
    assert_eq!(kilohertz(&mut bench, 3), 6_500);
    bench.write(DORMANT_WAKE_INTE0, EDGE_LOW);
    bench.write(ROSC + 0xC, COMA);
    assert!(!stands(&bench));
    assert_eq!(kilohertz(&mut bench, 3), 0);
    let bits: Vec<u32> = (0..64).map(|_| bench.read(ROSC + 0x1C)).collect();
    assert!(bits.iter().all(|bit| *bit == bits[0]), "no noise without the ring");
    bench.set_pin(10, Pin::GPIO, 3, Some(false));
    bench.pass(11);
    assert_eq!(kilohertz(&mut bench, 3), 6_500);
    let bits: Vec<u32> = (0..64).map(|_| bench.read(ROSC + 0x1C)).collect();
    assert!(bits.contains(&0) && bits.contains(&1));
    // What the ring still feeds is named, as it would run on.
    bench.write(CLK_PERI_CTRL, 1 << 11 | 3 << 5);
    bench.write(XOSC + 8, COMA);
    let named = bench.gaps(GapKind::Setting);
    assert!(named.iter().any(|gap| gap.contains("clocks that come of others stand")), "{named:?}");
}

#[test]
fn machines_that_count_cycles_and_memories_without_power_are_named() {
    let mut bench = by_crystal();
    bench.write(SYSCFG_MEMPOWERDOWN, 0xFF);
    bench.pass(63);
    bench.write(SYSCFG_MEMPOWERDOWN, 0);
    bench.pass(1_000);
    assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
    bench.write(PIO0, 1);
    bench.write(SYSCFG_MEMPOWERDOWN, 0xFF);
    bench.write(XOSC + 8, COMA);
    bench.pass(1_000);
    let named = bench.gaps(GapKind::Setting);
    assert!(named.len() == 1 && named[0].contains("PIO0"), "{named:?}");
    bench.set_pin(10, Pin::GPIO, 3, Some(false));
    bench.write(DORMANT_WAKE_INTE0, EDGE_LOW);
    until_it_runs(&mut bench);
    bench.pass(64);
    assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("MEMPOWERDOWN")));
}

/// The rising edges among `edges`.
fn rises(edges: &[(u64, bool)]) -> Vec<u64> {
    edges.iter().filter(|(_, high)| *high).map(|(at, _)| *at).collect()
}

#[test]
fn clocks_come_out_at_pins_and_cost_nothing_where_nobody_looks() {
    let mut bench = fast();
    bench.write(IO_BANK0 + 8 * 21 + 4, 8);
    bench.edges(Pin::GPIO, 21);
    // The system's clock, by 5: two cycles high, or with DC50 two and a half.
    bench.write(GPOUT0_DIV, 5 << 8);
    bench.write(GPOUT0_CTRL, 1 << 11 | 6 << 5);
    bench.pass(20);
    let edges = bench.edges(Pin::GPIO, 21);
    let begun = edges[0].0;
    let expected = [(0, true), (2, false), (5, true), (7, false), (10, true)];
    assert_eq!(edges[..5], expected.map(|(at, high)| (begun + at, high)));
    bench.write(GPOUT0_CTRL, 1 << 12 | 1 << 11 | 6 << 5);
    bench.pass(20);
    let edges = bench.edges(Pin::GPIO, 21);
    let width = edges.iter().zip(&edges[1..]).find(|(edge, _)| edge.1).map(|(rose, fell)| fell.0 - rose.0);
    assert_eq!(width, Some(3), "seen at whole cycles");
    // The crystal's by 12, then not at all.
    bench.write(GPOUT0_CTRL, 5 << 5);
    bench.write(GPOUT0_DIV, 12 << 8);
    bench.edges(Pin::GPIO, 21);
    bench.write(GPOUT0_CTRL, 1 << 11 | 5 << 5);
    bench.pass(1_250);
    let rises = rises(&bench.edges(Pin::GPIO, 21));
    assert!(rises.windows(2).all(|pair| pair[1] - pair[0] == 125) && rises.len() >= 10, "{rises:?}");
    bench.write(GPOUT0_CTRL, 1 << 10 | 1 << 11 | 5 << 5);
    bench.edges(Pin::GPIO, 21);
    bench.pass(1_000);
    assert_eq!(bench.edges(Pin::GPIO, 21), []);

    bench.bus.shared.signals = Signals::default();
    bench.write(GPOUT0_CTRL, 1 << 11 | 5 << 5);
    bench.pass(1_000);
    assert_eq!(bench.bus.shared.events.next_at().get(), u64::MAX, "nobody looks");
    assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
}

#[test]
fn a_clock_that_comes_in_feeds_the_system_and_is_counted() {
    let mut bench = fast();
    bench.attach(&["clock:frequency=10MHz@out=GPIO20"]);
    bench.write(IO_BANK0 + 8 * 20 + 4, 5);
    bench.edges(Pin::GPIO, 20);
    bench.pass(125);
    assert_eq!(rises(&bench.edges(Pin::GPIO, 20)).len(), 10, "edges for those who need them");
    bench.write(IO_BANK0 + 8 * 20 + 4, 8);
    bench.pass(1_000);
    assert_eq!(bench.edges(Pin::GPIO, 20), [], "and none for an input of clocks");
    assert_eq!([kilohertz(&mut bench, 6), kilohertz(&mut bench, 7)], [10_000, 0]);
    bench.write(CLK_SYS_CTRL, 0);
    bench.write(CLK_SYS_CTRL, 4 << 5);
    bench.write(CLK_SYS_CTRL, 1 | 4 << 5);
    assert_eq!(bench.bus.peripherals.hclk().get(), 10_000_000);
    bench.write(CLK_SYS_CTRL, 0);
    bench.write(CLK_REF_CTRL, 1 | 1 << 5);
    assert_eq!(bench.bus.peripherals.hclk().get(), 10_000_000);
    assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
    // Nobody is at the other input.
    bench.write(CLK_PERI_CTRL, 1 << 11 | 6 << 5);
    let named = bench.gaps(GapKind::Setting);
    assert!(named.iter().any(|gap| gap.contains("GPIO22, and switch the pin to function 8")), "{named:?}");
    // The pin is needed for something else.
    bench.write(IO_BANK0 + 8 * 20 + 4, 5);
    assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("system clock")));
    bench.edges(Pin::GPIO, 20);
    bench.pass(1_000);
    assert!(!bench.edges(Pin::GPIO, 20).is_empty());
}

/// GPIO3 falls after some cycles, all that comes of it in two more happens, and it rises.
fn press(bench: &mut Bench) {
    bench.set_pin(10, Pin::GPIO, 3, Some(false));
    bench.pass(14);
    bench.set_pin(1, Pin::GPIO, 3, Some(true));
    bench.pass(4);
    bench.write(IO_BANK0 + 0xF0, EDGE_LOW);
}

fn is_stable(bench: &mut Bench, status: u32) -> bool {
    bench.read(status) >> 31 != 0
}

#[test]
fn of_two_dormant_oscillators_the_systems_starts_the_part_and_the_other_runs_too() {
    let mut bench = by_crystal();
    bench.write(DORMANT_WAKE_INTE0, EDGE_LOW);
    bench.write(ROSC + 0xC, COMA);
    bench.write(XOSC + 8, COMA);
    bench.set_pin(1_000, Pin::GPIO, 3, Some(false));
    assert_eq!(until_it_runs(&mut bench), 1_000 + STARTUP);
    assert!(is_stable(&mut bench, ROSC + 0x18) && is_stable(&mut bench, XOSC + 4));
    assert_eq!([3, 5].map(|source| kilohertz(&mut bench, source)), [6_500, 12_000]);

    let mut bench = by_crystal();
    bench.write(CLK_REF_CTRL, 0);
    bench.write(DORMANT_WAKE_INTE0, EDGE_LOW);
    bench.write(XOSC + 8, COMA);
    bench.write(ROSC + 0xC, COMA);
    bench.set_pin(1_000, Pin::GPIO, 3, Some(false));
    assert_eq!(until_it_runs(&mut bench), 1_001);
    // The crystal's time to start is 6517 cycles of the ring's.
    bench.pass(6_500);
    assert!(is_stable(&mut bench, ROSC + 0x18) && !is_stable(&mut bench, XOSC + 4));
    bench.pass(30);
    assert!(is_stable(&mut bench, XOSC + 4));
    bench.write(CLK_REF_CTRL, 2);
    assert_eq!([3, 5].map(|source| kilohertz(&mut bench, source)), [6_500, 12_000]);
    assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
}

#[test]
fn a_dormant_oscillator_heeds_its_switch_when_it_wakes() {
    let mut bench = by_crystal();
    bench.write(CLK_REF_CTRL, 0);
    bench.write(DORMANT_WAKE_INTE0, EDGE_LOW);
    // It stays off, or runs no earlier than it is woken.
    for (switched, runs) in [(&[OFF][..], false), (&[OFF, ON], true)] {
        bench.write(XOSC + 8, COMA);
        switched.iter().for_each(|value| bench.write(XOSC, *value));
        bench.pass(20_000);
        assert!(!is_stable(&mut bench, XOSC + 4));
        press(&mut bench);
        assert_eq!(bench.read(XOSC + 8), WAKE);
        bench.pass(6_400);
        assert!(!is_stable(&mut bench, XOSC + 4));
        bench.pass(200);
        assert_eq!(is_stable(&mut bench, XOSC + 4), runs);
        bench.write(XOSC, ON);
        bench.pass(6_600);
        assert!(is_stable(&mut bench, XOSC + 4));
    }
    // One that starts stops, too.
    bench.write(XOSC, OFF);
    bench.write(XOSC, ON);
    bench.pass(100);
    bench.write(XOSC + 8, COMA);
    bench.pass(20_000);
    assert!(!is_stable(&mut bench, XOSC + 4));
    press(&mut bench);
    bench.pass(6_600);
    assert!(is_stable(&mut bench, XOSC + 4));

    bench.write(CLK_REF_CTRL, 2);
    for (switched, expected) in [(&[OFF][..], 0), (&[OFF, ON], 6_500)] {
        bench.write(ROSC + 0xC, COMA);
        switched.iter().for_each(|value| bench.write(ROSC, *value));
        assert!(!is_stable(&mut bench, ROSC + 0x18));
        assert_eq!(kilohertz(&mut bench, 3), 0);
        press(&mut bench);
        assert_eq!(is_stable(&mut bench, ROSC + 0x18), expected != 0);
        assert_eq!(kilohertz(&mut bench, 3), expected);
        bench.write(ROSC, ON);
    }
}

#[test]
fn a_reset_of_the_port_and_an_edge_on_its_way_lose_no_wake() {
    let mut bench = by_crystal();
    bench.write(ROSC + 0xC, COMA);
    bench.write(RESETS + SET, 1 << 5);
    bench.write(RESETS + CLEAR, 1 << 5);
    bench.write(DORMANT_WAKE_INTE0, EDGE_LOW);
    assert_eq!(kilohertz(&mut bench, 3), 0);
    press(&mut bench);
    assert_eq!(kilohertz(&mut bench, 3), 6_500);
    // It falls and rises before the processors see that.
    bench.write(IO_BANK0 + 0xF0, EDGE_LOW);
    bench.set_pin(1, Pin::GPIO, 3, Some(false));
    bench.pass(1);
    assert_eq!(bench.read(DORMANT_WAKE_INTS0), 0);
    bench.write(XOSC + 8, COMA);
    assert_eq!(until_it_runs(&mut bench), STARTUP);
}

#[test]
fn an_oscillator_that_falls_dormant_before_the_part_runs_is_dormant() {
    let mut bench = by_crystal();
    bench.write(DORMANT_WAKE_INTF0, LEVEL_LOW);
    bench.write(XOSC + 8, COMA);
    assert_ne!(bench.bus.shared.events.next_at().get(), u64::MAX);
    // As another bus master does.
    bench.write(DORMANT_WAKE_INTF0, 0);
    bench.write(XOSC + 8, COMA);
    assert_eq!(bench.bus.shared.events.next_at().get(), u64::MAX);
    bench.write(DORMANT_WAKE_INTF0, LEVEL_LOW);
    assert_eq!(until_it_runs(&mut bench), STARTUP);
}

#[test]
fn loops_stand_without_the_crystal_and_what_else_would_run_on_is_named() {
    let mut bench = fast();
    bench.write(CLK_SYS_CTRL, 0);
    bench.write(PADS_BANK0 + 4 + 4 * 3, 1 << 3 | 1 << 6);
    bench.write(DORMANT_WAKE_INTE0, EDGE_LOW);
    bench.write(CLK_REF_CTRL, 0);
    assert!(bench.gaps(GapKind::Setting).is_empty(), "{:?}", bench.gaps(GapKind::Setting));
    assert_ne!(kilohertz(&mut bench, 1), 0);
    bench.write(XOSC + 8, COMA);
    assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("a loop loses its reference")));
    assert_eq!(kilohertz(&mut bench, 1), 0);
    press(&mut bench);
    bench.pass(7_000);
    assert_ne!(kilohertz(&mut bench, 1), 0);

    let mut bench = by_crystal();
    bench.write(USB_MAIN_CTRL, 1);
    // The ring's, at a pin.
    bench.write(GPOUT0_CTRL, 1 << 11 | 4 << 5);
    bench.write(XOSC + 8, COMA);
    let named = bench.gaps(GapKind::Setting);
    assert!(named.iter().any(|gap| gap.contains("an alarm of the RTC will not wake the part")), "{named:?}");
    assert!(named.iter().any(|gap| gap.contains("runs on while no oscillator does")), "{named:?}");
}

#[test]
fn memories_have_no_more_time_by_another_word() {
    let mut bench = by_crystal();
    bench.write(SYSCFG_MEMPOWERDOWN, 0xFF);
    bench.pass(40);
    bench.write(SYSCFG_MEMPOWERDOWN, 0xFE);
    bench.pass(40);
    assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("MEMPOWERDOWN")));
}

#[test]
fn a_pad_without_an_input_has_no_clock_and_a_second_one_is_named() {
    let mut bench = fast();
    bench.attach(&["clock:name=a,frequency=10MHz@out=GPIO20", "clock:name=b,frequency=5MHz@out=GPIO20"]);
    bench.pass(1);
    let named = bench.gaps(GapKind::Setting);
    assert!(named.len() == 1 && named[0].starts_with("b: it shares its pin with the clock a,"), "{named:?}");
    bench.write(IO_BANK0 + 8 * 20 + 4, 8);
    assert_eq!(kilohertz(&mut bench, 6), 10_000);
    bench.write(PADS_BANK0 + 4 + 4 * 20, 0);
    assert_eq!(kilohertz(&mut bench, 6), 0);
    bench.write(PADS_BANK0 + 4 + 4 * 20, 1 << 6);
    assert_eq!(kilohertz(&mut bench, 6), 10_000);
    // Neither makes edges meanwhile.
    bench.edges(Pin::GPIO, 20);
    bench.pass(1_000);
    assert_eq!(bench.edges(Pin::GPIO, 20), []);
}
