//! nRF52840: ports, tasks and events of pins, interconnect, events by software, System OFF (nRF52840 PS, GPIO, GPIOTE, PPI, EGU,
//! POWER).

use cyclescope_machine::Width;

use crate::bench::{PORT0, PORT1};
use crate::nrf_timers::{CLOCK, part, until};

const P0: u32 = 0x5000_0000;
const P1: u32 = 0x5000_0300;
const OUT: u32 = 0x504;
const OUTSET: u32 = 0x508;
const IN: u32 = 0x510;
const DIR: u32 = 0x514;
const DIRSET: u32 = 0x518;
const LATCH: u32 = 0x520;
const DETECTMODE: u32 = 0x524;
const PIN_CNF: u32 = 0x700;
const GPIOTE: u32 = 0x4000_6000;
const GPIOTE_LINE: usize = 6;
const EVENTS_IN: u32 = GPIOTE + 0x100;
const EVENTS_PORT: u32 = GPIOTE + 0x17C;
const CONFIG: u32 = GPIOTE + 0x510;
const PPI: u32 = 0x4001_F000;
const CHENSET: u32 = PPI + 0x504;
const CH: u32 = PPI + 0x510;
const EGU0: u32 = 0x4001_4000;
const TIMER0: u32 = 0x4000_8000;
const TIMER1: u32 = 0x4000_9000;
const COMPARE: u32 = 0x140;
const CC: u32 = 0x540;

#[test]
fn a_pin_shows_what_its_port_drives() {
    let mut bench = part();
    bench.write(P0 + DIRSET, 1 << 13);
    assert_eq!(bench.read(P0 + PIN_CNF + 4 * 13), 3, "the input stays disconnected");
    bench.pass(5);
    bench.write(P0 + OUTSET, 1 << 13);
    assert_eq!(bench.edges(PORT0, 13), [(5, true)]);
    assert_eq!((bench.read(P0 + OUT), bench.read(P0 + IN)), (1 << 13, 0));
    bench.write(P0 + PIN_CNF + 4 * 13, 1);
    assert_eq!(bench.read(P0 + IN), 1 << 13);
    bench.write(P1 + PIN_CNF + 4 * 2, 0xC);
    assert_eq!((bench.read(P1 + IN), bench.read(P1 + DIR)), (1 << 2, 0), "pulled up");
    bench.set_pin(1, PORT1, 2, Some(false));
    bench.pass(1);
    assert_eq!(bench.read(P1 + IN), 0);
    // S0D1: an open drain; D0S1 drives high only.
    for (drive, low, high) in [(0u32, false, true), (6, false, false), (4, false, true)] {
        bench.write(P1 + PIN_CNF + 4 * 3, drive << 8 | 1);
        for (out, level) in [(0, low), (1 << 3, high)] {
            bench.write(P1 + OUT, out);
            assert_eq!(bench.read(P1 + IN) >> 3 & 1 != 0, level, "{drive} {out}");
        }
    }
}

#[test]
fn detect_latches_and_makes_the_port_event() {
    let mut bench = part();
    bench.write(GPIOTE + 0x304, 1 << 31);
    bench.set_pin(0, PORT0, 11, Some(true));
    bench.pass(1);
    // Sense low, pulled up.
    bench.write(P0 + PIN_CNF + 4 * 11, 3 << 16 | 0xC);
    assert_eq!((bench.read(EVENTS_PORT), bench.read(P0 + LATCH)), (0, 0));
    bench.set_pin(7, PORT0, 11, Some(false));
    let begun = bench.now;
    assert_eq!(bench.until_line(GPIOTE_LINE, 100), Some(begun + 7));
    assert_eq!(bench.read(P0 + LATCH), 1 << 11);
    bench.write(EVENTS_PORT, 0);
    bench.write(P0 + LATCH, 1 << 11);
    assert_eq!((bench.read(P0 + LATCH), bench.read(EVENTS_PORT)), (1 << 11, 0), "the level is still there");
    bench.write(P0 + DETECTMODE, 1);
    bench.write(P0 + LATCH, 1 << 11);
    assert_eq!(bench.read(EVENTS_PORT), 1, "LDETECT rises again");
}

