//! Extending with rotation, packing, selecting, and sums of differences.

use super::{bottom, pack};

/// SXTB: a byte of `m`, rotated right by `rotation` (0, 8, 16, 24), sign-extended.
#[inline]
pub(crate) fn sxtb(m: u32, rotation: u32) -> u32 {
    m.rotate_right(rotation) as i8 as u32
}

/// SXTH: a halfword of `m`, rotated right by `rotation`, sign-extended.
#[inline]
pub(crate) fn sxth(m: u32, rotation: u32) -> u32 {
    m.rotate_right(rotation) as i16 as u32
}

/// SXTB16: bytes 0 and 2 of `m`, rotated right by `rotation`, each sign-extended to a halfword.
#[inline]
pub(crate) fn sxtb16(m: u32, rotation: u32) -> u32 {
    let rotated = m.rotate_right(rotation);
    pack(i32::from((rotated >> 16) as i8), i32::from(rotated as i8))
}

/// UXTB: as [`sxtb`], zero-extended.
#[inline]
pub(crate) fn uxtb(m: u32, rotation: u32) -> u32 {
    m.rotate_right(rotation) & 0xFF
}

/// UXTH: as [`sxth`], zero-extended.
#[inline]
pub(crate) fn uxth(m: u32, rotation: u32) -> u32 {
    m.rotate_right(rotation) & 0xFFFF
}

/// UXTB16: as [`sxtb16`], zero-extended.
#[inline]
pub(crate) fn uxtb16(m: u32, rotation: u32) -> u32 {
    m.rotate_right(rotation) & 0x00FF_00FF
}

/// SXTAB: `n` plus [`sxtb`].
#[inline]
pub(crate) fn sxtab(n: u32, m: u32, rotation: u32) -> u32 {
    n.wrapping_add(sxtb(m, rotation))
}

/// SXTAH: `n` plus [`sxth`].
#[inline]
pub(crate) fn sxtah(n: u32, m: u32, rotation: u32) -> u32 {
    n.wrapping_add(sxth(m, rotation))
}

/// SXTAB16: the halfwords of `n` plus those of [`sxtb16`], without a carry between them.
#[inline]
pub(crate) fn sxtab16(n: u32, m: u32, rotation: u32) -> u32 {
    add_halfwords(n, sxtb16(m, rotation))
}

/// UXTAB: `n` plus [`uxtb`].
#[inline]
pub(crate) fn uxtab(n: u32, m: u32, rotation: u32) -> u32 {
    n.wrapping_add(uxtb(m, rotation))
}

/// UXTAH: `n` plus [`uxth`].
#[inline]
pub(crate) fn uxtah(n: u32, m: u32, rotation: u32) -> u32 {
    n.wrapping_add(uxth(m, rotation))
}

/// UXTAB16: the halfwords of `n` plus those of [`uxtb16`], without a carry between them.
#[inline]
pub(crate) fn uxtab16(n: u32, m: u32, rotation: u32) -> u32 {
    add_halfwords(n, uxtb16(m, rotation))
}

#[inline(always)]
fn add_halfwords(a: u32, b: u32) -> u32 {
    pack((a >> 16).wrapping_add(b >> 16) as i32, bottom(a) + bottom(b))
}

/// PKHBT: the top of `shifted` and the bottom of `n`. `shifted` is Rm after its LSL.
#[inline]
pub(crate) fn pkhbt(n: u32, shifted: u32) -> u32 {
    shifted & 0xFFFF_0000 | n & 0xFFFF
}

/// PKHTB: the top of `n` and the bottom of `shifted`. `shifted` is Rm after its ASR.
#[inline]
pub(crate) fn pkhtb(n: u32, shifted: u32) -> u32 {
    n & 0xFFFF_0000 | shifted & 0xFFFF
}

/// SEL: each byte from `n` where its bit of `ge` is set, else from `m`.
#[inline]
pub(crate) fn sel(n: u32, m: u32, ge: u32) -> u32 {
    // Bit i goes to bit 8 × i, and each of these fills its byte.
    let spread = (ge & 0xF).wrapping_mul(0x0020_4081) & 0x0101_0101;
    let mask = spread * 0xFF;
    n & mask | m & !mask
}

/// USAD8: the sum of the absolute differences of the four unsigned bytes.
#[inline]
pub(crate) fn usad8(n: u32, m: u32) -> u32 {
    let (n, m) = (n.to_le_bytes(), m.to_le_bytes());
    (0..4).map(|lane| u32::from(n[lane].abs_diff(m[lane]))).sum()
}

/// USADA8: `a` plus [`usad8`].
#[inline]
pub(crate) fn usada8(n: u32, m: u32, a: u32) -> u32 {
    a.wrapping_add(usad8(n, m))
}
