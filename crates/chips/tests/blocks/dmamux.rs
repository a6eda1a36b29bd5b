//! Requests made from signals, and requests that wait for signals (RM0444, RM0432, "DMAMUX").

use crate::bench::Bench;
use crate::exti_lines::ready;

const DMA1: u32 = 0x4002_0000;
const DMAMUX: u32 = 0x4002_0800;
const CSR: u32 = DMAMUX + 0x80;
const RGCR: u32 = DMAMUX + 0x100;
const RGSR: u32 = DMAMUX + 0x140;
const EXTI: u32 = 0x4002_1800;
const RAM: u32 = 0x2000_0100;
const GE: u32 = 1 << 16;
const SE: u32 = 1 << 16;
const RISING: u32 = 1 << 17;
/// The vector of DMA1's channels 4 to 7 and of the multiplexer.
const OVERRUN_LINE: usize = 11;

/// Channel `number` of `dma`, from 1 on, copies words within RAM at requests; `count` transfers.
fn copies(bench: &mut Bench, dma: u32, number: u32, count: u32) {
    let base = dma + 0x08 + 0x14 * (number - 1);
    bench.write(base + 4, count);
    bench.write(base + 8, RAM);
    bench.write(base + 12, RAM + 0x100);
    bench.write(base, 2 << 10 | 2 << 8 | 1);
}

fn left(bench: &mut Bench, dma: u32, number: u32) -> u32 {
    bench.read(dma + 0x0C + 0x14 * (number - 1))
}

/// A rising edge of an EXTI line of STM32G0, by software.
fn edge(bench: &mut Bench, line: u32) {
    bench.write(EXTI + 0x0C, 1 << line);
    bench.write(EXTI + 0x08, 1 << line);
}

#[test]
fn a_generator_makes_as_many_requests_as_it_is_told_at_each_edge() {
    let mut bench = ready("stm32g071rb");
    copies(&mut bench, DMA1, 1, 100);
    bench.write(DMAMUX, 1);
    bench.write(RGCR, GE | RISING | 2 << 19 | 3);
    bench.pass(100);
    assert_eq!(left(&mut bench, DMA1, 1), 100, "no edge yet");
    for time in 1..4 {
        edge(&mut bench, 3);
        bench.pass(100);
        assert_eq!(left(&mut bench, DMA1, 1), 100 - 3 * time);
        assert_eq!(bench.read(RGSR), 0);
    }
    // Of falling edges none is chosen; of another line neither.
    edge(&mut bench, 4);
    bench.pass(100);
    assert_eq!(left(&mut bench, DMA1, 1), 91);
}

#[test]
fn an_edge_before_the_last_ones_requests_are_served_is_an_overrun() {
    let mut bench = ready("stm32g071rb");
    // No channel serves the generator.
    bench.write(RGCR + 4, GE | RISING | 1 << 8 | 5);
    edge(&mut bench, 5);
    assert_eq!(bench.read(RGSR), 0);
    edge(&mut bench, 5);
    assert_eq!(bench.read(RGSR), 2);
    assert!(bench.bus.shared.interrupts.is_high(OVERRUN_LINE));
    bench.write(RGSR + 4, 2);
    assert_eq!(bench.read(RGSR), 0);
    assert!(!bench.bus.shared.interrupts.is_high(OVERRUN_LINE));
}

#[test]
fn a_synchronised_channel_lets_a_number_of_requests_through_at_each_edge() {
    let mut bench = ready("stm32g071rb");
    copies(&mut bench, DMA1, 1, 100);
    // Two requests an edge of line 4; generator 1 makes 32 at an edge of line 6.
    bench.write(DMAMUX, 4 << 24 | 1 << 19 | RISING | SE | 1 << 8 | 2);
    bench.write(RGCR + 4, GE | RISING | 31 << 19 | 6);
    edge(&mut bench, 4);
    bench.pass(10);
    edge(&mut bench, 6);
    bench.pass(100);
    assert_eq!(left(&mut bench, DMA1, 1), 100, "an edge without a request is ignored");
    for time in 1..4 {
        edge(&mut bench, 4);
        bench.pass(100);
        assert_eq!(left(&mut bench, DMA1, 1), 100 - 2 * time);
    }
    assert_eq!(bench.read(CSR), 0);
    edge(&mut bench, 4);
    edge(&mut bench, 4);
    assert_eq!(bench.read(CSR), 1, "the second came before two were served");
    assert!(bench.bus.shared.interrupts.is_high(OVERRUN_LINE));
    bench.write(CSR + 4, 1);
    assert!(!bench.bus.shared.interrupts.is_high(OVERRUN_LINE));
}

#[test]
fn an_event_of_one_channel_makes_requests_for_another() {
    let mut bench = ready("stm32g071rb");
    copies(&mut bench, DMA1, 1, 100);
    copies(&mut bench, DMA1, 2, 100);
    // Channel 2 goes first.
    bench.write(DMA1 + 0x1C, 3 << 12 | 2 << 10 | 2 << 8 | 1);
    // Each third request of channel 0 is an event, at which generator 1 makes one for channel 1.
    bench.write(DMAMUX, 2 << 19 | 1 << 9 | 1);
    bench.write(DMAMUX + 4, 2);
    bench.write(RGCR, GE | RISING | 8 << 19 | 3);
    bench.write(RGCR + 4, GE | RISING | 16);
    edge(&mut bench, 3);
    bench.pass(200);
    assert_eq!([left(&mut bench, DMA1, 1), left(&mut bench, DMA1, 2)], [91, 97]);
}

#[test]
fn a_timers_request_waits_for_the_edge() {
    const TIM3: u32 = 0x4000_0400;
    let mut bench = ready("stm32g071rb");
    copies(&mut bench, DMA1, 1, 100);
    // TIM3_UP.
    let number = 37;
    bench.write(DMAMUX, 4 << 24 | RISING | SE | number);
    bench.write(TIM3 + 0x0C, 1 << 8);
    bench.write(TIM3 + 0x14, 1);
    bench.pass(100);
    assert_eq!(left(&mut bench, DMA1, 1), 100);
    edge(&mut bench, 4);
    bench.pass(100);
    assert_eq!(left(&mut bench, DMA1, 1), 99);
    edge(&mut bench, 4);
    bench.pass(100);
    assert_eq!(left(&mut bench, DMA1, 1), 99, "it was one");
}

#[test]
fn the_second_controllers_channels_follow_the_firsts() {
    const DMA2: u32 = 0x4002_0400;
    // DMA1 of STM32L4R5 has seven channels, that of STM32G431 has six.
    for (name, first) in [("stm32l4r5zi", 7), ("stm32g431kb", 6)] {
        let mut bench = ready(name);
        copies(&mut bench, DMA1, 1, 10);
        copies(&mut bench, DMA2, 1, 10);
        bench.write(DMAMUX + 4 * first, 1);
        bench.write(RGCR, GE | RISING | 3);
        bench.write(0x4001_0400, 1 << 3);
        bench.write(0x4001_0410, 1 << 3);
        bench.pass(100);
        assert_eq!([left(&mut bench, DMA1, 1), left(&mut bench, DMA2, 1)], [10, 9], "{name}");
    }
}
