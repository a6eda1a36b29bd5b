//! All 36 parallel additions and subtractions.

use super::super::*;
use super::pairs;
use super::reference::{cut, signed_sat, sint, uint, unsigned_sat};

/// For each lane from the bottom: plus or minus, and the lane of `m` it takes.
struct Shape {
    width: u32,
    lanes: &'static [(i128, u32)],
}

const ADD16: Shape = Shape { width: 16, lanes: &[(1, 0), (1, 1)] };
const ASX: Shape = Shape { width: 16, lanes: &[(-1, 1), (1, 0)] };
const SAX: Shape = Shape { width: 16, lanes: &[(1, 1), (-1, 0)] };
const SUB16: Shape = Shape { width: 16, lanes: &[(-1, 0), (-1, 1)] };
const ADD8: Shape = Shape { width: 8, lanes: &[(1, 0), (1, 1), (1, 2), (1, 3)] };
const SUB8: Shape = Shape { width: 8, lanes: &[(-1, 0), (-1, 1), (-1, 2), (-1, 3)] };

impl Shape {
    /// The exact result of each lane, put back by `put`; and the GE bits.
    fn run(&self, n: u32, m: u32, signed: bool, put: impl Fn(i128) -> i128) -> (u32, u32) {
        let lane = |value: u32, index: u32| {
            let (high, low) = (self.width * index + self.width - 1, self.width * index);
            if signed { sint(value, high, low) } else { uint(value, high, low) }
        };
        let (mut word, mut ge) = (0, 0);
        for (index, &(sign, other)) in (0u32..).zip(self.lanes) {
            let result = lane(n, index) + sign * lane(m, other);
            let threshold = if signed || sign < 0 { 0 } else { 1 << self.width };
            for bit in self.width / 8 * index..self.width / 8 * (index + 1) {
                ge |= u32::from(result >= threshold) << bit;
            }
            word |= (cut(put(result), self.width) as u32) << (self.width * index);
        }
        (word, ge)
    }
}

type WithGe = fn(u32, u32) -> (u32, u32);
type Plain = fn(u32, u32) -> u32;

#[test]
fn wrapping_with_ge() {
    let signed: [(Shape, WithGe); 6] =
        [(ADD16, sadd16), (ASX, sasx), (SAX, ssax), (SUB16, ssub16), (ADD8, sadd8), (SUB8, ssub8)];
    let unsigned: [(Shape, WithGe); 6] =
        [(ADD16, uadd16), (ASX, uasx), (SAX, usax), (SUB16, usub16), (ADD8, uadd8), (SUB8, usub8)];
    for (n, m) in pairs() {
        for (i, (shape, ours)) in signed.iter().enumerate() {
            assert_eq!(ours(n, m), shape.run(n, m, true, |x| x), "signed {i}: {n:08x} {m:08x}");
        }
        for (i, (shape, ours)) in unsigned.iter().enumerate() {
            assert_eq!(ours(n, m), shape.run(n, m, false, |x| x), "unsigned {i}: {n:08x} {m:08x}");
        }
    }
}

fn check(ours: [Plain; 6], signed: bool, put: impl Fn(i128, u32) -> i128) {
    for (i, (shape, ours)) in [ADD16, ASX, SAX, SUB16, ADD8, SUB8].iter().zip(ours).enumerate() {
        for (n, m) in pairs() {
            let expected = shape.run(n, m, signed, |x| put(x, shape.width)).0;
            assert_eq!(ours(n, m), expected, "{i}: {n:08x} {m:08x}");
        }
    }
}

#[test]
fn saturating() {
    check([qadd16, qasx, qsax, qsub16, qadd8, qsub8], true, |x, width| signed_sat(x, width).0);
    check([uqadd16, uqasx, uqsax, uqsub16, uqadd8, uqsub8], false, |x, width| unsigned_sat(x, width).0);
}

#[test]
fn halving() {
    check([shadd16, shasx, shsax, shsub16, shadd8, shsub8], true, |x, _| x.div_euclid(2));
    check([uhadd16, uhasx, uhsax, uhsub16, uhadd8, uhsub8], false, |x, _| x.div_euclid(2));
}
