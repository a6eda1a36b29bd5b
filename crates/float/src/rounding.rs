//! Rounding modes.

/// The rounding of a result that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest, ties to even.
    Nearest,
    /// Towards plus infinity.
    PlusInfinity,
    /// Towards minus infinity.
    MinusInfinity,
    /// Towards zero.
    Zero,
}

impl Rounding {
    /// Tells whether rounding adds one unit to the magnitude. `error` is the part cut off, in units of 2⁻⁶⁴ of the last
    /// place kept; its lowest bit may be sticky.
    #[inline(always)]
    pub fn rounds_up(self, negative: bool, odd: bool, error: u64) -> bool {
        const HALF: u64 = 1 << 63;
        match self {
            Self::Nearest => error > HALF || (error == HALF && odd),
            Self::PlusInfinity => error != 0 && !negative,
            Self::MinusInfinity => error != 0 && negative,
            Self::Zero => false,
        }
    }

    /// Tells whether a value that is too large becomes an infinity. Else it becomes the largest number.
    #[inline]
    pub fn overflows_to_infinity(self, negative: bool) -> bool {
        match self {
            Self::Nearest => true,
            Self::PlusInfinity => !negative,
            Self::MinusInfinity => negative,
            Self::Zero => false,
        }
    }
}
