//! The 24-bit encodings: chapter 7 of the manual, "Opcode Maps".

use std::sync::LazyLock;

use super::mac::MAC;
use super::{Instruction, Needs, Op, Row};

/// The constants of branches with a small signed constant (table 3–17).
const SIGNED: [u32; 16] = [u32::MAX, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 64, 128, 256];
/// The same, unsigned (table 3–18).
const UNSIGNED: [u32; 16] = [32_768, 65_536, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 64, 128, 256];

/// The bits `from` up to bit 23, sign-extended.
const fn top(w: u32, from: u32) -> u32 {
    ((w << 8) as i32 >> (8 + from)) as u32
}

const fn imm8(w: u32) -> u32 {
    w >> 16 & 0xFF
}

const fn field(w: u32, from: u32) -> u32 {
    w >> from & 15
}

macro_rules! plain {
    ($op:ident) => {
        |w| Instruction::of(Op::$op, w)
    };
}
/// A byte of offset, scaled.
macro_rules! scaled {
    ($op:ident, $shift:literal) => {
        |w| Instruction::of(Op::$op, w).imm(imm8(w) << $shift)
    };
}
/// A branch by a byte.
macro_rules! near {
    ($op:ident) => {
        |w| Instruction::of(Op::$op, w).imm(top(w, 16).wrapping_add(4))
    };
}
/// A branch that compares with a constant of a table, whose index is field r.
macro_rules! compare {
    ($op:ident) => {
        |w| Instruction::of(Op::$op, w).imm(top(w, 16).wrapping_add(4))
    };
}
/// A branch by twelve bits.
macro_rules! far {
    ($op:ident) => {
        |w| Instruction::of(Op::$op, w).imm(top(w, 12).wrapping_add(4))
    };
}
/// A call by words.
macro_rules! call {
    ($op:ident) => {
        |w| Instruction::of(Op::$op, w).imm((top(w, 6) << 2).wrapping_add(4))
    };
}
/// The number of a special register in bits 15 to 8.
macro_rules! special {
    ($op:ident) => {
        |w| Instruction::of(Op::$op, w).imm(w >> 8 & 0xFF)
    };
}

/// The constant that a branch compares with, for the index in its field r.
pub(crate) const fn constant(op: Op, index: u8) -> u32 {
    match op {
        Op::Bltui | Op::Bgeui => UNSIGNED[(index & 15) as usize],
        _ => SIGNED[(index & 15) as usize],
    }
}

const fn row(needs: Needs, mask: u32, value: u32, name: &'static str, build: fn(u32) -> Instruction) -> Row {
    Row { mask, value, name, needs, build }
}

/// op2, op1 and op0 are fixed.
const RRR: u32 = 0x00FF_000F;
/// r too.
const R: u32 = 0x00FF_F00F;
/// r and t too.
const R_T: u32 = 0x00FF_F0FF;
/// r and s too.
const R_S: u32 = 0x00FF_FF0F;
/// s too, without r.
const S: u32 = 0x00FF_0F0F;
/// t too, without r.
const T: u32 = 0x00FF_00FF;
/// All.
const ALL: u32 = 0x00FF_FFFF;
/// r and op0.
const RRI8: u32 = 0x0000_F00F;
/// r, t and op0.
const RI8: u32 = 0x0000_F0FF;
/// m, n and op0.
const BRI: u32 = 0x0000_00FF;

const fn rrr(op2: u32, op1: u32) -> u32 {
    op2 << 20 | op1 << 16
}

use Needs::{
    Booleans, Clamps, ConditionalStore, Core, DataCache, Debug, Div32, ExternalRegisters, Float, InstructionCache,
    Loops, MinMax, Mul16, Mul32, Mul32High, Nsa, RegionProtection, Sext, Synchronization, Windows,
};

