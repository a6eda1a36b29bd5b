//! I2C of both versions against a target that keeps what it hears, and a decoder that only sees the two lines.

use std::any::Any;
use std::collections::VecDeque;

use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_machine::{
    Attached, Attachment, Contact, GapKind, I2cAddress, Pin, Signal, SignalKind, Transfer, Width, Wire,
};

use crate::bench::Bench;
use crate::{f103_clocks, f446_clocks, k20_clocks};

mod hostile;
mod joined;
mod k20;
mod shared;
mod target_v1;
mod target_v2;
mod v1;
mod v2;

const I2C1: u32 = 0x4000_5400;
const CR1: u32 = I2C1;
const CR2: u32 = I2C1 + 0x04;
const RAM: u32 = 0x2000_0000;

/// Keeps what it hears, and sends what it is told to.
#[derive(Clone, Debug)]
struct Target {
    address: I2cAddress,
    heard: Vec<String>,
    sends: VecDeque<u8>,
    /// The time for which it holds SCL before each acknowledgement and before each byte that it sends.
    stretch: Picoseconds,
}

impl Target {
    fn new() -> Self {
        let (address, stretch) = (I2cAddress::Seven(0x3C), Picoseconds::ZERO);
        Self { address, heard: Vec::new(), sends: [0xA5, 0x01, 0x7F, 0x80, 0x55].into(), stretch }
    }
}

