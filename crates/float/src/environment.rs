//! The status and control register of a floating-point unit, as the arithmetic sees it.

use crate::rounding::Rounding;
use crate::unpack::Operand;

/// Exception flags, at the positions of Arm's FPSCR.
pub mod flags {
    /// Invalid operation.
    pub const INVALID: u32 = 1;
    /// Division of a finite number by zero.
    pub const DIVISION_BY_ZERO: u32 = 1 << 1;
    /// Overflow.
    pub const OVERFLOW: u32 = 1 << 2;
    /// Underflow: a tiny result that is not exact.
    pub const UNDERFLOW: u32 = 1 << 3;
    /// Inexact: a result that was rounded.
    pub const INEXACT: u32 = 1 << 4;
    /// Input denormal: an operand was flushed to zero.
    pub const INPUT_DENORMAL: u32 = 1 << 7;
}

/// Modes, flags and rules of a floating-point unit.
pub trait Environment {
    /// A subnormal result underflows only if it is tiny after rounding to an unbounded exponent. Else, tiny before
    /// rounding is enough. IEEE 754 leaves the choice to the architecture.
    const TINY_AFTER_ROUNDING: bool;
    /// A quiet addend is the result of a fused multiply-add even if the product is infinity by zero. Else, the result
    /// is the default NaN. The operation is invalid in both cases.
    const QUIET_ADDEND_SURVIVES: bool;

    /// The mode in which results are rounded.
    fn rounding(&self) -> Rounding;

    /// Tells whether subnormal operands and results are zero.
    fn flushes_to_zero(&self) -> bool;

    /// Accumulates exception [`flags`].
    fn raise(&mut self, flags: u32);

    /// The NaN of an operation whose operands, in the order of the function's parameters, include a NaN; `None` if they
    /// do not. A signalling NaN raises [`flags::INVALID`].
    fn nan<const COUNT: usize>(&mut self, operands: [&Operand; COUNT]) -> Option<u32>;

    /// Accumulates [`flags::INEXACT`] if a result was not exact.
    #[inline(always)]
    fn raise_if_inexact(&mut self, inexact: bool) {
        self.raise(u32::from(inexact) << flags::INEXACT.trailing_zeros());
    }
}
