//! Parallel addition and subtraction: six shapes (ADD16, ASX, SAX, SUB16, ADD8, SUB8) in six manners.
//!
//! The plain manners (S, U) wrap and return the GE bits: two a halfword or one a byte, set where a signed result is not
//! negative, an unsigned sum carries or an unsigned difference does not borrow. Saturating (Q, UQ) and halving (SH, UH)
//! manners write no flags; not even Q.
//!
//! ASX adds at the top and subtracts at the bottom, SAX the reverse, both with the halfwords of `m` exchanged.

use Do::{Add, Sub};

/// The operation of one lane: plus or minus.
#[derive(Clone, Copy, PartialEq)]
enum Do {
    Add,
    Sub,
}

impl Do {
    #[inline(always)]
    fn on(self, a: i32, b: i32) -> i32 {
        match self {
            Add => a + b,
            Sub => a - b,
        }
    }
}

/// The results of a word's lanes, the lowest first, and the operation of each.
type Lanes<const LANES: usize> = [(i32, Do); LANES];

/// The lanes are halfwords. Where one is a sum and the other a difference, those of `m` are exchanged.
#[inline(always)]
fn halves<const SIGNED: bool>(n: u32, m: u32, top: Do, bottom: Do) -> Lanes<2> {
    let lane = |value: u32| if SIGNED { i32::from(value as i16) } else { i32::from(value as u16) };
    let m = if top == bottom { m } else { m.rotate_right(16) };
    [(bottom.on(lane(n), lane(m)), bottom), (top.on(lane(n >> 16), lane(m >> 16)), top)]
}

/// The lanes are bytes.
#[inline(always)]
fn bytes<const SIGNED: bool>(n: u32, m: u32, each: Do) -> Lanes<4> {
    let lane = |value: u8| if SIGNED { i32::from(value as i8) } else { i32::from(value) };
    let (n, m) = (n.to_le_bytes(), m.to_le_bytes());
    [0, 1, 2, 3].map(|i| (each.on(lane(n[i]), lane(m[i])), each))
}

/// The low bits of the lanes, side by side.
#[inline(always)]
fn join<const LANES: usize>(lanes: Lanes<LANES>) -> u32 {
    let width = 32 / LANES as u32;
    let mask = u32::MAX >> (32 - width);
    lanes.iter().rev().fold(0, |word, &(lane, _)| word << width | lane as u32 & mask)
}

/// The GE bits: `4 / LANES` for each lane of which `holds` says so.
#[inline(always)]
fn ge<const LANES: usize>(lanes: Lanes<LANES>, holds: impl Fn(i32, Do) -> bool) -> u32 {
    let width = 4 / LANES as u32;
    let all = (1 << width) - 1;
    lanes.iter().rev().fold(0, |bits, &(lane, done)| bits << width | if holds(lane, done) { all } else { 0 })
}

#[inline(always)]
fn signed<const LANES: usize>(lanes: Lanes<LANES>) -> (u32, u32) {
    (join(lanes), ge(lanes, |lane, _| lane >= 0))
}

#[inline(always)]
fn unsigned<const LANES: usize>(lanes: Lanes<LANES>) -> (u32, u32) {
    let carry = 1 << (32 / LANES);
    (join(lanes), ge(lanes, |lane, done| lane >= if done == Add { carry } else { 0 }))
}

#[inline(always)]
fn saturating<const LANES: usize, const SIGNED: bool>(lanes: Lanes<LANES>) -> u32 {
    let end = 1 << (32 / LANES);
    let (min, max) = if SIGNED { (-end / 2, end / 2 - 1) } else { (0, end - 1) };
    join(lanes.map(|(lane, done)| (lane.clamp(min, max), done)))
}

#[inline(always)]
fn halving<const LANES: usize>(lanes: Lanes<LANES>) -> u32 {
    join(lanes.map(|(lane, done)| (lane >> 1, done)))
}

/// The six shapes in one manner: its operands signed or not, the function that makes the result of the lanes, the result, and the
/// instructions.
macro_rules! manner {
    ($signed:literal, $result:ty, $halves:expr, $bytes:expr,
        [$add16:ident, $asx:ident, $sax:ident, $sub16:ident, $add8:ident, $sub8:ident]) => {
        manner!($add16, $result, |n, m| $halves(halves::<$signed>(n, m, Add, Add)));
        manner!($asx, $result, |n, m| $halves(halves::<$signed>(n, m, Add, Sub)));
        manner!($sax, $result, |n, m| $halves(halves::<$signed>(n, m, Sub, Add)));
        manner!($sub16, $result, |n, m| $halves(halves::<$signed>(n, m, Sub, Sub)));
        manner!($add8, $result, |n, m| $bytes(bytes::<$signed>(n, m, Add)));
        manner!($sub8, $result, |n, m| $bytes(bytes::<$signed>(n, m, Sub)));
    };
    ($name:ident, $result:ty, |$n:ident, $m:ident| $value:expr) => {
        #[inline]
        pub(crate) fn $name($n: u32, $m: u32) -> $result {
            $value
        }
    };
}

manner!(true, (u32, u32), signed, signed, [sadd16, sasx, ssax, ssub16, sadd8, ssub8]);
manner!(false, (u32, u32), unsigned, unsigned, [uadd16, uasx, usax, usub16, uadd8, usub8]);
manner!(true, u32, saturating::<2, true>, saturating::<4, true>, [qadd16, qasx, qsax, qsub16, qadd8, qsub8]);
manner!(false, u32, saturating::<2, false>, saturating::<4, false>, [uqadd16, uqasx, uqsax, uqsub16, uqadd8, uqsub8]);
manner!(true, u32, halving, halving, [shadd16, shasx, shsax, shsub16, shadd8, shsub8]);
manner!(false, u32, halving, halving, [uhadd16, uhasx, uhsax, uhsub16, uhadd8, uhsub8]);
