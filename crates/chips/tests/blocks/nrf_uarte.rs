//! nRF52840: serial ports with EasyDMA and without (nRF52840 PS, UARTE, UART).

use cyclescope_chips::Stimulus;
use cyclescope_machine::{GapKind, Width};

use crate::bench::{Bench, PORT0};
use crate::nrf_timers::{US, part};

const UARTE0: u32 = 0x4000_2000;
const UARTE1: u32 = 0x4002_8000;
const LINE: usize = 2;
const STARTRX: u32 = 0x00;
const STOPRX: u32 = 0x04;
const STARTTX: u32 = 0x08;
const STOPTX: u32 = 0x0C;
const FLUSHRX: u32 = 0x2C;
const CTS: u32 = 0x100;
const NCTS: u32 = 0x104;
const RXDRDY: u32 = 0x108;
const ENDRX: u32 = 0x110;
const TXDRDY: u32 = 0x11C;
const ENDTX: u32 = 0x120;
const ERROR: u32 = 0x124;
const RXTO: u32 = 0x144;
const RXSTARTED: u32 = 0x14C;
const TXSTARTED: u32 = 0x150;
const TXSTOPPED: u32 = 0x158;
const SHORTS: u32 = 0x200;
const INTENSET: u32 = 0x304;
const ERRORSRC: u32 = 0x480;
const ENABLE: u32 = 0x500;
const PSEL_RTS: u32 = 0x508;
const PSEL_TXD: u32 = 0x50C;
const PSEL_CTS: u32 = 0x510;
const PSEL_RXD: u32 = 0x514;
const RXD: u32 = 0x518;
const TXD: u32 = 0x51C;
const BAUDRATE: u32 = 0x524;
const RXD_PTR: u32 = 0x534;
const RXD_MAXCNT: u32 = 0x538;
const RXD_AMOUNT: u32 = 0x53C;
const TXD_PTR: u32 = 0x544;
const TXD_MAXCNT: u32 = 0x548;
const TXD_AMOUNT: u32 = 0x54C;
const CONFIG: u32 = 0x56C;
const RAM: u32 = 0x2000_0000;
/// A frame of ten bits at 1 Mbaud.
const FRAME: u64 = 10 * US;
/// Cycles from the end of a frame until its byte is in RAM.
pub const STORED: u64 = 2;

/// TXD at P0.06, RXD at P1.08, 1 Mbaud.
fn port(base: u32, enable: u32) -> Bench {
    let mut bench = part();
    bench.write(base + PSEL_TXD, 6);
    bench.write(base + PSEL_RXD, 32 + 8);
    bench.write(base + BAUDRATE, 0x1000_0000);
    bench.write(base + ENABLE, enable);
    bench
}

pub fn fill(bench: &mut Bench, address: u32, bytes: &[u8]) {
    for (address, byte) in (address..).zip(bytes) {
        assert!(bench.bus.memory.write(address, Width::Byte, (*byte).into()));
    }
}

pub fn bytes(bench: &Bench, address: u32, count: u32) -> Vec<u8> {
    (address..address + count).map(|at| bench.bus.memory.read(at, Width::Byte).unwrap() as u8).collect()
}

fn send(bench: &mut Bench, base: u32, text: &[u8]) {
    fill(bench, RAM, text);
    bench.write(base + TXD_PTR, RAM);
    bench.write(base + TXD_MAXCNT, text.len() as u32);
    bench.write(base + STARTTX, 1);
}

fn receive(bench: &mut Bench, pointer: u32, most: u32) {
    bench.write(UARTE0 + RXD_PTR, pointer);
    bench.write(UARTE0 + RXD_MAXCNT, most);
    bench.write(UARTE0 + STARTRX, 1);
}

fn arrive(bench: &mut Bench, text: &[u8]) {
    bench.stimulate(1, Stimulus::Uart { number: 0, bytes: text.to_vec() });
}

fn events(bench: &mut Bench, offsets: &[u32]) -> Vec<u32> {
    offsets.iter().map(|offset| bench.read(UARTE0 + offset)).collect()
}

