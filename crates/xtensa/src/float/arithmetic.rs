//! Multiply-add and comparison.

use cyclescope_float::{Relation, SIGN, multiply_add};

use super::fcsr::Fcsr;

/// MADD.S: `r + s × t`, rounded once.
#[inline]
pub(crate) fn madd(r: u32, s: u32, t: u32, fcsr: &mut Fcsr) -> u32 {
    multiply_add(r, s, t, 0, fcsr)
}

/// MSUB.S: `r - s × t`, rounded once. NaNs keep their signs.
#[inline]
pub(crate) fn msub(r: u32, s: u32, t: u32, fcsr: &mut Fcsr) -> u32 {
    multiply_add(r, s, t, SIGN, fcsr)
}

/// The predicates of the comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Predicate {
    /// UN.S: unordered.
    Un,
    /// OEQ.S: ordered and equal.
    Oeq,
    /// UEQ.S: unordered or equal.
    Ueq,
    /// OLT.S: ordered and less.
    Olt,
    /// ULT.S: unordered or less.
    Ult,
    /// OLE.S: ordered, and less or equal.
    Ole,
    /// ULE.S: unordered, less or equal.
    Ule,
}

/// UN.S to ULE.S: tells whether `predicate` holds for `s` and `t`. A signalling NaN is an invalid operation; for OLT.S
/// and OLE.S a quiet one is too.
#[inline]
pub(crate) fn compare(predicate: Predicate, s: u32, t: u32, fcsr: &mut Fcsr) -> bool {
    const UNORDERED: u32 = Relation::UNORDERED;
    const EQUAL: u32 = Relation::EQUAL;
    const LESS: u32 = Relation::LESS;
    let (predicates, quiet_raises) = match predicate {
        Predicate::Un => (UNORDERED, false),
        Predicate::Oeq => (EQUAL, false),
        Predicate::Ueq => (UNORDERED | EQUAL, false),
        Predicate::Olt => (LESS, true),
        Predicate::Ult => (UNORDERED | LESS, false),
        Predicate::Ole => (LESS | EQUAL, true),
        Predicate::Ule => (UNORDERED | LESS | EQUAL, false),
    };
    cyclescope_float::compare(s, t, quiet_raises, fcsr).is_any(predicates)
}
