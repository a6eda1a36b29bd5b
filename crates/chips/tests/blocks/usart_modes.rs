//! LIN, IrDA, smartcards and the driver of RS485 (RM0490, RM0390, "LIN mode", "IrDA SIR ENDEC block", "Smartcard mode", "RS485 driver
//! enable"), by the edges at the pins.

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::{GapKind, Pin, Signal};

use crate::bench::{Bench, RCC};
use crate::f446_clocks;

const GPIOA: u32 = 0x5000_0000;
/// USART1 of a C031 at 48 MHz: RX and TX at PA10 and PA9, DE and CK at PA12.
const USART1: u32 = 0x4001_3800;
const LINE: usize = 27;
const CR1: u32 = USART1;
const CR2: u32 = USART1 + 0x04;
const CR3: u32 = USART1 + 0x08;
const BRR: u32 = USART1 + 0x0C;
const GTPR: u32 = USART1 + 0x10;
const RQR: u32 = USART1 + 0x18;
const ISR: u32 = USART1 + 0x1C;
const ICR: u32 = USART1 + 0x20;
const RDR: u32 = USART1 + 0x24;
const TDR: u32 = USART1 + 0x28;
const UE: u32 = 1;
const RE: u32 = 4;
const TE: u32 = 8;
const FE: u32 = 1 << 1;
const RXNE: u32 = 1 << 5;
const TC: u32 = 1 << 6;
const LBD: u32 = 1 << 8;
const LINEN: u32 = 1 << 14;
/// Cycles of a bit.
const BIT: u64 = 416;

/// The port with `cr2` and `cr3`, open, with its pins.
fn open(cr2: u32, cr3: u32, gtpr: u32, more: u32) -> Bench {
    let mut bench = Bench::fast();
    bench.write(GPIOA + 0x24, 0x0001_0110);
    // A wire that nobody drives is pulled up.
    bench.write(GPIOA + 0x0C, 1 << 18);
    bench.write(GPIOA, !(0x14 << 16) & !(1 << 24));
    bench.write(BRR, BIT as u32);
    bench.write(CR2, cr2);
    bench.write(CR3, cr3);
    bench.write(GTPR, gtpr);
    bench.write(CR1, UE | RE | TE | more);
    bench.pass(BIT * 13);
    let _ = bench.bus.shared.signals.drain().count();
    bench
}

/// The edges of the pins of port A from `began` on, by their numbers; none is left behind.
fn since(bench: &mut Bench, began: u64) -> impl Fn(u8) -> Vec<(u64, bool)> + use<> {
    let signals: Vec<_> = bench.bus.shared.signals.drain().collect();
    move |number| {
        let pins = signals.iter().filter_map(|(at, signal)| match signal {
            Signal::Pin { pin, high } if *pin == Pin { port: 0, number } => Some((at.get().checked_sub(began)?, *high)),
            _ => None,
        });
        pins.collect()
    }
}

#[test]
fn lin_detects_a_break_behind_its_low_bits() {
    // Bits of low: a break without LIN has those of a frame, one for LIN thirteen. The flag comes with ten, or eleven (LBDL).
    for (cr2, seen) in [(LINEN | 1 << 6, true), (LINEN | 1 << 6 | 1 << 5, true), (1 << 6, false)] {
        let mut bench = open(cr2, 0, 0, 0);
        bench.attach(&["loopback@usart1"]);
        let began = bench.now;
        bench.write(RQR, 1 << 1);
        bench.pass(10 * BIT);
        assert_eq!(bench.read(ISR) & (FE | RXNE | LBD), FE | RXNE, "{cr2:#x}: a zero without a stop bit");
        assert_eq!(bench.read(RDR), 0);
        bench.write(ICR, FE);
        let line = bench.until_line(LINE, 10 * BIT);
        assert_eq!(line, seen.then_some(began + 13 * BIT), "{cr2:#x}");
        assert_eq!(bench.read(ISR) & LBD, if seen { LBD } else { 0 });
        bench.write(ICR, LBD);
        assert!(!bench.bus.shared.interrupts.is_high(LINE));
        // The next character is whole.
        bench.pass(4 * BIT);
        bench.write(TDR, 0x55);
        bench.pass(10 * BIT);
        assert_eq!((bench.read(ISR) & (FE | RXNE | LBD), bench.read(RDR)), (RXNE, 0x55));
        assert_eq!(bench.gaps(GapKind::RegisterWrite), [""; 0]);
    }
}

