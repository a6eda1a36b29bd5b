//! Serial ports (RM0490, "Universal synchronous receiver transmitter (USART)").

use cyclescope_chips::Stimulus;

use crate::bench::{Bench, RCC, RCC_CFGR, RCC_CR};
use crate::f446_clocks;

const USART2: u32 = 0x4000_4400;
const USART1: u32 = 0x4001_3800;
const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const BRR: u32 = 0x0C;
const ISR: u32 = 0x1C;
const ICR: u32 = 0x20;
const RDR: u32 = 0x24;
const TDR: u32 = 0x28;

const USART2_LINE: usize = 28;
const USART1_LINE: usize = 27;
const UE: u32 = 1;
const RE: u32 = 4;
const TE: u32 = 8;
const RXNE: u32 = 1 << 5;
const TC: u32 = 1 << 6;
const TXE: u32 = 1 << 7;
const ORE: u32 = 8;

/// Opens USART2 at 48 MHz / 417 and waits for the idle frame after TE.
fn open(bench: &mut Bench, more: u32) {
    bench.write(USART2 + BRR, 417);
    bench.write(USART2 + CR1, UE | RE | TE | more);
    bench.pass(417 * 13);
}

#[test]
fn a_frame_of_ten_bits_takes_ten_divisors() {
    let mut bench = Bench::fast();
    open(&mut bench, 1 << 6);
    bench.write(USART2 + ICR, TC);
    let began = bench.now;
    bench.write(USART2 + TDR, u32::from(b'x'));
    assert_ne!(bench.read(USART2 + ISR) & TXE, 0, "the data went on to the shift register");
    assert_eq!(bench.until_line(USART2_LINE, 10_000), Some(began + 4170), "TC");
    assert_eq!(bench.uart(2), b"x");
}

#[test]
fn a_handler_feeds_the_transmitter_and_empties_the_receiver_byte_by_byte() {
    let mut bench = Bench::fast();
    open(&mut bench, 0);
    bench.write(USART2 + CR1, UE | RE | TE | 1 << 7);
    let began = bench.now;
    let mut taken = Vec::new();
    for byte in *b"abc" {
        taken.push(bench.until_line(USART2_LINE, 100_000).unwrap() - began);
        assert_ne!(bench.read(USART2 + ISR) & TXE, 0);
        bench.write(USART2 + TDR, u32::from(byte));
    }
    assert_eq!(taken, [0, 0, 4170], "the first byte goes straight on to the shift register");
    bench.write(USART2 + CR1, UE | RE | TE | 1 << 6);
    assert_eq!(bench.until_line(USART2_LINE, 100_000), Some(began + 3 * 4170), "TC");
    bench.write(USART2 + CR1, UE | RE | TE | 1 << 5);
    assert!(!bench.bus.shared.interrupts.is_high(USART2_LINE));
    let began = bench.now;
    bench.stimulate(0, Stimulus::Uart { number: 2, bytes: b"xyz".to_vec() });
    let mut got = Vec::new();
    for nth in 1..=3 {
        assert_eq!(bench.until_line(USART2_LINE, 100_000), Some(began + nth * 4170), "RXNE");
        got.push(bench.read(USART2 + RDR) as u8);
        assert!(!bench.bus.shared.interrupts.is_high(USART2_LINE), "a read of RDR clears RXNE");
    }
    assert_eq!((got.as_slice(), bench.uart(2).as_slice()), (&b"xyz"[..], &b"abc"[..]));
}

#[test]
fn formats_have_their_lengths() {
    // CR1.M1/M0, CR2.STOP (1, 0.5, 2, 1.5), halves of a bit.
    for (m, stop, halves) in
        [(0, 0, 20), (1 << 12, 0, 22), (1 << 28, 0, 18), (0, 1, 19), (0, 2, 22), (0, 3, 21), (1 << 10, 0, 20)]
    {
        let mut bench = Bench::fast();
        bench.write(USART2 + CR2, stop << 12);
        open(&mut bench, m | 1 << 6);
        bench.write(USART2 + ICR, TC);
        let began = bench.now;
        bench.write(USART2 + TDR, 0x55);
        assert_eq!(bench.until_line(USART2_LINE, 10_000), Some(began + (417 * halves as u64).div_ceil(2)));
    }
}

