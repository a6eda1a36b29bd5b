//! No value a guest can write to any part may panic, or take the host long; the same accesses give the same state.

use cyclescope_chips::{MemorySetting, Part, Stimulus};
use cyclescope_machine::{Pin, Width};

use crate::bench::{Bench, distinct};
use crate::{f103_clocks, k20_clocks, rp_uart};

/// The generator of Marsaglia 2003 (xorshift64).
struct Random(u64);

impl Random {
    fn of(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % count
    }

    fn word(&mut self) -> u32 {
        self.of(1 << 32) as u32
    }
}

fn step(bench: &mut Bench, random: &mut Random, blocks: &[(u32, u32)]) -> u64 {
    let width = [Width::Byte, Width::Half, Width::Word, Width::Word][random.of(4) as usize];
    let (base, size) = blocks[random.of(blocks.len() as u64) as usize];
    let mut address = base + random.of(u64::from(size) + 8) as u32;
    if random.of(10) != 0 {
        address &= !(width.bytes() - 1);
    }
    let value = match random.of(4) {
        0 => random.word(),
        1 => 1 << random.of(32),
        2 => random.of(256) as u32,
        _ => u32::MAX,
    };
    let seen = match random.of(10) {
        0..=5 => u64::from(bench.try_write(address, width, value).is_ok()),
        6..=8 => u64::from(bench.try_read(address, width).unwrap_or(1)),
        _ => {
            let pin = Pin { port: random.of(8) as u8, number: random.of(40) as u8 };
            bench.stimulate(random.of(50), Stimulus::Pin { pin, high: Some(random.of(2) == 0) });
            let bytes = vec![random.word() as u8; random.of(4) as usize];
            bench.stimulate(random.of(5_000), Stimulus::Uart { number: random.of(4) as u8, bytes });
            0
        }
    };
    bench.pass([1, 3, 40, 1_000][random.of(4) as usize]);
    seen
}

/// The parts in the code with `most` seeds each, and one part for each set of blocks in the catalogue with one of the seeds.
fn parts(most: u64) -> impl Iterator<Item = (&'static Part, u64)> {
    let known = Part::all().iter().copied().filter(|part| part.soc().is_some_and(|soc| !soc.peripherals.is_empty()));
    let all = known.flat_map(move |part| (1..=most).map(move |seed| (part, seed)));
    all.chain(distinct().into_iter().zip((1..=most).cycle()))
}

fn blocks(part: &Part) -> Vec<(u32, u32)> {
    let end = |map: &cyclescope_peripherals::Map| map.registers.last().map_or(0, |register| register.offset);
    part.soc().unwrap().instances().map(|instance| (instance.address, end(instance.map))).collect()
}

fn ready(part: &Part, seed: u64) -> Bench {
    match &*part.name {
        "stm32f103c8" if seed.is_multiple_of(2) => f103_clocks::fast(MemorySetting::Shipped),
        "mk20dx256" if seed.is_multiple_of(2) => {
            let mut bench = k20_clocks::fast(MemorySetting::Shipped);
            // SCGC1 to SCGC7: everything is clocked.
            (0..7).for_each(|gate| bench.write(0x4004_8028 + 4 * gate, u32::MAX));
            bench
        }
        "rp2040" if seed.is_multiple_of(2) => rp_uart::part(),
        _ => Bench::on(part, MemorySetting::Equal),
    }
}

#[test]
fn random_accesses_neither_panic_nor_hang_on_any_part() {
    for (part, seed) in parts(6) {
        let blocks = blocks(part);
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut bench = ready(part, seed);
        for _ in 0..3_000 {
            step(&mut bench, &mut random, &blocks);
        }
        bench.pass(1_000_000);
        bench.bus.shared.events = Default::default();
        bench.now = u64::MAX / 4;
        for (base, size) in &blocks {
            for offset in (0..*size).step_by(4) {
                let _ = bench.try_read(base + offset, Width::Word);
            }
        }
    }
}

#[test]
fn a_clone_goes_on_as_the_original_on_every_part() {
    for (part, _) in parts(1) {
        let blocks = blocks(part);
        let mut bench = ready(part, 2);
        let mut random = Random(77);
        for _ in 0..500 {
            step(&mut bench, &mut random, &blocks);
        }
        let mut copy = bench.clone();
        let seed = random.0;
        let [first, second] = [&mut bench, &mut copy].map(|each| {
            let mut random = Random(seed);
            (0..500).fold(0u64, |sum, _| sum.rotate_left(5) ^ step(each, &mut random, &blocks))
        });
        assert_eq!(first, second, "{}", part.name);
    }
}

#[test]
fn restored_peripherals_go_on_as_the_others_on_every_part() {
    for (part, seed) in parts(4) {
        let blocks = blocks(part);
        let mut bench = ready(part, seed);
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut restored = bench.clone();
        for round in 0..6 {
            for _ in 0..80 {
                step(&mut bench, &mut random, &blocks);
            }
            // Elsewhere, with stimuli of its own to come.
            let mut other = Random(random.0 ^ 0x5555);
            for _ in 0..100 * (round % 3) {
                step(&mut restored, &mut other, &blocks);
            }
            restored.now = bench.now;
            restored.bus.memory.restore_from(&bench.bus.memory);
            restored.bus.peripherals.restore(&bench.bus.peripherals);
            restored.bus.shared.clone_from(&bench.bus.shared);
            assert_eq!(format!("{:?}", restored.bus.peripherals), format!("{:?}", bench.bus.peripherals));
            let seed = random.0;
            let [first, second] = [&mut bench, &mut restored].map(|each| {
                let mut random = Random(seed);
                (0..100).fold(0u64, |sum, _| sum.rotate_left(5) ^ step(each, &mut random, &blocks))
            });
            assert_eq!(first, second, "{}", part.name);
            random.of(7);
        }
    }
}