#[test]
fn a_buffer_goes_out_and_ends() {
    let mut bench = port(UARTE0, 8);
    bench.write(UARTE0 + INTENSET, 1 << 8);
    bench.pass(100);
    let begun = bench.now;
    send(&mut bench, UARTE0, b"hello");
    assert_eq!(bench.read(UARTE0 + TXSTARTED), 1);
    assert_eq!(bench.until_line(LINE, 100_000), Some(begun + 5 * FRAME));
    assert_eq!(events(&mut bench, &[TXDRDY, ENDTX, TXSTOPPED, TXD_AMOUNT]), [1, 1, 0, 5]);
    assert_eq!(bench.uart(0), b"hello");
    bench.write(UARTE0 + STOPTX, 1);
    assert_eq!(bench.read(UARTE0 + TXSTOPPED), 1);
    // TXD shows its bits: 'h' is 0x68.
    let edges = bench.edges(PORT0, 6);
    let at = |bit: u64| begun + bit * US;
    let expected =
        [(0, true), (at(0), false), (at(4), true), (at(5), false), (at(6), true), (at(8), false), (at(9), true)];
    assert_eq!(edges[..7], expected);
    assert!(bench.gaps(GapKind::Setting).is_empty());
}

#[test]
fn rates_and_formats_make_frames() {
    // The actual rates of 115,200, 9,600 and 250,000 baud by the description of BAUDRATE; parity, two stop bits.
    for (rate, actual, config, bits) in
        [(0x01D6_0000, 115_108, 0, 10), (0x0027_5000, 9_598, 0xE, 11), (0x0400_0000, 250_000, 0x1E, 12)]
    {
        let mut bench = port(UARTE1, 8);
        bench.write(UARTE1 + BAUDRATE, rate);
        bench.write(UARTE1 + CONFIG, config);
        bench.write(UARTE1 + INTENSET, 1 << 8);
        send(&mut bench, UARTE1, b"x");
        let cycles = 4 * bits * (16_000_000.0 / f64::from(actual)).round() as u64;
        assert_eq!(bench.until_line(40, 1_000_000), Some(cycles), "{rate:#x}");
        assert_eq!(bench.uart(1), b"x");
    }
    let mut bench = port(UARTE0, 8);
    bench.write(UARTE0 + BAUDRATE, 0);
    send(&mut bench, UARTE0, b"x");
    assert_eq!(bench.gaps(GapKind::Setting), ["UARTE0: the transmitter has no clock"]);
}

#[test]
fn a_stop_ends_with_the_frame_under_way() {
    let mut bench = port(UARTE0, 8);
    send(&mut bench, UARTE0, b"abc");
    bench.pass(FRAME + FRAME / 2);
    bench.write(UARTE0 + STOPTX, 1);
    assert_eq!(events(&mut bench, &[ENDTX, TXSTOPPED]), [0, 0]);
    bench.pass(FRAME / 2);
    assert_eq!(events(&mut bench, &[ENDTX, TXSTOPPED, TXD_AMOUNT]), [1, 1, 2]);
    bench.pass(2 * FRAME);
    assert_eq!(bench.uart(0), b"ab");
}

#[test]
fn buffers_follow_each_other_by_the_shortcut() {
    let mut bench = port(UARTE0, 8);
    bench.write(UARTE0 + SHORTS, 1 << 5);
    receive(&mut bench, RAM, 3);
    assert_eq!(bench.read(UARTE0 + RXSTARTED), 1);
    // The next buffer, as soon as the first has been taken.
    bench.write(UARTE0 + RXD_PTR, RAM + 0x10);
    arrive(&mut bench, b"0123456");
    bench.pass(1 + 3 * FRAME);
    assert_eq!(events(&mut bench, &[ENDRX, RXDRDY]), [0, 1]);
    bench.pass(STORED);
    assert_eq!(events(&mut bench, &[ENDRX, RXDRDY, RXD_AMOUNT]), [1, 1, 3]);
    bench.pass(4 * FRAME);
    assert_eq!((bytes(&bench, RAM, 3), bytes(&bench, RAM + 0x10, 3)), (b"012".to_vec(), b"645".to_vec()));
}