#[test]
fn a_break_of_ten_bits_is_one_for_lin_if_ten_are_enough() {
    // USART2 of an F446 sends a break of a frame to USART1, which detects breaks.
    const SENDER: u32 = 0x4000_4400;
    const RECEIVER: u32 = 0x4001_1000;
    for (lbdl, seen) in [(0, LBD), (1 << 5, 0)] {
        let mut bench = f446_clocks::fast();
        // PA2 is USART2's TX, PA10 USART1's RX.
        bench.write(0x4002_0020, 7 << 8);
        bench.write(0x4002_0024, 7 << 8);
        bench.write(0x4002_0000, 0xA800_0000 | 2 << 4 | 2 << 20);
        bench.attach(&["loopback@a=PA2,b=PA10"]);
        for (port, brr) in [(SENDER, 390), (RECEIVER, 780)] {
            bench.write(port + 0x08, brr);
            bench.write(port + 0x10, if port == RECEIVER { LINEN | 1 << 6 | lbdl } else { 0 });
            bench.write(port + 0x0C, 1 << 13 | RE | TE);
        }
        bench.pass(390 * 4 * 13);
        bench.write(SENDER + 0x0C, 1 << 13 | RE | TE | 1);
        bench.pass(390 * 4 * 10);
        assert_eq!(bench.read(RECEIVER) & (FE | RXNE | LBD), FE | RXNE | seen, "{lbdl}");
        assert_eq!(bench.bus.shared.interrupts.is_high(37), seen != 0);
        bench.write(RECEIVER, !LBD);
        assert_eq!(bench.read(RECEIVER) & LBD, 0);
    }
}

#[test]
fn light_is_a_pulse_of_three_sixteenths_for_each_zero() {
    // 0x4B: 0 11010010 1 on the line. Bits that are 0: the start, 2, 4, 5 and 7 of the data.
    let zeros = [0, 3, 5, 6, 8];
    for (cr3, psc, length) in [(1 << 1, 1, 3 * BIT / 16), (1 << 1 | 1 << 2, 13, 3 * 13)] {
        let mut bench = open(0, cr3, psc, 0);
        assert_eq!(bench.read(GPIOA + 0x10) >> 9 & 1, 0, "no light");
        let began = bench.now;
        bench.write(TDR, 0x4B);
        // What comes in while it sends is not heard.
        bench.stimulate(0, Stimulus::Uart { number: 1, bytes: b"x".to_vec() });
        bench.pass(10 * BIT - 1);
        assert_eq!(bench.read(ISR) & TC, 0);
        bench.pass(1);
        assert_eq!(bench.read(ISR) & (TC | RXNE), TC);
        let expected: Vec<(u64, bool)> = zeros
            .iter()
            .map(|bit| bit * BIT + 7 * BIT / 16)
            .flat_map(|at| [(at, true), (at + length, false)])
            .collect();
        assert_eq!(since(&mut bench, began)(9), expected);
        bench.stimulate(0, Stimulus::Uart { number: 1, bytes: b"y".to_vec() });
        bench.pass(11 * BIT);
        assert_eq!(bench.read(ISR) & RXNE, RXNE);
        assert_eq!(bench.read(RDR), u32::from(b'y'));
        assert_eq!(bench.gaps(GapKind::RegisterWrite), [""; 0]);
    }
    let mut bench = open(0, 1 << 1, 0, 0);
    bench.write(TDR, 1);
    assert_eq!(bench.gaps(GapKind::Setting), ["USART1: GTPR.PSC=0 is reserved in IrDA mode"]);
}

