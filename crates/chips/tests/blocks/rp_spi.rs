//! RP2040: SPI (RP-008371-DS, "SPI"; Arm DDI 0194).

use cyclescope_attached::attach;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Attachment, GapKind, Pin, Wire};
use cyclescope_peripherals::{Block, Effect};

use crate::alone::Alone;
use crate::bench::Bench;
use crate::probe::Probe;
use crate::rp_uart::{gaps, part, switch};

const SPI0: u32 = 0x4003_C000;
const CR0: u32 = 0x00;
const CR1: u32 = 0x04;
const DR: u32 = 0x08;
const SR: u32 = 0x0C;
const CPSR: u32 = 0x10;
const IMSC: u32 = 0x14;
const RIS: u32 = 0x18;
const MIS: u32 = 0x1C;
const ICR: u32 = 0x20;
const DMACR: u32 = 0x24;
const LINE: usize = 18;

const SPO: u32 = 1 << 6;
const SPH: u32 = 1 << 7;
const TI: u32 = 1 << 4;
const LBM: u32 = 1;
const SSE: u32 = 2;
const MS: u32 = 4;
const SOD: u32 = 8;

/// SSPSR.
const TFE: u32 = 1 << 0;
const TNF: u32 = 1 << 1;
const RNE: u32 = 1 << 2;
const RFF: u32 = 1 << 3;
const BSY: u32 = 1 << 4;

/// SPI0 alone: bits of 4 cycles, `format` in SSPCR0 and `control` in SSPCR1.
fn alone(format: u32, control: u32) -> Alone {
    let mut spi = Alone::new("rp2040", "SPI0", 16_000_000, |_, tree| tree);
    spi.write(CPSR, 2);
    spi.write(CR0, format | 1 << 8);
    spi.write(CR1, control);
    spi.effects();
    spi
}

