//! RP2040: serial ports (RP-008371-DS, "UART"; Arm DDI 0183G).

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::{GapKind, Pin};
use cyclescope_peripherals::{Effect, Source};

use crate::alone::Alone;
use crate::bench::Bench;

const RESETS: u32 = 0x4000_C000;
const CLK_PERI_CTRL: u32 = 0x4000_8048;
/// The address at which a write sets bits of the register, and that at which it clears them.
pub const SET: u32 = 0x2000;
pub const CLEAR: u32 = 0x3000;

const UART0: u32 = 0x4003_4000;
const DR: u32 = 0x00;
const RSR: u32 = 0x04;
const FR: u32 = 0x18;
const IBRD: u32 = 0x24;
const FBRD: u32 = 0x28;
const LCR_H: u32 = 0x2C;
const CR: u32 = 0x30;
const IFLS: u32 = 0x34;
const IMSC: u32 = 0x38;
const RIS: u32 = 0x3C;
const MIS: u32 = 0x40;
const ICR: u32 = 0x44;
const DMACR: u32 = 0x48;
const LINE: usize = 20;

/// FR: clear to send as no pin says otherwise, and the states of the FIFOs.
const CTS: u32 = 1 << 0;
const BUSY: u32 = 1 << 3;
const RXFE: u32 = 1 << 4;
const TXFF: u32 = 1 << 5;
const RXFF: u32 = 1 << 6;
const TXFE: u32 = 1 << 7;

/// A bit of 16 cycles, the fastest there is, and a frame of ten.
const BIT: u64 = 16;
const FRAME: u64 = 10 * BIT;

/// The part with all blocks out of reset, and clk_peri as fast as the system's clock.
pub fn part() -> Bench {
    let mut bench = Bench::of("rp2040", MemorySetting::Shipped);
    bench.write(RESETS, 0);
    bench.write(CLK_PERI_CTRL, 0x800);
    bench
}

/// Switches `pin` to `function` (IO_BANK0, GPIOx_CTRL.FUNCSEL).
pub fn switch(bench: &mut Bench, pin: u32, function: u32) {
    bench.write(0x4001_4004 + 8 * pin, function);
}

/// The gaps of the block `name`, but that its signals reach no pin.
pub fn gaps<'a>(bench: &'a Bench, kind: GapKind, name: &str) -> Vec<&'a str> {
    let mut gaps = bench.gaps(kind);
    gaps.retain(|gap| gap.starts_with(name) && !gap.contains("at no pin"));
    gaps
}

/// UART0 at GPIO0 and GPIO1 with a bit of 16 cycles, 8N1 with FIFOs and `more` of LCR_H, switched on with `control` of CR.
fn port(more: u32, control: u32) -> Bench {
    let mut bench = part();
    (0..2).for_each(|pin| switch(&mut bench, pin, 2));
    bench.write(UART0 + IBRD, 1);
    bench.write(UART0 + LCR_H, 0x70 | more);
    bench.write(UART0 + CR, 0x301 | control);
    bench
}

fn flags(bench: &mut Bench) -> u32 {
    bench.read(UART0 + FR)
}

fn arrive(bench: &mut Bench, bytes: &[u8]) {
    bench.stimulate(0, Stimulus::Uart { number: 0, bytes: bytes.to_vec() });
    bench.pass(0);
}

#[test]
fn a_character_takes_its_frame_and_the_port_is_busy_for_as_long() {
    let mut bench = port(0, 0);
    assert_eq!(flags(&mut bench), CTS | RXFE | TXFE);
    bench.write(UART0 + DR, u32::from(b'A'));
    assert_eq!(flags(&mut bench), CTS | BUSY | RXFE | TXFE);
    bench.pass(FRAME - 1);
    assert!(bench.uart(0).is_empty());
    bench.pass(1);
    assert_eq!(bench.uart(0), b"A");
    assert_eq!(flags(&mut bench), CTS | RXFE | TXFE);
    assert!(gaps(&bench, GapKind::Setting, "UART0").is_empty());
    assert!(gaps(&bench, GapKind::RegisterWrite, "UART0").is_empty());
}

