//! Two peripherals of one part on one bus, and several controllers: no byte is lost, whoever wins.

use super::shared::Shared;
use super::*;

const I2C2: u32 = 0x4000_5800;
const SR1: u32 = 0x14;
const SR2: u32 = 0x18;
const DR: u32 = 0x10;
const PE: u32 = 1;
const START: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const ACK: u32 = 1 << 10;
const SB: u32 = 1;
const ADDR: u32 = 2;
const BTF: u32 = 4;
const STOPF: u32 = 1 << 4;
const RXNE: u32 = 1 << 6;
const TXE: u32 = 1 << 7;
const ARLO: u32 = 1 << 9;
const AF: u32 = 1 << 10;
const TRA: u32 = 4;

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % count
    }
}

/// An F103 whose I2C1 and I2C2 are connected by two wires, with a pull-up.
fn joined(more: &[&str]) -> Shared {
    let devices = ["loopback:name=scl@a=PB6,b=PB10", "loopback:name=sda@a=PB7,b=PB11", "eeprom:24c32@scl=PB6,sda=PB7"];
    let mut bus = Shared::new("stm32f103c8", &[&devices, more].concat());
    bus.write(0x4001_0C04, 0x4444_FF44);
    for i2c in [I2C1, I2C2] {
        bus.write(i2c + 0x04, 36);
        bus.write(i2c + 0x1C, 180);
        bus.write(i2c + 0x20, 37);
    }
    bus.write(I2C2 + 0x08, 0x4000 | 0x84);
    bus.write(I2C1, PE | ACK);
    bus.write(I2C2, PE | ACK);
    bus
}

/// A program that writes `bytes` to 0x42 as I2C1; `true` when it has done so, or was refused.
struct Writer {
    address: u8,
    bytes: Vec<u8>,
    at: usize,
    begun: bool,
    lost: u32,
    refused: bool,
}

impl Writer {
    fn new(address: u8, bytes: &[u8]) -> Self {
        Self { address, bytes: bytes.to_vec(), at: 0, begun: false, lost: 0, refused: false }
    }

    fn step(&mut self, bench: &mut Bench) -> bool {
        if !self.begun {
            self.begun = true;
            bench.write(I2C1, PE | ACK | START);
        }
        let sr1 = bench.read(I2C1 + SR1);
        if sr1 & ARLO != 0 {
            bench.write(I2C1 + SR1, !ARLO);
            (self.begun, self.at) = (false, 0);
            self.lost += 1;
        } else if sr1 & AF != 0 {
            bench.write(I2C1 + SR1, !AF);
            bench.write(I2C1, PE | ACK | STOP);
            self.refused = true;
            return true;
        } else if sr1 & SB != 0 {
            bench.write(I2C1 + DR, u32::from(self.address) << 1);
        } else if sr1 & ADDR != 0 {
            bench.read(I2C1 + SR2);
        } else if sr1 & TXE != 0 && self.at < self.bytes.len() {
            bench.write(I2C1 + DR, self.bytes[self.at].into());
            self.at += 1;
        } else if sr1 & BTF != 0 {
            bench.write(I2C1, PE | ACK | STOP);
            return true;
        }
        false
    }
}

/// A program that takes bytes as the target I2C2, and sends what `sends` says.
#[derive(Default)]
struct Target2 {
    got: Vec<Vec<u8>>,
    now: Vec<u8>,
    sends: VecDeque<u8>,
}

impl Target2 {
    fn step(&mut self, bench: &mut Bench) {
        let sr1 = bench.read(I2C2 + SR1);
        if sr1 & ADDR != 0 {
            bench.read(I2C2 + SR2);
        }
        if sr1 & RXNE != 0 {
            self.now.push(bench.read(I2C2 + DR) as u8);
        }
        if sr1 & TXE != 0 && bench.read(I2C2 + SR2) & TRA != 0 {
            bench.write(I2C2 + DR, self.sends.pop_front().unwrap_or(0xEE).into());
        }
        if sr1 & STOPF != 0 {
            bench.write(I2C2, PE | ACK);
            self.got.push(std::mem::take(&mut self.now));
        }
        bench.write(I2C2 + SR1, !(sr1 & AF));
    }
}

