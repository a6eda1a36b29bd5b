//! Ports and external interrupts (RM0490, "General-purpose I/Os", "EXTI").

use crate::bench::Bench;

const GPIOA: u32 = 0x5000_0000;
const GPIOC: u32 = 0x5000_0800;
const EXTI: u32 = 0x4002_1800;
const EXTI4_15_LINE: usize = 7;
const EXTI0_1_LINE: usize = 5;
/// The Assumed flip-flops between a pin and its pending flag.
const SYNCHRONISER: u64 = 2;

#[test]
fn an_output_shows_its_level_at_the_cycle_of_the_store() {
    let mut bench = Bench::fast();
    bench.write(GPIOA, 0xEBFF_F7FF);
    bench.pass(7);
    bench.write(GPIOA + 0x18, 1 << 5 | 1 << 21);
    bench.pass(3);
    bench.write(GPIOA + 0x28, 1 << 5);
    assert_eq!(bench.edges(0, 5), [(7, true), (10, false)], "setting wins over resetting in BSRR");
    assert_eq!(bench.read(GPIOA + 0x14), 0);
}

#[test]
fn inputs_read_what_is_applied_else_their_pull() {
    let mut bench = Bench::fast();
    bench.write(GPIOC, 0xCFFF_FFFF);
    assert_eq!(bench.read(GPIOC + 0x10), 0, "floating");
    bench.write(GPIOC + 0x0C, 1 << 28);
    assert_eq!(bench.read(GPIOC + 0x10), 1 << 14, "pulled up");
    bench.set_pin(1, 2, 14, Some(false));
    bench.pass(1);
    assert_eq!(bench.read(GPIOC + 0x10), 1 << 14, "sampled at the next edge of HCLK");
    bench.pass(1);
    assert_eq!(bench.read(GPIOC + 0x10), 0);
    bench.set_pin(1, 2, 14, None);
    bench.pass(2);
    assert_eq!(bench.read(GPIOC + 0x10), 1 << 14);
    bench.write(GPIOC, 0xFFFF_FFFF);
    assert_eq!(bench.read(GPIOC + 0x10), 0, "analog pins read 0");
}

#[test]
fn open_drain_pulls_low_only() {
    let mut bench = Bench::fast();
    bench.write(GPIOA + 0x04, 1 << 5);
    bench.write(GPIOA, 0xEBFF_F7FF);
    bench.set_pin(1, 0, 5, Some(true));
    bench.pass(2);
    assert_eq!(bench.read(GPIOA + 0x10) & 0x20, 0, "driven low");
    bench.write(GPIOA + 0x18, 1 << 5);
    bench.pass(1);
    assert_eq!(bench.read(GPIOA + 0x10) & 0x20, 0x20, "let go: the outside decides");
    bench.set_pin(1, 0, 5, Some(false));
    bench.pass(2);
    assert_eq!(bench.read(GPIOA + 0x10) & 0x20, 0, "a high is not driven");
}

#[test]
fn a_locked_pin_keeps_its_configuration() {
    let mut bench = Bench::fast();
    for value in [1 << 16 | 1 << 5, 1 << 5, 1 << 16 | 1 << 5] {
        bench.write(GPIOA + 0x1C, value);
    }
    assert_eq!(bench.read(GPIOA + 0x1C), 1 << 16 | 1 << 5);
    bench.write(GPIOA, 0);
    assert_eq!(bench.read(GPIOA), 3 << 10);
}

#[test]
fn each_edge_has_its_own_pending_flag() {
    let mut bench = Bench::fast();
    bench.write(GPIOC, 0xF3FF_FFFF);
    // EXTICR4: line 13 from port C.
    bench.write(EXTI + 0x6C, 2 << 8);
    bench.write(EXTI, 1 << 13);
    bench.write(EXTI + 0x04, 1 << 13);
    bench.write(EXTI + 0x80, 1 << 13);
    // The Nucleo's button: high at rest.
    bench.set_pin(10, 2, 13, Some(false));
    assert_eq!(bench.until_line(EXTI4_15_LINE, 100), Some(10 + SYNCHRONISER));
    assert_eq!([bench.read(EXTI + 0x0C), bench.read(EXTI + 0x10)], [0, 1 << 13]);
    bench.set_pin(10, 2, 13, Some(true));
    bench.pass(10 + SYNCHRONISER);
    assert_eq!(bench.read(EXTI + 0x0C), 1 << 13);
    bench.write(EXTI + 0x0C, 1 << 13);
    assert!(bench.bus.shared.interrupts.is_high(EXTI4_15_LINE), "the falling edge is still pending");
    bench.write(EXTI + 0x10, 1 << 13);
    assert!(!bench.bus.shared.interrupts.is_high(EXTI4_15_LINE));
}

#[test]
fn only_the_selected_port_and_edge_count_and_the_mask_only_gates_the_interrupt() {
    let mut bench = Bench::fast();
    bench.write(GPIOA, 0xEBFF_FFFC);
    bench.write(GPIOC, 0xFFFF_FFFC);
    bench.write(EXTI, 1);
    bench.set_pin(1, 2, 0, Some(true));
    bench.pass(1 + SYNCHRONISER);
    assert_eq!(bench.read(EXTI + 0x0C), 0, "port C is not selected");
    bench.set_pin(1, 0, 0, Some(true));
    bench.pass(SYNCHRONISER);
    assert_eq!(bench.read(EXTI + 0x0C), 0, "on its way");
    bench.pass(1);
    assert_eq!(bench.read(EXTI + 0x0C), 1);
    assert!(!bench.bus.shared.interrupts.is_high(EXTI0_1_LINE), "masked");
    bench.write(EXTI + 0x80, 1);
    assert!(bench.bus.shared.interrupts.is_high(EXTI0_1_LINE));
    bench.write(EXTI + 0x0C, 1);
    bench.write(EXTI + 0x08, 1);
    assert_eq!([bench.read(EXTI + 0x08), bench.read(EXTI + 0x0C)], [0, 1], "a software trigger");
}

#[test]
fn a_pulse_shorter_than_a_clock_period_is_seen_with_both_edges() {
    let mut bench = Bench::fast();
    bench.write(GPIOA, 0xEBFF_FFFC);
    for offset in [0, 4, 0x80] {
        bench.write(EXTI + offset, 1);
    }
    bench.set_pin(5, 0, 0, Some(true));
    bench.set_pin(5, 0, 0, Some(false));
    assert_eq!(bench.until_line(EXTI0_1_LINE, 100), Some(5 + SYNCHRONISER));
    assert_eq!([bench.read(EXTI + 0x0C), bench.read(EXTI + 0x10)], [1, 1]);
    // An edge that is on its way when software clears the flag sets it again.
    bench.set_pin(5, 0, 0, Some(true));
    bench.pass(6);
    bench.write(EXTI + 0x0C, 1);
    assert_eq!(bench.read(EXTI + 0x0C), 0);
    bench.pass(1);
    assert_eq!(bench.read(EXTI + 0x0C), 1);
}

#[test]
fn an_observer_sees_the_levels_without_touching_anything() {
    use cyclescope_machine::Pin;
    let mut bench = Bench::fast();
    let pin = Pin { port: 0, number: 5 };
    assert!(!bench.bus.peripherals.pin(pin));
    bench.write(GPIOA, 0xEBFF_F7FF);
    bench.write(GPIOA + 0x18, 1 << 5);
    assert!(bench.bus.peripherals.pin(pin));
    assert!(bench.bus.peripherals.pin(Pin { port: 2, number: 13 }), "the button at rest");
}