#[test]
fn a_card_has_its_clock_its_half_bits_and_its_guard_time() {
    // CLKEN, one and a half stop bits; eight bits and even parity; a guard time of 4 bits, and CK a 6th of the clock.
    const CARD: u32 = 1 << 5;
    let mut bench = open(1 << 11 | 3 << 12, CARD, 4 << 8 | 3, 1 << 12 | 1 << 10);
    bench.pass(60);
    let clock: Vec<u64> = since(&mut bench, 0)(12).into_iter().map(|(at, _)| at).collect();
    assert!(clock.len() > 15 && clock.windows(2).all(|pair| pair[1] - pair[0] == 3), "{clock:?}");
    let began = bench.now;
    bench.write(ICR, TC);
    bench.write(TDR, 0x3B);
    bench.write(TDR, 0xFF);
    // Half a bit, a start bit, nine bits, one and a half: twelve; then the guard time.
    for (nth, took) in [(1, 12), (2, 16 + 12)] {
        bench.pass(began + took * BIT - 1 - bench.now);
        assert_eq!(bench.uart(1).len(), nth - 1);
        bench.pass(1);
        assert_eq!(bench.uart(1).len(), nth);
    }
    bench.pass(4 * BIT - 1);
    assert_eq!(bench.read(ISR) & TC, 0, "TC waits for the guard time");
    bench.pass(1);
    assert_eq!(bench.read(ISR) & TC, TC);
    let edges = since(&mut bench, began)(9);
    assert_eq!(edges.iter().find(|(_, high)| !*high), Some(&(BIT / 2, false)), "{edges:?}");
    assert!(edges.contains(&(16 * BIT + BIT / 2, false)), "{edges:?}");
    assert_eq!((bench.gaps(GapKind::RegisterWrite), bench.gaps(GapKind::Setting)), (vec![], vec![]));
    // The port hears what it sends on the one wire.
    assert_eq!(bench.read(RDR), 0x3B);
    // Without a card CK is that of synchronous mode.
    bench.write(CR1, 0);
    bench.write(CR3, 0);
    bench.write(CR1, UE | TE);
    assert_eq!(bench.gaps(GapKind::Setting), ["USART1: CR2.CLKEN: synchronous mode is not modelled; CK stands"]);
}

#[test]
fn the_driver_of_rs485_is_on_before_and_behind_what_is_sent() {
    const DEM: u32 = 1 << 14;
    for (dep, over8) in [(0, 0), (1 << 15, 0), (0, 1 << 15)] {
        // 10 sample times before, 20 behind.
        let mut bench = open(0, DEM | dep, 0, 10 << 21 | 20 << 16);
        let (sample, bit) = if over8 == 0 {
            (BIT / 16, BIT)
        } else {
            bench.write(CR1, 0);
            bench.write(CR1, over8 | UE | RE | TE | 10 << 21 | 20 << 16);
            bench.pass(BIT * 13);
            (BIT / 16, BIT / 2)
        };
        let (on, off) = (dep == 0, dep != 0);
        assert_eq!(bench.read(GPIOA + 0x10) >> 12 & 1, u32::from(off));
        let began = bench.now;
        bench.write(TDR, 0x55);
        bench.pass(10 * sample);
        bench.write(TDR, 0x55);
        bench.pass(20 * bit);
        // The second message waits for the end of the first one's driver, and for its own.
        bench.write(TDR, 0x55);
        bench.pass(100 * BIT);
        let first = 10 * sample + 20 * bit + 20 * sample;
        let second = first + 10 * sample + 10 * bit + 20 * sample;
        let edges = since(&mut bench, began);
        assert_eq!(edges(12), [(0, on), (first, off), (first, on), (second, off)], "{dep} {over8}");
        let starts = edges(9);
        assert_eq!(starts[0], (10 * sample, false));
        assert_eq!(starts.last(), Some(&(first + 10 * sample + 9 * bit, true)));
        assert_eq!(bench.gaps(GapKind::RegisterWrite), [""; 0]);
    }
    // A break waits as well.
    let mut bench = open(0, DEM, 0, 10 << 21);
    let began = bench.now;
    bench.write(RQR, 1 << 1);
    bench.pass(20 * BIT);
    assert_eq!(since(&mut bench, began)(9)[0], (10 * BIT / 16, false));
    // RM0444: of an LPUART these are periods of its clock.
    let mut bench = Bench::of("stm32g071rb", MemorySetting::Equal);
    bench.write(RCC + 0x34, 3);
    bench.write(RCC + 0x3C, 1 << 20);
    // PB1 is DE, PA2 TX.
    bench.write(0x5000_0420, 6 << 4);
    bench.write(0x5000_0400, 0xFFFF_FFFB);
    const LPUART: u32 = 0x4000_8000;
    bench.write(LPUART + 0x0C, 256 * 100);
    bench.write(LPUART + 0x08, DEM);
    bench.write(LPUART, UE | TE | 10 << 21 | 20 << 16);
    bench.pass(2_000);
    let began = bench.now;
    bench.write(LPUART + 0x28, 0x55);
    bench.pass(2_000);
    let edges: Vec<(u64, bool)> = bench.edges(1, 1).into_iter().filter(|(at, _)| *at >= began).collect();
    assert_eq!(edges, [(began, true), (began + 10 + 1_000 + 20, false)]);
}
