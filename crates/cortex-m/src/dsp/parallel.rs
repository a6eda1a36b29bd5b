//! Parallel addition and subtraction: six shapes (ADD16, ASX, SAX, SUB16, ADD8, SUB8) in six manners.
//!
//! The plain manners (S, U) wrap and return the GE bits: two a halfword or one a byte, set where a signed result is not
//! negative, an unsigned sum carries or an unsigned difference does not borrow. Saturating (Q, UQ) and halving (SH, UH)
//! manners write no flags; not even Q.
//!
//! ASX adds at the top and subtracts at the bottom, SAX the reverse, both with the halfwords of `m` exchanged.

/// The operation of one lane: plus or minus.
#[derive(Clone, Copy)]
enum Do {
    Add,
    Sub,
}

impl Do {
    #[inline(always)]
    fn on(self, a: i32, b: i32) -> i32 {
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
        }
    }
}

/// The lanes of a word: halfwords, and what happens at the top and at the bottom.
#[inline(always)]
fn halves<const SIGNED: bool>(n: u32, m: u32, top: Do, bottom: Do, exchange: bool) -> [i32; 2] {
    let lane = |value: u32| if SIGNED { i32::from(value as i16) } else { i32::from(value as u16) };
    let m = if exchange { m.rotate_right(16) } else { m };
    [bottom.on(lane(n), lane(m)), top.on(lane(n >> 16), lane(m >> 16))]
}

#[inline(always)]
fn bytes<const SIGNED: bool>(n: u32, m: u32, each: Do) -> [i32; 4] {
    let lane = |value: u8| if SIGNED { i32::from(value as i8) } else { i32::from(value) };
    let (n, m) = (n.to_le_bytes(), m.to_le_bytes());
    [0, 1, 2, 3].map(|i| each.on(lane(n[i]), lane(m[i])))
}

/// The low bits of the lanes, side by side.
#[inline(always)]
fn join<const LANES: usize>(lanes: [i32; LANES]) -> u32 {
    let width = 32 / LANES as u32;
    let mask = u32::MAX >> (32 - width);
    lanes.iter().rev().fold(0, |word, &lane| word << width | lane as u32 & mask)
}

/// The GE bits: `4 / LANES` for each lane of which `holds` says so.
#[inline(always)]
fn ge<const LANES: usize>(lanes: [i32; LANES], holds: impl Fn(usize, i32) -> bool) -> u32 {
    let width = 4 / LANES as u32;
    let all = (1 << width) - 1;
    (0..LANES).rev().fold(0, |bits, i| bits << width | if holds(i, lanes[i]) { all } else { 0 })
}

#[inline(always)]
fn signed<const LANES: usize>(lanes: [i32; LANES]) -> (u32, u32) {
    (join(lanes), ge(lanes, |_, lane| lane >= 0))
}

/// `adds[i]`: whether lane i is a sum.
#[inline(always)]
fn unsigned<const LANES: usize>(lanes: [i32; LANES], adds: [bool; LANES]) -> (u32, u32) {
    let carry = 1 << (32 / LANES);
    (join(lanes), ge(lanes, |i, lane| if adds[i] { lane >= carry } else { lane >= 0 }))
}

#[inline(always)]
fn saturating<const LANES: usize>(lanes: [i32; LANES], signed: bool) -> u32 {
    let end = 1 << (32 / LANES);
    let (min, max) = if signed { (-end / 2, end / 2 - 1) } else { (0, end - 1) };
    join(lanes.map(|lane| lane.clamp(min, max)))
}

#[inline(always)]
fn halving<const LANES: usize>(lanes: [i32; LANES]) -> u32 {
    join(lanes.map(|lane| lane >> 1))
}

/// SADD16.
#[inline]
pub(crate) fn sadd16(n: u32, m: u32) -> (u32, u32) {
    signed(halves::<true>(n, m, Do::Add, Do::Add, false))
}

/// SASX.
#[inline]
pub(crate) fn sasx(n: u32, m: u32) -> (u32, u32) {
    signed(halves::<true>(n, m, Do::Add, Do::Sub, true))
}

/// SSAX.
#[inline]
pub(crate) fn ssax(n: u32, m: u32) -> (u32, u32) {
    signed(halves::<true>(n, m, Do::Sub, Do::Add, true))
}

/// SSUB16.
#[inline]
pub(crate) fn ssub16(n: u32, m: u32) -> (u32, u32) {
    signed(halves::<true>(n, m, Do::Sub, Do::Sub, false))
}

/// SADD8.
#[inline]
pub(crate) fn sadd8(n: u32, m: u32) -> (u32, u32) {
    signed(bytes::<true>(n, m, Do::Add))
}

/// SSUB8.
#[inline]
pub(crate) fn ssub8(n: u32, m: u32) -> (u32, u32) {
    signed(bytes::<true>(n, m, Do::Sub))
}

/// UADD16.
#[inline]
pub(crate) fn uadd16(n: u32, m: u32) -> (u32, u32) {
    unsigned(halves::<false>(n, m, Do::Add, Do::Add, false), [true, true])
}

/// UASX.
#[inline]
pub(crate) fn uasx(n: u32, m: u32) -> (u32, u32) {
    unsigned(halves::<false>(n, m, Do::Add, Do::Sub, true), [false, true])
}

