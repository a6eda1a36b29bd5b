//! The floating-point status and control register.

use cyclescope_float::{Class, DEFAULT_NAN, Environment, Operand, Rounding, flags};

/// FPSCR: condition flags, control bits and accumulated exception flags, at the register's own bit positions.
///
/// Source: DDI 0403E.b §A2.5.3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fpscr(u32);

impl Fpscr {
    /// Negative condition flag.
    pub const N: u32 = 1 << 31;
    /// Zero condition flag.
    pub const Z: u32 = 1 << 30;
    /// Carry condition flag.
    pub const C: u32 = 1 << 29;
    /// Overflow condition flag.
    pub const V: u32 = 1 << 28;
    /// Alternative half precision.
    pub const AHP: u32 = 1 << 26;
    /// Default NaN.
    pub const DN: u32 = 1 << 25;
    /// Flush-to-zero.
    pub const FZ: u32 = 1 << 24;
    /// The rounding mode's field.
    pub const RMODE: u32 = 3 << 22;
    /// Input denormal: an operand was flushed to zero.
    pub const IDC: u32 = 1 << 7;
    /// Inexact.
    pub const IXC: u32 = 1 << 4;
    /// Underflow.
    pub const UFC: u32 = 1 << 3;
    /// Overflow.
    pub const OFC: u32 = 1 << 2;
    /// Division by zero.
    pub const DZC: u32 = 1 << 1;
    /// Invalid operation.
    pub const IOC: u32 = 1;

    /// The condition flags.
    pub const NZCV: u32 = Self::N | Self::Z | Self::C | Self::V;
    /// The bits that FPDSCR holds, and that FPSCR takes from it when a context begins.
    pub const CONTROL: u32 = Self::AHP | Self::DN | Self::FZ | Self::RMODE;
    /// All bits that exist; the others read as zero and ignore writes.
    pub const IMPLEMENTED: u32 =
        Self::NZCV | Self::CONTROL | Self::IDC | Self::IXC | Self::UFC | Self::OFC | Self::DZC | Self::IOC;

    /// The register after a write of `bits` (VMSR, or restored from the stack).
    #[inline]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits & Self::IMPLEMENTED)
    }

    /// Returns the value that VMRS reads.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// N, Z, C and V in bits 3 to 0, as VMRS to APSR_nzcv takes them.
    #[inline]
    pub const fn nzcv(self) -> u32 {
        self.0 >> 28
    }

    /// Writes N, Z, C and V from bits 3 to 0.
    #[inline]
    pub(super) fn set_nzcv(&mut self, nzcv: u32) {
        self.0 = self.0 & !Self::NZCV | nzcv << 28;
    }

    /// RMode: RN, RP, RM or RZ.
    #[inline(always)]
    pub const fn rounding(self) -> Rounding {
        match self.0 >> 22 & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::PlusInfinity,
            2 => Rounding::MinusInfinity,
            _ => Rounding::Zero,
        }
    }

    /// FZ: subnormal operands and results are zero.
    #[inline]
    pub const fn flushes_to_zero(self) -> bool {
        self.0 & Self::FZ != 0
    }

    /// DN: every NaN result is the default NaN.
    #[inline]
    pub const fn default_nan(self) -> bool {
        self.0 & Self::DN != 0
    }

    /// AHP: half precision without infinities and NaNs.
    #[inline]
    pub const fn alternative_half(self) -> bool {
        self.0 & Self::AHP != 0
    }
}

/// The rules of Armv7-M: FPProcessException(), FPProcessNaNs() and FPProcessNaNs3().
impl Environment for Fpscr {
    const TINY_AFTER_ROUNDING: bool = false;
    const QUIET_ADDEND_SURVIVES: bool = false;

    #[inline(always)]
    fn rounding(&self) -> Rounding {
        Self::rounding(*self)
    }

    #[inline]
    fn flushes_to_zero(&self) -> bool {
        Self::flushes_to_zero(*self)
    }

    // The shared flags lie where FPSCR has them.
    #[inline(always)]
    fn raise(&mut self, flags: u32) {
        self.0 |= flags;
    }

    /// The first signalling operand, else the first quiet one, else none.
    fn nan<const COUNT: usize>(&mut self, operands: [&Operand; COUNT]) -> Option<u32> {
        let first = |class| operands.iter().find(|operand| operand.class == class);
        let bits = if let Some(operand) = first(Class::SignallingNan) {
            self.raise(flags::INVALID);
            operand.bits | 1 << 22
        } else {
            first(Class::QuietNan)?.bits
        };
        Some(if self.default_nan() { DEFAULT_NAN } else { bits })
    }
}

const _: () = {
    assert!(Fpscr::IOC == flags::INVALID && Fpscr::DZC == flags::DIVISION_BY_ZERO && Fpscr::OFC == flags::OVERFLOW);
    assert!(Fpscr::UFC == flags::UNDERFLOW && Fpscr::IXC == flags::INEXACT && Fpscr::IDC == flags::INPUT_DENORMAL);
};