#[test]
fn pins_have_the_levels_of_frames_breaks_and_flow_control() {
    // GPIO2 and GPIO3 are CTS and RTS; even parity, two stop bits.
    let mut bench = port(1 << 3 | 1 << 2 | 1 << 1, 0);
    bench.pass(10);
    bench.edges(Pin::GPIO, 0);
    let begun = bench.now;
    bench.write(UART0 + DR, 0b0000_0111);
    bench.pass(12 * BIT);
    let at = |bit: u64| begun + bit * BIT;
    // A start bit, three ones, five zeros, the parity of three ones, and the stop bits.
    assert_eq!(bench.edges(Pin::GPIO, 0), [(at(0), false), (at(1), true), (at(4), false), (at(9), true)]);
    let begun = bench.now;
    bench.write(UART0 + LCR_H, 0x71);
    bench.pass(100);
    bench.write(UART0 + LCR_H, 0x70);
    assert_eq!(bench.edges(Pin::GPIO, 0), [(begun, false), (begun + 100, true)]);
    (2..4).for_each(|pin| switch(&mut bench, pin, 2));
    bench.set_pin(0, Pin::GPIO, 2, Some(true));
    bench.pass(BIT);
    assert_eq!(flags(&mut bench) & CTS, 0);
    bench.edges(Pin::GPIO, 3);
    bench.write(UART0 + CR + SET, 1 << 11 | 1 << 15);
    assert_eq!(bench.edges(Pin::GPIO, 3), [(bench.now, false)]);
    bench.write(UART0 + DR, u32::from(b'x'));
    bench.pass(10 * FRAME);
    assert_eq!(bench.uart(0), [7]);
    bench.set_pin(0, Pin::GPIO, 2, Some(false));
    bench.pass(FRAME);
    assert_eq!(bench.uart(0), [7, b'x']);
}

#[test]
fn a_rate_counts_from_the_next_write_of_the_line_control_on() {
    let mut bench = port(0, 0);
    // 2 + 32/64: 40 cycles a bit; seven bits, parity, two stop bits.
    bench.write(UART0 + IBRD, 2);
    bench.write(UART0 + FBRD, 32);
    bench.write(UART0 + DR, u32::from(b'A'));
    bench.pass(FRAME);
    assert_eq!(bench.uart(0), b"A", "still the old one");
    bench.write(UART0 + LCR_H, 0x50 | 1 << 1 | 1 << 3);
    bench.write(UART0 + DR, u32::from(b'B'));
    bench.pass(11 * 40 - 1);
    assert_eq!(bench.uart(0), b"A");
    bench.pass(1);
    assert_eq!(bench.uart(0), b"AB");
    // 1 + 1/64: a bit of 16.25 cycles, 162.5 a frame.
    bench.write(UART0 + IBRD, 1);
    bench.write(UART0 + FBRD, 1);
    bench.write(UART0 + LCR_H, 0x70);
    bench.write(UART0 + DR, u32::from(b'C'));
    bench.pass(162);
    assert_eq!(bench.uart(0), b"AB");
    bench.pass(1);
    assert_eq!(bench.uart(0), b"ABC");
    // No whole part, no rate.
    bench.write(UART0 + IBRD, 0);
    bench.write(UART0 + LCR_H, 0x70);
    bench.write(UART0 + DR, u32::from(b'D'));
    assert_eq!(gaps(&bench, GapKind::Setting, "UART0"), ["UART0: the transmitter has no clock"]);
}

#[test]
fn thirty_two_characters_and_the_one_being_sent_fill_the_transmitter() {
    let mut bench = port(0, 0);
    for byte in 0..33 {
        assert_eq!(flags(&mut bench) & TXFF, 0, "before {byte}");
        bench.write(UART0 + DR, byte);
    }
    assert_ne!(flags(&mut bench) & TXFF, 0);
    bench.write(UART0 + DR, 0xEE);
    // An eighth of the FIFO: 4 are left when the 29th frame begins.
    bench.write(UART0 + IFLS, 0);
    bench.write(UART0 + IMSC + SET, 1 << 5);
    let begun = bench.now;
    assert_eq!(bench.until_line(LINE, 10_000), Some(begun + 28 * FRAME));
    assert_eq!([bench.read(UART0 + RIS), bench.read(UART0 + MIS)], [1 << 5; 2]);
    bench.write(UART0 + ICR, 1 << 5);
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
    bench.pass(5 * FRAME);
    assert_eq!(bench.uart(0), (0..33).collect::<Vec<u8>>(), "what found no room is lost");
}

#[test]
fn characters_wait_while_the_transmitter_is_off() {
    let mut bench = port(0, 0);
    bench.write(UART0 + CR + CLEAR, 1);
    bench.write(UART0 + DR, u32::from(b'x'));
    assert_eq!(flags(&mut bench), CTS | BUSY | RXFE);
    bench.pass(10 * FRAME);
    assert!(bench.uart(0).is_empty());
    bench.write(UART0 + CR + SET, 1);
    bench.pass(FRAME / 2);
    // The frame under way goes on to its end.
    bench.write(UART0 + DR, u32::from(b'y'));
    bench.write(UART0 + CR + CLEAR, 1);
    bench.pass(10 * FRAME);
    assert_eq!(bench.uart(0), b"x");
    // FEN flushes.
    bench.write(UART0 + LCR_H + CLEAR, 0x10);
    assert_eq!(flags(&mut bench), CTS | RXFE | TXFE);
}