#[test]
fn what_i2c1_writes_i2c2_takes_however_slow_both_programs_are() {
    for seed in 1..=24u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut bus = joined(&[]);
        let mut target = Target2::default();
        let mut expected = Vec::new();
        for _ in 0..3 {
            let bytes: Vec<u8> = (0..1 + random.below(6)).map(|_| random.below(256) as u8).collect();
            let mut writer = Writer::new(0x42, &bytes);
            expected.push(bytes);
            let wanted = expected.len();
            let mut written = false;
            bus.run(|bench| {
                if !written && random.below(4) == 0 {
                    written = writer.step(bench);
                }
                if random.below(8) == 0 {
                    target.step(bench);
                }
                target.got.len() == wanted
            });
            bus.pass(1_000);
        }
        assert_eq!(target.got, expected, "seed {seed}");
        let words = |bytes: &Vec<u8>| bytes.iter().map(|byte| format!(" {byte:02x}+")).collect::<String>();
        let lines = expected.iter().map(|bytes| format!("S 84+{} P", words(bytes))).collect::<Vec<_>>().join(" ");
        assert_eq!(bus.decoded(), lines, "seed {seed}");
    }
}

#[test]
fn several_controllers_with_arbitration_lose_no_transfer() {
    let mut lost = 0;
    for seed in 1..=24u64 {
        let mut random = Random(seed.wrapping_mul(0xD134_2543_DE82_EF95));
        let mut bus =
            joined(&["i2c-controller:name=a@scl=PB10,sda=PB11", "i2c-controller:name=b,clock=400kHz@scl=PB6,sda=PB7"]);
        let mut target = Target2::default();
        let mut expected = Vec::new();
        let mut writer = Writer::new(0x42, &[0xC0, seed as u8]);
        expected.push(writer.bytes.clone());
        // All begin at the same time, or nearly.
        for name in ["a", "b"] {
            let bytes: Vec<u8> = (0..1 + random.below(4)).map(|_| random.below(256) as u8).collect();
            let words: String = bytes.iter().map(|byte| format!(" {byte:02x}")).collect();
            bus.bench.pass(random.below(200));
            bus.command(name, &format!("write 0x42{words}"));
            expected.push(bytes);
        }
        let mut written = false;
        bus.run(|bench| {
            written = written || writer.step(bench);
            target.step(bench);
            target.got.len() == 3
        });
        assert!(written && !writer.refused);
        lost += writer.lost;
        lost += ["a", "b"].iter().map(|name| bus.log(name).len() as u32 - 1).sum::<u32>();
        let mut got = target.got;
        got.sort();
        expected.sort();
        assert_eq!(got, expected, "seed {seed}");
    }
    assert!(lost > 10, "arbitration happened {lost} times");
}

#[test]
fn a_device_on_a_shared_bus_answers_all_controllers() {
    let mut bus = joined(&["i2c-controller:name=c@scl=PB10,sda=PB11"]);
    let mut writer = Writer::new(0x50, &[0, 5, 0xA5, 0x5A]);
    bus.run(|bench| writer.step(bench));
    // The memory is busy for 10 ms.
    bus.pass(720_000 + 10_000);
    bus.command("c", "ask 0x50 2 00 05");
    bus.pass(60_000);
    assert_eq!(bus.log("c"), ["ask 0x50 2 00 05: a0+ 00+ 05+ a1+ a5+ 5a-"]);
}

#[test]
fn random_accesses_on_a_shared_bus_neither_panic_nor_hang() {
    for (seed, part) in
        (1..=8u64).flat_map(|seed| ["stm32f103c8", "stm32f446ze", "stm32c031c6"].map(|part| (seed, part)))
    {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut bus = Shared::new(part, &["i2c-controller:name=c,clock=1MHz@scl=PB6,sda=PB7", "eeprom:24c32@i2c1"]);
        for _ in 0..6_000 {
            let register = I2C1 + 4 * random.below(12) as u32;
            let value = match random.below(3) {
                0 => random.below(1 << 32) as u32,
                1 => 1 | 1 << random.below(32),
                _ => random.below(256) as u32,
            };
            let width = [Width::Byte, Width::Half, Width::Word][random.below(3) as usize];
            match random.below(10) {
                0..=3 => drop(bus.bench.try_write(register, width, value)),
                4..=6 => drop(bus.bench.try_read(register, width)),
                7 => {
                    let address = [0x00, 0x08, 0x42, 0x50, 0x61, value & 0x7F][random.below(6) as usize];
                    let what =
                        ["write {} 01 02", "read {} 2", "ask {} 2 01", "ask ten:{} 1 01"][random.below(4) as usize];
                    bus.command("c", &what.replace("{}", &format!("{address:#04x}")));
                }
                _ => bus.bench.pass(random.below(20_000)),
            }
        }
        assert!(!bus.clock().is_empty(), "{part}");
    }
}
