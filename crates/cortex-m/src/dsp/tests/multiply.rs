//! Multiplications against products without bounds.

use super::super::*;
use super::reference::{cut, field, sint, uint};
use super::{pairs, triples};

const BOTH: [bool; 2] = [false, true];

fn half(value: u32, take_top: bool) -> i128 {
    if take_top { sint(value, 31, 16) } else { sint(value, 15, 0) }
}

/// The low word, and whether the result is not what the low word says.
fn word(result: i128) -> (u32, bool) {
    let low = cut(result, 32) as u32;
    (low, sint(low, 31, 0) != result)
}

/// The two products of halfwords: by the bottom and by the top of `n`.
fn dual(n: u32, m: u32, exchange: bool) -> (i128, i128) {
    (half(n, false) * half(m, exchange), half(n, true) * half(m, !exchange))
}

#[test]
fn halfwords() {
    for (n, m, a) in triples() {
        for n_top in BOTH {
            for m_top in BOTH {
                let product = half(n, n_top) * half(m, m_top);
                let context = format!("{n:08x} {m:08x} {a:08x} {n_top} {m_top}");
                assert_eq!((smul(n, m, n_top, m_top), false), word(product), "smul {context}");
                assert_eq!(smla(n, m, a, n_top, m_top), word(product + sint(a, 31, 0)), "smla {context}");
                let wide = u64::from(a) << 32 | u64::from(n ^ m);
                let sum = cut(i128::from(wide as i64) + product, 64);
                assert_eq!(smlal_half(n, m, wide, n_top, m_top), sum, "smlal {context}");
            }
        }
    }
}

#[test]
fn word_by_halfword() {
    for (n, m, a) in triples() {
        for m_top in BOTH {
            let product = sint(n, 31, 0) * half(m, m_top);
            assert_eq!(smulw(n, m, m_top), field(cut(product, 64), 47, 16) as u32, "smulw {n:08x} {m:08x}");
            let result = product + (sint(a, 31, 0) << 16);
            let written = field(cut(result, 64), 47, 16) as u32;
            let overflow = result.div_euclid(1 << 16) != sint(written, 31, 0);
            assert_eq!(smlaw(n, m, a, m_top), (written, overflow), "smlaw {n:08x} {m:08x} {a:08x}");
        }
    }
}

#[test]
fn dual_products() {
    for (n, m, a) in triples() {
        for exchange in BOTH {
            let (low, high) = dual(n, m, exchange);
            let addend = sint(a, 31, 0);
            let context = format!("{n:08x} {m:08x} {a:08x} {exchange}");
            assert_eq!(smuad(n, m, exchange), word(low + high), "smuad {context}");
            assert_eq!((smusd(n, m, exchange), false), word(low - high), "smusd {context}");
            assert_eq!(smlad(n, m, a, exchange), word(low + high + addend), "smlad {context}");
            assert_eq!(smlsd(n, m, a, exchange), word(low - high + addend), "smlsd {context}");
            let wide = u64::from(a) << 32 | u64::from(m);
            let start = i128::from(wide as i64);
            assert_eq!(smlald(n, m, wide, exchange), cut(start + low + high, 64), "smlald {context}");
            assert_eq!(smlsld(n, m, wide, exchange), cut(start + low - high, 64), "smlsld {context}");
        }
    }
}

#[test]
fn upper_words() {
    for (n, m, a) in triples() {
        let product = sint(n, 31, 0) * sint(m, 31, 0);
        let start = sint(a, 31, 0) << 32;
        for round in BOTH {
            let upper = |exact: i128| field(cut(exact + if round { 0x8000_0000 } else { 0 }, 64), 63, 32) as u32;
            let context = format!("{n:08x} {m:08x} {a:08x} {round}");
            assert_eq!(smmul(n, m, round), upper(product), "smmul {context}");
            assert_eq!(smmla(n, m, a, round), upper(start + product), "smmla {context}");
            assert_eq!(smmls(n, m, a, round), upper(start - product), "smmls {context}");
        }
        let sum = uint(n, 31, 0) * uint(m, 31, 0) + uint(a, 31, 0) + uint(m, 31, 0);
        assert_eq!(i128::from(umaal(n, m, a, m)), sum, "umaal {n:08x} {m:08x} {a:08x}");
    }
}

#[test]
fn sums_of_differences() {
    for (n, m) in pairs() {
        let difference = |low| (uint(n, low + 7, low) - uint(m, low + 7, low)).abs();
        let sum: i128 = [0, 8, 16, 24].map(difference).iter().sum();
        assert_eq!(i128::from(usad8(n, m)), sum, "usad8 {n:08x} {m:08x}");
        assert_eq!(u64::from(usada8(n, m, n)), cut(sum + uint(n, 31, 0), 32), "usada8 {n:08x} {m:08x}");
    }
}

/// Rotation takes the fields at which the manual's `ROR(R[m], rotation)` puts them.
#[test]
fn extensions() {
    for (n, m) in pairs() {
        for rotation in [0, 8, 16, 24] {
            let twice = u64::from(m) << 32 | u64::from(m);
            let rotated = field(twice, rotation + 31, rotation) as u32;
            let [low, high] = [sint(rotated, 7, 0), sint(rotated, 23, 16)];
            let [low_u, high_u] = [uint(rotated, 7, 0), uint(rotated, 23, 16)];
            let sum = |x: i128| cut(uint(n, 31, 0) + x, 32) as u32;
            let both = |high: i128, low: i128| (cut(high, 16) << 16 | cut(low, 16)) as u32;
            let context = format!("{n:08x} {m:08x} {rotation}");
            assert_eq!(u64::from(sxtb(m, rotation)), cut(low, 32), "sxtb {context}");
            assert_eq!(u64::from(uxtb(m, rotation)), cut(low_u, 32), "uxtb {context}");
            assert_eq!(u64::from(sxth(m, rotation)), cut(sint(rotated, 15, 0), 32), "sxth {context}");
            assert_eq!(u64::from(uxth(m, rotation)), cut(uint(rotated, 15, 0), 32), "uxth {context}");
            assert_eq!(sxtb16(m, rotation), both(high, low), "sxtb16 {context}");
            assert_eq!(uxtb16(m, rotation), both(high_u, low_u), "uxtb16 {context}");
            assert_eq!(sxtab(n, m, rotation), sum(low), "sxtab {context}");
            assert_eq!(uxtab(n, m, rotation), sum(low_u), "uxtab {context}");
            assert_eq!(sxtah(n, m, rotation), sum(sint(rotated, 15, 0)), "sxtah {context}");
            assert_eq!(uxtah(n, m, rotation), sum(uint(rotated, 15, 0)), "uxtah {context}");
            let (n_low, n_high) = (uint(n, 15, 0), uint(n, 31, 16));
            assert_eq!(sxtab16(n, m, rotation), both(n_high + high, n_low + low), "sxtab16 {context}");
            assert_eq!(uxtab16(n, m, rotation), both(n_high + high_u, n_low + low_u), "uxtab16 {context}");
        }
    }
}