/// All 24-bit encodings but those of the multiplier-accumulator. No two overlap.
#[rustfmt::skip] // A table.
const PLAIN: &[Row] = &[
    row(Core, ALL, 0x0000_0080, "RET", plain!(Ret)),
    row(Windows, ALL, 0x0000_0090, "RETW", plain!(Retw)),
    row(Core, R_T, 0x0000_00A0, "JX", plain!(Jx)),
    row(Core, R_T, 0x0000_00C0, "CALLX0", plain!(Callx0)),
    row(Windows, R_T, 0x0000_00D0, "CALLX4", plain!(Callx4)),
    row(Windows, R_T, 0x0000_00E0, "CALLX8", plain!(Callx8)),
    row(Windows, R_T, 0x0000_00F0, "CALLX12", plain!(Callx12)),
    row(Windows, R, 0x0000_1000, "MOVSP", plain!(Movsp)),
    row(Core, ALL, 0x0000_2000, "ISYNC", plain!(Isync)),
    row(Core, ALL, 0x0000_2010, "RSYNC", plain!(Rsync)),
    row(Core, ALL, 0x0000_2020, "ESYNC", plain!(Esync)),
    row(Core, ALL, 0x0000_2030, "DSYNC", plain!(Dsync)),
    row(Core, ALL, 0x0000_2080, "EXCW", plain!(Excw)),
    row(Core, ALL, 0x0000_20C0, "MEMW", plain!(Memw)),
    row(Core, ALL, 0x0000_20D0, "EXTW", plain!(Extw)),
    row(Core, ALL, 0x0000_20F0, "NOP", plain!(Nop)),
    row(Core, ALL, 0x0000_3000, "RFE", plain!(Rfe)),
    row(Core, ALL, 0x0000_3200, "RFDE", plain!(Rfde)),
    row(Windows, ALL, 0x0000_3400, "RFWO", plain!(Rfwo)),
    row(Windows, ALL, 0x0000_3500, "RFWU", plain!(Rfwu)),
    row(Core, R_T, 0x0000_3010, "RFI", plain!(Rfi)),
    row(Debug, R, 0x0000_4000, "BREAK", plain!(Break)),
    row(Core, ALL, 0x0000_5000, "SYSCALL", plain!(Syscall)),
    row(Core, ALL, 0x0000_5100, "SIMCALL", plain!(Simcall)),
    row(Core, R, 0x0000_6000, "RSIL", |w| Instruction::of(Op::Rsil, w).imm(field(w, 8))),
    row(Core, R_T, 0x0000_7000, "WAITI", |w| Instruction::of(Op::Waiti, w).imm(field(w, 8))),
    row(Booleans, R, 0x0000_8000, "ANY4", plain!(Any4)),
    row(Booleans, R, 0x0000_9000, "ALL4", plain!(All4)),
    row(Booleans, R, 0x0000_A000, "ANY8", plain!(Any8)),
    row(Booleans, R, 0x0000_B000, "ALL8", plain!(All8)),
    row(Core, RRR, rrr(1, 0), "AND", plain!(And)),
    row(Core, RRR, rrr(2, 0), "OR", plain!(Or)),
    row(Core, RRR, rrr(3, 0), "XOR", plain!(Xor)),
    row(Core, R_T, 0x0040_0000, "SSR", plain!(Ssr)),
    row(Core, R_T, 0x0040_1000, "SSL", plain!(Ssl)),
    row(Core, R_T, 0x0040_2000, "SSA8L", plain!(Ssa8l)),
    row(Core, R_T, 0x0040_3000, "SSA8B", plain!(Ssa8b)),
    row(Core, 0x00FF_F0EF, 0x0040_4000, "SSAI", |w| Instruction::of(Op::Ssai, w).imm(field(w, 8) | (w >> 4 & 1) << 4)),
    row(ExternalRegisters, R, 0x0040_6000, "RER", plain!(Rer)),
    row(ExternalRegisters, R, 0x0040_7000, "WER", plain!(Wer)),
    row(Windows, R_S, 0x0040_8000, "ROTW", |w| Instruction::of(Op::Rotw, w).imm(field(w, 4))),
    row(Nsa, R, 0x0040_E000, "NSA", plain!(Nsa)),
    row(Nsa, R, 0x0040_F000, "NSAU", plain!(Nsau)),
    row(RegionProtection, R, 0x0050_3000, "RITLB0", plain!(Ritlb0)),
    row(RegionProtection, R_T, 0x0050_4000, "IITLB", plain!(Iitlb)),
    row(RegionProtection, R, 0x0050_5000, "PITLB", plain!(Pitlb)),
    row(RegionProtection, R, 0x0050_6000, "WITLB", plain!(Witlb)),
    row(RegionProtection, R, 0x0050_7000, "RITLB1", plain!(Ritlb1)),
    row(RegionProtection, R, 0x0050_B000, "RDTLB0", plain!(Rdtlb0)),
    row(RegionProtection, R_T, 0x0050_C000, "IDTLB", plain!(Idtlb)),
    row(RegionProtection, R, 0x0050_D000, "PDTLB", plain!(Pdtlb)),
    row(RegionProtection, R, 0x0050_E000, "WDTLB", plain!(Wdtlb)),
    row(RegionProtection, R, 0x0050_F000, "RDTLB1", plain!(Rdtlb1)),
    row(Core, S, 0x0060_0000, "NEG", plain!(Neg)),
    row(Core, S, 0x0060_0100, "ABS", plain!(Abs)),
    row(Core, RRR, rrr(8, 0), "ADD", plain!(Add)),
    row(Core, RRR, rrr(9, 0), "ADDX2", plain!(Addx2)),
    row(Core, RRR, rrr(10, 0), "ADDX4", plain!(Addx4)),
    row(Core, RRR, rrr(11, 0), "ADDX8", plain!(Addx8)),
    row(Core, RRR, rrr(12, 0), "SUB", plain!(Sub)),
    row(Core, RRR, rrr(13, 0), "SUBX2", plain!(Subx2)),
    row(Core, RRR, rrr(14, 0), "SUBX4", plain!(Subx4)),
    row(Core, RRR, rrr(15, 0), "SUBX8", plain!(Subx8)),
    row(Core, 0x00EF_000F, rrr(0, 1), "SLLI", |w| Instruction::of(Op::Slli, w).imm(32 - ((w >> 20 & 1) << 4 | field(w, 4)))),
    row(Core, 0x00EF_000F, rrr(2, 1), "SRAI", |w| Instruction::of(Op::Srai, w).imm((w >> 20 & 1) << 4 | field(w, 8))),
    row(Core, RRR, rrr(4, 1), "SRLI", |w| Instruction::of(Op::Srli, w).imm(field(w, 8))),
    row(Core, RRR, rrr(6, 1), "XSR", special!(Xsr)),
    row(Core, RRR, rrr(8, 1), "SRC", plain!(Src)),
    row(Core, S, rrr(9, 1), "SRL", plain!(Srl)),
    row(Core, T, rrr(10, 1), "SLL", plain!(Sll)),
    row(Core, S, rrr(11, 1), "SRA", plain!(Sra)),
    row(Mul16, RRR, rrr(12, 1), "MUL16U", plain!(Mul16u)),
    row(Mul16, RRR, rrr(13, 1), "MUL16S", plain!(Mul16s)),
    row(Booleans, RRR, rrr(0, 2), "ANDB", plain!(Andb)),
    row(Booleans, RRR, rrr(1, 2), "ANDBC", plain!(Andbc)),
    row(Booleans, RRR, rrr(2, 2), "ORB", plain!(Orb)),
    row(Booleans, RRR, rrr(3, 2), "ORBC", plain!(Orbc)),
    row(Booleans, RRR, rrr(4, 2), "XORB", plain!(Xorb)),
    row(Mul32, RRR, rrr(8, 2), "MULL", plain!(Mull)),
    row(Mul32High, RRR, rrr(10, 2), "MULUH", plain!(Muluh)),
    row(Mul32High, RRR, rrr(11, 2), "MULSH", plain!(Mulsh)),
    row(Div32, RRR, rrr(12, 2), "QUOU", plain!(Quou)),
    row(Div32, RRR, rrr(13, 2), "QUOS", plain!(Quos)),
    row(Div32, RRR, rrr(14, 2), "REMU", plain!(Remu)),
    row(Div32, RRR, rrr(15, 2), "REMS", plain!(Rems)),
    row(Core, RRR, rrr(0, 3), "RSR", special!(Rsr)),
    row(Core, RRR, rrr(1, 3), "WSR", special!(Wsr)),
    row(Sext, RRR, rrr(2, 3), "SEXT", |w| Instruction::of(Op::Sext, w).imm(field(w, 4) + 7)),
    row(Clamps, RRR, rrr(3, 3), "CLAMPS", |w| Instruction::of(Op::Clamps, w).imm(field(w, 4) + 7)),
    row(MinMax, RRR, rrr(4, 3), "MIN", plain!(Min)),
    row(MinMax, RRR, rrr(5, 3), "MAX", plain!(Max)),
    row(MinMax, RRR, rrr(6, 3), "MINU", plain!(Minu)),
    row(MinMax, RRR, rrr(7, 3), "MAXU", plain!(Maxu)),
    row(Core, RRR, rrr(8, 3), "MOVEQZ", plain!(Moveqz)),
    row(Core, RRR, rrr(9, 3), "MOVNEZ", plain!(Movnez)),
    row(Core, RRR, rrr(10, 3), "MOVLTZ", plain!(Movltz)),
    row(Core, RRR, rrr(11, 3), "MOVGEZ", plain!(Movgez)),
    row(Booleans, RRR, rrr(12, 3), "MOVF", plain!(Movf)),
    row(Booleans, RRR, rrr(13, 3), "MOVT", plain!(Movt)),
    row(Core, RRR, rrr(14, 3), "RUR", |w| Instruction::of(Op::Rur, w).imm(w >> 4 & 0xFF)),
    row(Core, RRR, rrr(15, 3), "WUR", special!(Wur)),
    row(Core, 0x000E_000F, 0x0004_0000, "EXTUI", |w| {
        // The shift, and the mask above it.
        let mask = (2u32 << field(w, 20)).wrapping_sub(1);
        Instruction::of(Op::Extui, w).imm(mask).s((w >> 16 & 1) as u8 * 16 + field(w, 8) as u8)
    }),
    row(Windows, RRR, rrr(0, 9), "L32E", |w| Instruction::of(Op::L32e, w).imm((field(w, 12) << 2).wrapping_sub(64))),
    row(Windows, RRR, rrr(4, 9), "S32E", |w| Instruction::of(Op::S32e, w).imm((field(w, 12) << 2).wrapping_sub(64))),
    row(Float, RRR, rrr(0, 8), "LSX", plain!(Lsx)),
    row(Float, RRR, rrr(1, 8), "LSXP", plain!(Lsxp)),
    row(Float, RRR, rrr(4, 8), "SSX", plain!(Ssx)),
    row(Float, RRR, rrr(5, 8), "SSXP", plain!(Ssxp)),
    row(Float, RRR, rrr(0, 10), "ADD.S", plain!(AddS)),
    row(Float, RRR, rrr(1, 10), "SUB.S", plain!(SubS)),
    row(Float, RRR, rrr(2, 10), "MUL.S", plain!(MulS)),
    row(Float, RRR, rrr(4, 10), "MADD.S", plain!(MaddS)),
    row(Float, RRR, rrr(5, 10), "MSUB.S", plain!(MsubS)),
    row(Float, RRR, rrr(6, 10), "MADDN.S", plain!(MaddnS)),
    row(Float, RRR, rrr(7, 10), "DIVN.S", plain!(DivnS)),
    row(Float, RRR, rrr(8, 10), "ROUND.S", |w| Instruction::of(Op::RoundS, w).imm(field(w, 4))),
    row(Float, RRR, rrr(9, 10), "TRUNC.S", |w| Instruction::of(Op::TruncS, w).imm(field(w, 4))),
    row(Float, RRR, rrr(10, 10), "FLOOR.S", |w| Instruction::of(Op::FloorS, w).imm(field(w, 4))),
    row(Float, RRR, rrr(11, 10), "CEIL.S", |w| Instruction::of(Op::CeilS, w).imm(field(w, 4))),
    row(Float, RRR, rrr(12, 10), "FLOAT.S", |w| Instruction::of(Op::FloatS, w).imm(field(w, 4))),
    row(Float, RRR, rrr(13, 10), "UFLOAT.S", |w| Instruction::of(Op::UfloatS, w).imm(field(w, 4))),
    row(Float, RRR, rrr(14, 10), "UTRUNC.S", |w| Instruction::of(Op::UtruncS, w).imm(field(w, 4))),
    row(Float, T, 0x00FA_0000, "MOV.S", plain!(MovS)),
    row(Float, T, 0x00FA_0010, "ABS.S", plain!(AbsS)),
    row(Float, T, 0x00FA_0030, "CONST.S", |w| Instruction::of(Op::ConstS, w).imm(field(w, 8))),
    row(Float, T, 0x00FA_0040, "RFR", plain!(Rfr)),
    row(Float, T, 0x00FA_0050, "WFR", plain!(Wfr)),
    row(Float, T, 0x00FA_0060, "NEG.S", plain!(NegS)),
    row(Float, T, 0x00FA_0070, "DIV0.S", plain!(Div0S)),
    row(Float, T, 0x00FA_0080, "RECIP0.S", plain!(Recip0S)),
    row(Float, T, 0x00FA_0090, "SQRT0.S", plain!(Sqrt0S)),
    row(Float, T, 0x00FA_00A0, "RSQRT0.S", plain!(Rsqrt0S)),
    row(Float, T, 0x00FA_00B0, "NEXP01.S", plain!(Nexp01S)),
    row(Float, T, 0x00FA_00C0, "MKSADJ.S", plain!(MksadjS)),
    row(Float, T, 0x00FA_00D0, "MKDADJ.S", plain!(MkdadjS)),
    row(Float, T, 0x00FA_00E0, "ADDEXP.S", plain!(AddexpS)),
    row(Float, T, 0x00FA_00F0, "ADDEXPM.S", plain!(AddexpmS)),
    row(Float, RRR, rrr(1, 11), "UN.S", plain!(UnS)),
    row(Float, RRR, rrr(2, 11), "OEQ.S", plain!(OeqS)),
    row(Float, RRR, rrr(3, 11), "UEQ.S", plain!(UeqS)),
    row(Float, RRR, rrr(4, 11), "OLT.S", plain!(OltS)),
    row(Float, RRR, rrr(5, 11), "ULT.S", plain!(UltS)),
    row(Float, RRR, rrr(6, 11), "OLE.S", plain!(OleS)),
    row(Float, RRR, rrr(7, 11), "ULE.S", plain!(UleS)),
    row(Float, RRR, rrr(8, 11), "MOVEQZ.S", plain!(MoveqzS)),
    row(Float, RRR, rrr(9, 11), "MOVNEZ.S", plain!(MovnezS)),
    row(Float, RRR, rrr(10, 11), "MOVLTZ.S", plain!(MovltzS)),
    row(Float, RRR, rrr(11, 11), "MOVGEZ.S", plain!(MovgezS)),
    row(Float, RRR, rrr(12, 11), "MOVF.S", plain!(MovfS)),
    row(Float, RRR, rrr(13, 11), "MOVT.S", plain!(MovtS)),
    row(Core, 0xF, 1, "L32R", |w| Instruction::of(Op::L32r, w).imm(0xFFFC_0000 | (w >> 8 & 0xFFFF) << 2)),
    row(Core, RRI8, 0x0002, "L8UI", scaled!(L8ui, 0)),
    row(Core, RRI8, 0x1002, "L16UI", scaled!(L16ui, 1)),
    row(Core, RRI8, 0x2002, "L32I", scaled!(L32i, 2)),
    row(Core, RRI8, 0x4002, "S8I", scaled!(S8i, 0)),
    row(Core, RRI8, 0x5002, "S16I", scaled!(S16i, 1)),
    row(Core, RRI8, 0x6002, "S32I", scaled!(S32i, 2)),
    row(DataCache, RI8, 0x7002, "DPFR", scaled!(Cache, 2)),
    row(DataCache, RI8, 0x7012, "DPFW", scaled!(Cache, 2)),
    row(DataCache, RI8, 0x7022, "DPFRO", scaled!(Cache, 2)),
    row(DataCache, RI8, 0x7032, "DPFWO", scaled!(Cache, 2)),
    row(DataCache, RI8, 0x7042, "DHWB", scaled!(Cache, 2)),
    row(DataCache, RI8, 0x7052, "DHWBI", scaled!(Cache, 2)),
    row(DataCache, RI8, 0x7062, "DHI", scaled!(Cache, 2)),
    row(DataCache, RI8, 0x7072, "DII", scaled!(Cache, 2)),
    row(InstructionCache, RI8, 0x70C2, "IPF", scaled!(Cache, 2)),
    row(InstructionCache, RI8, 0x70E2, "IHI", scaled!(Cache, 2)),
    row(InstructionCache, RI8, 0x70F2, "III", scaled!(Cache, 2)),
    row(Core, RRI8, 0x9002, "L16SI", scaled!(L16si, 1)),
    row(Core, RRI8, 0xA002, "MOVI", |w| {
        let twelve = field(w, 8) << 8 | imm8(w);
        Instruction::of(Op::Movi, w).imm(((twelve << 20) as i32 >> 20) as u32)
    }),
    row(Synchronization, RRI8, 0xB002, "L32AI", scaled!(L32ai, 2)),
    row(Core, RRI8, 0xC002, "ADDI", |w| Instruction::of(Op::Addi, w).imm(top(w, 16))),
    row(Core, RRI8, 0xD002, "ADDMI", |w| Instruction::of(Op::Addi, w).imm(top(w, 16) << 8)),
    row(ConditionalStore, RRI8, 0xE002, "S32C1I", scaled!(S32c1i, 2)),
    row(Synchronization, RRI8, 0xF002, "S32RI", scaled!(S32ri, 2)),
    row(Float, RRI8, 0x0003, "LSI", scaled!(Lsi, 2)),
    row(Float, RRI8, 0x4003, "SSI", scaled!(Ssi, 2)),
    row(Float, RRI8, 0x8003, "LSIP", scaled!(Lsip, 2)),
    row(Float, RRI8, 0xC003, "SSIP", scaled!(Ssip, 2)),
    row(Core, 0x3F, 0x05, "CALL0", call!(Call0)),
    row(Windows, 0x3F, 0x15, "CALL4", call!(Call4)),
    row(Windows, 0x3F, 0x25, "CALL8", call!(Call8)),
    row(Windows, 0x3F, 0x35, "CALL12", call!(Call12)),
    row(Core, 0x3F, 0x06, "J", |w| Instruction::of(Op::J, w).imm(top(w, 6).wrapping_add(4))),
    row(Core, BRI, 0x16, "BEQZ", far!(Beqz)),
    row(Core, BRI, 0x56, "BNEZ", far!(Bnez)),
    row(Core, BRI, 0x96, "BLTZ", far!(Bltz)),
    row(Core, BRI, 0xD6, "BGEZ", far!(Bgez)),
    row(Core, BRI, 0x26, "BEQI", compare!(Beqi)),
    row(Core, BRI, 0x66, "BNEI", compare!(Bnei)),
    row(Core, BRI, 0xA6, "BLTI", compare!(Blti)),
    row(Core, BRI, 0xE6, "BGEI", compare!(Bgei)),
    row(Windows, BRI, 0x36, "ENTRY", |w| Instruction::of(Op::Entry, w).imm((w >> 12 & 0xFFF) << 3)),
    row(Booleans, RI8, 0x0076, "BF", near!(Bf)),
    row(Booleans, RI8, 0x1076, "BT", near!(Bt)),
    row(Loops, RI8, 0x8076, "LOOP", |w| Instruction::of(Op::Loop, w).imm(imm8(w) + 4)),
    row(Loops, RI8, 0x9076, "LOOPNEZ", |w| Instruction::of(Op::Loopnez, w).imm(imm8(w) + 4)),
    row(Loops, RI8, 0xA076, "LOOPGTZ", |w| Instruction::of(Op::Loopgtz, w).imm(imm8(w) + 4)),
    row(Core, BRI, 0xB6, "BLTUI", compare!(Bltui)),
    row(Core, BRI, 0xF6, "BGEUI", compare!(Bgeui)),
    row(Core, RRI8, 0x0007, "BNONE", near!(Bnone)),
    row(Core, RRI8, 0x1007, "BEQ", near!(Beq)),
    row(Core, RRI8, 0x2007, "BLT", near!(Blt)),
    row(Core, RRI8, 0x3007, "BLTU", near!(Bltu)),
    row(Core, RRI8, 0x4007, "BALL", near!(Ball)),
    row(Core, RRI8, 0x5007, "BBC", near!(Bbc)),
    row(Core, 0xE00F, 0x6007, "BBCI", |w| {
        Instruction::of(Op::Bbci, w).imm(top(w, 16).wrapping_add(4)).t(((w >> 12 & 1) << 4 | field(w, 4)) as u8)
    }),
    row(Core, RRI8, 0x8007, "BANY", near!(Bany)),
    row(Core, RRI8, 0x9007, "BNE", near!(Bne)),
    row(Core, RRI8, 0xA007, "BGE", near!(Bge)),
    row(Core, RRI8, 0xB007, "BGEU", near!(Bgeu)),
    row(Core, RRI8, 0xC007, "BNALL", near!(Bnall)),
    row(Core, RRI8, 0xD007, "BBS", near!(Bbs)),
    row(Core, 0xE00F, 0xE007, "BBSI", |w| {
        Instruction::of(Op::Bbsi, w).imm(top(w, 16).wrapping_add(4)).t(((w >> 12 & 1) << 4 | field(w, 4)) as u8)
    }),
];

/// All 24-bit encodings.
pub static WIDE: LazyLock<Vec<Row>> = LazyLock::new(|| PLAIN.iter().chain(&MAC).copied().collect());