#[test]
fn the_fifo_keeps_six_bytes_and_flush_takes_them() {
    let mut bench = port(UARTE0, 8);
    receive(&mut bench, RAM, 2);
    arrive(&mut bench, b"ab123456");
    bench.pass(1 + 8 * FRAME);
    assert_eq!(events(&mut bench, &[ENDRX, ERROR, RXD_AMOUNT]), [1, 0, 2]);
    bench.write(UARTE0 + ENDRX, 0);
    arrive(&mut bench, b"7");
    bench.pass(1 + FRAME);
    assert_eq!(events(&mut bench, &[ERROR, ERRORSRC]), [1, 1], "overrun");
    bench.write(UARTE0 + ERRORSRC, 1);
    assert_eq!(bench.read(UARTE0 + ERRORSRC), 0);
    bench.write(UARTE0 + STOPRX, 1);
    bench.pass(4 * FRAME - 1);
    assert_eq!(bench.read(UARTE0 + RXTO), 0);
    bench.pass(1);
    assert_eq!(events(&mut bench, &[RXTO, ENDRX]), [1, 0]);
    bench.write(UARTE0 + RXD_PTR, RAM + 0x20);
    bench.write(UARTE0 + RXD_MAXCNT, 5);
    bench.write(UARTE0 + FLUSHRX, 1);
    // A byte asks for the bus when the one before is there.
    bench.pass(5 * STORED - 1);
    assert_eq!(events(&mut bench, &[ENDRX, RXD_AMOUNT]), [0, 2]);
    bench.pass(1);
    assert_eq!(events(&mut bench, &[ENDRX, RXD_AMOUNT]), [1, 5]);
    bench.write(UARTE0 + FLUSHRX, 1);
    bench.pass(STORED);
    assert_eq!((bench.read(UARTE0 + RXD_AMOUNT), bytes(&bench, RAM + 0x20, 1)), (1, b"6".to_vec()));
}

#[test]
fn a_stopped_receiver_gives_its_buffer_back() {
    let mut bench = port(UARTE0, 8);
    receive(&mut bench, RAM, 10);
    arrive(&mut bench, b"ab");
    bench.pass(1 + FRAME + FRAME / 2);
    bench.write(UARTE0 + STOPRX, 1);
    bench.pass(4 * FRAME);
    assert_eq!(events(&mut bench, &[ENDRX, RXTO, RXD_AMOUNT]), [1, 1, 2]);
    arrive(&mut bench, b"c");
    bench.pass(2);
    assert_eq!(bench.gaps(GapKind::Setting), ["UARTE0: bytes sent to a receiver that is off"]);
}

#[test]
fn a_byte_on_its_way_to_ram_counts_for_its_own_buffer() {
    for (task, ended) in [(STARTRX, [0, 0]), (FLUSHRX, [1, 0])] {
        let mut bench = port(UARTE0, 8);
        receive(&mut bench, RAM, 4);
        arrive(&mut bench, b"ab");
        bench.pass(1 + FRAME + 1);
        bench.write(UARTE0 + RXD_PTR, RAM + 0x10);
        bench.write(UARTE0 + RXD_MAXCNT, 1);
        bench.write(UARTE0 + STARTRX, 1);
        bench.write(UARTE0 + task, 1);
        bench.pass(STORED);
        assert_eq!((events(&mut bench, &[ENDRX, RXD_AMOUNT]), bytes(&bench, RAM, 1)), (ended.to_vec(), b"a".to_vec()));
        if task == STARTRX {
            bench.pass(FRAME);
            assert_eq!(events(&mut bench, &[ENDRX, RXD_AMOUNT]), [1, 1]);
            assert_eq!((bytes(&bench, RAM + 0x10, 1), bytes(&bench, RAM + 1, 1)), (b"b".to_vec(), vec![0]));
        }
    }
}

#[test]
fn a_byte_on_its_way_to_ram_arrives_before_the_receiver_has_stopped() {
    for shorts in [0, 1 << 5] {
        let mut bench = port(UARTE0, 8);
        bench.write(UARTE0 + SHORTS, shorts);
        receive(&mut bench, RAM, 10);
        bench.stimulate(3 * FRAME - 1, Stimulus::Uart { number: 0, bytes: b"x".to_vec() });
        bench.write(UARTE0 + STOPRX, 1);
        bench.pass(4 * FRAME);
        assert_eq!(events(&mut bench, &[RXDRDY, ENDRX, RXTO]), [1, 0, 0]);
        bench.pass(1);
        assert_eq!(events(&mut bench, &[ENDRX, RXTO, RXD_AMOUNT]), [1, 1, 1]);
    }
}

