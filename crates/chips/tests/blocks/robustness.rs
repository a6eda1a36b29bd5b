//! No value a guest can write may panic, or take the host long.

use cyclescope_chips::Stimulus;
use cyclescope_machine::{Pin, Width};

use crate::bench::Bench;

/// The generator of Marsaglia 2003 (xorshift64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn of(&mut self, count: u64) -> u64 {
        self.next() % count
    }
}

fn address(random: &mut Random, bases: &[u32]) -> u32 {
    match random.of(20) {
        0 => random.next() as u32,
        1 => 0x4000_0000 + random.of(0x3_0000) as u32,
        2 => 0x0800_0000 + random.of(0x8000) as u32,
        3 => 0x1FFF_0000 + random.of(0x8000) as u32,
        _ => bases[random.of(bases.len() as u64) as usize] + random.of(0x90) as u32,
    }
}

#[test]
fn random_accesses_neither_panic_nor_hang() {
    for seed in 1..=12u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut bench = if seed % 2 == 0 { Bench::fast() } else { Bench::new() };
        let bases: Vec<u32> =
            bench.bus.peripherals.part().soc().unwrap().peripherals.iter().map(|known| known.address).collect();
        for _ in 0..4_000 {
            let width = [Width::Byte, Width::Half, Width::Word, Width::Word][random.of(4) as usize];
            let mut address = address(&mut random, &bases);
            if random.of(10) != 0 {
                address &= !(width.bytes() - 1);
            }
            let value = match random.of(4) {
                0 => random.next() as u32,
                1 => 1 << random.of(32),
                2 => random.of(256) as u32,
                _ => u32::MAX,
            };
            match random.of(10) {
                0..=5 => {
                    let _ = bench.try_write(address, width, value);
                }
                6..=8 => {
                    let _ = bench.try_read(address, width);
                }
                _ => {
                    let pin = Pin { port: random.of(8) as u8, number: random.of(20) as u8 };
                    bench.stimulate(random.of(50), Stimulus::Pin { pin, high: Some(random.of(2) == 0) });
                    let bytes = vec![random.next() as u8; random.of(4) as usize];
                    bench.stimulate(random.of(5000), Stimulus::Uart { number: random.of(4) as u8, bytes });
                }
            }
            let span = [1, 3, 40, 1000][random.of(4) as usize];
            bench.pass(span);
        }
        // Long spans: nothing that was left running may loop over them.
        if seed % 4 == 0 {
            bench.pass(200_000);
        }
        bench.bus.shared.events = Default::default();
        bench.now = u64::MAX / 4;
        for base in bases {
            for offset in (0..0x90).step_by(4) {
                let _ = bench.try_read(base + offset, Width::Word);
            }
        }
    }
}

#[test]
fn the_same_accesses_give_the_same_state() {
    let run = || {
        let mut random = Random(77);
        let mut bench = Bench::fast();
        let bases: Vec<u32> =
            bench.bus.peripherals.part().soc().unwrap().peripherals.iter().map(|known| known.address).collect();
        let mut sum = 0u64;
        for _ in 0..3_000 {
            let at = address(&mut random, &bases) & !3;
            if random.of(2) == 0 {
                let _ = bench.try_write(at, Width::Word, random.next() as u32);
            } else {
                let read = bench.try_read(at, Width::Word).unwrap_or(1);
                sum = sum.rotate_left(5) ^ u64::from(read);
            }
            bench.pass(random.of(100));
        }
        (sum, bench.bus.shared.events.next_at(), bench.bus.shared.gaps.all().len())
    };
    assert_eq!(run(), run());
}