impl Attached for Target {
    fn pins(&self) -> &'static [&'static str] {
        &["scl", "sda"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn i2c_start(&mut self, address: I2cAddress, read: bool, contact: &mut Contact<'_>) -> bool {
        let mine = address == self.address;
        if mine {
            self.heard.push(if read { "from" } else { "to" }.into());
            contact.stretch(self.stretch);
        }
        mine
    }

    fn i2c_header(&mut self, high: u8, _: &mut Contact<'_>) -> bool {
        matches!(self.address, I2cAddress::Ten(address) if address >> 8 == u16::from(high))
    }

    fn i2c_write(&mut self, byte: u8, contact: &mut Contact<'_>) -> bool {
        self.heard.push(format!("{byte:02x}"));
        contact.stretch(self.stretch);
        byte != 0xEE
    }

    fn i2c_read(&mut self, contact: &mut Contact<'_>) -> u8 {
        contact.stretch(self.stretch);
        self.sends.pop_front().unwrap_or(0xFF)
    }

    fn i2c_stop(&mut self, _: &mut Contact<'_>) {
        self.heard.push("stop".into());
    }
}

/// A part whose I2C1 is on PB6 (SCL) and PB7 (SDA), with a target.
#[derive(Clone)]
struct Bus {
    bench: Bench,
    /// The edges since the beginning: cycle, true for SCL, level.
    edges: Vec<(u64, bool, bool)>,
    transfers: Vec<Transfer>,
}

impl Bus {
    /// The part without a device.
    fn bare(part: &str) -> Self {
        let bench = match part {
            "stm32f103c8" => {
                let mut bench = f103_clocks::fast(cyclescope_chips::MemorySetting::Equal);
                bench.write(0x4001_0C00, 0xFF44_4444);
                bench
            }
            "mk20dx256" => {
                let mut bench = k20_clocks::fast(cyclescope_chips::MemorySetting::Equal);
                bench.write(0x4004_8034, 0xF010_1CF0);
                // PTB0 and PTB1: open drain, alternative 2.
                bench.write(0x4004_A000, 2 << 8 | 1 << 5);
                bench.write(0x4004_A004, 2 << 8 | 1 << 5);
                bench
            }
            "stm32f446ze" => {
                let mut bench = f446_clocks::fast();
                open_drain(&mut bench, 0x4002_0400, 4);
                bench
            }
            _ => {
                let mut bench = Bench::fast();
                open_drain(&mut bench, 0x5000_0400, 6);
                bench
            }
        };
        Self { bench, edges: Vec::new(), transfers: Vec::new() }
    }

    fn new(part: &str, target: Target) -> Self {
        let mut bus = Self::bare(part);
        bus.bench.bus.shared.signals.want(SignalKind::Transfer);
        let wires = [6, 7].map(|number| Some(Wire::Pin(Pin { port: 1, number }))).to_vec();
        let (devices, mut context) = bus.bench.bus.with_context(Cycles::new(bus.bench.now), Address::ZERO);
        devices.attach(vec![Attachment { name: "target".into(), device: Box::new(target), wires }], &mut context);
        // The pull-ups' rise is no part of any transfer.
        bus.look();
        bus.edges.clear();
        bus
    }

    fn write(&mut self, register: u32, value: u32) {
        self.bench.write(register, value);
    }

    fn read(&mut self, register: u32) -> u32 {
        self.bench.read(register)
    }

    /// Lets time pass, event by event, until `flag` of `register` is set; gives the cycle.
    fn until(&mut self, register: u32, flag: u32) -> u64 {
        self.until_is(register, flag, flag)
    }

    fn until_is(&mut self, register: u32, flags: u32, value: u32) -> u64 {
        let end = self.bench.now + 10_000_000;
        while self.bench.read(register) & flags != value {
            let next = self.bench.bus.shared.events.next_at().get();
            assert!(next < end, "{flags:#x} of {register:#x} stay {:#x}", self.bench.read(register) & flags);
            let now = self.bench.now;
            self.bench.pass(next.saturating_sub(now));
        }
        self.bench.now
    }

    fn line(&mut self, line: usize) -> u64 {
        self.bench.until_line(line, 10_000_000).expect("the line rises")
    }

    fn heard(&self) -> Vec<String> {
        let (_, device) = self.bench.bus.peripherals.outside().devices().next().unwrap();
        device.as_any().downcast_ref::<Target>().unwrap().heard.clone()
    }

    /// Reads the two lines: `S` and `P`, bytes with `+` or `-` for the acknowledgement.
    fn decoded(&mut self) -> String {
        self.look();
        decode(&self.edges)
    }

    /// Takes what observers have seen so far.
    fn look(&mut self) {
        let signals: Vec<_> = self.bench.bus.shared.signals.drain().collect();
        for (at, signal) in signals {
            match signal {
                Signal::Pin { pin: Pin { port: 1, number: number @ (6 | 7) }, high } => {
                    self.edges.push((at.get(), number == 6, high));
                }
                Signal::Transfer { transfer, .. } => self.transfers.push(transfer),
                _ => {}
            }
        }
    }

    /// The same from the transfers.
    fn told(&mut self) -> String {
        self.look();
        let sign = |acknowledged| if acknowledged { '+' } else { '-' };
        let words = self.transfers.iter().map(|transfer| match transfer {
            Transfer::I2cStart { address: I2cAddress::Seven(address), read, acknowledged } => {
                format!("S {:02x}{}", address << 1 | u8::from(*read), sign(*acknowledged))
            }
            Transfer::I2cByte { byte, acknowledged } => format!("{byte:02x}{}", sign(*acknowledged)),
            Transfer::I2cStop => "P".into(),
            other => format!("{other:?}"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// The edges of SCL: cycles and levels.
    fn clock(&mut self) -> Vec<(u64, bool)> {
        self.look();
        self.edges.iter().filter(|(_, clock, _)| *clock).map(|(at, _, high)| (*at, *high)).collect()
    }
}

fn open_drain(bench: &mut Bench, port: u32, function: u32) {
    let moder = bench.read(port);
    bench.write(port + 0x20, function << 24 | function << 28);
    bench.write(port + 0x04, 3 << 6);
    bench.write(port, moder & !(0xF << 12) | 0xA << 12);
}

/// Reads the lines as UM10204 has it, knowing nothing of the block.
pub fn decode(edges: &[(u64, bool, bool)]) -> String {
    let (mut scl, mut sda, mut bits, mut words) = (true, true, Vec::new(), Vec::new());
    let mut last = 0;
    for &(at, clock, high) in edges {
        assert!(at >= last, "edges come in order");
        last = at;
        if clock {
            scl = high;
            if scl {
                bits.push(sda);
            }
            if !scl && bits.len() == 9 {
                let byte = bits.iter().take(8).fold(0, |byte, bit| byte << 1 | u32::from(*bit));
                words.push(format!("{byte:02x}{}", if bits[8] { '-' } else { '+' }));
                bits.clear();
            }
        } else {
            sda = high;
            if scl {
                // The clock pulse of a condition is no bit.
                assert!(bits.len() < 2, "SDA changes while SCL is high at {at}");
                bits.clear();
                words.push(if high { "P".into() } else { "S".into() });
            }
        }
    }
    words.join(" ")
}
