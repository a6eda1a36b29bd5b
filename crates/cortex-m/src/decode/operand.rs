//! Operands that a predecoded instruction has no field for, and their packing into its immediate.

use super::reg::Reg;

const fn bits(word: u32, low: u32, count: u32) -> u32 {
    word >> low & ((1 << count) - 1)
}

operations! {
    /// The effect of an instruction with an immediate operand on the flags; stands in `rm`.
    Flags {
        /// Nothing.
        Keep,
        /// Sets N and Z, and C and V if it is arithmetic.
        Set,
        /// Logic whose immediate was rotated: sets N and Z, and C to the immediate's top bit.
        SetWithCarry,
    }
}

impl Flags {
    /// As a register field.
    pub const fn pack(self) -> Reg {
        Reg::new(self as u32)
    }

    /// Back from a register field.
    pub const fn unpack(field: Reg) -> Self {
        Self::from_bits(field as u32)
    }
}

/// A kind of shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Named as in the manual.
pub enum Shift {
    Lsl,
    Lsr,
    Asr,
    Ror,
    /// Rotate right by one through the carry.
    Rrx,
}

/// A register operand's shift by a constant, and whether flags are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shifted {
    /// The kind.
    pub by: Shift,
    /// The distance: 0 to 31 for LSL, 1 to 32 for LSR and ASR, 1 to 31 for ROR.
    pub amount: u32,
    /// True if flags are set.
    pub sets_flags: bool,
}

impl Shifted {
    /// DecodeImmShift() (DDI 0403E §A7.4.2).
    pub const fn decode(kind: u32, imm5: u32, sets_flags: bool) -> Self {
        let (by, amount) = match (kind & 3, imm5) {
            (0, amount) => (Shift::Lsl, amount),
            (1, 0) => (Shift::Lsr, 32),
            (1, amount) => (Shift::Lsr, amount),
            (2, 0) => (Shift::Asr, 32),
            (2, amount) => (Shift::Asr, amount),
            (_, 0) => (Shift::Rrx, 1),
            (_, amount) => (Shift::Ror, amount),
        };
        Self { by, amount, sets_flags }
    }

    /// No shift.
    pub const fn none(sets_flags: bool) -> Self {
        Self { by: Shift::Lsl, amount: 0, sets_flags }
    }

    /// As an immediate: the amount in its low byte.
    pub const fn pack(self) -> u32 {
        self.amount | (self.by as u32) << 8 | (self.sets_flags as u32) << 16
    }

    /// Back from an immediate.
    pub const fn unpack(imm: u32) -> Self {
        let by = match bits(imm, 8, 3) {
            0 => Shift::Lsl,
            1 => Shift::Lsr,
            2 => Shift::Asr,
            3 => Shift::Ror,
            _ => Shift::Rrx,
        };
        Self { by, amount: imm & 0x3F, sets_flags: bits(imm, 16, 1) != 0 }
    }
}

/// SSAT and USAT: shift, then saturate to a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saturation {
    /// The shift: LSL, or ASR by 1 to 32.
    pub shift: Shifted,
    /// To how many bits: 1 to 32 signed, 0 to 31 unsigned.
    pub width: u32,
}

impl Saturation {
    /// As an immediate.
    pub const fn pack(self) -> u32 {
        self.shift.pack() | self.width << 24
    }

    /// Back from an immediate.
    pub const fn unpack(imm: u32) -> Self {
        Self { shift: Shifted::unpack(imm), width: imm >> 24 }
    }
}

operations! {
    /// The way a load or store forms its address and changes its base.
    Index {
        /// At base plus offset, which becomes the base.
        Pre,
        /// At the base, which then moves by the offset.
        Post,
        /// At base plus offset, with the rights of unprivileged code.
        Unprivileged,
        /// At base plus offset; the base stays.
        Offset,
    }
}

/// A signed offset with what is done to the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexed {
    /// Bytes, from -1020 to 1020.
    pub offset: i32,
    /// The way.
    pub index: Index,
}

impl Indexed {
    /// As an immediate: the offset in its low half.
    pub const fn pack(self) -> u32 {
        self.offset as u32 & 0xFFFF | (self.index as u32) << 16
    }

    /// Back from an immediate.
    pub const fn unpack(imm: u32) -> Self {
        Self { offset: imm as i16 as i32, index: Index::from_bits(bits(imm, 16, 2)) }
    }
}

