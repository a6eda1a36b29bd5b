//! The encodings that Armv7-M adds: Armv7-M Architecture Reference Manual, DDI 0403E, chapter A5 and §A7.7.
//!
//! Of two rows that match, the one that fixes more bits comes first.

use super::fields::{bits, low, narrow, reg, sign_extend, wide};
use super::operand::{Flags, Index, Indexed, Multiple, Saturation, Shifted};
use super::{Instruction, Op, Reg, Row};

const fn undefined(w: u32) -> Instruction {
    Instruction::new(Op::Undefined).imm(w)
}

/// `i:imm3:imm8` of the modified and plain immediates.
const fn imm12(w: u32) -> u32 {
    bits(w, 26, 1) << 11 | bits(w, 12, 3) << 8 | bits(w, 0, 8)
}

/// ThumbExpandImm_C() (DDI 0403E §A5.3.2): the constant, and whether it was rotated and so has a carry.
const fn expand(imm12: u32) -> (u32, bool) {
    let byte = imm12 & 0xFF;
    match imm12 >> 8 {
        0 => (byte, false),
        1 => (byte << 16 | byte, false),
        2 => (byte << 24 | byte << 8, false),
        3 => (byte << 24 | byte << 16 | byte << 8 | byte, false),
        _ => ((0x80 | imm12 & 0x7F).rotate_right(imm12 >> 7), true),
    }
}

/// `Rd, Rn, #const`, with S deciding on flags.
macro_rules! logic {
    ($op:ident) => {
        |w| {
            let (imm, rotated) = expand(imm12(w));
            let flags = match (bits(w, 20, 1), rotated) {
                (0, _) => Flags::Keep,
                (_, false) => Flags::Set,
                (_, true) => Flags::SetWithCarry,
            };
            Instruction::new(Op::$op).rd(reg(w, 8)).rn(reg(w, 16)).rm(flags.pack()).imm(imm)
        }
    };
}
macro_rules! arithmetic {
    ($op:ident) => {
        |w| {
            let flags = if bits(w, 20, 1) == 1 { Flags::Set } else { Flags::Keep };
            Instruction::new(Op::$op).rd(reg(w, 8)).rn(reg(w, 16)).rm(flags.pack()).imm(expand(imm12(w)).0)
        }
    };
}
/// `Rd, Rn, Rm, shift #imm5`, with S deciding on flags.
macro_rules! shifted {
    ($op:ident) => {
        |w| {
            let amount = bits(w, 12, 3) << 2 | bits(w, 6, 2);
            let shift = Shifted::decode(bits(w, 4, 2), amount, bits(w, 20, 1) == 1);
            Instruction::new(Op::$op).rd(reg(w, 8)).rn(reg(w, 16)).rm(reg(w, 0)).imm(shift.pack())
        }
    };
}
/// `Rd, Rn, Rm`, with S deciding on flags.
macro_rules! shift_by {
    ($flags:ident, $quiet:ident) => {
        |w| {
            let op = if bits(w, 20, 1) == 1 { Op::$flags } else { Op::$quiet };
            Instruction::new(op).rd(reg(w, 8)).rn(reg(w, 16)).rm(reg(w, 0))
        }
    };
}
/// `Rd, Rm`
macro_rules! two {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(reg(w, 8)).rm(reg(w, 0))
    };
}
/// `Rd, Rn, Rm, Ra`, the fourth in `imm`.
macro_rules! four {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(reg(w, 8)).rn(reg(w, 16)).rm(reg(w, 0)).imm(bits(w, 12, 4))
    };
}
/// `RdLo, RdHi, Rn, Rm`, the high word's register in `imm`.
macro_rules! long {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(reg(w, 12)).rn(reg(w, 16)).rm(reg(w, 0)).imm(bits(w, 8, 4))
    };
}
/// `Rt, [Rn, #imm12]`
macro_rules! offset12 {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(reg(w, 12)).rn(reg(w, 16)).imm(bits(w, 0, 12))
    };
}
/// `Rt, [Rn, #-imm8]`
macro_rules! offset8 {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(reg(w, 12)).rn(reg(w, 16)).imm(bits(w, 0, 8).wrapping_neg())
    };
}
/// `Rt, [Rn, #±imm8]!` and `Rt, [Rn], #±imm8`
macro_rules! indexed {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(reg(w, 12)).rn(reg(w, 16)).imm(indexed8(w).pack())
    };
}
/// `Rt, [Rn, #imm8]` with the rights of unprivileged code.
macro_rules! unprivileged {
    ($op:ident) => {
        |w| {
            let indexed = Indexed { offset: bits(w, 0, 8) as i32, index: Index::Unprivileged };
            Instruction::new(Op::$op).rd(reg(w, 12)).rn(reg(w, 16)).imm(indexed.pack())
        }
    };
}
/// `Rt, [Rn, Rm, LSL #imm2]`
macro_rules! register {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(reg(w, 12)).rn(reg(w, 16)).rm(reg(w, 0)).imm(bits(w, 4, 2))
    };
}
/// `Rt, [PC, #±imm12]`
macro_rules! literal {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(reg(w, 12)).imm(signed(w, bits(w, 0, 12)))
    };
}
macro_rules! plain {
    ($op:ident) => {
        |_| Instruction::new(Op::$op)
    };
}

