//! Saturation to all widths, and saturating sums.

use super::super::*;
use super::reference::{cut, signed_sat, sint, unsigned_sat};
use super::{SPECIAL, pairs};

fn word((value, saturated): (i128, bool)) -> (u32, bool) {
    (cut(value, 32) as u32, saturated)
}

/// Both halfwords saturated.
fn halfwords(n: u32, sat: impl Fn(i128) -> (i128, bool)) -> (u32, bool) {
    let ((low, low_q), (high, high_q)) = (sat(sint(n, 15, 0)), sat(sint(n, 31, 16)));
    (((cut(high, 16) << 16) | cut(low, 16)) as u32, low_q || high_q)
}

#[test]
fn to_every_width() {
    for n in pairs().take(4_000).flat_map(|(n, m)| [n, n >> (m % 32)]).chain(SPECIAL) {
        for bits in 1..=32 {
            assert_eq!(ssat(n, bits), word(signed_sat(sint(n, 31, 0), bits)), "ssat {n:08x} {bits}");
            assert_eq!(usat(n, bits - 1), word(unsigned_sat(sint(n, 31, 0), bits - 1)), "usat {n:08x} {bits} - 1");
        }
        for bits in 1..=16 {
            assert_eq!(ssat16(n, bits), halfwords(n, |x| signed_sat(x, bits)), "ssat16 {n:08x} {bits}");
            assert_eq!(usat16(n, bits - 1), halfwords(n, |x| unsigned_sat(x, bits - 1)), "usat16 {n:08x} {bits} - 1");
        }
    }
}

#[test]
fn sums_and_differences() {
    for (m, n) in pairs() {
        let (x, y) = (sint(m, 31, 0), sint(n, 31, 0));
        assert_eq!(qadd(m, n), word(signed_sat(x + y, 32)), "qadd {m:08x} {n:08x}");
        assert_eq!(qsub(m, n), word(signed_sat(x - y, 32)), "qsub {m:08x} {n:08x}");
        let (doubled, first) = signed_sat(2 * y, 32);
        let (sum, second) = signed_sat(x + doubled, 32);
        assert_eq!(qdadd(m, n), word((sum, first || second)), "qdadd {m:08x} {n:08x}");
        let (difference, second) = signed_sat(x - doubled, 32);
        assert_eq!(qdsub(m, n), word((difference, first || second)), "qdsub {m:08x} {n:08x}");
    }
}
