//! Both formulations side by side: result and whole FPSCR.

use super::super::*;
use super::{Random, SPECIAL, reference};

/// An operation of up to three operands: destination, n, m.
type Ours = fn([u32; 3], &mut Fpscr) -> u32;
type Theirs = fn([u32; 3], &mut u32) -> u32;

const TWO: [(&str, Ours, Theirs); 7] = [
    ("add", |[_, n, m], s| add(n, m, s), |[_, n, m], s| reference::add(n, m, s)),
    ("sub", |[_, n, m], s| sub(n, m, s), |[_, n, m], s| reference::sub(n, m, s)),
    ("mul", |[_, n, m], s| mul(n, m, s), |[_, n, m], s| reference::mul(n, m, s)),
    ("nmul", |[_, n, m], s| nmul(n, m, s), |[_, n, m], s| minus(reference::mul(n, m, s))),
    ("div", |[_, n, m], s| div(n, m, s), |[_, n, m], s| reference::div(n, m, s)),
    ("compare", |[_, n, m], s| compared(n, m, false, s), |[_, n, m], s| reference::compare(n, m, false, s)),
    ("compare, E", |[_, n, m], s| compared(n, m, true, s), |[_, n, m], s| reference::compare(n, m, true, s)),
];

const THREE: [(&str, Ours, Theirs); 8] = [
    ("mla", |[d, n, m], s| mla(d, n, m, s), |[d, n, m], s| chained(d, n, m, 0, 0, s)),
    ("mls", |[d, n, m], s| mls(d, n, m, s), |[d, n, m], s| chained(d, n, m, 0, 1, s)),
    ("nmla", |[d, n, m], s| nmla(d, n, m, s), |[d, n, m], s| chained(d, n, m, 1, 1, s)),
    ("nmls", |[d, n, m], s| nmls(d, n, m, s), |[d, n, m], s| chained(d, n, m, 1, 0, s)),
    ("fma", |[d, n, m], s| fma(d, n, m, s), |[d, n, m], s| reference::mul_add(d, n, m, s)),
    ("fms", |[d, n, m], s| fms(d, n, m, s), |[d, n, m], s| reference::mul_add(d, minus(n), m, s)),
    ("fnma", |[d, n, m], s| fnma(d, n, m, s), |[d, n, m], s| reference::mul_add(minus(d), minus(n), m, s)),
    ("fnms", |[d, n, m], s| fnms(d, n, m, s), |[d, n, m], s| reference::mul_add(minus(d), n, m, s)),
];

fn minus(a: u32) -> u32 {
    a ^ 1 << 31
}

/// A comparison has no result but the FPSCR.
fn compared(n: u32, m: u32, quiet_raises: bool, fpscr: &mut Fpscr) -> u32 {
    compare(n, m, quiet_raises, fpscr);
    0
}

/// The destination and the product, each negated or not, added.
fn chained(d: u32, n: u32, m: u32, negate_d: u32, negate_product: u32, fpscr: &mut u32) -> u32 {
    let product = reference::mul(n, m, fpscr) ^ negate_product << 31;
    reference::add(d ^ negate_d << 31, product, fpscr)
}

fn check(name: &str, ours: Ours, theirs: Theirs, operands: [u32; 3], before: u32) {
    let (mut our_fpscr, mut their_fpscr) = (Fpscr::from_bits(before), before);
    let result = (ours(operands, &mut our_fpscr), our_fpscr.bits());
    let expected = (theirs(operands, &mut their_fpscr), their_fpscr);
    assert_eq!(result, expected, "{name} {operands:08x?} with {before:08x}: {result:08x?}, expected {expected:08x?}");
}

/// All of RMode, FZ and DN.
fn settings() -> impl Iterator<Item = u32> {
    (0..16).map(|bits| bits << 22)
}

fn signed_specials() -> Vec<u32> {
    SPECIAL.iter().flat_map(|&a| [a, minus(a)]).collect()
}

#[test]
fn all_pairs_of_special_operands() {
    for (name, ours, theirs) in TWO {
        for n in signed_specials() {
            for m in signed_specials() {
                settings().for_each(|fpscr| check(name, ours, theirs, [0, n, m], fpscr));
            }
        }
    }
}

