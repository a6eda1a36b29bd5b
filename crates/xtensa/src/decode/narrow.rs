//! The instructions of 16 bits (§4.3.1): each decodes to the operation that it stands for.

use super::Needs::Density;
use super::{Instruction, Needs, Op, Row};

const fn row(mask: u32, value: u32, name: &'static str, build: fn(u32) -> Instruction) -> Row {
    Row { mask, value, name, needs: Density, build }
}

const fn field_r(w: u32) -> u32 {
    w >> 12 & 15
}

/// MOVI.N: seven bits of which those from 96 up are negative.
const fn movi(w: u32) -> Instruction {
    let bits = (w >> 4 & 7) << 4 | field_r(w);
    let value = if bits >= 96 { bits.wrapping_sub(128) } else { bits };
    let i = Instruction::of(Op::Movi, w).imm(value);
    i.t(i.s)
}

/// BEQZ.N and BNEZ.N: six bits forward.
const fn branch(op: Op, w: u32) -> Instruction {
    Instruction::of(op, w).imm(4 + ((w >> 4 & 3) << 4 | field_r(w)))
}

const fn addi(w: u32) -> Instruction {
    let i = Instruction::of(Op::Addi, w);
    i.imm(if i.t == 0 { u32::MAX } else { i.t as u32 }).t(i.r)
}

/// All 16-bit encodings. No two overlap.
#[rustfmt::skip] // A table.
pub static NARROW: &[Row] = &[
    row(0x000F, 0x0008, "L32I.N", |w| Instruction::of(Op::L32i, w).imm(field_r(w) << 2)),
    row(0x000F, 0x0009, "S32I.N", |w| Instruction::of(Op::S32i, w).imm(field_r(w) << 2)),
    row(0x000F, 0x000A, "ADD.N", |w| Instruction::of(Op::Add, w)),
    row(0x000F, 0x000B, "ADDI.N", addi),
    row(0x008F, 0x000C, "MOVI.N", movi),
    row(0x00CF, 0x008C, "BEQZ.N", |w| branch(Op::Beqz, w)),
    row(0x00CF, 0x00CC, "BNEZ.N", |w| branch(Op::Bnez, w)),
    row(0xF00F, 0x000D, "MOV.N", |w| Instruction::of(Op::Mov, w)),
    row(0xFFFF, 0xF00D, "RET.N", |_| Instruction::new(Op::Ret)),
    Row { needs: Needs::Windows, ..row(0xFFFF, 0xF01D, "RETW.N", |_| Instruction::new(Op::Retw)) },
    Row { needs: Needs::Debug, ..row(0xF0FF, 0xF02D, "BREAK.N", |w| Instruction::of(Op::BreakN, w)) },
    row(0xFFFF, 0xF03D, "NOP.N", |_| Instruction::new(Op::Nop)),
];
