//! Arithmetic that is more than one operator: RISC-V Unprivileged ISA 20191213, chapters 2, 7 and 8.

use crate::decode::Op;

/// The high word of a product of signed numbers.
pub(super) const fn mulh(a: u32, b: u32) -> u32 {
    ((a as i32 as i64 * b as i32 as i64) >> 32) as u32
}

/// The high word of the product of a signed and an unsigned number.
pub(super) const fn mulhsu(a: u32, b: u32) -> u32 {
    ((a as i32 as i64 * b as i64) >> 32) as u32
}

/// The high word of a product of unsigned numbers.
pub(super) const fn mulhu(a: u32, b: u32) -> u32 {
    ((a as u64 * b as u64) >> 32) as u32
}

/// A quotient or remainder, as table 7.1 has it where there is none.
pub(super) const fn divide(op: Op, a: u32, b: u32) -> u32 {
    match op {
        Op::Div if b == 0 => u32::MAX,
        Op::Div => (a as i32).wrapping_div(b as i32) as u32,
        Op::Divu if b == 0 => u32::MAX,
        Op::Divu => a / b,
        _ if b == 0 => a,
        Op::Rem => (a as i32).wrapping_rem(b as i32) as u32,
        _ => a % b,
    }
}

/// Returns the value that an AMO stores in the place of `old`.
pub(super) const fn atomic(op: Op, old: u32, operand: u32) -> u32 {
    let (first, second) = (old as i32, operand as i32);
    match op {
        Op::AmoaddW => old.wrapping_add(operand),
        Op::AmoxorW => old ^ operand,
        Op::AmoandW => old & operand,
        Op::AmoorW => old | operand,
        Op::AmominW => (if first < second { first } else { second }) as u32,
        Op::AmomaxW => (if first > second { first } else { second }) as u32,
        Op::AmominuW => {
            if old < operand {
                old
            } else {
                operand
            }
        }
        Op::AmomaxuW => {
            if old > operand {
                old
            } else {
                operand
            }
        }
        _ => operand,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN: u32 = 1 << 31;

    #[test]
    fn products_have_their_signs() {
        assert_eq!([mulh(MIN, MIN), mulh(u32::MAX, 1), mulh(u32::MAX, u32::MAX)], [0x4000_0000, u32::MAX, 0]);
        assert_eq!([mulhsu(u32::MAX, u32::MAX), mulhsu(1, u32::MAX)], [u32::MAX, 0]);
        assert_eq!([mulhu(u32::MAX, u32::MAX), mulhu(MIN, 2)], [u32::MAX - 1, 1]);
    }

    #[test]
    fn quotients_that_there_are_not_are_as_table_7_1_says() {
        let all = |a, b| [Op::Div, Op::Divu, Op::Rem, Op::Remu].map(|op| divide(op, a, b));
        assert_eq!(all(7, 0), [u32::MAX, u32::MAX, 7, 7]);
        assert_eq!(all(MIN, u32::MAX), [MIN, 0, 0, MIN]);
        assert_eq!(all(-7i32 as u32, 2), [-3i32 as u32, 0x7FFF_FFFC, -1i32 as u32, 1]);
    }

    #[test]
    fn atomics_compare_with_and_without_sign() {
        let all = |op| atomic(op, u32::MAX, 1);
        let ops = [Op::AmominW, Op::AmomaxW, Op::AmominuW, Op::AmomaxuW, Op::AmoswapW, Op::AmoaddW, Op::AmoxorW];
        assert_eq!(ops.map(all), [u32::MAX, 1, 1, u32::MAX, 1, 0, u32::MAX - 1]);
        assert_eq!([all(Op::AmoandW), all(Op::AmoorW)], [1, u32::MAX]);
    }
}
