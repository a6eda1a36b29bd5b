//! Pins, external interrupts, serial ports, timers and watchdogs of STM32F446 (RM0390).

use cyclescope_chips::Stimulus;
use cyclescope_machine::GapKind;

use crate::bench::Bench;
use crate::f446_clocks::{bench, enabled, fast};

const GPIOA: u32 = 0x4002_0000;
const GPIOC: u32 = 0x4002_0800;
const SYSCFG: u32 = 0x4001_3800;
const EXTI: u32 = 0x4001_3C00;
const USART3: u32 = 0x4000_4800;
const SR: u32 = 0x00;
const DR: u32 = 0x04;
const BRR: u32 = 0x08;
const CR1: u32 = 0x0C;
const TIM2: u32 = 0x4000_0000;
const TIM8: u32 = 0x4001_0400;
const IWDG: u32 = 0x4000_3000;
const WWDG: u32 = 0x4000_2C00;
const USART3_LINE: usize = 39;
/// The Assumed flip-flops between a pin and its pending flag.
const SYNCHRONISER: u64 = 2;

const RE: u32 = 1 << 2;
const TE: u32 = 1 << 3;
const UE: u32 = 1 << 13;
const RXNE: u32 = 1 << 5;
const TC: u32 = 1 << 6;
const TXE: u32 = 1 << 7;
const ORE: u32 = 1 << 3;
const IDLE: u32 = 1 << 4;

#[test]
fn ports_start_with_the_debug_pins_taken_and_the_rest_as_inputs() {
    let mut bench = enabled();
    assert_eq!([0, 0x400, 0x800].map(|port| bench.read(GPIOA + port)), [0xA800_0000, 0x0000_0280, 0]);
    assert_eq!(bench.read(GPIOC + 0x10) & 1 << 13, 0, "the button rests low on a Nucleo-144");
    let mut other = Bench::of("stm32f446re", cyclescope_chips::MemorySetting::Equal);
    other.write(crate::f446_clocks::AHB1ENR, 4);
    assert_ne!(other.read(GPIOC + 0x10) & 1 << 13, 0, "and high on a Nucleo-64");
    bench.write(GPIOA, 0xA800_0001);
    bench.write(GPIOA + 0x18, 1);
    bench.write(GPIOA + 0x28, 1);
    assert_eq!(bench.read(GPIOA + 0x14), 1, "there is no BRR");
    assert_eq!(bench.gaps(GapKind::RegisterWrite), ["GPIOA+0x28"]);
}

#[test]
fn the_button_interrupts_through_syscfg() {
    const LINE: usize = 40;
    let mut bench = enabled();
    bench.write(EXTI, 1 << 13);
    bench.write(EXTI + 8, 1 << 13);
    bench.set_pin(100, 2, 13, Some(true));
    assert_eq!(bench.until_line(LINE, 1000), None, "EXTICR4 chooses port A");
    bench.set_pin(100, 2, 13, Some(false));
    bench.pass(200);
    bench.write(SYSCFG + 0x14, 2 << 4);
    bench.set_pin(100, 2, 13, Some(true));
    let at = bench.now + 100 + SYNCHRONISER;
    assert_eq!(bench.until_line(LINE, 1000), Some(at));
    assert_eq!(bench.read(EXTI + 0x14), 1 << 13);
    bench.write(EXTI + 0x14, 1 << 13);
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
    bench.write(EXTI + 0x10, 1 << 13);
    assert!(bench.bus.shared.interrupts.is_high(LINE), "by software");
    bench.write(EXTI + 0x14, 1 << 13);
    assert_eq!(bench.read(EXTI + 0x10), 0, "clearing the pending flag clears SWIER");
}

#[test]
fn an_edge_waits_for_the_second_edge_of_pclk2() {
    const LINE: usize = 40;
    let mut bench = fast();
    bench.write(EXTI, 1 << 13);
    bench.write(EXTI + 8, 1 << 13);
    bench.write(SYSCFG + 0x14, 2 << 4);
    let mut delays = Vec::new();
    for phase in 0..4 {
        bench.set_pin(50 + phase % 2, 2, 13, Some(true));
        let began = bench.now + 50 + phase % 2;
        delays.push(bench.until_line(LINE, 1000).unwrap() - began);
        bench.set_pin(10, 2, 13, Some(false));
        bench.write(EXTI + 0x14, 1 << 13);
        // From one round to the next, the whole of a period of PCLK2.
        bench.pass(50 + (bench.now & 1));
    }
    delays.sort_unstable();
    assert_eq!(delays, [3, 3, 4, 4], "two cycles a period: by the phase of the edge");
}