operations! {
    /// The way in which the address of a load or store of one value is made, for the steps beside it; stands in `rd`.
    Addressing {
        /// `rn` and the constant in `imm`.
        Offset,
        /// `rn` and `rm`, shifted left by `imm`.
        Register,
        /// The constant in `imm` alone.
        Literal,
    }
}

impl Addressing {
    /// As a register field.
    pub const fn pack(self) -> Reg {
        Reg::new(self as u32)
    }

    /// Back from a register field.
    pub const fn unpack(field: Reg) -> Self {
        Self::from_bits(field as u32)
    }
}

/// LDM, STM and their like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiple {
    /// A bit a register.
    pub list: u32,
    /// True if the base moves.
    pub writes_base: bool,
    /// True if the list ends below the base; else it begins at the base.
    pub before: bool,
    /// Registers that were moved before an interrupt came between, and are no longer in the list.
    pub done: u32,
}

impl Multiple {
    /// As an immediate: the list in its low half, the number of its registers in the last bits.
    pub const fn pack(self) -> u32 {
        let flags = (self.writes_base as u32) << 16 | (self.before as u32) << 17;
        self.list | flags | self.done << 18 | self.list.count_ones() << 23
    }

    /// The number of registers in the list of an immediate.
    #[inline(always)]
    pub const fn listed(imm: u32) -> u32 {
        imm >> 23
    }

    /// Back from an immediate.
    pub const fn unpack(imm: u32) -> Self {
        Self {
            list: imm & 0xFFFF,
            writes_base: bits(imm, 16, 1) != 0,
            before: bits(imm, 17, 1) != 0,
            done: bits(imm, 18, 5),
        }
    }
}

/// A conditional instruction of an IT block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The condition's four bits.
    pub condition: u32,
    /// Static cycles that the instruction takes beyond those of being skipped.
    pub saved: u32,
}

impl Guard {
    /// As an immediate.
    pub const fn pack(self) -> u32 {
        self.condition | self.saved << 8
    }

    /// Back from an immediate.
    pub const fn unpack(imm: u32) -> Self {
        Self { condition: imm & 0xF, saved: imm >> 8 }
    }
}

operations! {
    /// Instructions of the DSP extension.
    DspOp {
        // Parallel additions and subtractions, in the order of their encoding.
        Sadd16, Sasx, Ssax, Ssub16, Sadd8, Ssub8,
        Qadd16, Qasx, Qsax, Qsub16, Qadd8, Qsub8,
        Shadd16, Shasx, Shsax, Shsub16, Shadd8, Shsub8,
        Uadd16, Uasx, Usax, Usub16, Uadd8, Usub8,
        Uqadd16, Uqasx, Uqsax, Uqsub16, Uqadd8, Uqsub8,
        Uhadd16, Uhasx, Uhsax, Uhsub16, Uhadd8, Uhsub8,
        // Saturating; `rm` op `rn`.
        Qadd, Qdadd, Qsub, Qdsub,
        Ssat16, Usat16,
        Sel, Usad8, Usada8,
        // Extend after rotating by `extra` bits; with A, added to `rn`.
        Sxtab, Sxtah, Sxtab16, Uxtab, Uxtah, Uxtab16, Sxtb16, Uxtb16, Sxtb, Sxth, Uxtb, Uxth,
        // The second operand shifted by `extra`.
        Pkhbt, Pkhtb,
        // Multiplications; those that accumulate add the register `extra`.
        Smulbb, Smulbt, Smultb, Smultt,
        Smlabb, Smlabt, Smlatb, Smlatt,
        Smulwb, Smulwt, Smlawb, Smlawt,
        Smuad, Smuadx, Smusd, Smusdx, Smlad, Smladx, Smlsd, Smlsdx,
        Smmul, Smmulr, Smmla, Smmlar, Smmls, Smmlsr,
        // Long ones: low word `rd`, high word the register `extra`.
        Smlalbb, Smlalbt, Smlaltb, Smlaltt, Smlald, Smlaldx, Smlsld, Smlsldx, Umaal,
    }
}

impl DspOp {
    /// Tells whether the operation multiplies.
    pub const fn multiplies(self) -> bool {
        self as u8 >= Self::Smulbb as u8
    }
}

/// A DSP operation with what else it needs: rotation, shift, width, or a fourth register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dsp {
    /// The operation.
    pub op: DspOp,
    /// The rest.
    pub extra: u32,
}

impl Dsp {
    /// As an immediate: `extra` in its low byte.
    pub const fn pack(self) -> u32 {
        self.extra | (self.op as u32) << 8
    }

