//! SPI of STM32F103, F446 and C031 as a controller (RM0008, RM0390, RM0490, "Serial peripheral interface"), with a target on
//! its pins.

use std::any::Any;
use std::collections::VecDeque;

use cyclescope_chips::MemorySetting;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{
    Attached, Attachment, Contact, GapKind, Line, Pin, Signal, SignalKind, Transfer, Width, Wire,
};

use crate::bench::Bench;
use crate::{f103_clocks, f446_clocks};

const SPI1: u32 = 0x4001_3000;
const CR1: u32 = SPI1;
const CR2: u32 = SPI1 + 0x04;
const SR: u32 = SPI1 + 0x08;
const DR: u32 = SPI1 + 0x0C;
const CRCPR: u32 = SPI1 + 0x10;
const RXCRCR: u32 = SPI1 + 0x14;
const TXCRCR: u32 = SPI1 + 0x18;
const RAM: u32 = 0x2000_0000;

const MSTR: u32 = 1 << 2;
const SPE: u32 = 1 << 6;
const LSBFIRST: u32 = 1 << 7;
const SSI: u32 = 1 << 8;
const SSM: u32 = 1 << 9;
const RXONLY: u32 = 1 << 10;
const CRCNEXT: u32 = 1 << 12;
const CRCEN: u32 = 1 << 13;
const BIDIOE: u32 = 1 << 14;
const BIDIMODE: u32 = 1 << 15;
/// A controller with its chip select in software, at PCLK / 8.
const CONTROLLER: u32 = MSTR | SSM | SSI | 2 << 3;

const RXNE: u32 = 1 << 0;
const TXE: u32 = 1 << 1;
const CRCERR: u32 = 1 << 4;
const MODF: u32 = 1 << 5;
const OVR: u32 = 1 << 6;
const BSY: u32 = 1 << 7;

const SCK: u8 = 5;
const MISO: u8 = 6;
const MOSI: u8 = 7;
const CS: u8 = 3;

/// Keeps the bytes that come, and sends its own.
#[derive(Clone, Debug, Default)]
struct Target {
    falling: bool,
    /// Sends the first four bits of a byte back as its last ones.
    mirrors: bool,
    heard: Vec<u8>,
    sends: VecDeque<u8>,
}

