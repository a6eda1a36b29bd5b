//! The multiplier-accumulator's encodings (§4.3.7): which operands, and which halves of them.

use super::Needs::Mac16;
use super::{Instruction, Op, Row};

/// The operands of an operation of the multiplier-accumulator, packed into the immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operands {
    /// The first operand: a general register, or [`Self::ACCUMULATOR`] plus the number of an M register.
    pub first: u8,
    /// The second one.
    pub second: u8,
    /// The upper half of the first counts.
    pub first_high: bool,
    /// The upper half of the second counts.
    pub second_high: bool,
    /// Bytes that a load adds to its address register before it: 4 or -4.
    pub step: i8,
    /// The M register that a load writes.
    pub loaded: u8,
}

impl Operands {
    /// Added to the number of an M register.
    pub const ACCUMULATOR: u8 = 16;

    const fn pack(self) -> u32 {
        self.first as u32
            | (self.second as u32) << 5
            | (self.first_high as u32) << 10
            | (self.second_high as u32) << 11
            | ((self.step < 0) as u32) << 12
            | (self.loaded as u32) << 13
    }

    /// The operands in the immediate `imm`.
    #[inline(always)]
    pub const fn unpack(imm: u32) -> Self {
        Self {
            first: (imm & 31) as u8,
            second: (imm >> 5 & 31) as u8,
            first_high: imm & 1 << 10 != 0,
            second_high: imm & 1 << 11 != 0,
            step: if imm & 1 << 12 == 0 { 4 } else { -4 },
            loaded: (imm >> 13 & 3) as u8,
        }
    }
}

/// The kinds of operands: general registers or M registers, the first then the second.
const AA: u32 = 0;
const AD: u32 = 1;
const DA: u32 = 2;
const DD: u32 = 3;

const fn operands(kind: u32, w: u32) -> Operands {
    let i = Instruction::of(Op::Mul, w);
    // Of M registers, the first is m0 or m1 and the second m2 or m3.
    let (x, y) = (Operands::ACCUMULATOR + (i.r >> 2 & 1), Operands::ACCUMULATOR + 2 + (i.t >> 2 & 1));
    Operands {
        first: if kind & DA == 0 { i.s } else { x },
        second: if kind & AD == 0 { i.t } else { y },
        first_high: w & 1 << 16 != 0,
        second_high: w & 1 << 17 != 0,
        step: 4,
        loaded: i.r & 3,
    }
}

const fn build(op: Op, kind: u32, w: u32) -> Instruction {
    Instruction::of(op, w).imm(operands(kind, w).pack())
}

const fn build_load(op: Op, kind: u32, step: i8, w: u32) -> Instruction {
    Instruction::of(op, w).imm(Operands { step, ..operands(kind, w) }.pack())
}

/// The bits that are zero where an operand is no general register: all of a field but the number of the M register in bit 2.
const fn zeros(kind: u32, loads: bool) -> u32 {
    let second = if kind & AD != 0 { 0x00B0 } else { 0 };
    let first = match (kind & DA != 0, loads) {
        // The M register that is loaded is in bits 13 and 12, the address in field s.
        (true, true) => 0x8000,
        (true, false) => 0xBF00,
        (false, _) => 0xF000,
    };
    first | second
}

macro_rules! plain {
    ($op:ident, $kind:ident, $op2:literal, $op1:literal, $name:literal) => {
        Row {
            mask: 0x00FC_000F | zeros($kind, false),
            value: $op2 << 20 | $op1 << 16 | 4,
            name: $name,
            needs: Mac16,
            build: |w| build(Op::$op, $kind, w),
        }
    };
}

macro_rules! loads {
    ($op:ident, $kind:ident, $step:literal, $op2:literal, $op1:literal, $mask:literal, $name:literal) => {
        Row {
            mask: $mask | if $mask == 0x00FF_000F { 0xC0F0 } else { zeros($kind, true) },
            value: $op2 << 20 | $op1 << 16 | 4,
            name: $name,
            needs: Mac16,
            build: |w| build_load(Op::$op, $kind, $step, w),
        }
    };
}

/// All encodings of the multiplier-accumulator.
#[rustfmt::skip] // A table.
pub(super) const MAC: [Row; 19] = [
    loads!(MulaLoad, DD, 4, 0, 8, 0x00FC_000F, "MULA.DD.LDINC"),
    loads!(MulaLoad, DD, -4, 1, 8, 0x00FC_000F, "MULA.DD.LDDEC"),
    plain!(Mul, DD, 2, 4, "MUL.DD"),
    plain!(Mula, DD, 2, 8, "MULA.DD"),
    plain!(Muls, DD, 2, 12, "MULS.DD"),
    plain!(Mul, AD, 3, 4, "MUL.AD"),
    plain!(Mula, AD, 3, 8, "MULA.AD"),
    plain!(Muls, AD, 3, 12, "MULS.AD"),
    loads!(MulaLoad, DA, 4, 4, 8, 0x00FC_000F, "MULA.DA.LDINC"),
    loads!(MulaLoad, DA, -4, 5, 8, 0x00FC_000F, "MULA.DA.LDDEC"),
    plain!(Mul, DA, 6, 4, "MUL.DA"),
    plain!(Mula, DA, 6, 8, "MULA.DA"),
    plain!(Muls, DA, 6, 12, "MULS.DA"),
    plain!(Umul, AA, 7, 0, "UMUL.AA"),
    plain!(Mul, AA, 7, 4, "MUL.AA"),
    plain!(Mula, AA, 7, 8, "MULA.AA"),
    plain!(Muls, AA, 7, 12, "MULS.AA"),
    loads!(LoadMac, AA, 4, 8, 0, 0x00FF_000F, "LDINC"),
    loads!(LoadMac, AA, -4, 9, 0, 0x00FF_000F, "LDDEC"),
];
