//! Comparison.

use crate::SIGN;
use crate::environment::{Environment, flags};
use crate::unpack::{Class, Operand, is_normal, unpack};

/// The relation of two values, one bit for each predicate that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation(u32);

impl Relation {
    /// The first value is less than the second.
    pub const LESS: u32 = 1 << 3;
    /// The values are equal; zeros of either sign are.
    pub const EQUAL: u32 = 1 << 2;
    /// The first value is not less than the second: it is equal, greater, or the two are unordered.
    pub const NOT_LESS: u32 = 1 << 1;
    /// One of the values is a NaN.
    pub const UNORDERED: u32 = 1;

    /// The predicates' bits. They lie as N, Z, C and V do after a comparison on Arm.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Tells whether any of `predicates` holds.
    #[inline]
    pub const fn is_any(self, predicates: u32) -> bool {
        self.0 & predicates != 0
    }
}

/// Compares two values. A signalling NaN is an invalid operation; with `quiet_raises` a quiet one is too.
#[inline]
pub fn compare<E: Environment>(a: u32, b: u32, quiet_raises: bool, environment: &mut E) -> Relation {
    if is_normal(a) && is_normal(b) { order(total(a), total(b)) } else { compare_any(a, b, quiet_raises, environment) }
}

#[inline(never)]
fn compare_any<E: Environment>(a: u32, b: u32, quiet_raises: bool, environment: &mut E) -> Relation {
    let (a, b) = (unpack(a, environment), unpack(b, environment));
    if a.is_nan() || b.is_nan() {
        if quiet_raises || a.class == Class::SignallingNan || b.class == Class::SignallingNan {
            environment.raise(flags::INVALID);
        }
        return Relation(Relation::NOT_LESS | Relation::UNORDERED);
    }
    let key = |operand: &Operand| if operand.class == Class::Zero { 0 } else { total(operand.bits) };
    order(key(&a), key(&b))
}

/// A number that orders as the value does, for all but NaNs and zeros.
#[inline(always)]
fn total(bits: u32) -> i32 {
    let magnitude = (bits & !SIGN) as i32;
    if bits & SIGN != 0 { -magnitude } else { magnitude }
}

/// The relation of two numbers, without a branch on them.
#[inline(always)]
fn order(a: i32, b: i32) -> Relation {
    Relation(u32::from(a < b) << 3 | u32::from(a == b) << 2 | u32::from(a >= b) << 1)
}
