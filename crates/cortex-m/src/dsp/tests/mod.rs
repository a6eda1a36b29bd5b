//! The DSP extension against a second formulation, and against values worked by hand from the manual.
//!
//! [`reference`] computes as the manual's pseudocode reads: bit fields taken out as integers of any size, results computed
//! without bounds, saturated or cut, and put back.

mod directed;
mod multiply;
mod parallel;
mod reference;
mod saturate;

/// Words whose fields lie at their ends.
const SPECIAL: [u32; 18] = [
    0,
    1,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    0x7FFF_7FFF,
    0x8000_8000,
    0x7FFF_8000,
    0x8000_7FFF,
    0x0001_FFFF,
    0xFFFF_0001,
    0x7F80_807F,
    0x7F7F_7F7F,
    0x8080_8080,
    0xFF00_FF00,
    0x00FF_01FE,
    0x4000_C000,
    0xB504_F333,
];

/// All pairs of special words, and random pairs.
fn pairs() -> impl Iterator<Item = (u32, u32)> {
    let special = SPECIAL.iter().flat_map(|&n| SPECIAL.iter().map(move |&m| (n, m)));
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    special.chain((0..20_000).map(move |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let mixed = state.wrapping_mul(0x2545_F491_4F6C_DD1D);
        (mixed as u32, (mixed >> 32) as u32)
    }))
}

/// All triples of special words, and random triples.
fn triples() -> impl Iterator<Item = (u32, u32, u32)> {
    pairs().flat_map(|(n, m)| {
        SPECIAL
            .iter()
            .take(if n.count_ones() % 3 == 0 { 18 } else { 2 })
            .map(move |&a| (n, m, a ^ (n ^ m).rotate_left(7)))
    })
}