#[test]
fn gpiote_hears_edges_and_drives_pins() {
    let mut bench = part();
    // Channel 0: event at a rising edge of P1.02; channel 1: task that toggles P0.13, high at first.
    bench.write(CONFIG, 1 << 16 | 1 << 13 | 2 << 8 | 1);
    bench.write(CONFIG + 4, 1 << 20 | 3 << 16 | 13 << 8 | 3);
    assert_eq!(bench.edges(PORT0, 13), [(0, true)]);
    bench.set_pin(10, PORT1, 2, Some(true));
    bench.pass(10);
    assert_eq!(bench.read(EVENTS_IN), 1);
    bench.write(EVENTS_IN, 0);
    bench.set_pin(10, PORT1, 2, Some(false));
    bench.pass(10);
    assert_eq!(bench.read(EVENTS_IN), 0);
    // OUT, SET, CLR.
    for task in [0x04, 0x34, 0x64] {
        bench.write(GPIOTE + task, 1);
        bench.pass(1);
    }
    assert_eq!(bench.edges(PORT0, 13), [(20, false), (21, true), (22, false)]);
    bench.write(CONFIG + 4, 0);
    bench.write(P0 + OUTSET, 1 << 13);
    bench.write(P0 + DIRSET, 1 << 13);
    assert_eq!(bench.edges(PORT0, 13).len(), 1, "the port has it again");
}

#[test]
fn a_channel_starts_its_tasks_a_period_after_the_event() {
    let mut bench = part();
    // TIMER0 compares; that captures TIMER1, toggles a pin by the fork, and switches on a group by another channel.
    bench.write(CONFIG, 3 << 16 | 13 << 8 | 3);
    bench.write(CH, TIMER0 + COMPARE);
    bench.write(CH + 4, TIMER1 + 0x40);
    bench.write(PPI + 0x910, GPIOTE);
    bench.write(CH + 8, TIMER0 + COMPARE);
    bench.write(CH + 12, PPI);
    bench.write(PPI + 0x800, 1 << 7);
    bench.write(CHENSET, 3);
    bench.write(TIMER1 + 0x510, 0);
    bench.write(TIMER0 + 0x510, 0);
    bench.write(TIMER0 + CC, 100);
    bench.write(TIMER1, 1);
    bench.write(TIMER0, 1);
    bench.pass(400);
    assert_eq!((bench.read(TIMER0 + COMPARE), bench.read(TIMER1 + CC)), (1, 0));
    bench.pass(4);
    assert_eq!(bench.read(TIMER1 + CC), 101);
    assert_eq!(bench.edges(PORT0, 13), [(404, true)]);
    assert_eq!(bench.read(CHENSET), 0x83);
    bench.write(PPI + 4, 1);
    assert_eq!(bench.read(PPI + 0x500), 3, "the group's task DIS");
}

#[test]
fn a_fixed_channel_captures_at_the_rtc() {
    let mut bench = crate::nrf_timers::with_lfclk();
    // Channel 31: RTC0 COMPARE[0] starts TIMER0.
    let rtc0 = 0x4000_B000;
    bench.write(CHENSET, 1 << 31);
    bench.write(rtc0 + 0x344, 1 << 16);
    bench.write(rtc0 + 0x540, 3);
    bench.write(rtc0, 1);
    until(&mut bench, rtc0 + COMPARE, 1, 10 * 1954).unwrap();
    bench.pass(64 * 4 + 4);
    bench.write(TIMER0 + 0x40, 1);
    assert_eq!(bench.read(TIMER0 + CC), 4, "microseconds since");
}

#[test]
fn software_raises_an_event() {
    let mut bench = part();
    bench.write(EGU0 + 0x300, 1 << 5);
    bench.write(EGU0 + 4 * 5, 1);
    assert!(bench.bus.shared.interrupts.is_high(20));
    assert_eq!(bench.read(EGU0 + 0x100 + 4 * 5), 1);
    bench.write(EGU0 + 0x100 + 4 * 5, 0);
    assert!(!bench.bus.shared.interrupts.is_high(20));
    bench.write(EGU0 + 4 * 6, 1);
    assert!(!bench.bus.shared.interrupts.is_high(20), "not enabled");
}

#[test]
fn a_pin_wakes_the_part_from_system_off_with_what_it_retains() {
    let mut bench = part();
    for address in [0x2000_0000, 0x2000_1000] {
        bench.bus.memory.write(address, Width::Word, 0x1234_5678);
    }
    bench.write(TIMER0 + CC, 7);
    bench.write(P0 + PIN_CNF + 4 * 11, 3 << 16 | 0xC);
    // RAM[0].POWERSET: the second section keeps its contents.
    bench.write(CLOCK + 0x904, 1 << 17);
    bench.write(CLOCK + 0x500, 1);
    bench.pass(1);
    assert_eq!(bench.read(TIMER0 + CC), 0);
    assert!(bench.rest(), "the core stands");
    bench.set_pin(1000, PORT0, 11, Some(false));
    bench.pass(999);
    assert_eq!(bench.reset(), None);
    bench.pass(5);
    assert!(bench.reset().is_some());
    assert_eq!(bench.read(CLOCK + 0x400), 1 << 16, "RESETREAS.OFF");
    assert_eq!(bench.bus.memory.read(0x2000_1000, Width::Word), Some(0x1234_5678));
    assert_ne!(bench.bus.memory.read(0x2000_0000, Width::Word), Some(0x1234_5678));
}
