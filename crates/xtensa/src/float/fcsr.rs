//! The control and status registers.

use cyclescope_float::{Class, Environment, Operand, Rounding, flags};

/// FCR and FSR: rounding mode, enable bits, and accumulated exception flags.
///
/// Source: ISA RM RC-2010.1, §4.3.11.2, tables 4-47 and 4-48.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fcsr {
    fcr: u32,
    /// Exception flags at the positions of `cyclescope_float::flags`.
    flags: u32,
}

/// The flags that FSR has, each with its bit there.
const FSR: [(u32, u32); 5] = [
    (flags::INEXACT, Fcsr::I),
    (flags::UNDERFLOW, Fcsr::U),
    (flags::OVERFLOW, Fcsr::O),
    (flags::DIVISION_BY_ZERO, Fcsr::Z),
    (flags::INVALID, Fcsr::V),
];

impl Fcsr {
    /// FSR: inexact.
    pub const I: u32 = 1 << 7;
    /// FSR: underflow.
    pub const U: u32 = 1 << 8;
    /// FSR: overflow.
    pub const O: u32 = 1 << 9;
    /// FSR: division by zero.
    pub const Z: u32 = 1 << 10;
    /// FSR: invalid operation.
    pub const V: u32 = 1 << 11;
    /// The bits of FCR that exist: the rounding mode and five enable bits.
    pub const FCR: u32 = 0x7F;

    /// Returns FCR.
    #[inline]
    pub const fn fcr(self) -> u32 {
        self.fcr
    }

    /// Writes FCR. Bits that do not exist stay zero.
    #[inline]
    pub fn set_fcr(&mut self, value: u32) {
        self.fcr = value & Self::FCR;
    }

    /// Returns FSR.
    pub fn fsr(self) -> u32 {
        FSR.iter().filter(|(flag, _)| self.flags & flag != 0).map(|(_, bit)| bit).sum()
    }

    /// Writes FSR. Bits that do not exist stay zero.
    pub fn set_fsr(&mut self, value: u32) {
        self.flags = FSR.iter().filter(|(_, bit)| value & bit != 0).map(|(flag, _)| flag).sum();
    }

    /// The same mode without flags, for an operation whose own are looked at or dropped.
    #[inline]
    pub(super) fn without_flags(self) -> Self {
        Self { flags: 0, ..self }
    }

    /// Round to nearest, without flags.
    pub(super) const NEAREST: Self = Self { fcr: 0, flags: 0 };

    /// The flags at the positions of `cyclescope_float::flags`.
    #[inline]
    pub(super) fn flags(self) -> u32 {
        self.flags
    }
}

impl Environment for Fcsr {
    const TINY_AFTER_ROUNDING: bool = true;
    const QUIET_ADDEND_SURVIVES: bool = true;

    #[inline(always)]
    fn rounding(&self) -> Rounding {
        match self.fcr & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Zero,
            2 => Rounding::PlusInfinity,
            _ => Rounding::MinusInfinity,
        }
    }

    #[inline(always)]
    fn flushes_to_zero(&self) -> bool {
        false
    }

    #[inline(always)]
    fn raise(&mut self, flags: u32) {
        self.flags |= flags;
    }

    /// The addend of a multiply-add if it is a NaN, else the last operand that is one, made quiet. That another one is
    /// signalling changes no choice.
    fn nan<const COUNT: usize>(&mut self, operands: [&Operand; COUNT]) -> Option<u32> {
        if operands.iter().any(|operand| operand.class == Class::SignallingNan) {
            self.raise(flags::INVALID);
        }
        let last = operands.iter().rev().find(|operand| operand.is_nan());
        let addend = if COUNT == 3 { operands.first().filter(|operand| operand.is_nan()) } else { None };
        addend.or(last).map(|operand| operand.bits | 1 << 22)
    }
}
