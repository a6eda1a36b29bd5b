//! Many timer clocks at once against one after the other.

use super::super::counter::{Action, CHANNELS, Counter};
use super::super::mode::{of_eight_bits, of_sixteen_bits};
use super::random::Random;

fn value(random: &mut Random, max: u16) -> u16 {
    match random.below(6) {
        0 => max,
        1 => max - random.below(3) as u16,
        2 => random.below(3) as u16,
        3 => random.below(u64::from(max) + 1) as u16,
        _ => random.below(50) as u16,
    }
}

fn counter(random: &mut Random) -> Counter {
    let wgm = random.below(16) as u8;
    let mode = if random.once_in(2) { of_eight_bits(wgm) } else { of_sixteen_bits(wgm) };
    let max = mode.shape.max;
    let mut counter = Counter::new(mode.shape, random.of(&[1, 3, 7]));
    for channel in 0..CHANNELS {
        counter.compare[channel] = value(random, max);
        counter.buffer[channel] = counter.compare[channel];
        if mode.pwm && random.once_in(3) {
            counter.buffer[channel] = value(random, max);
        }
        let inverted = random.once_in(2);
        let pwm = Action::Pwm { inverted };
        counter.actions[channel] = random.of(&[Action::None, Action::Toggle, Action::Clear, Action::Set, pwm]);
        counter.levels[channel] = random.once_in(2);
    }
    counter.icr = value(random, max);
    counter.value = value(random, max);
    counter.down = mode.shape.dual && random.once_in(2);
    counter.blocked = random.once_in(4);
    counter
}

#[test]
fn many_clocks_at_once_are_as_one_after_the_other() {
    let mut random = Random::new(5);
    for _ in 0..2000 {
        let before = counter(&mut random);
        let bound = random.of(&[10, 300, 3000, 150_000]);
        let count = random.below(bound);
        let (mut jump, mut walk) = (before, before);
        jump.advance(count);
        for _ in 0..count {
            walk.advance(1);
        }
        assert_eq!(jump, walk, "{count} clocks after {before:?}");
    }
}

#[test]
fn the_next_clock_that_shows_something_is_found() {
    let mut random = Random::new(7);
    let mut found = 0;
    for _ in 0..1000 {
        let before = counter(&mut random);
        let (flags, channels) = (random.below(64) as u8, random.below(8) as u8);
        let mut walk = before;
        // Beyond MAX and three rounds there is nothing new.
        let most = if before.shape.max == 0xFF { 4 * 512 } else { 4 * 0x2_0000 };
        let expected = (1..=most).find(|_| {
            walk.advance(1);
            let shows = (0..CHANNELS).any(|at| channels & 1 << at != 0 && walk.levels[at] != before.levels[at]);
            walk.flags & flags != 0 || shows
        });
        assert_eq!(before.until(flags, channels), expected, "{flags:#x} {channels:#x} {before:?}");
        found += u32::from(expected.is_some());
    }
    assert!(found > 500 && found < 1000, "{found}");
}
