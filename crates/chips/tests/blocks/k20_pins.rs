//! MK20DX256: ports (K20P64M72SF1RM, "Port control and interrupts", "General-Purpose Input/Output").

use cyclescope_chips::MemorySetting;
use cyclescope_machine::GapKind;

use crate::k20_clocks::fast;

/// Port C: the Teensy's LED is pin 5.
const PORTC: u32 = 0x4004_B000;
const GPIOC: u32 = 0x400F_F080;
const PORTB: u32 = 0x4004_A000;
const GPIOB: u32 = 0x400F_F040;
const PDOR: u32 = 0x00;
const PSOR: u32 = 0x04;
const PCOR: u32 = 0x08;
const PTOR: u32 = 0x0C;
const PDIR: u32 = 0x10;
const PDDR: u32 = 0x14;
const ISFR: u32 = 0xA0;
const LINE_C: usize = 89;
const LINE_B: usize = 88;

#[test]
fn the_led_shows_its_level_at_the_cycle_of_the_store() {
    let mut bench = fast(MemorySetting::Equal);
    bench.write(GPIOC + PDDR, 1 << 5);
    bench.write(GPIOC + PSOR, 1 << 5);
    assert!(bench.edges(2, 5).is_empty(), "the pin is off until its port gives it to GPIO");
    bench.write(PORTC + 5 * 4, 1 << 8);
    let begun = bench.now;
    assert_eq!(bench.edges(2, 5), [(begun, true)]);
    bench.pass(4);
    bench.write(GPIOC + PTOR, 1 << 5);
    bench.pass(3);
    bench.write(GPIOC + PSOR, 1 << 5);
    bench.write(GPIOC + PCOR, 1 << 5);
    let edges = [(begun + 4, false), (begun + 7, true), (begun + 7, false)];
    assert_eq!(bench.edges(2, 5), edges);
    assert_eq!(bench.read(GPIOC + PDOR), 0);
}

#[test]
fn inputs_read_what_is_applied_else_their_pull_and_nothing_while_off() {
    let mut bench = fast(MemorySetting::Equal);
    bench.write(PORTB + 16 * 4, 1 << 8 | 3);
    assert_eq!(bench.read(GPIOB + PDIR), 1 << 16, "pulled up");
    bench.set_pin(1, 1, 16, Some(false));
    bench.pass(1);
    assert_eq!(bench.read(GPIOB + PDIR), 0);
    bench.set_pin(1, 1, 16, Some(true));
    bench.pass(1);
    assert_eq!(bench.read(GPIOB + PDIR), 1 << 16);
    bench.write(PORTB + 16 * 4, 0);
    assert_eq!(bench.read(GPIOB + PDIR), 0, "off");
}

#[test]
fn a_wire_between_two_pins_carries_drivers_and_pulls() {
    let mut bench = fast(MemorySetting::Equal);
    bench.attach(&["loopback@a=PB16,b=PB17"]);
    bench.write(PORTB + 16 * 4, 1 << 8);
    bench.write(PORTB + 17 * 4, 1 << 8);
    assert_eq!(bench.read(GPIOB + PDIR), 0, "nobody holds the wire");
    bench.write(PORTB + 16 * 4, 1 << 8 | 3);
    assert_eq!(bench.read(GPIOB + PDIR), 3 << 16, "the pull-up of PTB16 does");
    bench.write(GPIOB + PDDR, 1 << 17);
    assert_eq!(bench.read(GPIOB + PDIR), 0, "PTB17 drives it");
    bench.write(GPIOB + PSOR, 1 << 17);
    assert_eq!(bench.read(GPIOB + PDIR), 3 << 16);
    bench.write(GPIOB + PCOR, 1 << 17);
    bench.write(GPIOB + PDDR, 0);
    assert_eq!(bench.read(GPIOB + PDIR), 3 << 16, "and lets it go");
    bench.write(PORTB + 16 * 4, 1 << 8 | 2);
    assert_eq!(bench.read(GPIOB + PDIR), 0, "a pull-down");
}

#[test]
fn edges_and_levels_interrupt() {
    let mut bench = fast(MemorySetting::Equal);
    // Falling edge on PTB16, level high on PTC0.
    bench.write(PORTB + 16 * 4, 10 << 16 | 1 << 8 | 3);
    bench.set_pin(5, 1, 16, Some(false));
    let begun = bench.now;
    assert_eq!(bench.until_line(LINE_B, 100), Some(begun + 5));
    assert_eq!(bench.read(PORTB + ISFR), 1 << 16);
    assert_eq!(bench.read(PORTB + 16 * 4) >> 24, 1, "PCR.ISF");
    bench.write(PORTB + ISFR, 1 << 16);
    assert!(!bench.bus.shared.interrupts.is_high(LINE_B));
    bench.set_pin(5, 1, 16, Some(true));
    bench.pass(10);
    assert!(!bench.bus.shared.interrupts.is_high(LINE_B), "rising edges are not wanted");

    bench.write(PORTC, 12 << 16 | 1 << 8);
    bench.set_pin(5, 2, 0, Some(true));
    bench.pass(5);
    assert!(bench.bus.shared.interrupts.is_high(LINE_C));
    bench.write(PORTC + ISFR, 1);
    assert!(bench.bus.shared.interrupts.is_high(LINE_C), "the level is still there");
    bench.set_pin(1, 2, 0, Some(false));
    bench.pass(1);
    bench.write(PORTC + ISFR, 1);
    assert!(!bench.bus.shared.interrupts.is_high(LINE_C));
}

#[test]
fn many_pins_are_set_at_once_and_a_locked_one_keeps_its_settings() {
    let mut bench = fast(MemorySetting::Equal);
    bench.write(PORTC + 2 * 4, 1 << 15 | 1 << 8);
    // GPCLR: pins 1 to 3 become GPIO with a pull-up.
    bench.write(PORTC + 0x80, 0x000E_0103);
    let pins = [0, 1, 2, 3].map(|pin| bench.read(PORTC + pin * 4));
    assert_eq!(pins, [0, 0x103, 0x8100, 0x103]);
    assert!(bench.gaps(GapKind::RegisterWrite).is_empty());
}
