//! The single-precision floating-point extension FPv4-SP: DDI 0403E chapter A6 and §A7.7.

use super::fields::{bits, reg, wide};
use super::operand::{Fp, FpAccess, FpOp};
use super::{Instruction, Op, Reg, Row};

/// A single's number: four bits and, below them, one.
const fn single(w: u32, high: u32, low: u32) -> u32 {
    bits(w, high, 4) << 1 | bits(w, low, 1)
}

/// The first single of a double.
const fn double(w: u32, low: u32, high: u32) -> u32 {
    (bits(w, high, 1) << 4 | bits(w, low, 4)) << 1 & 0x1F
}

const fn d(w: u32) -> u32 {
    single(w, 12, 22)
}

const fn n(w: u32) -> u32 {
    single(w, 16, 7)
}

const fn m(w: u32) -> u32 {
    single(w, 0, 5)
}

const fn fp(fp: Fp) -> Instruction {
    Instruction::new(Op::Fp).imm(fp.pack())
}

/// `Sd, Sn, Sm`
macro_rules! three {
    ($op:ident) => {
        |w| fp(Fp { op: FpOp::$op, d: d(w), n: n(w), m: m(w) })
    };
}
/// `Sd, Sm`
macro_rules! two {
    ($op:ident) => {
        |w| fp(Fp { op: FpOp::$op, d: d(w), n: 0, m: m(w) })
    };
}
/// `Sd, Sd, #fraction bits` of a fixed-point number of the given width.
macro_rules! fixed {
    ($op:ident, $width:literal) => {
        |w| {
            let less = bits(w, 0, 4) << 1 | bits(w, 5, 1);
            if less > $width {
                return Instruction::new(Op::Undefined).imm(w);
            }
            fp(Fp { op: FpOp::$op, d: d(w), n: 0, m: $width - less })
        }
    };
}

/// VLDR and VSTR.
const fn one(op: Op, w: u32, first: u32, count: u32) -> Instruction {
    let words = bits(w, 0, 8) as i32 * 4;
    let offset = if bits(w, 23, 1) == 1 { words } else { -words };
    let access = FpAccess { offset, first, count, writes_base: false, before: false };
    Instruction::new(op).rn(reg(w, 16)).imm(access.pack())
}

/// VLDM and VSTM: a list that ends beyond the last register is unpredictable and taken as undefined.
const fn multiple(op: Op, w: u32, first: u32) -> Instruction {
    let count = bits(w, 0, 8) & if bits(w, 8, 1) == 1 { !1 } else { !0 };
    if count == 0 || first + count > 32 {
        return Instruction::new(Op::Undefined).imm(w);
    }
    let (writes_base, before) = (bits(w, 21, 1) == 1, bits(w, 24, 1) == 1);
    let access = FpAccess { offset: 0, first, count, writes_base, before };
    Instruction::new(op).rn(reg(w, 16)).imm(access.pack())
}

const fn core(op: Op, w: u32, first: u32) -> Instruction {
    Instruction::new(op).rd(reg(w, 12)).imm(first)
}

const fn pair(op: Op, w: u32, first: u32) -> Instruction {
    if first == 31 {
        return Instruction::new(Op::Undefined).imm(w);
    }
    Instruction::new(op).rd(reg(w, 12)).rn(reg(w, 16)).imm(first)
}