/// A line at a cycle: its level.
type Seen = (u64, &'static str, bool);

/// The edges of the block's lines in the next `cycles`, and at the present one.
pub fn watch(block: &mut Alone, cycles: u64, mut each: impl FnMut(&mut Alone)) -> Vec<Seen> {
    let mut seen: Vec<Seen> = Vec::new();
    for passed in 0..=cycles {
        if passed > 0 {
            block.pass(1);
        }
        each(block);
        let now = block.now;
        let mut show = |signal, high| match seen.iter().rev().find(|(_, known, _)| *known == signal) {
            Some((.., level)) if *level == high => {}
            _ => seen.push((now, signal, high)),
        };
        for effect in block.effects() {
            if let Effect::Output { signal, level: Some(high) } = effect {
                show(signal, high);
            }
        }
        let at = block.slots.wires.shared.at(Cycles::new(now));
        while let Some(edge) = block.slots.wires.waves.due(at) {
            show(edge.signal, edge.high);
        }
    }
    seen
}

/// The cycles of the edges of `signal`, and the level of the first.
pub fn edges_of(seen: &[Seen], signal: &str) -> Vec<(u64, bool)> {
    seen.iter().filter(|(_, known, _)| *known == signal).map(|(at, _, high)| (*at, *high)).collect()
}

fn clocks(from: u64, count: u64) -> Vec<(u64, bool)> {
    (0..2 * count).map(|edge| (from + 2 * edge, edge % 2 == 0)).collect()
}

#[test]
fn a_frame_without_sph_is_selected_half_a_bit_before_its_data_and_a_bit_before_its_clock() {
    let mut spi = alone(3, SSE);
    spi.write(DR, 0b1010);
    let seen = watch(&mut spi, 60, |_| {});
    assert_eq!(edges_of(&seen, "SCK"), clocks(4, 4));
    assert_eq!(edges_of(&seen, "MOSI"), [(2, true), (6, false), (10, true), (14, false)]);
    assert_eq!(edges_of(&seen, "CSN"), [(0, false), (20, true)]);
    // The line goes up between frames: 5.5 bits from one to the next.
    spi.write(DR, 0xF);
    spi.write(DR, 0xF);
    let from = spi.now;
    let seen = watch(&mut spi, 80, |_| {});
    assert_eq!(edges_of(&seen, "CSN"), [(from, false), (from + 20, true), (from + 22, false), (from + 42, true)]);
    assert_eq!(edges_of(&seen, "SCK"), [clocks(from + 4, 4), clocks(from + 26, 4)].concat());
}

#[test]
fn frames_with_sph_follow_each_other_without_a_gap() {
    let mut spi = alone(3 | SPH | SPO, SSE);
    spi.write(DR, 0b1000);
    spi.write(DR, 0b0001);
    let seen = watch(&mut spi, 80, |_| {});
    let clocks: Vec<_> = (0..16).map(|edge| (2 + 2 * edge, edge % 2 != 0)).collect();
    assert_eq!(edges_of(&seen, "SCK"), clocks);
    assert_eq!(edges_of(&seen, "MOSI"), [(2, true), (6, false), (30, true), (34, false)]);
    assert_eq!(edges_of(&seen, "CSN"), [(0, false), (36, true)]);
}

#[test]
fn pulses_announce_frames_of_the_format_of_ti() {
    let mut spi = alone(3 | TI, SSE);
    spi.write(DR, 0b1001);
    spi.write(DR, 0b0110);
    let seen = watch(&mut spi, 80, |_| {});
    assert_eq!(edges_of(&seen, "CSN"), [(0, true), (4, false), (16, true), (20, false)]);
    assert_eq!(edges_of(&seen, "SCK"), clocks(0, 9));
    assert_eq!(edges_of(&seen, "MOSI"), [(4, true), (8, false), (16, true), (20, false), (24, true), (32, false)]);
}

#[test]
fn loop_back_brings_what_is_sent_and_a_full_fifo_keeps_what_it_has() {
    let mut spi = alone(15 | SPH, SSE | LBM);
    assert_eq!(spi.read(SR), TFE | TNF);
    spi.write(IMSC, 1);
    for word in 0..9u32 {
        spi.write(DR, 0xF000 + word);
    }
    assert_eq!(spi.read(SR), BSY, "one frame goes, eight wait");
    spi.write(DR, 0xDEAD);
    // Half a bit, and nine frames of 16 bits.
    spi.pass(2 + 8 * 64);
    assert_eq!(spi.read(SR), TFE | TNF | RNE | RFF | BSY);
    assert!(!spi.line("SPI0_IRQ"));
    spi.pass(64);
    assert_eq!(spi.read(SR), TFE | TNF | RNE | RFF);
    assert!(spi.line("SPI0_IRQ"));
    spi.write(ICR, 1);
    assert!(!spi.line("SPI0_IRQ"));
    assert_eq!([0; 8].map(|_: u8| spi.read(DR)), [0, 1, 2, 3, 4, 5, 6, 7].map(|word| 0xF000 + word));
    assert_eq!(spi.read(SR), TFE | TNF);
}

#[test]
fn halves_of_the_fifos_and_a_timeout_interrupt() {
    let mut spi = alone(7 | SPH, SSE | LBM);
    assert_eq!(spi.read(RIS), 8);
    spi.write(IMSC, 0xE);
    assert_eq!(spi.read(MIS), 8);
    (0..6).for_each(|byte| spi.write(DR, byte));
    assert_eq!(spi.read(RIS), 0, "five wait");
    spi.pass(2 + 32);
    assert_eq!(spi.read(RIS), 8);
    spi.pass(3 * 32 - 1);
    assert_eq!(spi.read(RIS), 8);
    spi.pass(1);
    assert_eq!(spi.read(RIS), 8 | 4);
    spi.pass(2 * 32);
    (0..5).for_each(|byte| assert_eq!(spi.read(DR), byte));
    assert_eq!(spi.read(RIS), 8);
    // 32 bits behind the last frame.
    spi.pass(32 * 4 - 1);
    assert_eq!(spi.read(RIS), 8);
    spi.pass(1);
    assert_eq!(spi.read(RIS), 8 | 2);
    spi.read(DR);
    assert_eq!(spi.read(RIS), 8);
}

#[test]
fn requests_follow_the_fifos() {
    let mut spi = alone(7 | SPH, SSE | LBM);
    let requests = |spi: &mut Alone| {
        let mut levels = [None; 2];
        for effect in spi.effects() {
            if let Effect::Request { number: number @ (16 | 17), active } = effect {
                levels[usize::from(number - 16)] = Some(active);
            }
        }
        levels
    };
    spi.write(DMACR, 3);
    assert_eq!(requests(&mut spi), [Some(true), Some(false)]);
    (0..9).for_each(|byte| spi.write(DR, byte));
    assert_eq!(requests(&mut spi), [Some(false); 2]);
    spi.pass(40);
    assert_eq!(requests(&mut spi), [Some(true); 2]);
    spi.write(CR1, 0);
    assert_eq!(requests(&mut spi), [Some(false); 2]);
}

fn pin(spi: &mut Alone, signal: &str, high: bool) {
    let index = spi.instance.pins.iter().position(|wired| wired.signal == signal).unwrap();
    spi.with(|device, env| device.input(index, high, env));
}

/// A controller clocks eight bits; what the target answers.
fn exchange(spi: &mut Alone, sent: u8) -> u8 {
    let mut answer = 0;
    pin(spi, "CSN", false);
    for bit in (0..8).rev() {
        pin(spi, "MISO", sent >> bit & 1 != 0);
        answer = answer << 1 | u8::from(spi.with(|device, _| device.output("MOSI")) == Some(true));
        pin(spi, "SCK", true);
        spi.pass(8);
        pin(spi, "SCK", false);
        spi.pass(8);
    }
    pin(spi, "CSN", true);
    answer
}

#[test]
fn a_target_follows_the_edges_of_its_lines() {
    let mut spi = alone(7, MS | SSE);
    spi.write(IMSC, 2);
    spi.write(DR, 0xA5);
    spi.write(DR, 0x3C);
    assert_eq!([exchange(&mut spi, 0x12), exchange(&mut spi, 0x34)], [0xA5, 0x3C]);
    // The timeout counts bits of its own rate, from the last bit's sample on.
    assert!(!spi.line("SPI0_IRQ"));
    spi.pass(32 * 4 - 16);
    assert!(spi.line("SPI0_IRQ"));
    assert_eq!([spi.read(DR), spi.read(DR)], [0x12, 0x34]);
    assert!(!spi.line("SPI0_IRQ"));
    spi.write(CR1, MS | SSE | SOD);
    exchange(&mut spi, 0x56);
    assert_eq!(spi.with(|device, _| device.output("MOSI")), None);
    assert_eq!(spi.read(DR), 0x56);
}

/// SPI0 at GPIO0 to GPIO3, and a device whose SCK, MOSI, MISO and select are at `pins`.
fn board(mut attachment: Attachment, pins: [u8; 4]) -> Bench {
    let mut bench = part();
    attachment.wires = pins.map(|number| Some(Wire::Pin(Pin::gpio(number)))).to_vec();
    let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
    devices.attach(vec![attachment], &mut context);
    (0..4).for_each(|pin| switch(&mut bench, pin, 1));
    bench.write(SPI0 + CPSR, 2);
    bench
}

fn heard(bench: &Bench) -> Vec<String> {
    let (_, device) = bench.bus.peripherals.outside().devices().next().unwrap();
    device.as_any().downcast_ref::<Probe>().unwrap().heard.clone()
}

#[test]
fn a_target_on_the_pins_is_selected_for_each_frame_or_for_all() {
    for (format, falling, expected) in [
        (7, false, ["[", "12", "]", "[", "34", "]"].as_slice()),
        (7 | SPH, true, &["[", "12", "34", "]"]),
        (7 | SPO | SPH, false, &["[", "12", "34", "]"]),
        (15 | SPO, true, &["[", "00", "12", "]", "[", "00", "34", "]"]),
    ] {
        let mut target = Probe::spi(falling, &[0xA5, 0x5A, 0x3C, 0xC3]);
        target.selects = true;
        let mut bench =
            board(Attachment { name: "target".into(), device: Box::new(target), wires: Vec::new() }, [2, 3, 0, 1]);
        bench.write(SPI0 + CR0, format);
        bench.write(SPI0 + CR1, SSE);
        bench.pass(100);
        bench.write(SPI0 + DR, 0x12);
        bench.write(SPI0 + DR, 0x34);
        bench.pass(1_000);
        let heard = heard(&bench);
        assert_eq!(heard[heard.len() - expected.len()..], *expected, "{format:#x}");
        let first = bench.read(SPI0 + DR);
        assert_eq!(first, if format & 15 == 15 { 0xA55A } else { 0xA5 }, "{format:#x}");
        assert!(gaps(&bench, GapKind::Setting, "SPI0").is_empty(), "{:?}", bench.gaps(GapKind::Setting));
    }
}

#[test]
fn a_controller_on_the_pins_exchanges_frames_with_the_target() {
    // RX is at GPIO0 and TX at GPIO3, whoever controls.
    let mut bench = board(attach("spi-controller:name=c,clock=100kHz@spi0").unwrap(), [2, 0, 3, 1]);
    bench.write(SPI0 + CR0, 7);
    bench.write(SPI0 + CR1, MS | SSE);
    bench.write(SPI0 + DR, 0xA5);
    bench.pass(100);
    bench.controller_sends("12");
    bench.pass(10_000);
    assert_eq!(bench.controller_log(), ["12>a5"]);
    assert_eq!(bench.read(SPI0 + DR), 0x12);
}

#[test]
fn a_rate_is_that_of_the_peripherals_clock_divided_twice() {
    let mut bench = part();
    let rate = |bench: &mut Bench, prescaler: u32, rate: u32| {
        bench.write(SPI0 + CR1, 0);
        bench.write(SPI0 + CPSR, prescaler);
        bench.write(SPI0 + CR0, 7 | SPH | rate << 8);
        bench.write(SPI0 + IMSC, 4);
        bench.write(SPI0 + CR1, SSE | LBM);
        let from = bench.now;
        (0..4).for_each(|byte| bench.write(SPI0 + DR, byte));
        let took = bench.until_line(LINE, 10_000_000).unwrap() - from;
        (0..4).for_each(|byte| assert_eq!(bench.read(SPI0 + DR), byte));
        bench.pass(1_000_000);
        took
    };
    // Half a bit and 32 bits.
    assert_eq!(rate(&mut bench, 2, 0), 65);
    assert_eq!(rate(&mut bench, 5, 2), 6 + 32 * 12, "the lowest bit of the prescaler reads zero");
    assert_eq!(rate(&mut bench, 254, 255), 254 * 128 + 32 * 254 * 256);
    bench.write(SPI0 + CPSR, 0);
    bench.write(SPI0 + DR, 0);
    bench.write(SPI0 + CR0, 2 << 4);
    let named = gaps(&bench, GapKind::Setting, "SPI0");
    assert!(named.contains(&"SPI0: the controller has no clock"), "{named:?}");
    assert!(named.contains(&"SPI0_SSPCR0.FRF: Microwire's frames go as Motorola's"), "{named:?}");
}