/// An offset with U (bit 23) for its sign.
const fn signed(w: u32, offset: u32) -> u32 {
    if bits(w, 23, 1) == 1 { offset } else { offset.wrapping_neg() }
}

/// `imm8` with P (bit 10) and U (bit 9).
const fn indexed8(w: u32) -> Indexed {
    let offset = bits(w, 0, 8) as i32;
    let index = if bits(w, 10, 1) == 1 { Index::Pre } else { Index::Post };
    Indexed { offset: if bits(w, 9, 1) == 1 { offset } else { -offset }, index }
}

/// `imm8 * 4` with P (bit 24), U (bit 23) and W (bit 21).
const fn dual(op: Op, w: u32) -> Instruction {
    let offset = 4 * bits(w, 0, 8) as i32;
    let index = match (bits(w, 24, 1), bits(w, 21, 1)) {
        (1, 0) => Index::Offset,
        (1, _) => Index::Pre,
        _ => Index::Post,
    };
    let indexed = Indexed { offset: if bits(w, 23, 1) == 1 { offset } else { -offset }, index };
    Instruction::new(op).rd(reg(w, 12)).rn(reg(w, 16)).rm(reg(w, 8)).imm(indexed.pack())
}

const fn multiple(op: Op, w: u32, before: bool) -> Instruction {
    let multiple = Multiple { list: bits(w, 0, 16), writes_base: bits(w, 21, 1) == 1, before, done: 0 };
    Instruction::new(op).rn(reg(w, 16)).imm(multiple.pack())
}

const fn load_multiple(w: u32, before: bool) -> Instruction {
    multiple(if bits(w, 15, 1) == 1 { Op::LdmPc } else { Op::Ldm }, w, before)
}

/// A conditional branch by the condition's number.
pub(super) const fn branch_if(condition: u32) -> Op {
    match condition & 0xF {
        0 => Op::Beq,
        1 => Op::Bne,
        2 => Op::Bcs,
        3 => Op::Bcc,
        4 => Op::Bmi,
        5 => Op::Bpl,
        6 => Op::Bvs,
        7 => Op::Bvc,
        8 => Op::Bhi,
        9 => Op::Bls,
        10 => Op::Bge,
        11 => Op::Blt,
        12 => Op::Bgt,
        13 => Op::Ble,
        _ => Op::B,
    }
}

const fn conditional(w: u32) -> Instruction {
    if bits(w, 23, 3) == 0b111 {
        return undefined(w);
    }
    let offset =
        bits(w, 26, 1) << 20 | bits(w, 11, 1) << 19 | bits(w, 13, 1) << 18 | bits(w, 16, 6) << 12 | bits(w, 0, 11) << 1;
    Instruction::new(branch_if(bits(w, 22, 4))).imm(sign_extend(offset, 21))
}

const fn branch(w: u32) -> Instruction {
    let sign = bits(w, 26, 1);
    let i1 = !(bits(w, 13, 1) ^ sign) & 1;
    let i2 = !(bits(w, 11, 1) ^ sign) & 1;
    let offset = sign << 24 | i1 << 23 | i2 << 22 | bits(w, 16, 10) << 12 | bits(w, 0, 11) << 1;
    Instruction::new(Op::B).imm(sign_extend(offset, 25))
}

const fn imm5(w: u32) -> u32 {
    bits(w, 12, 3) << 2 | bits(w, 6, 2)
}

/// SSAT and USAT; `width` is what is printed.
const fn saturate(op: Op, w: u32, width: u32) -> Instruction {
    let arithmetic = bits(w, 21, 1);
    if arithmetic == 1 && imm5(w) == 0 {
        // SSAT16 and USAT16 of the DSP extension.
        return undefined(w);
    }
    let shift = Shifted::decode(2 * arithmetic, imm5(w), false);
    Instruction::new(op).rd(reg(w, 8)).rn(reg(w, 16)).imm(Saturation { shift, width }.pack())
}

/// UBFX and SBFX: the low bit in the low byte of `imm`, the width above.
const fn extract(op: Op, w: u32) -> Instruction {
    Instruction::new(op).rd(reg(w, 8)).rn(reg(w, 16)).imm(imm5(w) | (bits(w, 0, 5) + 1) << 8)
}

