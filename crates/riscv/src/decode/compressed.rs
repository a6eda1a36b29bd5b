//! The 16-bit encodings of RV32C: RISC-V Unprivileged ISA 20191213, §16.8. Each becomes the instruction that it stands for.
//! Reserved encodings have no row; hints do what they would do to x0.

use super::{Extension, Instruction, Op, Row};

const fn bits(word: u32, from: u32, count: u32) -> u32 {
    word >> from & ((1 << count) - 1)
}

/// The bit `from`, moved to `to`.
const fn bit(word: u32, from: u32, to: u32) -> u32 {
    bits(word, from, 1) << to
}

/// Bit 12 as the sign from bit `to` up.
const fn sign(word: u32, to: u32) -> u32 {
    if word & 1 << 12 != 0 { u32::MAX << to } else { 0 }
}

/// The registers x8 to x15 by three bits.
const fn short(word: u32, from: u32) -> u32 {
    8 + bits(word, from, 3)
}

const fn rd(w: u32) -> u32 {
    bits(w, 7, 5)
}

const fn rs2(w: u32) -> u32 {
    bits(w, 2, 5)
}

/// The signed six-bit constant.
const fn imm6(w: u32) -> u32 {
    sign(w, 5) | rs2(w)
}

const fn word_offset(w: u32) -> u32 {
    bit(w, 6, 2) | bits(w, 10, 3) << 3 | bit(w, 5, 6)
}

const fn jump_offset(w: u32) -> u32 {
    sign(w, 11)
        | bit(w, 11, 4)
        | bits(w, 9, 2) << 8
        | bit(w, 8, 10)
        | bit(w, 7, 6)
        | bit(w, 6, 7)
        | bits(w, 3, 3) << 1
        | bit(w, 2, 5)
}

const fn branch_offset(w: u32) -> u32 {
    sign(w, 8) | bits(w, 10, 2) << 3 | bits(w, 5, 2) << 6 | bits(w, 3, 2) << 1 | bit(w, 2, 5)
}

macro_rules! pair {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(short(w, 7)).rs1(short(w, 7)).rs2(short(w, 2))
    };
}
macro_rules! shift {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rd(short(w, 7)).rs1(short(w, 7)).imm(rs2(w))
    };
}
macro_rules! branch {
    ($op:ident) => {
        |w| Instruction::new(Op::$op).rs1(short(w, 7)).imm(branch_offset(w))
    };
}

const fn add_immediate(w: u32) -> Instruction {
    Instruction::new(Op::Addi).rd(rd(w)).rs1(rd(w)).imm(imm6(w))
}

const fn add_to_sp(w: u32) -> Instruction {
    let imm = sign(w, 9) | bit(w, 6, 4) | bit(w, 5, 6) | bits(w, 3, 2) << 7 | bit(w, 2, 5);
    Instruction::new(Op::Addi).rd(2).rs1(2).imm(imm)
}

const fn row(mask: u32, value: u32, name: &'static str, build: fn(u32) -> Instruction) -> Row {
    Row { mask, value, name, extension: Extension::C, build }
}

/// All 16-bit encodings. Where two match, the first counts: it fixes more bits, and is a special case of the other or takes
/// out of it what is reserved.
#[rustfmt::skip] // A table.
pub static NARROW: &[Row] = &[
    row(0xFFE3, 0x0000, RESERVED, |w| Instruction::new(Op::Illegal).imm(w)),
    row(0xE003, 0x0000, "C.ADDI4SPN", |w| {
        let imm = bits(w, 7, 4) << 6 | bits(w, 11, 2) << 4 | bit(w, 5, 3) | bit(w, 6, 2);
        Instruction::new(Op::Addi).rd(short(w, 2)).rs1(2).imm(imm)
    }),
    row(0xE003, 0x4000, "C.LW", |w| Instruction::new(Op::Lw).rd(short(w, 2)).rs1(short(w, 7)).imm(word_offset(w))),
    row(0xE003, 0xC000, "C.SW", |w| Instruction::new(Op::Sw).rs2(short(w, 2)).rs1(short(w, 7)).imm(word_offset(w))),
    row(0xEF83, 0x0001, "C.NOP", add_immediate),
    row(0xE003, 0x0001, "C.ADDI", add_immediate),
    row(0xE003, 0x2001, "C.JAL", |w| Instruction::new(Op::Jal).rd(1).imm(jump_offset(w))),
    row(0xE003, 0x4001, "C.LI", |w| Instruction::new(Op::Addi).rd(rd(w)).imm(imm6(w))),
    row(0xF07F, 0x6001, RESERVED, |w| Instruction::new(Op::Illegal).imm(w)),
    row(0xEF83, 0x6101, "C.ADDI16SP", add_to_sp),
    row(0xE003, 0x6001, "C.LUI", |w| Instruction::new(Op::Lui).rd(rd(w)).imm(imm6(w) << 12)),
    row(0xFC03, 0x8001, "C.SRLI", shift!(Srli)),
    row(0xFC03, 0x8401, "C.SRAI", shift!(Srai)),
    row(0xEC03, 0x8801, "C.ANDI", |w| Instruction::new(Op::Andi).rd(short(w, 7)).rs1(short(w, 7)).imm(imm6(w))),
    row(0xFC63, 0x8C01, "C.SUB", pair!(Sub)),
    row(0xFC63, 0x8C21, "C.XOR", pair!(Xor)),
    row(0xFC63, 0x8C41, "C.OR", pair!(Or)),
    row(0xFC63, 0x8C61, "C.AND", pair!(And)),
    row(0xE003, 0xA001, "C.J", |w| Instruction::new(Op::Jal).imm(jump_offset(w))),
    row(0xE003, 0xC001, "C.BEQZ", branch!(Beq)),
    row(0xE003, 0xE001, "C.BNEZ", branch!(Bne)),
    row(0xF003, 0x0002, "C.SLLI", |w| Instruction::new(Op::Slli).rd(rd(w)).rs1(rd(w)).imm(rs2(w))),
    row(0xEF83, 0x4002, RESERVED, |w| Instruction::new(Op::Illegal).imm(w)),
    row(0xE003, 0x4002, "C.LWSP", |w| {
        Instruction::new(Op::Lw).rd(rd(w)).rs1(2).imm(bit(w, 12, 5) | bits(w, 4, 3) << 2 | bits(w, 2, 2) << 6)
    }),
    row(0xFFFF, 0x8002, RESERVED, |w| Instruction::new(Op::Illegal).imm(w)),
    row(0xF07F, 0x8002, "C.JR", |w| Instruction::new(Op::Jalr).rs1(rd(w))),
    row(0xF003, 0x8002, "C.MV", |w| Instruction::new(Op::Add).rd(rd(w)).rs2(rs2(w))),
    row(0xFFFF, 0x9002, "C.EBREAK", |_| Instruction::new(Op::Ebreak)),
    row(0xF07F, 0x9002, "C.JALR", |w| Instruction::new(Op::Jalr).rd(1).rs1(rd(w))),
    row(0xF003, 0x9002, "C.ADD", |w| Instruction::new(Op::Add).rd(rd(w)).rs1(rd(w)).rs2(rs2(w))),
    row(0xE003, 0xC002, "C.SWSP", |w| {
        Instruction::new(Op::Sw).rs1(2).rs2(rs2(w)).imm(bits(w, 9, 4) << 2 | bits(w, 7, 2) << 6)
    }),
];

/// The name of rows that take out what is reserved of the row after them.
pub const RESERVED: &str = "reserved";