/// The 32-bit encodings.
#[rustfmt::skip] // One line an encoding.
pub const WIDE: &[Row] = &[
    // Data processing.
    wide("1110 1110 0x00 xxxx xxxx 1010 x0x0 xxxx", "VMLA T2", three!(Mla)),
    wide("1110 1110 0x00 xxxx xxxx 1010 x1x0 xxxx", "VMLS T2", three!(Mls)),
    wide("1110 1110 0x01 xxxx xxxx 1010 x0x0 xxxx", "VNMLS T1", three!(Nmls)),
    wide("1110 1110 0x01 xxxx xxxx 1010 x1x0 xxxx", "VNMLA T1", three!(Nmla)),
    wide("1110 1110 0x10 xxxx xxxx 1010 x0x0 xxxx", "VMUL T2", three!(Mul)),
    wide("1110 1110 0x10 xxxx xxxx 1010 x1x0 xxxx", "VNMUL T2", three!(Nmul)),
    wide("1110 1110 0x11 xxxx xxxx 1010 x0x0 xxxx", "VADD T2", three!(Add)),
    wide("1110 1110 0x11 xxxx xxxx 1010 x1x0 xxxx", "VSUB T2", three!(Sub)),
    wide("1110 1110 1x00 xxxx xxxx 1010 x0x0 xxxx", "VDIV T1", three!(Div)),
    wide("1110 1110 1x01 xxxx xxxx 1010 x0x0 xxxx", "VFNMS T1", three!(Fnms)),
    wide("1110 1110 1x01 xxxx xxxx 1010 x1x0 xxxx", "VFNMA T1", three!(Fnma)),
    wide("1110 1110 1x10 xxxx xxxx 1010 x0x0 xxxx", "VFMA T2", three!(Fma)),
    wide("1110 1110 1x10 xxxx xxxx 1010 x1x0 xxxx", "VFMS T2", three!(Fms)),
    wide("1110 1110 1x11 xxxx xxxx 1010 0000 xxxx", "VMOV (immediate) T2", |w| {
        fp(Fp { op: FpOp::MovImm, d: d(w), n: 0, m: bits(w, 16, 4) << 4 | bits(w, 0, 4) })
    }),
    wide("1110 1110 1x11 0000 xxxx 1010 01x0 xxxx", "VMOV (register) T2", two!(Mov)),
    wide("1110 1110 1x11 0000 xxxx 1010 11x0 xxxx", "VABS T2", two!(Abs)),
    wide("1110 1110 1x11 0001 xxxx 1010 01x0 xxxx", "VNEG T2", two!(Neg)),
    wide("1110 1110 1x11 0001 xxxx 1010 11x0 xxxx", "VSQRT T1", two!(Sqrt)),
    wide("1110 1110 1x11 0010 xxxx 1010 01x0 xxxx", "VCVTB.F32.F16 T1", two!(HalfBottomToSingle)),
    wide("1110 1110 1x11 0010 xxxx 1010 11x0 xxxx", "VCVTT.F32.F16 T1", two!(HalfTopToSingle)),
    wide("1110 1110 1x11 0011 xxxx 1010 01x0 xxxx", "VCVTB.F16.F32 T1", two!(SingleToHalfBottom)),
    wide("1110 1110 1x11 0011 xxxx 1010 11x0 xxxx", "VCVTT.F16.F32 T1", two!(SingleToHalfTop)),
    wide("1110 1110 1x11 0100 xxxx 1010 01x0 xxxx", "VCMP T1", two!(Cmp)),
    wide("1110 1110 1x11 0100 xxxx 1010 11x0 xxxx", "VCMPE T1", two!(Cmpe)),
    wide("1110 1110 1x11 0101 xxxx 1010 01x0 xxxx", "VCMP T2", two!(CmpZero)),
    wide("1110 1110 1x11 0101 xxxx 1010 11x0 xxxx", "VCMPE T2", two!(CmpeZero)),
    wide("1110 1110 1x11 1000 xxxx 1010 01x0 xxxx", "VCVT.F32.U32 T1", two!(FromUnsigned)),
    wide("1110 1110 1x11 1000 xxxx 1010 11x0 xxxx", "VCVT.F32.S32 T1", two!(FromSigned)),
    wide("1110 1110 1x11 1010 xxxx 1010 01x0 xxxx", "VCVT.F32.S16 T1", fixed!(FromSignedFixed16, 16)),
    wide("1110 1110 1x11 1010 xxxx 1010 11x0 xxxx", "VCVT.F32.S32 (fixed) T1", fixed!(FromSignedFixed32, 32)),
    wide("1110 1110 1x11 1011 xxxx 1010 01x0 xxxx", "VCVT.F32.U16 T1", fixed!(FromUnsignedFixed16, 16)),
    wide("1110 1110 1x11 1011 xxxx 1010 11x0 xxxx", "VCVT.F32.U32 (fixed) T1", fixed!(FromUnsignedFixed32, 32)),
    wide("1110 1110 1x11 1100 xxxx 1010 01x0 xxxx", "VCVTR.U32.F32 T1", two!(ToUnsignedRounded)),
    wide("1110 1110 1x11 1100 xxxx 1010 11x0 xxxx", "VCVT.U32.F32 T1", two!(ToUnsigned)),
    wide("1110 1110 1x11 1101 xxxx 1010 01x0 xxxx", "VCVTR.S32.F32 T1", two!(ToSignedRounded)),
    wide("1110 1110 1x11 1101 xxxx 1010 11x0 xxxx", "VCVT.S32.F32 T1", two!(ToSigned)),
    wide("1110 1110 1x11 1110 xxxx 1010 01x0 xxxx", "VCVT.S16.F32 T1", fixed!(ToSignedFixed16, 16)),
    wide("1110 1110 1x11 1110 xxxx 1010 11x0 xxxx", "VCVT.S32.F32 (fixed) T1", fixed!(ToSignedFixed32, 32)),
    wide("1110 1110 1x11 1111 xxxx 1010 01x0 xxxx", "VCVT.U16.F32 T1", fixed!(ToUnsignedFixed16, 16)),
    wide("1110 1110 1x11 1111 xxxx 1010 11x0 xxxx", "VCVT.U32.F32 (fixed) T1", fixed!(ToUnsignedFixed32, 32)),
    // Transfers between the core and the singles.
    wide("1110 1110 0000 xxxx xxxx 1010 x001 0000", "VMOV (core to single) T1", |w| core(Op::VmovFromCore, w, n(w))),
    wide("1110 1110 0001 xxxx xxxx 1010 x001 0000", "VMOV (single to core) T1", |w| core(Op::VmovToCore, w, n(w))),
    wide("1110 1110 00x0 xxxx xxxx 1011 x001 0000", "VMOV (core to half of a double) T1", |w| {
        core(Op::VmovFromCore, w, double(w, 16, 7) | bits(w, 21, 1))
    }),
    wide("1110 1110 00x1 xxxx xxxx 1011 x001 0000", "VMOV (half of a double to core) T1", |w| {
        core(Op::VmovToCore, w, double(w, 16, 7) | bits(w, 21, 1))
    }),
    wide("1110 1110 1110 0001 xxxx 1010 0001 0000", "VMSR T1", |w| Instruction::new(Op::Vmsr).rd(reg(w, 12))),
    wide("1110 1110 1111 0001 xxxx 1010 0001 0000", "VMRS T1", |w| Instruction::new(Op::Vmrs).rd(reg(w, 12))),
    wide("1110 1100 0100 xxxx xxxx 1010 00x1 xxxx", "VMOV (core to two singles) T1", |w| pair(Op::VmovPairFromCore, w, m(w))),
    wide("1110 1100 0101 xxxx xxxx 1010 00x1 xxxx", "VMOV (two singles to core) T1", |w| pair(Op::VmovPairToCore, w, m(w))),
    wide("1110 1100 0100 xxxx xxxx 1011 00x1 xxxx", "VMOV (core to a double) T1", |w| {
        pair(Op::VmovPairFromCore, w, double(w, 0, 5))
    }),
    wide("1110 1100 0101 xxxx xxxx 1011 00x1 xxxx", "VMOV (a double to core) T1", |w| {
        pair(Op::VmovPairToCore, w, double(w, 0, 5))
    }),
    // Loads and stores.
    wide("1110 1101 xx00 xxxx xxxx 1010 xxxx xxxx", "VSTR T2", |w| one(Op::Vstr, w, d(w), 1)),
    wide("1110 1101 xx00 xxxx xxxx 1011 xxxx xxxx", "VSTR T1", |w| one(Op::Vstr, w, double(w, 12, 22), 2)),
    wide("1110 1101 xx01 1111 xxxx 1010 xxxx xxxx", "VLDR T2 (literal)", |w| {
        Instruction { rn: Reg::R0, ..one(Op::VldrLiteral, w, d(w), 1) }
    }),
    wide("1110 1101 xx01 1111 xxxx 1011 xxxx xxxx", "VLDR T1 (literal)", |w| {
        Instruction { rn: Reg::R0, ..one(Op::VldrLiteral, w, double(w, 12, 22), 2) }
    }),
    wide("1110 1101 xx01 xxxx xxxx 1010 xxxx xxxx", "VLDR T2", |w| one(Op::Vldr, w, d(w), 1)),
    wide("1110 1101 xx01 xxxx xxxx 1011 xxxx xxxx", "VLDR T1", |w| one(Op::Vldr, w, double(w, 12, 22), 2)),
    wide("1110 1100 1xx0 xxxx xxxx 1010 xxxx xxxx", "VSTM T2", |w| multiple(Op::Vstm, w, d(w))),
    wide("1110 1100 1xx0 xxxx xxxx 1011 xxxx xxxx", "VSTM T1", |w| multiple(Op::Vstm, w, double(w, 12, 22))),
    wide("1110 1100 1xx1 xxxx xxxx 1010 xxxx xxxx", "VLDM T2", |w| multiple(Op::Vldm, w, d(w))),
    wide("1110 1100 1xx1 xxxx xxxx 1011 xxxx xxxx", "VLDM T1", |w| multiple(Op::Vldm, w, double(w, 12, 22))),
    wide("1110 1101 0x10 xxxx xxxx 1010 xxxx xxxx", "VSTMDB T2", |w| multiple(Op::Vstm, w, d(w))),
    wide("1110 1101 0x10 xxxx xxxx 1011 xxxx xxxx", "VSTMDB T1", |w| multiple(Op::Vstm, w, double(w, 12, 22))),
    wide("1110 1101 0x11 xxxx xxxx 1010 xxxx xxxx", "VLDMDB T2", |w| multiple(Op::Vldm, w, d(w))),
    wide("1110 1101 0x11 xxxx xxxx 1011 xxxx xxxx", "VLDMDB T1", |w| multiple(Op::Vldm, w, double(w, 12, 22))),
];