impl Attached for Target {
    fn pins(&self) -> &'static [&'static str] {
        &["sck", "mosi", "miso", "cs"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn spi_select(&mut self, selected: bool, _: &mut Contact<'_>) -> Option<u8> {
        selected.then(|| self.sends.pop_front()).flatten()
    }

    fn spi_byte(&mut self, byte: u8, _: &mut Contact<'_>) -> Option<u8> {
        self.heard.push(byte);
        self.sends.pop_front()
    }

    fn spi_bit(&mut self, byte: u8, bits: u8, _: &mut Contact<'_>) -> Option<u8> {
        (self.mirrors && bits == 4).then_some(byte)
    }

    fn spi_falling(&self) -> bool {
        self.falling
    }
}

/// A part with SPI1 on PA5 to PA7, at its full speed.
struct Board {
    bench: Bench,
    bsrr: u32,
    line: usize,
    /// Cycles of the core in a period of PCLK.
    pclk: u64,
    /// CR2 for frames of eight bits, with RXNE at the first.
    cr2: u32,
}

const PARTS: [&str; 3] = ["f103", "f446", "c031"];

impl Board {
    fn new(part: &str) -> Self {
        let mut board = match part {
            "f103" => {
                let mut bench = f103_clocks::fast(MemorySetting::Equal);
                // SCK and MOSI: alternate function, push-pull; MISO and NSS: inputs; PA3: output.
                bench.write(0x4001_0800, 0xB4B4_3444);
                Self { bench, bsrr: 0x4001_0810, line: 35, pclk: 1, cr2: 0 }
            }
            "f446" => {
                let mut bench = f446_clocks::fast();
                bench.write(0x4002_0020, 0x5555_0000);
                bench.write(0x4002_0000, 0xA800_AA40);
                Self { bench, bsrr: 0x4002_0018, line: 35, pclk: 2, cr2: 0 }
            }
            _ => {
                let mut bench = Bench::fast();
                bench.write(0x5000_0020, 0);
                bench.write(0x5000_0000, 0xEBFF_AA7F);
                Self { bench, bsrr: 0x5000_0018, line: 25, pclk: 1, cr2: 0x1700 }
            }
        };
        board.bench.bus.shared.signals.want(SignalKind::Transfer);
        board.bench.write(board.bsrr, 1 << CS);
        board.bench.write(CR2, board.cr2);
        board
    }

    /// With a target that sends `sends`, selected by PA3.
    fn with(part: &str, falling: bool, sends: &[u8]) -> Self {
        let mut board = Self::new(part);
        let target = Target { falling, sends: sends.to_vec().into(), ..Target::default() };
        board.attach(target, [SCK, MOSI, MISO, CS]);
        board.bench.write(board.bsrr, 1 << (CS + 16));
        board
    }

    fn attach(&mut self, target: Target, pins: [u8; 4]) {
        let wires = pins.iter().map(|number| Some(Wire::Pin(Pin { port: 0, number: *number }))).collect();
        let (devices, mut context) = self.bench.bus.with_context(Cycles::new(self.bench.now), Address::ZERO);
        devices.attach(vec![Attachment { name: "target".into(), device: Box::new(target), wires }], &mut context);
    }

    fn heard(&self) -> Vec<u8> {
        let mut devices = self.bench.bus.peripherals.outside().devices();
        let (_, device) = devices.next().unwrap();
        device.as_any().downcast_ref::<Target>().unwrap().heard.clone()
    }

    fn send(&mut self, byte: u8) {
        self.bench.try_write(DR, Width::Byte, byte.into()).unwrap();
    }

    fn receive(&mut self) -> u8 {
        self.bench.try_read(DR, Width::Byte).unwrap() as u8
    }

    fn status(&mut self, flags: u32) -> u32 {
        self.bench.read(SR) & flags
    }

    /// The cycles of `bits` bits at PCLK / 8.
    fn bits(&self, bits: u64) -> u64 {
        bits * 8 * self.pclk
    }

    fn pass(&mut self, cycles: u64) {
        self.bench.pass(cycles);
    }

    /// All edges so far: cycle, pin of port A, level.
    fn edges(&mut self) -> Vec<(u64, u8, bool)> {
        let signals = self.bench.bus.shared.signals.drain();
        let edge = |(at, signal): (Cycles, Signal)| match signal {
            Signal::Pin { pin: Pin { port: 0, number }, high } => Some((at.get(), number, high)),
            _ => None,
        };
        signals.filter_map(edge).collect()
    }
}

/// Reads bits off the lines as a target does: `idle` and `late` are CPOL and CPHA, `data` the line with the bits. Gives each
/// bit with the cycle at which it was taken.
fn decode(edges: &[(u64, u8, bool)], idle: bool, late: bool, data: u8) -> Vec<(u64, bool)> {
    let (mut clock, mut level, mut bits) = (idle, false, Vec::new());
    for (at, pin, high) in edges {
        if *pin == data {
            level = *high;
        } else if *pin == SCK && *high != clock {
            clock = *high;
            let leading = clock != idle;
            if leading != late {
                bits.push((*at, level));
            }
        }
    }
    bits
}

fn byte(bits: &[(u64, bool)]) -> u8 {
    bits.iter().fold(0, |byte, (_, bit)| byte << 1 | u8::from(*bit))
}

#[test]
fn bytes_go_both_ways_in_all_modes() {
    for part in PARTS {
        for mode in 0..4 {
            let falling = mode == 1 || mode == 2;
            let mut board = Board::with(part, falling, &[0xC3, 0x5A, 0x01]);
            board.bench.write(CR1, CONTROLLER | mode);
            board.bench.write(CR1, CONTROLLER | mode | SPE);
            for (sent, received) in [(0x9F, 0xC3), (0x00, 0x5A), (0xA1, 0x01)] {
                assert_eq!(board.status(TXE | RXNE | BSY), TXE, "{part}, mode {mode}");
                board.send(sent);
                board.pass(board.bits(8) - 1);
                assert_eq!(board.status(TXE | RXNE | BSY), TXE | BSY, "{part}, mode {mode}");
                board.pass(1);
                assert_eq!(board.status(TXE | RXNE | BSY), TXE | RXNE, "{part}, mode {mode}");
                assert_eq!(board.receive(), received, "{part}, mode {mode}");
            }
            assert_eq!(board.heard(), [0x9F, 0x00, 0xA1], "{part}, mode {mode}");
            assert!(board.bench.gaps(GapKind::Setting).is_empty(), "{:?}", board.bench.gaps(GapKind::Setting));
        }
    }
}

#[test]
fn the_target_shows_its_bits_on_miso_and_lets_go_of_it_with_its_select() {
    for (part, mode) in PARTS.into_iter().flat_map(|part| (0..4).map(move |mode| (part, mode))) {
        let mut board = Board::with(part, mode == 1 || mode == 2, &[0xC1, 0x5E]);
        board.bench.write(CR1, CONTROLLER | mode);
        board.bench.write(CR1, CONTROLLER | mode | SPE);
        let before = board.edges();
        assert!(before.iter().any(|(_, pin, high)| *pin == MISO && *high), "{part}: from the select on");
        board.send(0);
        board.send(0);
        board.pass(board.bits(20));
        let mut edges = board.edges();
        edges.insert(0, (0, MISO, true));
        let bits = decode(&edges, mode & 2 != 0, mode & 1 != 0, MISO);
        assert_eq!(bits.len(), 16, "{part}, mode {mode}");
        assert_eq!([byte(&bits[..8]), byte(&bits[8..])], [0xC1, 0x5E], "{part}, mode {mode}");
        let mut board = Board::with(part, false, &[0xFF]);
        board.edges();
        board.bench.write(board.bsrr, 1 << CS);
        let edges: Vec<_> = board.edges().into_iter().map(|(_, pin, high)| (pin, high)).collect();
        assert_eq!(edges, [(CS, true), (MISO, false)], "{part}: a floating line reads low");
    }
}

#[test]
fn a_target_may_answer_inside_a_byte() {
    for part in PARTS {
        let mut board = Board::new(part);
        board.attach(Target { mirrors: true, ..Target::default() }, [SCK, MOSI, MISO, CS]);
        board.bench.write(board.bsrr, 1 << (CS + 16));
        board.bench.write(CR1, CONTROLLER | SPE);
        board.send(0xA0);
        board.pass(board.bits(8));
        assert_eq!(board.receive() & 0x0F, 0x0A, "{part}");
    }
}

#[test]
fn a_target_of_the_other_modes_is_complained_of() {
    let mut board = Board::with("f103", true, &[]);
    board.bench.write(CR1, CONTROLLER | SPE);
    board.send(1);
    board.pass(100);
    assert_eq!(board.bench.gaps(GapKind::Setting).len(), 1);
}

#[test]
fn an_unselected_target_hears_nothing_and_the_line_reads_low() {
    for part in PARTS {
        let mut board = Board::with(part, false, &[0xFF]);
        board.bench.write(board.bsrr, 1 << CS);
        board.bench.write(CR1, CONTROLLER | SPE);
        board.send(0x77);
        board.pass(board.bits(8));
        assert_eq!((board.receive(), board.heard()), (0, vec![]), "{part}");
    }
}

#[test]
fn the_edges_of_two_frames_are_those_of_the_bytes_at_each_prescaler() {
    for part in PARTS {
        for (mode, prescaler) in (0..4).flat_map(|mode| (0..8).map(move |prescaler| (mode, prescaler))) {
            let (idle, late) = (mode & 2 != 0, mode & 1 != 0);
            let mut board = Board::new(part);
            board.bench.write(CR1, CONTROLLER & !(7 << 3) | prescaler << 3 | mode);
            board.bench.write(CR1, CONTROLLER & !(7 << 3) | prescaler << 3 | mode | SPE);
            board.edges();
            let begin = board.bench.now;
            board.send(0xB2);
            board.send(0x4D);
            let half = board.pclk << prescaler;
            board.pass(40 * half);
            let edges = board.edges();
            let bits = decode(&edges, idle, late, MOSI);
            assert_eq!(bits.len(), 16, "{part}, mode {mode}: {edges:?}");
            assert_eq!([byte(&bits[..8]), byte(&bits[8..])], [0xB2, 0x4D], "{part}, mode {mode}");
            for (index, (at, _)) in bits.iter().enumerate() {
                // The first edge of SCK is that of the middle without CPHA, and the second one with it.
                assert_eq!(*at, begin + (2 * index as u64 + 1) * half, "{part}, mode {mode}, bit {index}");
            }
            let clocks: Vec<u64> = edges.iter().filter(|(_, pin, _)| *pin == SCK).map(|(at, ..)| *at).collect();
            assert_eq!(clocks.len(), 32, "{part}, mode {mode}");
            assert_eq!(clocks[31] - clocks[0], 31 * half, "no gap between the frames");
        }
    }
}

#[test]
fn frames_follow_each_other_while_the_buffer_is_full_and_interrupts_tell_when() {
    for part in PARTS {
        let mut board = Board::with(part, false, &[1, 2, 3]);
        board.bench.write(CR1, CONTROLLER | SPE);
        board.bench.write(CR2, board.cr2 | 1 << 6);
        let begin = board.bench.now;
        board.send(0x10);
        board.send(0x20);
        if part != "c031" {
            assert_eq!(board.status(TXE), 0, "one frame waits");
        }
        let line = board.line;
        for frame in 1..=2 {
            assert_eq!(board.bench.until_line(line, 10_000), Some(begin + board.bits(8 * frame)), "{part}");
            assert_eq!(board.status(BSY) != 0, frame == 1, "{part}");
            assert_eq!(board.receive(), frame as u8, "{part}");
            assert!(!board.bench.bus.shared.interrupts.is_high(line), "a read of DR clears RXNE");
        }
        board.bench.write(CR2, board.cr2 | 1 << 7);
        assert!(board.bench.bus.shared.interrupts.is_high(line), "{part}: TXE");
    }
}

#[test]
fn what_nobody_reads_is_kept_and_what_comes_after_it_is_lost() {
    for part in PARTS {
        let mut board = Board::with(part, false, &[1, 2, 3, 4, 5, 6]);
        board.bench.write(CR1, CONTROLLER | SPE);
        board.bench.write(CR2, board.cr2 | 1 << 5);
        let room = if part == "c031" { 4 } else { 1 };
        for frame in 1..=room {
            board.send(frame);
            board.pass(board.bits(8));
            assert_eq!(board.status(OVR | RXNE), RXNE, "{part}");
        }
        board.send(9);
        let line = board.line;
        assert_eq!(board.bench.until_line(line, 10_000), Some(board.bench.now), "{part}");
        assert_eq!(board.status(OVR | RXNE), OVR | RXNE, "{part}");
        assert_eq!(board.status(OVR), OVR, "{part}: a read of SR alone changes nothing");
        assert_eq!(board.receive(), 1, "{part}");
        assert_eq!(board.status(OVR), OVR, "{part}: the read that clears it still shows it");
        assert_eq!(board.status(OVR), 0, "{part}");
        assert!(!board.bench.bus.shared.interrupts.is_high(line), "{part}");
    }
}

#[test]
fn the_lowest_bit_goes_first_and_frames_have_sixteen_bits_where_asked() {
    for part in PARTS {
        let mut board = Board::with(part, false, &[0x80, 0x01, 0xAB, 0xCD]);
        board.bench.write(CR1, CONTROLLER | LSBFIRST | SPE);
        board.send(0x01);
        board.pass(board.bits(8));
        assert_eq!((board.receive(), board.heard()), (0x01, vec![0x80]), "{part}");
        board.bench.write(CR1, CONTROLLER);
        let (wide, cr2) = if part == "c031" { (0, 0x0F00) } else { (1 << 11, 0) };
        board.bench.write(CR2, cr2);
        board.bench.write(CR1, CONTROLLER | wide | SPE);
        board.bench.try_write(DR, Width::Half, 0x1234).unwrap();
        board.pass(board.bits(16) - 1);
        assert_eq!(board.status(RXNE), 0, "{part}");
        board.pass(1);
        assert_eq!(board.status(RXNE), RXNE, "{part}");
        assert_eq!(board.bench.try_read(DR, Width::Half), Ok(0x01AB), "{part}");
        assert_eq!(board.heard()[1..], [0x12, 0x34], "{part}");
    }
}

#[test]
fn dma_moves_a_message_both_ways_without_a_gap() {
    const COUNT: u32 = 8;
    for part in PARTS {
        let answer: Vec<u8> = (0x41..0x41 + COUNT as u8).collect();
        let mut board = Board::with(part, false, &answer);
        let bench = &mut board.bench;
        bench.write(RAM, 0x0403_0201);
        bench.write(RAM + 4, 0x0807_0605);
        let (out, back) = (RAM, RAM + 0x100);
        match part {
            "f446" => {
                const DMA2: u32 = 0x4002_6400;
                for (stream, memory, direction) in [(2, back, 0), (3, out, 1 << 6)] {
                    let base = DMA2 + 0x10 + 0x18 * stream;
                    bench.write(base + 4, COUNT);
                    bench.write(base + 8, DR);
                    bench.write(base + 12, memory);
                    bench.write(base, 3 << 25 | 1 << 10 | direction | 1);
                }
            }
            _ => {
                if part == "c031" {
                    bench.write(0x4002_0804, 16);
                    bench.write(0x4002_0808, 17);
                }
                for (channel, memory, direction) in [(2, back, 0), (3, out, 1 << 4)] {
                    let base = 0x4002_0008 + 0x14 * (channel - 1);
                    bench.write(base + 4, COUNT);
                    bench.write(base + 8, DR);
                    bench.write(base + 12, memory);
                    bench.write(base, 1 << 7 | direction | 1);
                }
            }
        }
        board.bench.write(CR2, board.cr2 | 1);
        board.bench.write(CR1, CONTROLLER | SPE);
        board.edges();
        board.bench.write(CR2, board.cr2 | 3);
        board.pass(board.bits(8 * u64::from(COUNT)) + 100);
        assert_eq!(board.heard(), [1, 2, 3, 4, 5, 6, 7, 8], "{part}");
        assert_eq!(board.bench.read(back), 0x4443_4241, "{part}");
        assert_eq!(board.bench.read(back + 4), 0x4847_4645, "{part}");
        assert_eq!(board.status(OVR | BSY), 0, "{part}");
        let edges = board.edges();
        let clocks: Vec<u64> = edges.iter().filter(|(_, pin, _)| *pin == SCK).map(|(at, ..)| *at).collect();
        assert_eq!(clocks.len(), 128, "{part}");
        assert_eq!(clocks[127] - clocks[0], board.bits(64) - 4 * board.pclk, "{part}: no gap");
    }
}

#[test]
fn clocks_run_on_their_own_where_the_controller_only_receives() {
    for part in PARTS {
        let mut board = Board::with(part, false, &[7, 8, 9, 10]);
        board.edges();
        let begin = board.bench.now;
        board.bench.write(CR1, CONTROLLER | RXONLY | SPE);
        for frame in 1..=2u64 {
            board.pass(begin + board.bits(8 * frame) - board.bench.now);
            assert_eq!(board.receive(), 6 + frame as u8, "{part}");
        }
        board.pass(board.bits(2));
        board.bench.write(CR1, CONTROLLER | RXONLY);
        board.pass(board.bits(20));
        assert_eq!(board.receive(), 9, "{part}: the frame under way comes to its end");
        let edges = board.edges();
        assert_eq!(edges.iter().filter(|(_, pin, _)| *pin == SCK).count(), 48, "{part}: three frames");
        assert_eq!(edges.iter().filter(|(_, pin, _)| *pin == MOSI).count(), 0, "{part}");
        assert_eq!(board.status(BSY), 0, "{part}");
    }
}

#[test]
fn one_line_carries_both_directions_in_turn() {
    for part in PARTS {
        let mut board = Board::new(part);
        // The target's data comes over the line that it listens to.
        board.attach(Target { sends: [0, 0x3C, 0x3D].into(), ..Target::default() }, [SCK, MOSI, MOSI, CS]);
        board.bench.write(board.bsrr, 1 << (CS + 16));
        board.bench.write(CR1, CONTROLLER | BIDIMODE | BIDIOE | SPE);
        board.send(0x8F);
        board.pass(board.bits(8));
        assert_eq!(board.status(RXNE | BSY), 0, "{part}: nothing is received");
        assert_eq!(board.heard(), [0x8F], "{part}");
        board.bench.write(CR1, CONTROLLER | BIDIMODE | BIDIOE);
        board.bench.write(CR1, CONTROLLER | BIDIMODE | SPE);
        board.pass(board.bits(4));
        assert_eq!(board.status(BSY) != 0, part == "c031", "{part}");
        board.pass(board.bits(4));
        assert_eq!(board.receive(), 0x3C, "{part}");
        board.bench.write(CR1, CONTROLLER | BIDIMODE);
        board.pass(board.bits(20));
        assert_eq!(board.receive(), 0x3D, "{part}");
    }
}

/// CRC-8 with the polynomial 7, from 0 on.
fn crc8(bytes: &[u8]) -> u8 {
    bytes
        .iter()
        .fold(0, |sum, byte| (0..8).fold(sum ^ byte, |sum, _| if sum & 0x80 != 0 { (sum << 1) ^ 7 } else { sum << 1 }))
}

#[test]
fn a_crc_follows_the_last_byte_and_a_wrong_one_is_noticed() {
    assert_eq!(crc8(b"123456789"), 0xF4, "the check value of CRC-8");
    for (part, right) in PARTS.into_iter().flat_map(|part| [(part, true), (part, false)]) {
        let answers = [0x55, 0xAA];
        let last = crc8(&answers) ^ u8::from(!right);
        let mut board = Board::with(part, false, &[0x55, 0xAA, last, 0x11]);
        assert_eq!(board.bench.read(CRCPR), 7);
        board.bench.write(CR1, CONTROLLER | CRCEN | SPE);
        board.send(0x31);
        board.send(0x32);
        board.bench.write(CR1, CONTROLLER | CRCEN | CRCNEXT | SPE);
        for received in [0x55, 0xAA, last] {
            board.pass(board.bits(8));
            assert_eq!(board.receive(), received, "{part}");
        }
        assert_eq!(board.heard(), [0x31, 0x32, crc8(&[0x31, 0x32])], "{part}");
        assert_eq!(board.bench.read(TXCRCR), u32::from(crc8(&[0x31, 0x32])), "{part}");
        assert_eq!(board.bench.read(RXCRCR), u32::from(crc8(&answers)), "{part}");
        assert_eq!(board.status(CRCERR | BSY), if right { 0 } else { CRCERR }, "{part}");
        board.bench.write(SR, 0);
        assert_eq!(board.status(CRCERR), 0, "{part}");
    }
}

#[test]
fn the_pin_nss_is_low_while_the_controller_is_on() {
    for part in PARTS {
        let mut board = Board::new(part);
        if part == "f103" {
            board.bench.write(0x4001_0800, 0xB4BB_3444);
        }
        // A resistor of the board pulls it up.
        board.bench.set_pin(1, 0, 4, Some(true));
        board.pass(10);
        board.edges();
        board.bench.write(CR2, board.cr2 | 1 << 2);
        board.bench.write(CR1, MSTR | 3 << 3 | 2);
        board.pass(10);
        let before = board.edges();
        assert!(before.iter().all(|(_, pin, _)| *pin != 4), "{part}: {before:?}");
        // CPOL: the clock is idle high from the moment on at which it is driven.
        board.bench.write(CR1, MSTR | 3 << 3 | 2 | SPE);
        board.pass(10);
        let edges: Vec<_> = board.edges().into_iter().map(|(_, pin, high)| (pin, high)).collect();
        assert_eq!(edges, [(SCK, true), (4, false)], "{part}");
        assert_eq!(board.status(MODF), 0, "{part}");
        board.bench.write(CR1, MSTR | 3 << 3 | 2);
        let edges: Vec<_> = board.edges().into_iter().map(|(_, pin, high)| (pin, high)).collect();
        assert_eq!(edges, [(SCK, false), (4, true)], "{part}: it lets the lines go");
    }
}

#[test]
fn another_controller_at_nss_ends_this_ones_time() {
    for part in PARTS {
        let mut board = Board::new(part);
        board.bench.write(CR2, board.cr2 | 1 << 5);
        board.bench.set_pin(1, 0, 4, Some(true));
        board.pass(10);
        board.bench.write(CR1, MSTR | 2 << 3 | SPE);
        board.send(0x55);
        board.bench.set_pin(5, 0, 4, Some(false));
        let began = board.bench.now;
        let line = board.line;
        assert_eq!(board.bench.until_line(line, 1000), Some(began + 5), "{part}");
        assert_eq!(board.bench.read(CR1) & (SPE | MSTR), 0, "{part}");
        board.bench.write(CR1, CONTROLLER | SPE);
        assert_eq!(board.bench.read(CR1) & (SPE | MSTR), 0, "{part}: SR was not read");
        assert_eq!(board.status(MODF | BSY), MODF, "{part}");
        board.bench.write(CR1, CONTROLLER | SPE);
        assert_eq!(board.status(MODF), 0, "{part}");
        assert_eq!(board.bench.read(CR1) & (SPE | MSTR), SPE | MSTR, "{part}");
        board.bench.write(CR1, CONTROLLER & !SSI | SPE);
        assert_eq!(board.status(MODF), MODF, "{part}: in software");
    }
}

#[test]
fn frames_have_four_to_sixteen_bits_on_c031_and_a_half_word_is_two_small_ones() {
    for bits in 4..=16u32 {
        let mut board = Board::new("c031");
        board.bench.write(CR2, (bits - 1) << 8 | 1 << 12);
        board.bench.write(CR1, CONTROLLER | SPE);
        board.edges();
        let begin = board.bench.now;
        let (data, frames) = if bits > 8 { (0x5A5A, 1) } else { (0x0A05, 2) };
        board.bench.try_write(DR, Width::Half, data).unwrap();
        board.pass(1000);
        let edges = board.edges();
        let got = decode(&edges, false, false, MOSI);
        assert_eq!(got.len() as u32, bits * frames, "{bits} bits");
        let value = got.iter().fold(0u32, |value, (_, bit)| value << 1 | u32::from(*bit));
        let expected = if bits > 8 { 0x5A5A & ((1 << bits) - 1) } else { 0x05 << bits | 0x0A };
        assert_eq!(value, expected, "{bits} bits");
        let last = edges.iter().rfind(|(_, pin, _)| *pin == SCK).unwrap().0;
        assert_eq!(last - begin, board.bits(u64::from(bits * frames)), "{bits} bits");
        // FRLVL: two bytes are half of the FIFO.
        assert_eq!(board.bench.read(SR) >> 9 & 3, 2, "{bits} bits");
    }
}

#[test]
fn the_fifos_of_c031_show_their_levels_and_rxne_its_threshold() {
    let mut board = Board::with("c031", false, &[1, 2, 3, 4]);
    board.bench.write(CR2, 0x0700);
    board.bench.write(CR1, CONTROLLER);
    let mut levels = vec![board.bench.read(SR) >> 11 & 3];
    for byte in 0..5 {
        board.send(byte);
        levels.push(board.bench.read(SR) >> 11 & 3);
    }
    assert_eq!(levels, [0, 1, 2, 3, 3, 3], "the fifth is lost");
    assert_eq!(board.status(TXE), 0);
    board.bench.write(CR1, CONTROLLER | SPE);
    let mut seen = Vec::new();
    for _ in 0..4 {
        board.pass(board.bits(8));
        seen.push((board.bench.read(SR) >> 9 & 3, board.status(RXNE)));
    }
    assert_eq!(seen, [(1, 0), (2, RXNE), (2, RXNE), (3, RXNE)], "RXNE from two bytes on");
    assert_eq!(board.bench.try_read(DR, Width::Half), Ok(0x0201));
    assert_eq!(board.receive(), 3);
    assert_eq!(board.status(RXNE), 0);
    board.bench.write(CR2, 0x1700);
    assert_eq!(board.status(RXNE), RXNE, "FRXTH: from one byte on");
    assert_eq!(board.heard(), [0, 1, 2, 3]);
}

#[test]
fn nss_pulses_between_frames_where_c031_is_asked_to() {
    let mut board = Board::new("c031");
    board.bench.write(CR2, 0x1700 | 1 << 2 | 1 << 3);
    board.bench.write(CR1, MSTR | 2 << 3 | SPE);
    board.pass(10);
    board.edges();
    let begin = board.bench.now;
    board.send(0);
    board.send(0);
    board.pass(1000);
    let pulses: Vec<_> = { board.edges().into_iter() }.filter(|(_, pin, _)| *pin == 4).collect();
    let at = |bits| begin + board.bits(bits);
    assert_eq!(pulses, [(at(0), 4, false), (at(8), 4, true), (at(9), 4, false), (at(17), 4, true)]);
}

#[test]
fn a_clock_change_inside_a_frame_stretches_the_rest() {
    let mut board = Board::with("c031", false, &[]);
    board.bench.write(CR2, 0x1700 | 1 << 6);
    board.bench.write(CR1, CONTROLLER | SPE);
    let begin = board.bench.now;
    board.send(1);
    board.pass(24);
    board.bench.write(crate::bench::RCC_CFGR, 4 << 12);
    let line = board.line;
    assert_eq!(board.bench.until_line(line, 10_000), Some(begin + 24 + (64 - 24) * 2), "PCLK is half of HCLK");
}

#[test]
fn observers_see_frames_and_what_is_not_modelled_is_named() {
    let mut board = Board::with("f446", false, &[0x42]);
    board.bench.write(CR1, CONTROLLER | SPE);
    board.send(0x9F);
    board.pass(1000);
    let frames: Vec<_> = { board.bench.bus.shared.signals.drain() }
        .filter_map(|(_, signal)| match signal {
            Signal::Transfer { line, transfer } => Some((line, transfer)),
            _ => None,
        })
        .collect();
    let frame = Transfer::SpiFrame { sent: 0x9F, received: 0x42, bits: 8 };
    assert_eq!(frames, [(Line::Peripheral("SPI1"), frame)]);
    board.bench.write(CR1, 0);
    board.bench.write(CR2, 1 << 4);
    board.bench.write(CR1, SSM | SPE);
    let gaps: Vec<&str> = board.bench.gaps(GapKind::RegisterWrite);
    assert_eq!(gaps, ["SPI1_CR2.FRF"]);
    assert_eq!(board.bench.gaps(GapKind::Setting), ["SPI1 is a target (SPE without MSTR)"]);
}
