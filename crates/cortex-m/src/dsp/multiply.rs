//! Multiplications of halfwords, of a word and a halfword, of words for their upper half.
//!
//! `n_top` and `m_top` choose the halfword: the T of SMULTB, for example. `exchange` is the X of SMLADX: the halfwords of `m`
//! change places first. The second part of a pair says whether APSR.Q is set.

use super::{bottom, top};

#[inline(always)]
fn half(value: u32, take_top: bool) -> i64 {
    i64::from(if take_top { top(value) } else { bottom(value) })
}

#[inline(always)]
fn word(value: u32) -> i64 {
    i64::from(value as i32)
}

/// A result in a word, and whether it did not fit.
#[inline(always)]
fn overflowing(result: i64) -> (u32, bool) {
    (result as u32, result != i64::from(result as i32))
}

/// The products of the bottom and of the top halfwords.
#[inline(always)]
fn dual(n: u32, m: u32, exchange: bool) -> (i64, i64) {
    let m = if exchange { m.rotate_right(16) } else { m };
    (half(n, false) * half(m, false), half(n, true) * half(m, true))
}

/// SMULBB, SMULBT, SMULTB, SMULTT.
#[inline]
pub(crate) fn smul(n: u32, m: u32, n_top: bool, m_top: bool) -> u32 {
    (half(n, n_top) * half(m, m_top)) as u32
}

/// SMLABB, SMLABT, SMLATB, SMLATT.
#[inline]
pub(crate) fn smla(n: u32, m: u32, a: u32, n_top: bool, m_top: bool) -> (u32, bool) {
    overflowing(half(n, n_top) * half(m, m_top) + word(a))
}

/// SMULWB, SMULWT: the upper 32 bits of a 48-bit product.
#[inline]
pub(crate) fn smulw(n: u32, m: u32, m_top: bool) -> u32 {
    ((word(n) * half(m, m_top)) >> 16) as u32
}

/// SMLAWB, SMLAWT: `a` plus the upper 32 bits of a 48-bit product.
#[inline]
pub(crate) fn smlaw(n: u32, m: u32, a: u32, m_top: bool) -> (u32, bool) {
    overflowing((word(n) * half(m, m_top) + (word(a) << 16)) >> 16)
}

/// SMUAD, SMUADX: the sum of two products.
#[inline]
pub(crate) fn smuad(n: u32, m: u32, exchange: bool) -> (u32, bool) {
    let (low, high) = dual(n, m, exchange);
    overflowing(low + high)
}

/// SMUSD, SMUSDX: the bottom product minus the top one; it always fits.
#[inline]
pub(crate) fn smusd(n: u32, m: u32, exchange: bool) -> u32 {
    let (low, high) = dual(n, m, exchange);
    (low - high) as u32
}

/// SMLAD, SMLADX: `a` plus the sum of two products.
#[inline]
pub(crate) fn smlad(n: u32, m: u32, a: u32, exchange: bool) -> (u32, bool) {
    let (low, high) = dual(n, m, exchange);
    overflowing(low + high + word(a))
}

/// SMLSD, SMLSDX: `a` plus the difference of two products.
#[inline]
pub(crate) fn smlsd(n: u32, m: u32, a: u32, exchange: bool) -> (u32, bool) {
    let (low, high) = dual(n, m, exchange);
    overflowing(low - high + word(a))
}

/// SMLALBB, SMLALBT, SMLALTB, SMLALTT.
#[inline]
pub(crate) fn smlal_half(n: u32, m: u32, accumulator: u64, n_top: bool, m_top: bool) -> u64 {
    accumulator.wrapping_add((half(n, n_top) * half(m, m_top)) as u64)
}

/// SMLALD, SMLALDX.
#[inline]
pub(crate) fn smlald(n: u32, m: u32, accumulator: u64, exchange: bool) -> u64 {
    let (low, high) = dual(n, m, exchange);
    accumulator.wrapping_add((low + high) as u64)
}

/// SMLSLD, SMLSLDX.
#[inline]
pub(crate) fn smlsld(n: u32, m: u32, accumulator: u64, exchange: bool) -> u64 {
    let (low, high) = dual(n, m, exchange);
    accumulator.wrapping_add((low - high) as u64)
}

/// Returns the addend with which SMMULR and its like round before the lower half is cut off; 0 without rounding.
#[inline(always)]
fn rounding(round: bool) -> i64 {
    i64::from(round) << 31
}

/// SMMUL and, rounded, SMMULR: the upper word of a product.
#[inline]
pub(crate) fn smmul(n: u32, m: u32, round: bool) -> u32 {
    ((word(n) * word(m)).wrapping_add(rounding(round)) >> 32) as u32
}

/// SMMLA and, rounded, SMMLAR: the upper word of `a:0` plus a product.
#[inline]
pub(crate) fn smmla(n: u32, m: u32, a: u32, round: bool) -> u32 {
    ((word(a) << 32).wrapping_add(word(n) * word(m)).wrapping_add(rounding(round)) >> 32) as u32
}

/// SMMLS and, rounded, SMMLSR: the upper word of `a:0` minus a product.
#[inline]
pub(crate) fn smmls(n: u32, m: u32, a: u32, round: bool) -> u32 {
    ((word(a) << 32).wrapping_sub(word(n) * word(m)).wrapping_add(rounding(round)) >> 32) as u32
}

/// UMAAL: `n × m + low + high`, which always fits 64 bits.
#[inline]
pub(crate) fn umaal(n: u32, m: u32, low: u32, high: u32) -> u64 {
    u64::from(n) * u64::from(m) + u64::from(low) + u64::from(high)
}