    /// Back from an immediate.
    pub const fn unpack(imm: u32) -> Self {
        Self { op: DspOp::from_bits(bits(imm, 8, 8)), extra: imm & 0xFF }
    }
}

operations! {
    /// Floating-point data processing and conversions.
    FpOp {
        Add, Sub, Mul, Nmul, Div,
        Mla, Mls, Nmla, Nmls,
        Fma, Fms, Fnma, Fnms,
        Mov, MovImm, Abs, Neg, Sqrt,
        Cmp, Cmpe, CmpZero, CmpeZero,
        FromSigned, FromUnsigned,
        ToSigned, ToUnsigned,
        ToSignedRounded, ToUnsignedRounded,
        HalfBottomToSingle, HalfTopToSingle, SingleToHalfBottom, SingleToHalfTop,
        // Fixed point, in place; `m` is the number of fraction bits.
        FromSignedFixed16, FromUnsignedFixed16, FromSignedFixed32, FromUnsignedFixed32,
        ToSignedFixed16, ToUnsignedFixed16, ToSignedFixed32, ToUnsignedFixed32,
    }
}

/// A floating-point operation on singles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fp {
    /// The operation.
    pub op: FpOp,
    /// The destination, and the addend where there is one: 0 to 31.
    pub d: u32,
    /// The first operand.
    pub n: u32,
    /// The second or only operand, or the eight bits of VMOV's immediate, or the fraction bits.
    pub m: u32,
}

impl Fp {
    /// As an immediate.
    pub const fn pack(self) -> u32 {
        self.d | self.n << 5 | self.m << 10 | (self.op as u32) << 24
    }

    /// Back from an immediate.
    pub const fn unpack(imm: u32) -> Self {
        Self { op: FpOp::from_bits(imm >> 24), d: bits(imm, 0, 5), n: bits(imm, 5, 5), m: bits(imm, 10, 8) }
    }

    /// The singles that it reads beside the addend, a bit each.
    pub const fn reads(self) -> u32 {
        let (n, m, d) = (1 << self.n, 1 << (self.m & 31), 1 << self.d);
        match self.op {
            FpOp::Add | FpOp::Sub | FpOp::Mul | FpOp::Nmul | FpOp::Div => n | m,
            FpOp::Mla | FpOp::Mls | FpOp::Nmla | FpOp::Nmls | FpOp::Fma | FpOp::Fms | FpOp::Fnma | FpOp::Fnms => n | m,
            FpOp::MovImm => 0,
            FpOp::Cmp | FpOp::Cmpe => d | m,
            FpOp::CmpZero | FpOp::CmpeZero => d,
            FpOp::FromSignedFixed16
            | FpOp::FromUnsignedFixed16
            | FpOp::FromSignedFixed32
            | FpOp::FromUnsignedFixed32
            | FpOp::ToSignedFixed16
            | FpOp::ToUnsignedFixed16
            | FpOp::ToSignedFixed32
            | FpOp::ToUnsignedFixed32 => d,
            _ => m,
        }
    }

    /// Tells whether the operation only compares: it writes flags and no register.
    pub const fn compares(self) -> bool {
        matches!(self.op, FpOp::Cmp | FpOp::Cmpe | FpOp::CmpZero | FpOp::CmpeZero)
    }
}

/// A load or store of singles: where, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FpAccess {
    /// For VLDR and VSTR, the offset in bytes.
    pub offset: i32,
    /// The first single: 0 to 31.
    pub first: u32,
    /// The number of singles: 1 or 2 for VLDR and VSTR, 1 to 32 for the others.
    pub count: u32,
    /// For VLDM and VSTM, whether the base moves.
    pub writes_base: bool,
    /// For VLDM and VSTM, whether the list ends below the base.
    pub before: bool,
}

impl FpAccess {
    /// As an immediate.
    pub const fn pack(self) -> u32 {
        (self.offset / 4) as u32 & 0x3FF
            | self.first << 10
            | self.count << 15
            | (self.writes_base as u32) << 21
            | (self.before as u32) << 22
    }

    /// Back from an immediate.
    pub const fn unpack(imm: u32) -> Self {
        Self {
            offset: ((imm << 22) as i32 >> 22) * 4,
            first: bits(imm, 10, 5),
            count: bits(imm, 15, 6),
            writes_base: bits(imm, 21, 1) != 0,
            before: bits(imm, 22, 1) != 0,
        }
    }
}