#[test]
fn triples_of_special_operands() {
    let some: Vec<u32> = [0, 1, 4, 5, 6, 9, 11, 21, 22, 23, 38, 39, 40, 41, 43].map(|i| SPECIAL[i]).to_vec();
    let both: Vec<u32> = some.iter().flat_map(|&a| [a, minus(a)]).collect();
    for (name, ours, theirs) in THREE {
        for (i, &d) in both.iter().enumerate() {
            for &n in &both {
                // The sign of m is that of n seen from elsewhere.
                for &m in &some {
                    settings()
                        .filter(|s| i % 2 == 0 || s >> 24 == 0)
                        .for_each(|s| check(name, ours, theirs, [d, n, m], s));
                }
            }
        }
    }
}

#[test]
fn random_operands() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..100_000 {
        let operands = [random.operand(), random.operand(), random.operand()];
        let fpscr = random.fpscr();
        TWO.iter().chain(&THREE).for_each(|&(name, ours, theirs)| check(name, ours, theirs, operands, fpscr));
    }
}

/// An addend near the product, so that all but the last bits of a fused sum cancel.
#[test]
fn fused_sums_that_cancel() {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    for _ in 0..50_000 {
        let (n, m) = (random.operand(), random.operand());
        let fpscr = random.fpscr();
        let product = reference::mul(n, m, &mut 0);
        let d = minus(product).wrapping_add(random.bits() % 5).wrapping_sub(2);
        THREE.iter().for_each(|&(name, ours, theirs)| check(name, ours, theirs, [d, n, m], fpscr));
        TWO.iter().for_each(|&(name, ours, theirs)| check(name, ours, theirs, [0, d, product], fpscr));
    }
}

#[test]
fn square_roots() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let squares = (1..4096).map(|root| ((root * root) as f32).to_bits());
    let any: Vec<u32> = (0..200_000).map(|_| random.operand()).collect();
    for a in signed_specials().into_iter().chain(squares.flat_map(|a| [a - 1, a, a + 1])).chain(any) {
        settings().for_each(|fpscr| {
            check("sqrt", |[a, ..], s| sqrt(a, s), |[a, ..], s| reference::sqrt(a, s), [a, 0, 0], fpscr)
        });
    }
}

/// Each of the four conversions to a width, with all of its fraction bits.
fn check_fixed(a: u32, before: u32) {
    for size in [16, 32] {
        for fraction_bits in 0..=size {
            let (signed, unsigned) = (1i64 << (size - 1), (1i64 << size) - 1);
            let (mut ours, mut theirs) = (Fpscr::from_bits(before), before);
            let result = to_signed_fixed(a, size, fraction_bits, &mut ours);
            let expected = reference::to_fixed(a, fraction_bits, 3, -signed, signed - 1, &mut theirs);
            assert_eq!((result, ours.bits()), (expected as u32, theirs), "{a:08x} to s{size}, {fraction_bits}");

            let (mut ours, mut theirs) = (Fpscr::from_bits(before), before);
            let result = to_unsigned_fixed(a, size, fraction_bits, &mut ours);
            let expected = reference::to_fixed(a, fraction_bits, 3, 0, unsigned, &mut theirs);
            assert_eq!((result, ours.bits()), (expected as u32, theirs), "{a:08x} to u{size}, {fraction_bits}");

            let (mut ours, mut theirs) = (Fpscr::from_bits(before), before);
            let result = from_signed_fixed(a, size, fraction_bits, &mut ours);
            let value = i64::from(a as i32) << (64 - size) >> (64 - size);
            let expected = reference::from_fixed(value, fraction_bits, 0, &mut theirs);
            assert_eq!((result, ours.bits()), (expected, theirs), "{a:08x} from s{size}, {fraction_bits}");

            let (mut ours, mut theirs) = (Fpscr::from_bits(before), before);
            let result = from_unsigned_fixed(a, size, fraction_bits, &mut ours);
            let expected = reference::from_fixed(i64::from(a) & unsigned, fraction_bits, 0, &mut theirs);
            assert_eq!((result, ours.bits()), (expected, theirs), "{a:08x} from u{size}, {fraction_bits}");
        }
    }
}