/// BFI and BFC: `imm` as for UBFX; an end below the beginning is unpredictable and taken as undefined.
const fn insert(op: Op, w: u32) -> Instruction {
    let (lsb, msb) = (imm5(w), bits(w, 0, 5));
    if msb < lsb {
        return undefined(w);
    }
    Instruction::new(op).rd(reg(w, 8)).rn(reg(w, 16)).imm(lsb | (msb - lsb + 1) << 8)
}

const fn move16(op: Op, w: u32) -> Instruction {
    Instruction::new(op).rd(reg(w, 8)).imm(bits(w, 16, 4) << 12 | imm12(w))
}

const fn compare_zero(op: Op, w: u32) -> Instruction {
    Instruction::new(op).rn(low(w, 0)).imm(bits(w, 9, 1) << 6 | bits(w, 3, 5) << 1)
}

const fn exclusive(op: Op, w: u32) -> Instruction {
    // STREX has Rd in bits 11:8 (its narrower forms in 3:0) and Rt in 15:12.
    Instruction::new(op).rd(reg(w, 8)).rn(reg(w, 16)).rm(reg(w, 12)).imm(bits(w, 0, 8) << 2)
}

const fn exclusive_narrow(op: Op, w: u32) -> Instruction {
    Instruction::new(op).rd(reg(w, 0)).rn(reg(w, 16)).rm(reg(w, 12))
}

/// The 16-bit encodings beside those of Armv6-M.
pub const NARROW: &[Row] = &[
    narrow("1011 0110 011x 00xx", "CPS T1", |w| {
        let imm = bits(w, 4, 1) | bits(w, 1, 1) << 1 | bits(w, 0, 1) << 2;
        Instruction::new(Op::Cps).imm(imm)
    }),
    narrow("1011 00x1 xxxx xxxx", "CBZ T1", |w| compare_zero(Op::Cbz, w)),
    narrow("1011 10x1 xxxx xxxx", "CBNZ T1", |w| compare_zero(Op::Cbnz, w)),
    narrow("1011 1111 xxxx xxxx", "IT T1", |w| {
        // Always and never, with an else, are unpredictable.
        let (condition, mask) = (bits(w, 4, 4), bits(w, 0, 4));
        if condition == 15 || condition == 14 && !mask.is_power_of_two() {
            return undefined(w);
        }
        Instruction::new(Op::It).imm(bits(w, 0, 8))
    }),
];

