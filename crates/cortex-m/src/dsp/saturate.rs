//! Saturation. The second part of a pair says whether APSR.Q is set.

use super::{bottom, pack, top};

/// SignedSatQ() to `bits` (1 to 32).
#[inline(always)]
fn signed(value: i64, bits: u32) -> (u32, bool) {
    let max = (1i64 << (bits - 1)) - 1;
    let saturated = value.clamp(-max - 1, max);
    (saturated as u32, saturated != value)
}

/// UnsignedSatQ() to `bits` (0 to 31).
#[inline(always)]
fn unsigned(value: i64, bits: u32) -> (u32, bool) {
    let saturated = value.clamp(0, (1i64 << bits) - 1);
    (saturated as u32, saturated != value)
}

#[inline(always)]
fn wide(value: u32) -> i64 {
    i64::from(value as i32)
}

/// SSAT: `shifted` (Rn after its shift) as a signed number of `bits` (1 to 32) bits.
#[inline]
pub(crate) fn ssat(shifted: u32, bits: u32) -> (u32, bool) {
    signed(wide(shifted), bits)
}

/// USAT: `shifted` (Rn after its shift, signed) as an unsigned number of `bits` (0 to 31) bits.
#[inline]
pub(crate) fn usat(shifted: u32, bits: u32) -> (u32, bool) {
    unsigned(wide(shifted), bits)
}

/// SSAT16: each signed halfword as a signed number of `bits` (1 to 16) bits.
#[inline]
pub(crate) fn ssat16(n: u32, bits: u32) -> (u32, bool) {
    let (low, low_q) = signed(i64::from(bottom(n)), bits);
    let (high, high_q) = signed(i64::from(top(n)), bits);
    (pack(high as i32, low as i32), low_q | high_q)
}

/// USAT16: each signed halfword as an unsigned number of `bits` (0 to 15) bits.
#[inline]
pub(crate) fn usat16(n: u32, bits: u32) -> (u32, bool) {
    let (low, low_q) = unsigned(i64::from(bottom(n)), bits);
    let (high, high_q) = unsigned(i64::from(top(n)), bits);
    (pack(high as i32, low as i32), low_q | high_q)
}

/// QADD: `m + n`, saturated.
#[inline]
pub(crate) fn qadd(m: u32, n: u32) -> (u32, bool) {
    signed(wide(m) + wide(n), 32)
}

/// QSUB: `m - n`, saturated.
#[inline]
pub(crate) fn qsub(m: u32, n: u32) -> (u32, bool) {
    signed(wide(m) - wide(n), 32)
}

/// QDADD: `m + 2 × n`, the double saturated first.
#[inline]
pub(crate) fn qdadd(m: u32, n: u32) -> (u32, bool) {
    let (doubled, first) = signed(2 * wide(n), 32);
    let (result, second) = qadd(m, doubled);
    (result, first | second)
}

/// QDSUB: `m - 2 × n`, the double saturated first.
#[inline]
pub(crate) fn qdsub(m: u32, n: u32) -> (u32, bool) {
    let (doubled, first) = signed(2 * wide(n), 32);
    let (result, second) = qsub(m, doubled);
    (result, first | second)
}