#[test]
fn received_characters_interrupt_by_level_or_by_timeout() {
    let mut bench = port(0, 0);
    bench.write(UART0 + IMSC, 1 << 4 | 1 << 6);
    bench.write(UART0 + IFLS, 0);
    let begun = bench.now;
    arrive(&mut bench, b"four");
    assert_eq!(bench.until_line(LINE, 10_000), Some(begun + 4 * FRAME));
    assert_eq!(bench.read(UART0 + MIS), 1 << 4);
    assert_eq!(bench.read(UART0 + DR), u32::from(b'f'));
    assert_eq!(bench.read(UART0 + RIS) & 1 << 4, 0);
    // 32 bits behind the last one.
    assert_eq!(bench.until_line(LINE, 10_000), Some(begun + 4 * FRAME + 32 * BIT));
    assert_eq!(bench.read(UART0 + MIS), 1 << 6);
    assert_eq!([0; 3].map(|_: u8| bench.read(UART0 + DR)), [b'o', b'u', b'r'].map(u32::from));
    assert_eq!(bench.read(UART0 + RIS) & 0x50, 0);
    // Without FIFO each character interrupts.
    bench.write(UART0 + LCR_H, 0x60);
    let begun = bench.now;
    arrive(&mut bench, b"1");
    assert_eq!(bench.until_line(LINE, 10_000), Some(begun + FRAME));
    assert_eq!(flags(&mut bench), CTS | RXFF | TXFE);
}

#[test]
fn an_overrun_shows_at_once_and_with_the_next_character_that_has_room() {
    let mut bench = port(0, 0);
    bench.write(UART0 + IMSC, 1 << 10);
    let begun = bench.now;
    arrive(&mut bench, &[7; 34]);
    assert_eq!(bench.until_line(LINE, 10_000), Some(begun + 33 * FRAME));
    assert_eq!(bench.read(UART0 + RSR), 8);
    bench.pass(FRAME);
    bench.write(UART0 + ICR + SET, 1 << 10);
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
    assert_eq!([0; 32].map(|_: u8| bench.read(UART0 + DR)), [7; 32]);
    arrive(&mut bench, &[1, 2]);
    bench.pass(2 * FRAME);
    assert_eq!([bench.read(UART0 + DR), bench.read(UART0 + DR)], [1 << 11 | 1, 2]);
    assert_eq!(bench.read(UART0 + RSR), 8);
    bench.write(UART0 + RSR, 0);
    assert_eq!(bench.read(UART0 + RSR), 0);
}

#[test]
fn loop_back_brings_characters_breaks_and_the_lines_of_a_modem() {
    let mut bench = port(0, 1 << 7);
    // Sticky parity, five bits: a frame of 8 bits.
    bench.write(UART0 + LCR_H, 0x10 | 1 << 1 | 1 << 7);
    bench.write(UART0 + DR, 0xFF);
    bench.pass(8 * BIT);
    assert_eq!(bench.read(UART0 + DR), 0x1F);
    // The break goes on until it is taken back, and its end is heard with the next character.
    bench.write(UART0 + IMSC, 1 << 9);
    let begun = bench.now;
    bench.write(UART0 + LCR_H, 0x71);
    assert_eq!(bench.until_line(LINE, 10_000), Some(begun + FRAME));
    assert_eq!(bench.read(UART0 + DR), 5 << 8, "a framing and a break error");
    assert_eq!(bench.read(UART0 + RSR), 5);
    bench.pass(5 * FRAME);
    bench.write(UART0 + LCR_H, 0x70);
    bench.write(UART0 + DR, 3);
    bench.pass(BIT + FRAME);
    assert_eq!(bench.read(UART0 + DR), 3);
    // RTS, DTR, Out1, Out2 are CTS, DSR, DCD, RI.
    assert_eq!(flags(&mut bench) & 0x107, 0);
    bench.write(UART0 + ICR, u32::MAX);
    bench.write(UART0 + CR + SET, 0xF << 10);
    assert_eq!(flags(&mut bench) & 0x107, 0x107);
    assert_eq!(bench.read(UART0 + RIS) & 0xF, 0xF);
    arrive(&mut bench, b"?");
    assert_eq!(gaps(&bench, GapKind::Setting, "UART0"), ["UART0: bytes that arrive while it hears itself are lost"]);
}