#[test]
fn without_dma_bytes_go_through_registers() {
    let mut bench = port(UARTE0, 4);
    bench.write(UARTE0 + STARTRX, 1);
    bench.write(UARTE0 + STARTTX, 1);
    bench.write(UARTE0 + INTENSET, 1 << 7);
    bench.write(UARTE0 + TXD, u32::from(b'A'));
    assert_eq!(bench.until_line(LINE, 10_000), Some(FRAME));
    arrive(&mut bench, b"xyz");
    bench.pass(1 + 3 * FRAME);
    for byte in *b"xyz" {
        assert_eq!(bench.read(UARTE0 + RXDRDY), 1);
        bench.write(UARTE0 + RXDRDY, 0);
        assert_eq!(bench.read(UARTE0 + RXD), u32::from(byte));
    }
    assert_eq!(bench.read(UARTE0 + RXDRDY), 0);
    assert_eq!(bench.uart(0), b"A");
}

#[test]
fn flow_control_holds_both_ends_back() {
    let mut bench = part();
    bench.set_pin(0, PORT0, 7, Some(true));
    bench.pass(1);
    for (psel, pin) in [(PSEL_TXD, 6), (PSEL_RXD, 8), (PSEL_CTS, 7), (PSEL_RTS, 5)] {
        bench.write(UARTE0 + psel, pin);
    }
    bench.write(UARTE0 + BAUDRATE, 0x1000_0000);
    bench.write(UARTE0 + CONFIG, 1);
    bench.write(UARTE0 + ENABLE, 8);
    send(&mut bench, UARTE0, b"a");
    bench.pass(2 * FRAME);
    assert!(bench.uart(0).is_empty(), "CTS is high");
    bench.set_pin(10, PORT0, 7, Some(false));
    bench.pass(10 + FRAME);
    assert_eq!((bench.uart(0), bench.read(UARTE0 + CTS)), (b"a".to_vec(), 1));
    bench.set_pin(1, PORT0, 7, Some(true));
    bench.pass(1);
    assert_eq!(bench.read(UARTE0 + NCTS), 1);
    bench.bus.shared.signals.drain().count();
    let begun = bench.now;
    receive(&mut bench, RAM, 1);
    arrive(&mut bench, b"abcdef");
    bench.pass(20 * FRAME);
    // One byte in RAM and two in the FIFO: the other end waits.
    assert_eq!(bench.edges(PORT0, 5), [(begun, false), (begun + 1 + 3 * FRAME, true)]);
    receive(&mut bench, RAM + 8, 5);
    bench.pass(20 * FRAME);
    assert_eq!(bytes(&bench, RAM + 8, 5), b"bcdef");
}

#[test]
fn one_port_hears_another_over_a_wire() {
    let mut bench = part();
    bench.attach(&["loopback@a=P0.06,b=P1.08"]);
    for (base, psel, pin) in [(UARTE0, PSEL_TXD, 6), (UARTE1, PSEL_RXD, 32 + 8)] {
        bench.write(base + psel, pin);
        bench.write(base + BAUDRATE, 0x1000_0000);
        bench.write(base + ENABLE, 8);
    }
    bench.write(UARTE1 + RXD_PTR, RAM + 0x40);
    bench.write(UARTE1 + RXD_MAXCNT, 3);
    bench.write(UARTE1 + STARTRX, 1);
    send(&mut bench, UARTE0, b"abc");
    bench.pass(4 * FRAME);
    assert_eq!((bench.read(UARTE1 + ENDRX), bytes(&bench, RAM + 0x40, 3)), (1, b"abc".to_vec()));
}

#[test]
fn buffers_outside_ram_are_named() {
    let mut bench = port(UARTE0, 8);
    for (pointer, count) in [(0u32, 3), (u32::MAX - 1, 0xFFFF), (0x2004_0000 - 2, 4)] {
        bench.write(UARTE0 + TXD_PTR, pointer);
        bench.write(UARTE0 + TXD_MAXCNT, count);
        bench.write(UARTE0 + STARTTX, 1);
        receive(&mut bench, pointer, count);
        arrive(&mut bench, b"abcdef");
        bench.pass(10 * FRAME);
    }
    assert_eq!(bench.gaps(GapKind::Setting), ["UARTE0: EasyDMA reaches nothing but the data RAM"]);
    bench.write(UARTE0 + ENABLE, 0);
    bench.write(UARTE0 + ENABLE, 8);
    // Buffers without bytes that start each other.
    bench.write(UARTE0 + SHORTS, 1 << 5);
    receive(&mut bench, RAM, 0);
    bench.pass(1_000);
    assert_eq!(bench.read(UARTE0 + ENDRX), 1);
    send(&mut bench, UARTE0, b"");
    assert_eq!(events(&mut bench, &[TXSTARTED, ENDTX, TXD_AMOUNT]), [1, 1, 0]);
}