/// The 32-bit encodings beside those of Armv6-M.
#[rustfmt::skip] // One line an encoding.
pub const WIDE: &[Row] = &[
    // Load and store multiple.
    wide("1110 1000 10x0 xxxx 0x0x xxxx xxxx xxxx", "STM T2", |w| multiple(Op::Stm, w, false)),
    wide("1110 1000 10x1 xxxx xx0x xxxx xxxx xxxx", "LDM T2", |w| load_multiple(w, false)),
    wide("1110 1001 00x0 xxxx 0x0x xxxx xxxx xxxx", "STMDB T1", |w| multiple(Op::Stm, w, true)),
    wide("1110 1001 00x1 xxxx xx0x xxxx xxxx xxxx", "LDMDB T1", |w| load_multiple(w, true)),
    // Dual, exclusive, table branch.
    wide("1110 1000 0100 xxxx xxxx xxxx xxxx xxxx", "STREX T1", |w| exclusive(Op::Strex, w)),
    wide("1110 1000 0101 xxxx xxxx 1111 xxxx xxxx", "LDREX T1", |w| {
        Instruction::new(Op::Ldrex).rd(reg(w, 12)).rn(reg(w, 16)).imm(bits(w, 0, 8) << 2)
    }),
    wide("1110 1000 1100 xxxx xxxx 1111 0100 xxxx", "STREXB T1", |w| exclusive_narrow(Op::Strexb, w)),
    wide("1110 1000 1100 xxxx xxxx 1111 0101 xxxx", "STREXH T1", |w| exclusive_narrow(Op::Strexh, w)),
    wide("1110 1000 1101 xxxx xxxx 1111 0100 1111", "LDREXB T1", |w| {
        Instruction::new(Op::Ldrexb).rd(reg(w, 12)).rn(reg(w, 16))
    }),
    wide("1110 1000 1101 xxxx xxxx 1111 0101 1111", "LDREXH T1", |w| {
        Instruction::new(Op::Ldrexh).rd(reg(w, 12)).rn(reg(w, 16))
    }),
    wide("1110 1000 1101 xxxx 1111 0000 0000 xxxx", "TBB T1", |w| Instruction::new(Op::Tbb).rn(reg(w, 16)).rm(reg(w, 0))),
    wide("1110 1000 1101 xxxx 1111 0000 0001 xxxx", "TBH T1", |w| Instruction::new(Op::Tbh).rn(reg(w, 16)).rm(reg(w, 0))),
    wide("1110 1000 x110 xxxx xxxx xxxx xxxx xxxx", "STRD (immediate) T1 post", |w| dual(Op::Strd, w)),
    wide("1110 1001 x1x0 xxxx xxxx xxxx xxxx xxxx", "STRD (immediate) T1", |w| dual(Op::Strd, w)),
    wide("1110 1001 x101 1111 xxxx xxxx xxxx xxxx", "LDRD (literal) T1", |w| {
        let imm = signed(w, bits(w, 0, 8) << 2);
        Instruction::new(Op::LdrdLiteral).rd(reg(w, 12)).rm(reg(w, 8)).imm(imm)
    }),
    wide("1110 1000 x111 xxxx xxxx xxxx xxxx xxxx", "LDRD (immediate) T1 post", |w| dual(Op::Ldrd, w)),
    wide("1110 1001 x1x1 xxxx xxxx xxxx xxxx xxxx", "LDRD (immediate) T1", |w| dual(Op::Ldrd, w)),
    // Data processing, shifted register.
    wide("1110 1010 0001 xxxx 0xxx 1111 xxxx xxxx", "TST (register) T2", shifted!(TstShifted)),
    wide("1110 1010 000x xxxx 0xxx xxxx xxxx xxxx", "AND (register) T2", shifted!(AndShifted)),
    wide("1110 1010 001x xxxx 0xxx xxxx xxxx xxxx", "BIC (register) T2", shifted!(BicShifted)),
    wide("1110 1010 010x 1111 0xxx xxxx xxxx xxxx", "MOV (register) T3 and shifts by a constant T2", shifted!(MovShifted)),
    wide("1110 1010 010x xxxx 0xxx xxxx xxxx xxxx", "ORR (register) T2", shifted!(OrrShifted)),
    wide("1110 1010 011x 1111 0xxx xxxx xxxx xxxx", "MVN (register) T2", shifted!(MvnShifted)),
    wide("1110 1010 011x xxxx 0xxx xxxx xxxx xxxx", "ORN (register) T1", shifted!(OrnShifted)),
    wide("1110 1010 1001 xxxx 0xxx 1111 xxxx xxxx", "TEQ (register) T1", shifted!(TeqShifted)),
    wide("1110 1010 100x xxxx 0xxx xxxx xxxx xxxx", "EOR (register) T2", shifted!(EorShifted)),
    wide("1110 1011 0001 xxxx 0xxx 1111 xxxx xxxx", "CMN (register) T2", shifted!(CmnShifted)),
    wide("1110 1011 000x xxxx 0xxx xxxx xxxx xxxx", "ADD (register) T3", shifted!(AddShifted)),
    wide("1110 1011 010x xxxx 0xxx xxxx xxxx xxxx", "ADC (register) T2", shifted!(AdcShifted)),
    wide("1110 1011 011x xxxx 0xxx xxxx xxxx xxxx", "SBC (register) T2", shifted!(SbcShifted)),
    wide("1110 1011 1011 xxxx 0xxx 1111 xxxx xxxx", "CMP (register) T3", shifted!(CmpShifted)),
    wide("1110 1011 101x xxxx 0xxx xxxx xxxx xxxx", "SUB (register) T2", shifted!(SubShifted)),
    wide("1110 1011 110x xxxx 0xxx xxxx xxxx xxxx", "RSB (register) T1", shifted!(RsbShifted)),
    // Data processing, modified immediate.
    wide("1111 0x00 0001 xxxx 0xxx 1111 xxxx xxxx", "TST (immediate) T1", logic!(TstConst)),
    wide("1111 0x00 000x xxxx 0xxx xxxx xxxx xxxx", "AND (immediate) T1", logic!(AndConst)),
    wide("1111 0x00 001x xxxx 0xxx xxxx xxxx xxxx", "BIC (immediate) T1", logic!(BicConst)),
    wide("1111 0x00 010x 1111 0xxx xxxx xxxx xxxx", "MOV (immediate) T2", logic!(MovConst)),
    wide("1111 0x00 010x xxxx 0xxx xxxx xxxx xxxx", "ORR (immediate) T1", logic!(OrrConst)),
    wide("1111 0x00 011x 1111 0xxx xxxx xxxx xxxx", "MVN (immediate) T1", logic!(MvnConst)),
    wide("1111 0x00 011x xxxx 0xxx xxxx xxxx xxxx", "ORN (immediate) T1", logic!(OrnConst)),
    wide("1111 0x00 1001 xxxx 0xxx 1111 xxxx xxxx", "TEQ (immediate) T1", logic!(TeqConst)),
    wide("1111 0x00 100x xxxx 0xxx xxxx xxxx xxxx", "EOR (immediate) T1", logic!(EorConst)),
    wide("1111 0x01 0001 xxxx 0xxx 1111 xxxx xxxx", "CMN (immediate) T1", arithmetic!(CmnConst)),
    wide("1111 0x01 000x xxxx 0xxx xxxx xxxx xxxx", "ADD (immediate) T3", arithmetic!(AddConst)),
    wide("1111 0x01 010x xxxx 0xxx xxxx xxxx xxxx", "ADC (immediate) T1", arithmetic!(AdcConst)),
    wide("1111 0x01 011x xxxx 0xxx xxxx xxxx xxxx", "SBC (immediate) T1", arithmetic!(SbcConst)),
    wide("1111 0x01 1011 xxxx 0xxx 1111 xxxx xxxx", "CMP (immediate) T2", |w| {
        Instruction::new(Op::CmpImm).rn(reg(w, 16)).imm(expand(imm12(w)).0)
    }),
    wide("1111 0x01 101x xxxx 0xxx xxxx xxxx xxxx", "SUB (immediate) T3", arithmetic!(SubConst)),
    wide("1111 0x01 110x xxxx 0xxx xxxx xxxx xxxx", "RSB (immediate) T2", arithmetic!(RsbConst)),
    // Data processing, plain immediate.
    wide("1111 0x10 0000 1111 0xxx xxxx xxxx xxxx", "ADR T3", |w| Instruction::new(Op::Adr).rd(reg(w, 8)).imm(imm12(w))),
    wide("1111 0x10 0000 xxxx 0xxx xxxx xxxx xxxx", "ADD (immediate) T4", |w| {
        Instruction::new(Op::AddConst).rd(reg(w, 8)).rn(reg(w, 16)).rm(Flags::Keep.pack()).imm(imm12(w))
    }),
    wide("1111 0x10 0100 xxxx 0xxx xxxx xxxx xxxx", "MOV (immediate) T3", |w| {
        Instruction { rm: Flags::Keep.pack(), ..move16(Op::MovConst, w) }
    }),
    wide("1111 0x10 1010 1111 0xxx xxxx xxxx xxxx", "ADR T2", |w| {
        Instruction::new(Op::Adr).rd(reg(w, 8)).imm(imm12(w).wrapping_neg())
    }),
    wide("1111 0x10 1010 xxxx 0xxx xxxx xxxx xxxx", "SUB (immediate) T4", |w| {
        Instruction::new(Op::SubConst).rd(reg(w, 8)).rn(reg(w, 16)).rm(Flags::Keep.pack()).imm(imm12(w))
    }),
    wide("1111 0x10 1100 xxxx 0xxx xxxx xxxx xxxx", "MOVT T1", |w| move16(Op::MovTop, w)),
    wide("1111 0011 00x0 xxxx 0xxx xxxx xx0x xxxx", "SSAT T1", |w| saturate(Op::Ssat, w, bits(w, 0, 5) + 1)),
    wide("1111 0011 0100 xxxx 0xxx xxxx xx0x xxxx", "SBFX T1", |w| extract(Op::Sbfx, w)),
    wide("1111 0011 0110 1111 0xxx xxxx xx0x xxxx", "BFC T1", |w| insert(Op::Bfc, w)),
    wide("1111 0011 0110 xxxx 0xxx xxxx xx0x xxxx", "BFI T1", |w| insert(Op::Bfi, w)),
    wide("1111 0011 10x0 xxxx 0xxx xxxx xx0x xxxx", "USAT T1", |w| saturate(Op::Usat, w, bits(w, 0, 5))),
    wide("1111 0011 1100 xxxx 0xxx xxxx xx0x xxxx", "UBFX T1", |w| extract(Op::Ubfx, w)),
    // Branches and control.
    wide("1111 0011 1000 xxxx 1000 xx00 xxxx xxxx", "MSR T1", |w| {
        Instruction::new(Op::Msr).rn(reg(w, 16)).imm(bits(w, 0, 8) | bits(w, 10, 2) << 8)
    }),
    wide("1111 0011 1010 1111 1000 0000 0000 0001", "YIELD T2", plain!(Yield)),
    wide("1111 0011 1010 1111 1000 0000 0000 0010", "WFE T2", plain!(Wfe)),
    wide("1111 0011 1010 1111 1000 0000 0000 0011", "WFI T2", plain!(Wfi)),
    wide("1111 0011 1010 1111 1000 0000 0000 0100", "SEV T2", plain!(Sev)),
    // NOP, DBG, and hints that are not allocated.
    wide("1111 0011 1010 1111 1000 0000 xxxx xxxx", "NOP T2 and other hints", plain!(Nop)),
    wide("1111 0011 1011 1111 1000 1111 0010 1111", "CLREX T1", plain!(Clrex)),
    wide("1111 0xxx xxxx xxxx 10x0 xxxx xxxx xxxx", "B T3", conditional),
    wide("1111 0xxx xxxx xxxx 10x1 xxxx xxxx xxxx", "B T4", branch),
    // Stores.
    wide("1111 1000 1000 xxxx xxxx xxxx xxxx xxxx", "STRB (immediate) T2", offset12!(StrbImm)),
    wide("1111 1000 0000 xxxx xxxx 1110 xxxx xxxx", "STRBT T1", unprivileged!(StrbIndexed)),
    wide("1111 1000 0000 xxxx xxxx 1100 xxxx xxxx", "STRB (immediate) T3 down", offset8!(StrbImm)),
    wide("1111 1000 0000 xxxx xxxx 1xx1 xxxx xxxx", "STRB (immediate) T3", indexed!(StrbIndexed)),
    wide("1111 1000 0000 xxxx xxxx 0000 00xx xxxx", "STRB (register) T2", register!(StrbReg)),
    wide("1111 1000 1010 xxxx xxxx xxxx xxxx xxxx", "STRH (immediate) T2", offset12!(StrhImm)),
    wide("1111 1000 0010 xxxx xxxx 1110 xxxx xxxx", "STRHT T1", unprivileged!(StrhIndexed)),
    wide("1111 1000 0010 xxxx xxxx 1100 xxxx xxxx", "STRH (immediate) T3 down", offset8!(StrhImm)),
    wide("1111 1000 0010 xxxx xxxx 1xx1 xxxx xxxx", "STRH (immediate) T3", indexed!(StrhIndexed)),
    wide("1111 1000 0010 xxxx xxxx 0000 00xx xxxx", "STRH (register) T2", register!(StrhReg)),
    wide("1111 1000 1100 xxxx xxxx xxxx xxxx xxxx", "STR (immediate) T3", offset12!(StrImm)),
    wide("1111 1000 0100 xxxx xxxx 1110 xxxx xxxx", "STRT T1", unprivileged!(StrIndexed)),
    wide("1111 1000 0100 xxxx xxxx 1100 xxxx xxxx", "STR (immediate) T4 down", offset8!(StrImm)),
    wide("1111 1000 0100 xxxx xxxx 1xx1 xxxx xxxx", "STR (immediate) T4", indexed!(StrIndexed)),
    wide("1111 1000 0100 xxxx xxxx 0000 00xx xxxx", "STR (register) T2", register!(StrReg)),
    // Loads of bytes; with PC as the target they are hints.
    wide("1111 100x x001 1111 1111 xxxx xxxx xxxx", "PLD and PLI (literal)", plain!(Nop)),
    wide("1111 100x 1001 xxxx 1111 xxxx xxxx xxxx", "PLD and PLI (immediate)", plain!(Nop)),
    wide("1111 100x 0001 xxxx 1111 1100 xxxx xxxx", "PLD and PLI (immediate) down", plain!(Nop)),
    wide("1111 100x 0001 xxxx 1111 0000 00xx xxxx", "PLD and PLI (register)", plain!(Nop)),
    wide("1111 1000 x001 1111 xxxx xxxx xxxx xxxx", "LDRB (literal) T1", literal!(LdrbLiteral)),
    wide("1111 1000 1001 xxxx xxxx xxxx xxxx xxxx", "LDRB (immediate) T2", offset12!(LdrbImm)),
    wide("1111 1000 0001 xxxx xxxx 1110 xxxx xxxx", "LDRBT T1", unprivileged!(LdrbIndexed)),
    wide("1111 1000 0001 xxxx xxxx 1100 xxxx xxxx", "LDRB (immediate) T3 down", offset8!(LdrbImm)),
    wide("1111 1000 0001 xxxx xxxx 1xx1 xxxx xxxx", "LDRB (immediate) T3", indexed!(LdrbIndexed)),
    wide("1111 1000 0001 xxxx xxxx 0000 00xx xxxx", "LDRB (register) T2", register!(LdrbReg)),
    wide("1111 1001 x001 1111 xxxx xxxx xxxx xxxx", "LDRSB (literal) T1", literal!(LdrsbLiteral)),
    wide("1111 1001 1001 xxxx xxxx xxxx xxxx xxxx", "LDRSB (immediate) T1", offset12!(LdrsbImm)),
    wide("1111 1001 0001 xxxx xxxx 1110 xxxx xxxx", "LDRSBT T1", unprivileged!(LdrsbIndexed)),
    wide("1111 1001 0001 xxxx xxxx 1100 xxxx xxxx", "LDRSB (immediate) T2 down", offset8!(LdrsbImm)),
    wide("1111 1001 0001 xxxx xxxx 1xx1 xxxx xxxx", "LDRSB (immediate) T2", indexed!(LdrsbIndexed)),
    wide("1111 1001 0001 xxxx xxxx 0000 00xx xxxx", "LDRSB (register) T2", register!(LdrsbReg)),
    // Loads of halfwords; with PC as the target they are hints.
    wide("1111 100x x011 1111 1111 xxxx xxxx xxxx", "unallocated memory hint (literal)", plain!(Nop)),
    wide("1111 100x 1011 xxxx 1111 xxxx xxxx xxxx", "unallocated memory hint (immediate)", plain!(Nop)),
    wide("1111 100x 0011 xxxx 1111 1100 xxxx xxxx", "unallocated memory hint (immediate) down", plain!(Nop)),
    wide("1111 100x 0011 xxxx 1111 0000 00xx xxxx", "unallocated memory hint (register)", plain!(Nop)),
    wide("1111 1000 x011 1111 xxxx xxxx xxxx xxxx", "LDRH (literal) T1", literal!(LdrhLiteral)),
    wide("1111 1000 1011 xxxx xxxx xxxx xxxx xxxx", "LDRH (immediate) T2", offset12!(LdrhImm)),
    wide("1111 1000 0011 xxxx xxxx 1110 xxxx xxxx", "LDRHT T1", unprivileged!(LdrhIndexed)),
    wide("1111 1000 0011 xxxx xxxx 1100 xxxx xxxx", "LDRH (immediate) T3 down", offset8!(LdrhImm)),
    wide("1111 1000 0011 xxxx xxxx 1xx1 xxxx xxxx", "LDRH (immediate) T3", indexed!(LdrhIndexed)),
    wide("1111 1000 0011 xxxx xxxx 0000 00xx xxxx", "LDRH (register) T2", register!(LdrhReg)),
    wide("1111 1001 x011 1111 xxxx xxxx xxxx xxxx", "LDRSH (literal) T1", literal!(LdrshLiteral)),
    wide("1111 1001 1011 xxxx xxxx xxxx xxxx xxxx", "LDRSH (immediate) T1", offset12!(LdrshImm)),
    wide("1111 1001 0011 xxxx xxxx 1110 xxxx xxxx", "LDRSHT T1", unprivileged!(LdrshIndexed)),
    wide("1111 1001 0011 xxxx xxxx 1100 xxxx xxxx", "LDRSH (immediate) T2 down", offset8!(LdrshImm)),
    wide("1111 1001 0011 xxxx xxxx 1xx1 xxxx xxxx", "LDRSH (immediate) T2", indexed!(LdrshIndexed)),
    wide("1111 1001 0011 xxxx xxxx 0000 00xx xxxx", "LDRSH (register) T2", register!(LdrshReg)),
    // Loads of words; with PC as the target they are branches.
    wide("1111 1000 x101 1111 1111 xxxx xxxx xxxx", "LDR (literal) T2 with PC", literal!(LdrPcLiteral)),
    wide("1111 1000 1101 xxxx 1111 xxxx xxxx xxxx", "LDR (immediate) T3 with PC", offset12!(LdrPcImm)),
    wide("1111 1000 0101 xxxx 1111 1100 xxxx xxxx", "LDR (immediate) T4 down with PC", offset8!(LdrPcImm)),
    wide("1111 1000 0101 xxxx 1111 1xx1 xxxx xxxx", "LDR (immediate) T4 with PC", indexed!(LdrPcIndexed)),
    wide("1111 1000 0101 xxxx 1111 0000 00xx xxxx", "LDR (register) T2 with PC", register!(LdrPcReg)),
    wide("1111 1000 x101 1111 xxxx xxxx xxxx xxxx", "LDR (literal) T2", literal!(LdrLiteral)),
    wide("1111 1000 1101 xxxx xxxx xxxx xxxx xxxx", "LDR (immediate) T3", offset12!(LdrImm)),
    wide("1111 1000 0101 xxxx xxxx 1110 xxxx xxxx", "LDRT T1", unprivileged!(LdrIndexed)),
    wide("1111 1000 0101 xxxx xxxx 1100 xxxx xxxx", "LDR (immediate) T4 down", offset8!(LdrImm)),
    wide("1111 1000 0101 xxxx xxxx 1xx1 xxxx xxxx", "LDR (immediate) T4", indexed!(LdrIndexed)),
    wide("1111 1000 0101 xxxx xxxx 0000 00xx xxxx", "LDR (register) T2", register!(LdrReg)),
    // Data processing, register.
    wide("1111 1010 000x xxxx 1111 xxxx 0000 xxxx", "LSL (register) T2", shift_by!(LslReg, LslQuiet)),
    wide("1111 1010 001x xxxx 1111 xxxx 0000 xxxx", "LSR (register) T2", shift_by!(LsrReg, LsrQuiet)),
    wide("1111 1010 010x xxxx 1111 xxxx 0000 xxxx", "ASR (register) T2", shift_by!(AsrReg, AsrQuiet)),
    wide("1111 1010 011x xxxx 1111 xxxx 0000 xxxx", "ROR (register) T2", shift_by!(RorReg, RorQuiet)),
    wide("1111 1010 0000 1111 1111 xxxx 10xx xxxx", "SXTH T2", |w| super::dsp::extend(super::DspOp::Sxth, w)),
    wide("1111 1010 0001 1111 1111 xxxx 10xx xxxx", "UXTH T2", |w| super::dsp::extend(super::DspOp::Uxth, w)),
    wide("1111 1010 0100 1111 1111 xxxx 10xx xxxx", "SXTB T2", |w| super::dsp::extend(super::DspOp::Sxtb, w)),
    wide("1111 1010 0101 1111 1111 xxxx 10xx xxxx", "UXTB T2", |w| super::dsp::extend(super::DspOp::Uxtb, w)),
    wide("1111 1010 1001 xxxx 1111 xxxx 1000 xxxx", "REV T2", two!(Rev)),
    wide("1111 1010 1001 xxxx 1111 xxxx 1001 xxxx", "REV16 T2", two!(Rev16)),
    wide("1111 1010 1001 xxxx 1111 xxxx 1010 xxxx", "RBIT T1", two!(Rbit)),
    wide("1111 1010 1001 xxxx 1111 xxxx 1011 xxxx", "REVSH T2", two!(Revsh)),
    wide("1111 1010 1011 xxxx 1111 xxxx 1000 xxxx", "CLZ T1", two!(Clz)),
    // Multiply and divide.
    wide("1111 1011 0000 xxxx 1111 xxxx 0000 xxxx", "MUL T2", |w| {
        Instruction::new(Op::MulQuiet).rd(reg(w, 8)).rn(reg(w, 16)).rm(reg(w, 0))
    }),
    wide("1111 1011 0000 xxxx xxxx xxxx 0000 xxxx", "MLA T1", four!(Mla)),
    wide("1111 1011 0000 xxxx xxxx xxxx 0001 xxxx", "MLS T1", four!(Mls)),
    wide("1111 1011 1000 xxxx xxxx xxxx 0000 xxxx", "SMULL T1", long!(Smull)),
    wide("1111 1011 1001 xxxx 1111 xxxx 1111 xxxx", "SDIV T1", |w| {
        Instruction::new(Op::Sdiv).rd(reg(w, 8)).rn(reg(w, 16)).rm(reg(w, 0))
    }),
    wide("1111 1011 1010 xxxx xxxx xxxx 0000 xxxx", "UMULL T1", long!(Umull)),
    wide("1111 1011 1011 xxxx 1111 xxxx 1111 xxxx", "UDIV T1", |w| {
        Instruction::new(Op::Udiv).rd(reg(w, 8)).rn(reg(w, 16)).rm(reg(w, 0))
    }),
    wide("1111 1011 1100 xxxx xxxx xxxx 0000 xxxx", "SMLAL T1", long!(Smlal)),
    wide("1111 1011 1110 xxxx xxxx xxxx 0000 xxxx", "UMLAL T1", long!(Umlal)),
];