/// Integers by the mode in the FPSCR and, as VCVT has it, towards zero.
fn check_integers(a: u32, before: u32) {
    for rounding in [Rounding::Nearest, Rounding::PlusInfinity, Rounding::MinusInfinity, Rounding::Zero] {
        let (mut ours, mut theirs) = (Fpscr::from_bits(before), before);
        let result = to_i32(a, rounding, &mut ours);
        let expected = reference::to_fixed(a, 0, rounding as u32, -1 << 31, (1 << 31) - 1, &mut theirs);
        assert_eq!((result, ours.bits()), (expected as u32, theirs), "{a:08x} to i32, {rounding:?}");
        let (mut ours, mut theirs) = (Fpscr::from_bits(before), before);
        let result = to_u32(a, rounding, &mut ours);
        let expected = reference::to_fixed(a, 0, rounding as u32, 0, (1 << 32) - 1, &mut theirs);
        assert_eq!((result, ours.bits()), (expected as u32, theirs), "{a:08x} to u32, {rounding:?}");
    }
    let (mut ours, mut theirs) = (Fpscr::from_bits(before), before);
    let result = from_i32(a as i32, &mut ours);
    let expected = reference::from_fixed(i64::from(a as i32), 0, before >> 22 & 3, &mut theirs);
    assert_eq!((result, ours.bits()), (expected, theirs), "{a:08x} from i32 with {before:08x}");
    let (mut ours, mut theirs) = (Fpscr::from_bits(before), before);
    let result = from_u32(a, &mut ours);
    let expected = reference::from_fixed(i64::from(a), 0, before >> 22 & 3, &mut theirs);
    assert_eq!((result, ours.bits()), (expected, theirs), "{a:08x} from u32 with {before:08x}");
}

#[test]
fn integers_and_fixed_point() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    for a in signed_specials() {
        for fpscr in settings() {
            check_integers(a, fpscr);
            check_fixed(a, fpscr);
        }
    }
    for _ in 0..20_000 {
        let fpscr = random.fpscr();
        // About the widths' ends, and anywhere.
        let near = random.bits() & 0x801F_FFFF | (0x3E00_0000 + ((random.bits() % 40) << 23));
        for a in [near, random.operand(), 1 << (random.bits() % 32), random.bits() >> (random.bits() % 32)] {
            check_integers(a, fpscr);
            check_fixed(a, fpscr);
        }
    }
}

/// Every half precision value, under every setting.
#[test]
fn from_half_precision() {
    for before in (0..32).map(|bits| bits << 22) {
        for half in 0..=u16::MAX {
            let (mut ours, mut theirs) = (Fpscr::from_bits(before), before);
            let result = half_to_single(half, &mut ours);
            let expected = reference::half_to_single(half, &mut theirs);
            assert_eq!((result, ours.bits()), (expected, theirs), "{half:04x} with {before:08x}");
        }
    }
}

#[test]
fn to_half_precision() {
    let mut random = Random(0x0BAD_5EED_0BAD_5EED);
    let any = (0..200_000).map(|_| random.operand()).collect::<Vec<_>>();
    // Every value of half precision, what lies half way to the next, and their neighbours.
    let halves = (0..=0x7FFFu16).flat_map(|half| {
        let bits = reference::half_to_single(half, &mut (1 << 26));
        [bits.wrapping_sub(1), bits, bits + 1, bits + 0x0FFF, bits + 0x1000, bits + 0x1001]
    });
    for a in signed_specials().into_iter().chain(any).chain(halves.flat_map(|a| [a, minus(a)])) {
        for before in (0..32).map(|bits| bits << 22) {
            let (mut ours, mut theirs) = (Fpscr::from_bits(before), before);
            let result = single_to_half(a, &mut ours);
            let expected = reference::single_to_half(a, &mut theirs);
            assert_eq!((result, ours.bits()), (expected, theirs), "{a:08x} with {before:08x}");
        }
    }
}