#[test]
fn bytes_follow_each_other_without_a_pause_and_te_sends_an_idle_frame_first() {
    let mut bench = Bench::fast();
    bench.write(USART2 + BRR, 417);
    bench.write(USART2 + CR1, UE | TE);
    let began = bench.now;
    for byte in *b"abc" {
        while bench.read(USART2 + ISR) & TXE == 0 {
            bench.pass(1);
        }
        bench.write(USART2 + TDR, u32::from(byte));
    }
    while bench.read(USART2 + ISR) & TC == 0 {
        bench.pass(1);
    }
    assert_eq!(bench.now - began, 4170 * 4);
    assert_eq!(bench.uart(2), b"abc");
}

#[test]
fn oversampling_by_eight_halves_the_divisor() {
    let mut bench = Bench::fast();
    // USARTDIV = 0x34 = 52: a bit lasts 26 clocks (RM0490, "Baud rate generation", OVER8 = 1).
    bench.write(USART2 + BRR, 0x30 | 0x4 >> 1);
    bench.write(USART2 + CR1, UE | TE | 1 << 15 | 1 << 6);
    bench.pass(1000);
    bench.write(USART2 + ICR, TC);
    let began = bench.now;
    bench.write(USART2 + TDR, 1);
    assert_eq!(bench.until_line(USART2_LINE, 10_000), Some(began + 260));
}

#[test]
fn received_bytes_arrive_a_frame_later_and_overrun() {
    let mut bench = Bench::fast();
    open(&mut bench, 1 << 5);
    let began = bench.now + 100;
    bench.stimulate(100, Stimulus::Uart { number: 2, bytes: b"hi!".to_vec() });
    assert_eq!(bench.until_line(USART2_LINE, 10_000), Some(began + 4170));
    assert_eq!(bench.read(USART2 + RDR), u32::from(b'h'));
    assert!(!bench.bus.shared.interrupts.is_high(USART2_LINE), "reading RDR clears RXNE");
    bench.pass(4170 * 2);
    assert_eq!(bench.read(USART2 + ISR) & (RXNE | ORE), RXNE | ORE);
    assert_eq!(bench.read(USART2 + RDR), u32::from(b'i'), "the new byte was lost");
    bench.write(USART2 + ICR, ORE);
    assert_eq!(bench.read(USART2 + ISR) & (RXNE | ORE), 0);
    bench.pass(4170);
    assert_ne!(bench.read(USART2 + ISR) & 1 << 4, 0, "IDLE");
}

#[test]
fn only_usart1_has_fifos() {
    let mut bench = Bench::fast();
    for (port, depth) in [(USART1, 8), (USART2, 1)] {
        bench.write(port + BRR, 100);
        bench.write(port + CR1, UE | TE | 1 << 29);
        let mut taken = 0;
        while bench.read(port + ISR) & TXE != 0 && taken < 20 {
            bench.write(port + TDR, 0x41);
            taken += 1;
        }
        assert_eq!(taken, depth, "the idle frame occupies the shift register");
        assert_eq!(bench.read(port + CR1) >> 29, u32::from(depth > 1), "FIFOEN is reserved without FIFO");
    }
}

#[test]
fn usart1_counts_the_kernel_clock_that_ccipr_selects() {
    let mut bench = Bench::fast();
    bench.write(RCC + 0x54, 2);
    bench.write(RCC_CR, 0x0000_0540);
    bench.write(USART1 + BRR, 139);
    bench.write(USART1 + CR1, UE | TE | 1 << 6);
    bench.pass(10_000);
    bench.write(USART1 + ICR, TC);
    let began = bench.now;
    bench.write(USART1 + TDR, 1);
    assert_eq!(bench.until_line(USART1_LINE, 10_000), Some(began + 1390 * 3), "HSIKER = HSI48 / 3");
    bench.write(USART1 + ICR, TC);
    bench.write(RCC_CFGR, 8 << 8);
    let began = bench.now;
    bench.write(USART1 + TDR, 1);
    assert_eq!(bench.until_line(USART1_LINE, 10_000), Some(began + 1390 * 3 / 2), "HCLK halved, the kernel not");
}

#[test]
fn a_clock_change_inside_a_frame_stretches_the_rest() {
    let mut bench = Bench::fast();
    open(&mut bench, 1 << 6);
    bench.write(USART2 + ICR, TC);
    let began = bench.now;
    bench.write(USART2 + TDR, 1);
    bench.pass(1000);
    bench.write(RCC_CFGR, 4 << 12);
    assert_eq!(bench.until_line(USART2_LINE, 10_000), Some(began + 1000 + 3170 * 2), "PCLK is half of HCLK");
}

