//! Values for registers: random ones, and those that get a block further than chance does.

use cyclescope_peripherals::{Field, Register};

use crate::Random;

fn any_of(field: &Field, random: &mut Random) -> u32 {
    random.word() << field.low & field.mask()
}

/// A value for `register`; an address from `places` where it holds one.
pub(crate) fn value(register: &Register, places: &[u32], random: &mut Random) -> u32 {
    let named = |part: &str| register.name.contains(part);
    let declared = register.declared();
    if (named("PAR") || named("MAR") || named("M0AR") || named("M1AR") || named("ADDR")) && register.bits == 32 {
        return *random.pick(places) + random.of(4) as u32;
    }
    if named("NDT") && random.of(4) != 0 {
        return random.of(60) as u32;
    }
    let some = |random: &mut Random| match register.fields {
        [] => 0,
        fields => any_of(random.pick(fields), random),
    };
    match random.of(12) {
        0 => random.word(),
        1 | 2 => random.word() & declared,
        3 => declared,
        4 => some(random),
        5 | 6 => some(random) | some(random) | some(random),
        7 => random.of(64) as u32,
        8 => 0,
        9 => *random.pick(places),
        10 => 1 | some(random) | some(random),
        _ => 1 << random.of(32) | 1 << random.of(8),
    }
}

/// The writes that unlock something by `register`, if it takes any: two or three values.
pub(crate) fn keys(register: &Register) -> &'static [u32] {
    match register.name {
        "WPR" => &[0xCA, 0x53],
        "KEYR" => &[0x4567_0123, 0xCDEF_89AB],
        "OPTKEYR" => &[0x0819_2A3B, 0x4C5D_6E7F],
        "KR" => &[0x5555, 0xAAAA, 0xCCCC],
        "UNLOCK" => &[0xC520, 0xD928],
        "REFRESH" => &[0xA602, 0xB480],
        _ => &[],
    }
}