fn open(bench: &mut Bench, more: u32) {
    // 45 MHz / 391 = 115 kBd.
    bench.write(USART3 + BRR, 391);
    bench.write(USART3 + CR1, UE | TE | RE | more);
    bench.pass(391 * 4 * 12);
}

#[test]
fn a_frame_of_ten_bits_takes_ten_divisors_of_pclk1() {
    let mut bench = fast();
    open(&mut bench, 1 << 6);
    bench.read(USART3 + SR);
    bench.write(USART3 + DR, u32::from(b'x'));
    assert_ne!(bench.read(USART3 + SR) & TXE, 0, "the data went on to the shift register");
    assert_eq!(bench.read(USART3 + SR) & TC, 0, "a read of SR and a write to DR clear TC");
    let began = bench.now;
    assert_eq!(bench.until_line(USART3_LINE, 100_000), Some(began + 3910 * 4));
    assert_eq!(bench.uart(3), b"x");
    bench.write(USART3 + SR, !TC);
    assert!(!bench.bus.shared.interrupts.is_high(USART3_LINE), "TC is cleared by writing 0");
}

#[test]
fn bytes_follow_each_other_and_te_sends_an_idle_frame_first() {
    let mut bench = fast();
    bench.write(USART3 + BRR, 100);
    bench.write(USART3 + CR1, UE | TE);
    let began = bench.now;
    for byte in *b"abc" {
        while bench.read(USART3 + SR) & TXE == 0 {
            bench.pass(1);
        }
        bench.write(USART3 + DR, u32::from(byte));
    }
    while bench.read(USART3 + SR) & TC == 0 {
        bench.pass(1);
    }
    assert_eq!(bench.now - began, 4 * 1000 * 4);
    assert_eq!(bench.uart(3), b"abc");
}

#[test]
fn oversampling_by_eight_counts_eighths() {
    let mut bench = fast();
    // Mantissa 3, fraction 5 of 8: a bit lasts 29 clocks (RM0390, "Fractional baud rate generation").
    bench.write(USART3 + BRR, 0x35);
    bench.write(USART3 + CR1, UE | TE | 1 << 15 | 1 << 12 | 1 << 6);
    bench.pass(29 * 4 * 12);
    bench.read(USART3 + SR);
    bench.write(USART3 + DR, 1);
    let began = bench.now;
    assert_eq!(bench.until_line(USART3_LINE, 10_000), Some(began + 29 * 11 * 4), "nine bits between start and stop");
}

#[test]
fn received_bytes_overrun_and_the_line_falls_idle() {
    let mut bench = fast();
    open(&mut bench, 1 << 5);
    let began = bench.now + 100;
    bench.stimulate(100, Stimulus::Uart { number: 3, bytes: b"hi!".to_vec() });
    assert_eq!(bench.until_line(USART3_LINE, 100_000), Some(began + 3910 * 4));
    bench.pass(3910 * 4);
    assert_eq!(bench.read(USART3 + SR) & (RXNE | ORE), RXNE | ORE);
    assert_eq!(bench.read(USART3 + DR), u32::from(b'h'), "the older byte stays");
    assert_eq!(bench.read(USART3 + SR) & (RXNE | ORE), 0, "SR, then DR, clears both");
    bench.pass(3910 * 4);
    assert_eq!(bench.read(USART3 + DR), u32::from(b'!'));
    bench.pass(3910 * 4);
    assert_ne!(bench.read(USART3 + SR) & IDLE, 0);
    bench.read(USART3 + DR);
    assert_eq!(bench.read(USART3 + SR) & IDLE, 0);
}

#[test]
fn a_handler_feeds_the_transmitter_and_empties_the_receiver_byte_by_byte() {
    let mut bench = fast();
    open(&mut bench, 0);
    let frame = 3910 * 4;
    // TXEIE: an interrupt whenever DR is free; after the last byte TCIE instead.
    bench.write(USART3 + CR1, UE | TE | RE | 1 << 7);
    let began = bench.now;
    let mut taken = Vec::new();
    for byte in *b"abc" {
        taken.push(bench.until_line(USART3_LINE, 100_000).unwrap() - began);
        assert_ne!(bench.read(USART3 + SR) & TXE, 0);
        bench.write(USART3 + DR, u32::from(byte));
    }
    assert_eq!(taken, [0, 0, frame], "the first byte goes straight on to the shift register");
    bench.write(USART3 + CR1, UE | TE | RE | 1 << 6);
    assert_eq!(bench.until_line(USART3_LINE, 1_000_000), Some(began + 3 * frame));
    bench.write(USART3 + CR1, UE | TE | RE | 1 << 5);
    assert!(!bench.bus.shared.interrupts.is_high(USART3_LINE));
    let began = bench.now;
    bench.stimulate(0, Stimulus::Uart { number: 3, bytes: b"xyz".to_vec() });
    let mut got = Vec::new();
    for nth in 1..=3 {
        assert_eq!(bench.until_line(USART3_LINE, 1_000_000), Some(began + nth * frame), "RXNE");
        got.push(bench.read(USART3 + DR) as u8);
        assert!(!bench.bus.shared.interrupts.is_high(USART3_LINE), "a read of DR clears RXNE");
    }
    assert_eq!((got.as_slice(), bench.uart(3).as_slice()), (&b"xyz"[..], &b"abc"[..]));
}

