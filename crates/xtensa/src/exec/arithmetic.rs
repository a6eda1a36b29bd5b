//! Arithmetic that is more than one operator: chapter 6 of the manual, by instruction.

use crate::decode::Op;

/// NSA: the shift that brings the first bit unlike the sign to bit 30.
pub(super) const fn nsa(value: u32) -> u32 {
    let folded = value ^ ((value as i32 >> 31) as u32);
    folded.leading_zeros() - 1
}

/// CLAMPS: `value` within the numbers of `bit` bits and a sign.
pub(super) fn clamps(value: u32, bit: u32) -> u32 {
    let most = (1i32 << bit) - 1;
    (value as i32).clamp(-most - 1, most) as u32
}

/// SEXT: bit `bit` is the sign.
pub(super) const fn sext(value: u32, bit: u32) -> u32 {
    ((value << (31 - bit)) as i32 >> (31 - bit)) as u32
}

/// SRC: the 64 bits of `high` and `low`, to the right.
#[inline(always)]
pub(super) const fn funnel(high: u32, low: u32, shift: u32) -> u32 {
    ((high as u64) << 32 | low as u64).wrapping_shr(shift) as u32
}

/// SRL.
#[inline(always)]
pub(super) const fn right(value: u32, shift: u32) -> u32 {
    (value as u64).wrapping_shr(shift) as u32
}

/// SRA.
#[inline(always)]
pub(super) const fn right_signed(value: u32, shift: u32) -> u32 {
    (value as i32 as i64).wrapping_shr(shift) as u32
}

/// SLL, by 32 less SAR.
#[inline(always)]
pub(super) const fn left(value: u32, sar: u32) -> u32 {
    ((value as u64) << 32).wrapping_shr(sar) as u32
}

/// A quotient or remainder by another divisor than zero.
pub(super) const fn divide(op: Op, a: u32, b: u32) -> u32 {
    match op {
        Op::Quou => a / b,
        Op::Remu => a % b,
        Op::Quos => (a as i32).wrapping_div(b as i32) as u32,
        _ => (a as i32).wrapping_rem(b as i32) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN: u32 = 1 << 31;

    #[test]
    fn shifts_reach_from_0_to_32_and_beyond() {
        assert_eq!([0, 1, 31, 32].map(|shift| right(MIN, shift)), [MIN, MIN >> 1, 1, 0]);
        assert_eq!([0, 1, 31, 32, 40].map(|shift| right_signed(MIN, shift)), [MIN, 0xC000_0000, !0, !0, !0]);
        // SSL of 0, 1 and 31 make SAR 32, 31 and 1.
        assert_eq!([32, 31, 1].map(|sar| left(3, sar)), [3, 6, MIN]);
        assert_eq!(
            [0, 8, 32].map(|shift| funnel(0xAABB_CCDD, 0x1122_3344, shift)),
            [0x1122_3344, 0xDD11_2233, 0xAABB_CCDD]
        );
    }

    #[test]
    fn signs_are_counted_and_extended() {
        assert_eq!([0, 1, !0, MIN, !0 << 3].map(nsa), [31, 30, 31, 0, 28]);
        assert_eq!([sext(0x80, 7), sext(0x7F, 7), sext(0x40_0000, 22)], [0xFFFF_FF80, 0x7F, 0xFFC0_0000]);
        assert_eq!([clamps(200, 7), clamps(127, 7), clamps(-200i32 as u32, 7)], [127, 127, -128i32 as u32]);
    }

    #[test]
    fn the_quotient_that_does_not_fit_wraps() {
        let all = |a, b| [Op::Quou, Op::Quos, Op::Remu, Op::Rems].map(|op| divide(op, a, b));
        assert_eq!(all(MIN, !0), [0, MIN, MIN, 0]);
        assert_eq!(all(-7i32 as u32, 2), [0x7FFF_FFFC, -3i32 as u32, 1, -1i32 as u32]);
    }
}