#[test]
fn one_wire_carries_both_directions() {
    const CR3: u32 = 0x08;
    const GPIOA: u32 = 0x5000_0000;
    let mut bench = Bench::fast();
    // PA2 is USART2's TX.
    bench.write(GPIOA, 0xFFFF_FFEF);
    bench.write(GPIOA + 0x20, 1 << 8);
    bench.write(USART2 + CR3, 1 << 3);
    open(&mut bench, 0);
    let level = |bench: &mut Bench| bench.read(GPIOA + 0x10) >> 2 & 1;
    assert_eq!(level(&mut bench), 0, "nobody holds the wire");
    let began = bench.now;
    bench.write(USART2 + TDR, 0xA5);
    bench.write(USART2 + CR1, UE | RE | TE | 1 << 5);
    assert_eq!(bench.until_line(USART2_LINE, 10_000), Some(began + 4170), "it hears itself");
    assert_eq!(bench.read(USART2 + RDR), 0xA5);
    bench.pass(10);
    assert_eq!(level(&mut bench), 0, "released behind the frame");
    bench.stimulate(0, Stimulus::Uart { number: 2, bytes: b"x".to_vec() });
    assert!(bench.until_line(USART2_LINE, 10_000).is_some());
    assert_eq!(bench.read(USART2 + RDR), u32::from(b'x'));
    // A receiver that is off does not hear it.
    bench.write(USART2 + CR1, UE | TE | 1 << 5);
    bench.write(USART2 + TDR, 0x11);
    assert_eq!(bench.until_line(USART2_LINE, 10_000), None);
    // With two wires the pin stays high, and what is sent is not heard.
    bench.write(USART2 + CR3, 0);
    bench.write(USART2 + CR1, UE | RE | TE | 1 << 5);
    assert_eq!(level(&mut bench), 1);
    bench.write(USART2 + TDR, 0x22);
    assert_eq!(bench.until_line(USART2_LINE, 10_000), None);
}

#[test]
fn rts_holds_bytes_back_while_the_receiver_is_full_and_cts_those_of_the_sender() {
    const CR3: u32 = 0x08;
    const GPIOA: u32 = 0x5000_0000;
    const FLOW: u32 = 7 << 8;
    const CTSIF: u32 = 1 << 9;
    const CTS: u32 = 1 << 10;
    let mut bench = Bench::fast();
    // PA0 is USART2's CTS, PA1 its RTS.
    bench.set_pin(0, 0, 0, Some(true));
    bench.pass(1);
    bench.write(GPIOA, 0xFFFF_FFFA);
    bench.write(GPIOA + 0x20, 0x11);
    bench.write(USART2 + CR3, FLOW);
    assert_eq!(bench.edges(0, 1).last().map(|(_, high)| *high), Some(true), "no receiver");
    open(&mut bench, 0);
    let edges = bench.edges(0, 1);
    assert_eq!(edges.last().map(|(_, high)| *high), Some(false), "{edges:?}");
    // The sender waits for CTS, and ends its frame when CTS goes up inside it.
    bench.write(USART2 + TDR, u32::from(b'a'));
    bench.write(USART2 + TDR, u32::from(b'b'));
    bench.pass(10_000);
    assert_eq!(bench.read(USART2 + ISR) & (CTSIF | CTS | TXE), 0);
    assert!(bench.uart(2).is_empty());
    bench.set_pin(100, 0, 0, Some(false));
    let began = bench.now + 100;
    assert_eq!(bench.until_line(USART2_LINE, 10_000), Some(began), "CTSIF");
    assert_eq!(bench.read(USART2 + ISR) & (CTSIF | CTS), CTSIF | CTS);
    bench.write(USART2 + ICR, CTSIF);
    assert!(!bench.bus.shared.interrupts.is_high(USART2_LINE));
    bench.write(USART2 + TDR, u32::from(b'c'));
    bench.set_pin(1_000, 0, 0, Some(true));
    bench.pass(4_169);
    assert!(bench.uart(2).is_empty());
    bench.pass(20_000);
    assert_eq!(bench.uart(2), b"b");
    // Bytes wait outside while one is there that nobody reads.
    bench.write(USART2 + ICR, CTSIF);
    let began = bench.now;
    bench.stimulate(0, Stimulus::Uart { number: 2, bytes: b"xyz".to_vec() });
    bench.pass(50_000);
    assert_eq!(bench.edges(0, 1).last(), Some(&(began + 4_170, true)));
    for byte in *b"xyz" {
        assert_eq!(bench.read(USART2 + ISR) & (RXNE | ORE), RXNE);
        assert_eq!(bench.read(USART2 + RDR), u32::from(byte));
        bench.pass(4_170);
    }
    assert_eq!(bench.read(USART2 + ISR) & (RXNE | ORE), 0);
}