#[test]
fn tim2_counts_32_bits_at_its_own_clock() {
    let mut bench = fast();
    bench.write(TIM2 + 0x0C, 1);
    bench.write(TIM2 + 0x2C, 99_999);
    bench.write(TIM2 + 0x14, 1);
    bench.write(TIM2 + 0x10, 0);
    bench.write(TIM2, 1);
    let began = bench.now;
    assert_eq!(bench.until_line(28, 1_000_000), Some(began + (1 + 100_000) * 2), "90 MHz: two cycles a step");
    bench.write(TIM2 + 0x10, 0);
    bench.write(TIM2 + 0x2C, u32::MAX);
    bench.write(TIM2 + 0x24, u32::MAX - 9);
    let began = bench.now;
    let at = bench.until_line(28, 1_000).unwrap();
    assert!((9 * 2..=10 * 2).contains(&(at - began)), "{}", at - began);
    assert_eq!(bench.read(TIM2 + 0x24), 0);
}

#[test]
fn tim8_has_lines_of_its_own_and_runs_from_the_second_apb() {
    let mut bench = fast();
    bench.write(TIM8 + 0x0C, 1);
    bench.write(TIM8 + 0x2C, 999);
    bench.write(TIM8, 1);
    let began = bench.now;
    assert_eq!(bench.until_line(44, 10_000), Some(began + 1001), "180 MHz");
    for (timer, line) in
        [(0x4001_0000u32, 25), (0x4000_0400, 29), (0x4000_1000, 54), (0x4001_4000, 24), (0x4000_2000, 45)]
    {
        let mut bench = enabled();
        bench.write(timer + 0x2C, 9);
        bench.write(timer + 0x0C, 1);
        bench.write(timer, 1);
        assert_eq!(bench.until_line(line, 1000), Some(11), "{timer:#x}");
    }
}

#[test]
fn tim3_drives_and_captures_its_pins() {
    let mut bench = enabled();
    const TIM3: u32 = 0x4000_0400;
    // PA6 is TIM3_CH1 in alternate function 2 (DS10693, Alternate function).
    bench.write(GPIOA + 0x20, 2 << 24);
    bench.write(GPIOA, 0xA800_2000);
    bench.write(TIM3 + 0x18, 6 << 4);
    bench.write(TIM3 + 0x34, 30);
    bench.write(TIM3 + 0x20, 1);
    bench.write(TIM3 + 0x2C, 99);
    bench.write(TIM3, 1);
    bench.pass(1 + 150);
    assert_eq!(bench.edges(0, 6), [(0, true), (31, false), (101, true), (131, false)]);
}

#[test]
fn watchdogs_count_lsi_and_pclk1() {
    let mut bench = bench();
    bench.write(IWDG, 0x5555);
    bench.write(IWDG + 8, 99);
    bench.write(IWDG, 0xCCCC);
    bench.pass(50 * 4 * 500);
    bench.write(IWDG, 0xAAAA);
    bench.pass(100 * 4 * 500 - 1);
    assert_eq!(bench.bus.shared.reset, None, "refreshed: there is no window");
    bench.pass(1);
    assert_eq!(bench.bus.shared.reset, Some("IWDG"), "16 MHz / 32 kHz = 500 cycles");

    let mut bench = enabled();
    bench.write(WWDG + 4, 0x7F | 1 << 9 | 1 << 7);
    bench.write(WWDG, 0x80 | 0x45);
    assert_eq!(bench.until_line(0, 100_000), Some(4096 * 2 * 5), "WDGTB is bits 8 and 7 here");
    bench.pass(4096 * 2);
    assert_eq!(bench.bus.shared.reset, Some("WWDG"));
}

#[test]
fn what_is_only_declared_is_named() {
    let mut bench = enabled();
    bench.write(0x4000_6C00, 1);
    // The USB's wake-up is behind EXTI's line 18.
    bench.write(EXTI, 1 << 18 | 1 << 13);
    assert_eq!(bench.gaps(GapKind::RegisterWrite), ["CEC_CR.CECEN", "EXTI_IMR.LINE18"]);
}
