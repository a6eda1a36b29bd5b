//! The converters: cycles, sequences, results, and the ring that the DMA fills.

mod c0;
mod comp;
mod dac;
mod dac_versions;
mod f1;
mod g0;
mod hostile;
mod random;
mod triggers;
mod v2;
mod v3;

use cyclescope_chips::Stimulus;
use cyclescope_machine::{Line, Pin, Signal, SignalKind, Transfer, Voltage};

use crate::bench::Bench;

pub const RAM: u32 = 0x2000_0000;
pub const SR: u32 = 0x00;
pub const CR1: u32 = 0x04;
pub const CR2: u32 = 0x08;
pub const SMPR2: u32 = 0x10;
pub const JOFR1: u32 = 0x14;
pub const HTR: u32 = 0x24;
pub const LTR: u32 = 0x28;
pub const SQR1: u32 = 0x2C;
pub const SQR3: u32 = 0x34;
pub const JSQR: u32 = 0x38;
pub const JDR1: u32 = 0x3C;
pub const DR: u32 = 0x4C;

pub const AWD: u32 = 1;
pub const EOC: u32 = 2;
pub const JEOC: u32 = 4;
pub const JSTRT: u32 = 8;
pub const STRT: u32 = 16;
pub const OVR: u32 = 32;

/// The pin `number` of port A has this voltage from now on.
pub fn apply(bench: &mut Bench, number: u8, voltage: Voltage) {
    bench.stimulate(0, Stimulus::Voltage { pin: Pin { port: 0, number }, voltage: Some(voltage) });
    bench.pass(0);
}

/// Pins 0 to 7 of port A have voltages whose results, of 12 bits, are 100, 200 and so on.
pub fn steps(bench: &mut Bench) {
    for number in 0..8 {
        apply(bench, number, Voltage::Constant(millivolts(100 * (i32::from(number) + 1))));
    }
}

/// The voltage, in microvolts, in the middle of a result of 12 bits.
pub fn millivolts(code: i32) -> i32 {
    (i64::from(code) * 3_300_000 / 4_096) as i32
}

/// A conversion that observers saw: cycle, converter, channel, result.
pub type Seen = (u64, &'static str, u8, u16);

/// The conversions since the last call.
pub fn conversions(bench: &mut Bench) -> Vec<Seen> {
    let signals: Vec<_> = bench.bus.shared.signals.drain().collect();
    signals
        .into_iter()
        .filter_map(|(at, signal)| match signal {
            Signal::Transfer { line: Line::Peripheral(name), transfer: Transfer::Conversion { channel, value } } => {
                Some((at.get(), name, channel, value))
            }
            _ => None,
        })
        .collect()
}

pub fn watch(bench: &mut Bench) {
    bench.bus.shared.signals.want(SignalKind::Transfer);
}

/// Switches the converters of F1 or F4 on by `cr2`, stable after `cycles`, with voltages to convert and an observer.
fn switch_on(bench: &mut Bench, converters: &[u32], cr2: u32, cycles: u64) {
    for adc in converters {
        bench.write(adc + CR2, cr2);
    }
    bench.pass(cycles);
    steps(bench);
    watch(bench);
}

/// Starts a converter of F1 or F4 by its bit SWSTART; the cycle.
fn start(bench: &mut Bench, swstart: u32, adc: u32) -> u64 {
    let cr2 = bench.read(adc + CR2);
    bench.write(adc + CR2, cr2 | swstart);
    bench.now
}

/// The generator of Marsaglia 2003 (xorshift64).
struct Random(u64);

impl Random {
    fn of(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % count
    }
}

/// Lets time pass until `flag` is set in the register; the cycle.
pub fn until(bench: &mut Bench, register: u32, flag: u32) -> u64 {
    for _ in 0..200_000 {
        if bench.read(register) & flag != 0 {
            return bench.now;
        }
        bench.pass(1);
    }
    panic!("{register:#x} never shows {flag:#x}");
}