/// Returns the instruction `i` as it acts inside an IT block: 16-bit data processing leaves the flags alone there.
pub(super) fn inside_it(i: Instruction) -> Instruction {
    let shifted = |op| Instruction { op, imm: Shifted::none(false).pack(), ..i };
    let by = |kind| Instruction { op: Op::MovShifted, imm: Shifted::decode(kind, i.imm & 31, false).pack(), ..i };
    let constant = |op| Instruction { op, rm: Flags::Keep.pack(), ..i };
    match i.op {
        Op::MovReg => shifted(Op::MovShifted),
        Op::LslImm => by(0),
        Op::LsrImm => by(1),
        Op::AsrImm => by(2),
        Op::LslReg => Instruction { op: Op::LslQuiet, ..i },
        Op::LsrReg => Instruction { op: Op::LsrQuiet, ..i },
        Op::AsrReg => Instruction { op: Op::AsrQuiet, ..i },
        Op::RorReg => Instruction { op: Op::RorQuiet, ..i },
        Op::AddReg => shifted(Op::AddShifted),
        Op::AddImm => constant(Op::AddConst),
        Op::AdcReg => shifted(Op::AdcShifted),
        Op::SubReg => shifted(Op::SubShifted),
        Op::SubImm => constant(Op::SubConst),
        Op::SbcReg => shifted(Op::SbcShifted),
        // RSB Rd, Rn, #0 has its operand in `rm`.
        Op::RsbZero => Instruction { op: Op::RsbConst, rn: i.rm, rm: Flags::Keep.pack(), imm: 0, ..i },
        Op::Mul => Instruction { op: Op::MulQuiet, ..i },
        Op::MovImm => constant(Op::MovConst),
        Op::AndReg => shifted(Op::AndShifted),
        Op::EorReg => shifted(Op::EorShifted),
        Op::OrrReg => shifted(Op::OrrShifted),
        Op::BicReg => shifted(Op::BicShifted),
        Op::MvnReg => shifted(Op::MvnShifted),
        _ => i,
    }
}

/// The stack pointer and the program counter as operands of 32-bit data processing are unpredictable in most places; the
/// program counter as the destination of an instruction that is no branch is taken as undefined.
pub(super) const fn writes_pc_by_accident(i: &Instruction) -> bool {
    matches!(i.rd, Reg::Pc) && i.writes_rd()
}
