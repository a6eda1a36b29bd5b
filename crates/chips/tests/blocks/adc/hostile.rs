//! Whatever a program writes: no panic, no hang, no more conversions than there is time for, and clones go on alike.

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::{Pin, Voltage, Width};

use super::*;

/// Pairs of words.
type Pairs = &'static [(u32, u32)];

/// A part's converters, with the sizes of their registers, what clocks and moves their data, and what starts them.
const PARTS: [(&str, Pairs, Pairs); 6] = [
    (
        "stm32f103c8",
        &[(0x4001_2400, 0x50), (0x4001_2800, 0x50), (0x4002_0008, 0x10), (0x4000_0400, 0x40), (0x4001_0400, 0x18)],
        &[(0x4002_1014, u32::MAX), (0x4002_1018, u32::MAX), (0x4002_101C, u32::MAX)],
    ),
    (
        "stm32f446ze",
        &[
            (0x4001_2000, 0x50),
            (0x4001_2100, 0x50),
            (0x4001_2200, 0x50),
            (0x4001_2300, 0x0C),
            (0x4000_7400, 0x38),
            (0x4002_6410, 0x18),
            (0x4002_6088, 0x18),
            (0x4000_0000, 0x40),
            (0x4001_3C00, 0x18),
        ],
        &[(0x4002_3830, u32::MAX), (0x4002_3844, u32::MAX), (0x4002_3840, u32::MAX)],
    ),
    (
        "stm32c031c6",
        &[
            (0x4001_2400, 0xB8),
            (0x4001_2700, 0x0C),
            (0x4002_0008, 0x10),
            (0x4002_0800, 4),
            (0x4000_0400, 0x40),
            (0x4001_2408, 4),
        ],
        &[(0x4002_1038, u32::MAX), (0x4002_103C, u32::MAX), (0x4002_1040, u32::MAX)],
    ),
    (
        "stm32g071rb",
        &[
            (0x4001_2400, 0xB8),
            (0x4001_2708, 4),
            (0x4001_2408, 4),
            (0x4001_2408, 4),
            (0x4001_2428, 4),
            (0x4001_2408, 4),
            (0x4000_7400, 0x50),
            (0x4001_0030, 8),
            (0x4001_0200, 8),
            (0x4002_0008, 0x10),
            (0x4002_0800, 8),
            (0x4000_1000, 0x40),
        ],
        &[(0x4002_1038, u32::MAX), (0x4002_103C, u32::MAX), (0x4002_1040, u32::MAX)],
    ),
    (
        "stm32l476rg",
        &[
            (0x5004_0000, 0xB8),
            (0x5004_0008, 4),
            (0x5004_0008, 4),
            (0x5004_0208, 4),
            (0x5004_0200, 0xB8),
            (0x5004_0300, 0x10),
            (0x4000_7400, 0x50),
            (0x4001_0030, 8),
            (0x4001_0200, 8),
            (0x4002_0008, 0x10),
            (0x4000_1000, 0x40),
        ],
        &[(0x4002_1048, 0x1107), (0x4002_104C, u32::MAX), (0x4002_1058, u32::MAX), (0x4002_1060, u32::MAX)],
    ),
    (
        "stm32g431rb",
        &[
            (0x5000_0000, 0xC4),
            (0x5000_0008, 4),
            (0x5000_0008, 4),
            (0x5000_0108, 4),
            (0x5000_0100, 0xC4),
            (0x5000_0300, 0x10),
            (0x5000_0800, 0x68),
            (0x5000_1000, 0x68),
            (0x4002_0008, 0x10),
            (0x4000_1000, 0x40),
        ],
        &[(0x4002_1048, 0x1107), (0x4002_104C, u32::MAX), (0x4002_1058, u32::MAX), (0x4002_1060, u32::MAX)],
    ),
];

fn step(bench: &mut Bench, random: &mut Random, blocks: &[(u32, u32)]) -> u64 {
    let (base, size) = blocks[random.of(blocks.len() as u64) as usize];
    let address = (base + random.of(u64::from(size)) as u32) & !3;
    let value = match random.of(6) {
        0 => random.of(1 << 32) as u32,
        1 => 1 << random.of(32) | 1,
        2 => random.of(256) as u32 | 1 << 28 | 1 << 16,
        3 => RAM,
        // A start, on all of them.
        4 => 1 << 30 | 1 << 28 | 1 << 22 | [3, 5][random.of(2) as usize],
        _ => u32::MAX,
    };
    let seen = match random.of(12) {
        0..=6 => u64::from(bench.try_write(address, Width::Word, value).is_ok()),
        7..=9 => u64::from(bench.try_read(address, Width::Word).unwrap_or(1)),
        _ => {
            let pin = Pin { port: random.of(3) as u8, number: random.of(16) as u8 };
            let voltage = (random.of(3) != 0).then(|| Voltage::Constant(random.of(1 << 32) as u32 as i32));
            bench.stimulate(random.of(50), Stimulus::Voltage { pin, voltage });
            bench.set_pin(random.of(50), 0, 11, Some(random.of(2) == 0));
            0
        }
    };
    bench.pass([0, 1, 7, 100, 900][random.of(5) as usize]);
    seen
}

fn ready(part: &str, enables: &[(u32, u32)]) -> Bench {
    let mut bench = Bench::of(part, MemorySetting::Equal);
    for (register, value) in enables {
        bench.write(*register, *value);
    }
    watch(&mut bench);
    bench
}

#[test]
fn random_writes_neither_panic_nor_hang_and_conversions_take_their_time() {
    for (part, blocks, enables) in PARTS {
        let mut all = 0;
        for seed in 1..=25u64 {
            let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let mut bench = ready(part, enables);
            for _ in 0..400 {
                let began = bench.now;
                step(&mut bench, &mut random, blocks);
                // The shortest conversion takes eight periods, at the clock of the bus; there are at most three at a time.
                let most = 3 * ((bench.now - began) / 8 + 1);
                let seen = conversions(&mut bench).len();
                assert!(seen as u64 <= most, "{part} {seed}: {seen} conversions in {} cycles", bench.now - began);
                all += seen;
            }
            bench.pass(100_000);
        }
        assert!(all > 50, "{part}: converters run, {all}");
    }
}

#[test]
fn a_clone_converts_as_the_original() {
    for (part, blocks, enables) in PARTS {
        for seed in 1..=10u64 {
            let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let mut bench = ready(part, enables);
            for _ in 0..200 {
                step(&mut bench, &mut random, blocks);
            }
            let mut copy = bench.clone();
            let seed = random.0;
            let [first, second] = [&mut bench, &mut copy].map(|each| {
                let mut random = Random(seed);
                let sum = (0..200).fold(0u64, |sum, _| sum.rotate_left(5) ^ step(each, &mut random, blocks));
                (sum, conversions(each))
            });
            assert_eq!(first, second, "{part}");
        }
    }
}
