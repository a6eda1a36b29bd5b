//! No value that a guest writes to a running real-time clock panics or takes the host long, and a copy goes on as the original.

use cyclescope_machine::Width;

use super::{RTC, c031, f103, f446};
use crate::bench::Bench;

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

/// One access to the clock or its neighbours, then a span of time, now and then of years.
fn step(bench: &mut Bench, random: &mut Random, f103: bool) -> u64 {
    if !f103 && random.of(3) == 0 {
        bench.write(RTC + 0x24, 0xCA);
        bench.write(RTC + 0x24, 0x53);
    }
    let offset = random.of(0xA8) as u32 & !3;
    let value = [random.of(1 << 32), 1 << random.of(32), 0xFFFF_FFFF, random.of(256)][random.of(4) as usize] as u32;
    let seen = match random.of(8) {
        0..=4 => u64::from(bench.try_write(RTC + offset, Width::Word, value).is_ok()),
        5..=6 => u64::from(bench.try_read(RTC + offset, Width::Word).unwrap_or(1)),
        _ => {
            let pin = [(2, 13), (0, 0)][random.of(2) as usize];
            bench.set_pin(random.of(1_000), pin.0, pin.1, Some(random.of(2) == 0));
            0
        }
    };
    // An output that is on has edges all the time: no years then.
    let longest = if offset.is_multiple_of(16) { 1 << 16 } else { 1 << 12 };
    let span = random.of(longest);
    bench.pass(span);
    seen
}

#[test]
fn random_writes_neither_panic_nor_hang() {
    for seed in 1..=8u64 {
        for (number, make) in [f103 as fn() -> Bench, f446, c031].into_iter().enumerate() {
            let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let mut bench = make();
            for _ in 0..3_000 {
                step(&mut bench, &mut random, number == 0);
            }
            let mut copy = bench.clone();
            let seed = random.0;
            let [first, second] = [&mut bench, &mut copy].map(|each| {
                let mut random = Random(seed);
                (0..300).fold(0u64, |sum, _| sum.rotate_left(5) ^ step(each, &mut random, number == 0))
            });
            assert_eq!(first, second);
            bench.bus.shared.events = Default::default();
            bench.now = u64::MAX / 4;
            for offset in (0..0xA8).step_by(4) {
                let _ = bench.try_read(RTC + offset, Width::Word);
            }
        }
    }
}