/// UART0 alone, with flow control.
fn alone(control: u32) -> Alone {
    let mut alone = Alone::new("rp2040", "UART0", 16_000_000, |_, tree| tree);
    alone.kernel(Source::Pclk);
    alone.write(IBRD, 1);
    alone.write(LCR_H, 0x70);
    alone.write(CR, 0x301 | control);
    alone.effects();
    alone
}

fn cts(alone: &mut Alone, high: bool) {
    let index = alone.instance.pins.iter().position(|wired| wired.signal == "CTS").unwrap();
    alone.with(|device, env| cyclescope_peripherals::Block::input(device, index, high, env));
}

#[test]
fn clear_to_send_holds_frames_back_and_interrupts() {
    let mut port = alone(1 << 15);
    port.write(IMSC, 1 << 1);
    cts(&mut port, true);
    assert!(port.line("UART0_IRQ"));
    assert_eq!(port.read(FR) & CTS, 0);
    port.write(ICR, 1 << 1);
    port.write(DR, 1);
    port.pass(1000);
    assert_eq!(port.read(FR) & (BUSY | TXFE), BUSY);
    assert!(!port.line("UART0_IRQ"));
    cts(&mut port, false);
    assert!(port.line("UART0_IRQ"));
    port.pass(FRAME - 1);
    assert_eq!(port.read(FR) & (BUSY | TXFE), BUSY | TXFE);
    port.pass(1);
    assert_eq!(port.read(FR) & (BUSY | TXFE), TXFE);
}

#[test]
fn request_to_send_follows_the_room_in_the_fifo() {
    // RTSEN, two entries of IFLS's first step: 4.
    let mut port = alone(1 << 14);
    port.write(IFLS, 0);
    let receive = |port: &mut Alone, bytes: &[u8]| {
        port.with(|device, env| {
            use cyclescope_peripherals::framework::AnyDevice;
            device.serial_mut().unwrap().receive(bytes, env);
        });
    };
    let rts = |port: &mut Alone| {
        port.effects()
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Output { signal: "RTS", level } => level,
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    receive(&mut port, b"abcdef");
    port.pass(4 * FRAME - 1);
    assert!(rts(&mut port).is_empty());
    port.pass(1);
    assert_eq!(rts(&mut port), [true]);
    port.pass(10 * FRAME);
    assert_eq!(port.read(DR), u32::from(b'a'));
    assert_eq!(rts(&mut port), [false], "the other end goes on");
    port.pass(FRAME);
    assert_eq!(rts(&mut port), [true]);
    assert_eq!([0; 4].map(|_: u8| port.read(DR)), [b'b', b'c', b'd', b'e'].map(u32::from));
}

#[test]
fn requests_follow_the_fifos_unless_an_error_interrupts() {
    let mut port = alone(0);
    let requests = |port: &mut Alone| {
        let mut levels = [None; 2];
        for effect in port.effects() {
            if let Effect::Request { number: number @ (20 | 21), active } = effect {
                levels[usize::from(number - 20)] = Some(active);
            }
        }
        levels
    };
    port.write(DMACR, 7);
    assert_eq!(requests(&mut port), [Some(true), Some(false)]);
    (0..33).for_each(|byte| port.write(DR, byte));
    assert_eq!(requests(&mut port)[0], Some(false));
    port.pass(FRAME);
    assert_eq!(requests(&mut port)[0], Some(true));
    port.write(CR, 0x380);
    port.write(CR, 0x381);
    port.pass(2 * FRAME);
    assert_eq!(requests(&mut port)[1], Some(true));
    // An overrun, once it interrupts.
    port.pass(40 * FRAME);
    port.write(IMSC, 1 << 10);
    (0..40).for_each(|byte| port.write(DR, byte));
    port.pass(40 * FRAME);
    assert_eq!(requests(&mut port)[1], Some(false));
    port.write(ICR, 1 << 10);
    assert_eq!(requests(&mut port)[1], Some(true));
    port.write(CR, 0);
    assert_eq!(requests(&mut port), [Some(false); 2]);
}

#[test]
fn what_is_not_there_is_named() {
    let mut bench = port(0, 2);
    bench.write(UART0 + 0x20, 1);
    assert_eq!(gaps(&bench, GapKind::RegisterWrite, "UART0"), ["UART0_UARTCR.SIREN", "UART0_UARTILPR.ILPDVSR"]);
    let ids = [0xFE0, 0xFE4, 0xFE8, 0xFEC, 0xFF0, 0xFF4, 0xFF8, 0xFFC].map(|offset| bench.read(UART0 + offset));
    assert_eq!(ids, [0x11, 0x10, 0x34, 0, 0x0D, 0xF0, 0x05, 0xB1]);
}
