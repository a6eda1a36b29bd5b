//! No value that a guest can write may panic, or take the host long.

use super::*;

#[test]
fn random_accesses_neither_panic_nor_hang() {
    for (seed, part) in
        (1..=8u64).flat_map(|seed| ["stm32f103c8", "stm32f446ze", "stm32c031c6"].map(|part| (seed, part)))
    {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut random = |count: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % count
        };
        let mut bus = Bus::new(part, Target { stretch: Picoseconds::new(seed * 100_000), ..Target::new() });
        for _ in 0..6_000 {
            let register = I2C1 + 4 * random(12) as u32;
            let value = match random(3) {
                0 => random(1 << 32) as u32,
                1 => 1 | 1 << random(32),
                _ => random(256) as u32,
            };
            let width = [Width::Byte, Width::Half, Width::Word][random(3) as usize];
            match random(8) {
                0..=3 => drop(bus.bench.try_write(register, width, value)),
                4..=6 => drop(bus.bench.try_read(register, width)),
                _ => bus.bench.pass(random(20_000)),
            }
        }
        bus.look();
        assert!(!bus.edges.is_empty(), "{part}");
    }
}