/// USAX.
#[inline]
pub(crate) fn usax(n: u32, m: u32) -> (u32, u32) {
    unsigned(halves::<false>(n, m, Do::Sub, Do::Add, true), [true, false])
}

/// USUB16.
#[inline]
pub(crate) fn usub16(n: u32, m: u32) -> (u32, u32) {
    unsigned(halves::<false>(n, m, Do::Sub, Do::Sub, false), [false, false])
}

/// UADD8.
#[inline]
pub(crate) fn uadd8(n: u32, m: u32) -> (u32, u32) {
    unsigned(bytes::<false>(n, m, Do::Add), [true; 4])
}

/// USUB8.
#[inline]
pub(crate) fn usub8(n: u32, m: u32) -> (u32, u32) {
    unsigned(bytes::<false>(n, m, Do::Sub), [false; 4])
}

/// QADD16.
#[inline]
pub(crate) fn qadd16(n: u32, m: u32) -> u32 {
    saturating(halves::<true>(n, m, Do::Add, Do::Add, false), true)
}

/// QASX.
#[inline]
pub(crate) fn qasx(n: u32, m: u32) -> u32 {
    saturating(halves::<true>(n, m, Do::Add, Do::Sub, true), true)
}

/// QSAX.
#[inline]
pub(crate) fn qsax(n: u32, m: u32) -> u32 {
    saturating(halves::<true>(n, m, Do::Sub, Do::Add, true), true)
}

/// QSUB16.
#[inline]
pub(crate) fn qsub16(n: u32, m: u32) -> u32 {
    saturating(halves::<true>(n, m, Do::Sub, Do::Sub, false), true)
}

/// QADD8.
#[inline]
pub(crate) fn qadd8(n: u32, m: u32) -> u32 {
    saturating(bytes::<true>(n, m, Do::Add), true)
}

/// QSUB8.
#[inline]
pub(crate) fn qsub8(n: u32, m: u32) -> u32 {
    saturating(bytes::<true>(n, m, Do::Sub), true)
}

/// UQADD16.
#[inline]
pub(crate) fn uqadd16(n: u32, m: u32) -> u32 {
    saturating(halves::<false>(n, m, Do::Add, Do::Add, false), false)
}

/// UQASX.
#[inline]
pub(crate) fn uqasx(n: u32, m: u32) -> u32 {
    saturating(halves::<false>(n, m, Do::Add, Do::Sub, true), false)
}

/// UQSAX.
#[inline]
pub(crate) fn uqsax(n: u32, m: u32) -> u32 {
    saturating(halves::<false>(n, m, Do::Sub, Do::Add, true), false)
}

/// UQSUB16.
#[inline]
pub(crate) fn uqsub16(n: u32, m: u32) -> u32 {
    saturating(halves::<false>(n, m, Do::Sub, Do::Sub, false), false)
}

/// UQADD8.
#[inline]
pub(crate) fn uqadd8(n: u32, m: u32) -> u32 {
    saturating(bytes::<false>(n, m, Do::Add), false)
}

/// UQSUB8.
#[inline]
pub(crate) fn uqsub8(n: u32, m: u32) -> u32 {
    saturating(bytes::<false>(n, m, Do::Sub), false)
}

/// SHADD16.
#[inline]
pub(crate) fn shadd16(n: u32, m: u32) -> u32 {
    halving(halves::<true>(n, m, Do::Add, Do::Add, false))
}

/// SHASX.
#[inline]
pub(crate) fn shasx(n: u32, m: u32) -> u32 {
    halving(halves::<true>(n, m, Do::Add, Do::Sub, true))
}

/// SHSAX.
#[inline]
pub(crate) fn shsax(n: u32, m: u32) -> u32 {
    halving(halves::<true>(n, m, Do::Sub, Do::Add, true))
}

/// SHSUB16.
#[inline]
pub(crate) fn shsub16(n: u32, m: u32) -> u32 {
    halving(halves::<true>(n, m, Do::Sub, Do::Sub, false))
}

/// SHADD8.
#[inline]
pub(crate) fn shadd8(n: u32, m: u32) -> u32 {
    halving(bytes::<true>(n, m, Do::Add))
}

/// SHSUB8.
#[inline]
pub(crate) fn shsub8(n: u32, m: u32) -> u32 {
    halving(bytes::<true>(n, m, Do::Sub))
}

/// UHADD16.
#[inline]
pub(crate) fn uhadd16(n: u32, m: u32) -> u32 {
    halving(halves::<false>(n, m, Do::Add, Do::Add, false))
}

/// UHASX.
#[inline]
pub(crate) fn uhasx(n: u32, m: u32) -> u32 {
    halving(halves::<false>(n, m, Do::Add, Do::Sub, true))
}

/// UHSAX.
#[inline]
pub(crate) fn uhsax(n: u32, m: u32) -> u32 {
    halving(halves::<false>(n, m, Do::Sub, Do::Add, true))
}

/// UHSUB16.
#[inline]
pub(crate) fn uhsub16(n: u32, m: u32) -> u32 {
    halving(halves::<false>(n, m, Do::Sub, Do::Sub, false))
}

/// UHADD8.
#[inline]
pub(crate) fn uhadd8(n: u32, m: u32) -> u32 {
    halving(bytes::<false>(n, m, Do::Add))
}

/// UHSUB8.
#[inline]
pub(crate) fn uhsub8(n: u32, m: u32) -> u32 {
    halving(bytes::<false>(n, m, Do::Sub))
}