#[test]
fn f446_has_flow_control_as_well() {
    const GPIOA: u32 = 0x4002_0000;
    const SR: u32 = USART2;
    const DR: u32 = USART2 + 0x04;
    const CTS: u32 = 1 << 9;
    let mut bench = f446_clocks::fast();
    bench.set_pin(0, 0, 0, Some(true));
    bench.pass(1);
    bench.write(GPIOA + 0x20, 0x77);
    bench.write(GPIOA, 0xA800_000A);
    // 45 MHz / 390; a bit takes 390 * 4 cycles.
    bench.write(USART2 + 0x08, 390);
    bench.write(USART2 + 0x14, 3 << 8);
    bench.write(USART2 + 0x0C, 1 << 13 | RE | TE);
    bench.pass(390 * 4 * 11);
    bench.write(DR, u32::from(b'a'));
    bench.pass(20_000);
    assert_eq!(bench.read(SR) & CTS, 0);
    bench.set_pin(0, 0, 0, Some(false));
    bench.pass(15_599);
    assert_eq!((bench.uart(2).len(), bench.read(SR) & CTS), (0, CTS));
    bench.pass(1);
    assert_eq!(bench.uart(2), b"a");
    bench.write(SR, !CTS);
    assert_eq!(bench.read(SR) & CTS, 0);
    let began = bench.now;
    bench.stimulate(0, Stimulus::Uart { number: 2, bytes: b"xy".to_vec() });
    bench.pass(50_000);
    assert_eq!((bench.read(SR) & (RXNE | ORE), bench.read(DR)), (RXNE, u32::from(b'x')));
    let read = bench.now;
    bench.pass(15_600);
    assert_eq!((bench.read(SR) & (RXNE | ORE), bench.read(DR)), (RXNE, u32::from(b'y')));
    let edges = bench.edges(0, 1);
    let expected = [(began + 15_600, true), (read, false), (read + 15_600, true), (read + 15_600, false)];
    assert_eq!(edges[edges.len() - 4..], expected);
}

#[test]
fn a_break_is_low_for_a_frame_and_waits_for_the_one_under_way() {
    const RQR: u32 = 0x18;
    const SBKF: u32 = 1 << 18;
    const GPIOA: u32 = 0x5000_0000;
    for (cr2, low) in [(0, 10), (1 << 14, 13)] {
        let mut bench = Bench::fast();
        bench.write(GPIOA, 0xFFFF_FFEF);
        bench.write(GPIOA + 0x20, 1 << 8);
        bench.write(USART2 + CR2, cr2);
        open(&mut bench, 0);
        let began = bench.now;
        bench.write(USART2 + TDR, 0);
        bench.write(USART2 + RQR, 1 << 1);
        bench.write(USART2 + TDR, 0xFF);
        assert_eq!(bench.read(USART2 + ISR) & SBKF, SBKF);
        let _ = bench.edges(0, 2);
        let ends = began + 4_170 + 417 * (low + 2);
        bench.pass(ends - 1 - began);
        assert_eq!(bench.read(USART2 + ISR) & SBKF, SBKF);
        bench.pass(1);
        assert_eq!(bench.read(USART2 + ISR) & SBKF, 0);
        bench.pass(5_000);
        assert_eq!(bench.uart(2), [0, 0xFF], "a break is no character");
        let edges = bench.edges(0, 2);
        let expected = [
            (began + 9 * 417, true),
            (began + 4_170, false),
            (began + 4_170 + 417 * low, true),
            (ends, false),
            (ends + 417, true),
        ];
        assert_eq!(edges[edges.len() - 5..], expected, "{cr2:#x}");
    }
    // SBK of an F446 falls at the end; its break has the stop bits of CR2.
    let mut bench = f446_clocks::fast();
    bench.write(USART2 + 0x08, 390);
    bench.write(USART2 + 0x0C, 1 << 13 | TE);
    bench.pass(390 * 4 * 11);
    bench.write(USART2 + 0x0C, 1 << 13 | TE | 1);
    bench.pass(390 * 4 * 11 - 1);
    assert_eq!(bench.read(USART2 + 0x0C) & 1, 1);
    bench.pass(1);
    assert_eq!(bench.read(USART2 + 0x0C) & 1, 0);
}
