//! SPI of STM32F103, F446 and C031 (RM0008, RM0390, RM0490, "Serial peripheral interface"), with devices on its pins.

use std::any::Any;
use std::collections::VecDeque;

use cyclescope_chips::MemorySetting;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{
    Attached, Attachment, Contact, GapKind, Line, Pin, Signal, SignalKind, Transfer, Width, Wire,
};

use crate::bench::Bench;
use crate::{f103_clocks, f446_clocks};

mod controller;
mod edges;
mod target;
mod variants;

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

    /// The resistor of MISO pulls up.
    fn pull_up(&mut self) {
        match self.bsrr {
            0x4001_0810 => {
                self.bench.write(self.bsrr, 1 << MISO);
                self.bench.write(0x4001_0800, 0xB8B4_3444);
            }
            bsrr => self.bench.write(bsrr - 0x0C, 1 << (2 * MISO)),
        }
    }

    /// Hangs devices on the part, by text.
    fn hang(&mut self, devices: &[&str]) {
        self.bench.attach(devices);
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

/// CRC-8 with the polynomial 7, from 0 on.
fn crc8(bytes: &[u8]) -> u8 {
    bytes
        .iter()
        .fold(0, |sum, byte| (0..8).fold(sum ^ byte, |sum, _| if sum & 0x80 != 0 { (sum << 1) ^ 7 } else { sum << 1 }))
}
