//! The registers that an instruction reads and writes, as far as somebody may wait for them: one bit each.
//!
//! Bits 0 to 15 are a0 to a15, 16 to 31 f0 to f15, then SAR, the boolean registers as one, the accumulator, and m0 to m3.

use crate::decode::{Instruction, Op, Operands};

const FLOAT: u32 = 16;
const SAR: u64 = 1 << 32;
const BOOLEANS: u64 = 1 << 33;
const ACCUMULATOR: u64 = 1 << 34;
const M: u32 = 35;

/// SAR's number as a special register.
const SAR_NUMBER: u32 = 3;

const fn a(register: u8) -> u64 {
    1 << (register & 15)
}

const fn f(register: u8) -> u64 {
    1 << (FLOAT + (register & 15) as u32)
}

fn operand(register: u8) -> u64 {
    if register < Operands::ACCUMULATOR { a(register) } else { 1 << (M + u32::from(register & 3)) }
}

fn mac_reads(i: &Instruction) -> u64 {
    let operands = Operands::unpack(i.imm);
    let both = operand(operands.first) | operand(operands.second);
    match i.op {
        Op::Umul | Op::Mul => both,
        Op::Mula | Op::Muls => both | ACCUMULATOR,
        Op::MulaLoad => both | ACCUMULATOR | a(i.s),
        _ => a(i.s),
    }
}

/// The registers that `i` reads.
pub(crate) fn reads(i: &Instruction) -> u64 {
    match i.op {
        Op::Movi | Op::Nop | Op::L32r | Op::Literal | Op::J | Op::Ssai | Op::Entry => 0,
        Op::Call0 | Op::Call4 | Op::Call8 | Op::Call12 => 0,
        // Their fields are parts of the encoding or constants.
        Op::Isync | Op::Rsync | Op::Esync | Op::Dsync | Op::Excw | Op::Memw | Op::Extw | Op::Illegal => 0,
        Op::Break | Op::BreakN | Op::Syscall | Op::Simcall | Op::Waiti | Op::Rsil | Op::Rotw => 0,
        Op::Rfe | Op::Rfde | Op::Rfi | Op::Rfwo | Op::Rfwu => 0,
        Op::Cache | Op::Iitlb | Op::Idtlb => a(i.s),
        Op::Ret | Op::Retw => a(0),
        Op::Addi | Op::Push | Op::Mov | Op::Nsa | Op::Nsau | Op::Ssr | Op::Ssl | Op::Ssa8l | Op::Ssa8b | Op::Slli => {
            a(i.s)
        }
        Op::Sext | Op::Clamps | Op::Movsp | Op::Rer => a(i.s),
        Op::Neg | Op::Abs | Op::Srai | Op::Srli | Op::Extui => a(i.t),
        Op::Srl | Op::Sra => a(i.t) | SAR,
        Op::Sll => a(i.s) | SAR,
        Op::Src => a(i.s) | a(i.t) | SAR,
        Op::Moveqz | Op::Movnez | Op::Movltz | Op::Movgez => a(i.r) | a(i.s) | a(i.t),
        Op::Movf | Op::Movt => a(i.r) | a(i.s) | BOOLEANS,
        Op::Andb | Op::Andbc | Op::Orb | Op::Orbc | Op::Xorb | Op::Any4 | Op::All4 | Op::Any8 | Op::All8 => BOOLEANS,
        Op::Bf | Op::Bt => BOOLEANS,
        Op::Beqz | Op::Bnez | Op::Bltz | Op::Bgez | Op::Beqi | Op::Bnei | Op::Blti | Op::Bgei => a(i.s),
        Op::Bltui | Op::Bgeui | Op::Bbci | Op::Bbsi | Op::Loop | Op::Loopnez | Op::Loopgtz => a(i.s),
        Op::Jx | Op::Callx0 | Op::Callx4 | Op::Callx8 | Op::Callx12 => a(i.s),
        Op::Rsr | Op::Rur if i.imm == SAR_NUMBER && i.op == Op::Rsr => SAR,
        Op::Rsr | Op::Rur => 0,
        Op::Wsr | Op::Wur | Op::Xsr => a(i.t),
        Op::Umul | Op::Mul | Op::Mula | Op::Muls | Op::MulaLoad | Op::LoadMac => mac_reads(i),
        Op::Lsi | Op::Lsip => a(i.s),
        Op::Lsx | Op::Lsxp => a(i.s) | a(i.t),
        Op::Ssi | Op::Ssip => a(i.s) | f(i.t),
        Op::Ssx | Op::Ssxp => a(i.s) | a(i.t) | f(i.r),
        Op::Wfr | Op::FloatS | Op::UfloatS => a(i.s),
        Op::Rfr | Op::MovS | Op::AbsS | Op::NegS | Op::RoundS | Op::TruncS | Op::FloorS | Op::CeilS => f(i.s),
        Op::UtruncS | Op::Div0S | Op::Recip0S | Op::Sqrt0S | Op::Rsqrt0S | Op::Nexp01S | Op::MksadjS => f(i.s),
        Op::MkdadjS | Op::AddexpS | Op::AddexpmS => f(i.s) | f(i.r),
        Op::ConstS => 0,
        Op::MoveqzS | Op::MovnezS | Op::MovltzS | Op::MovgezS => f(i.r) | f(i.s) | a(i.t),
        Op::MovfS | Op::MovtS => f(i.r) | f(i.s) | BOOLEANS,
        Op::MaddS | Op::MsubS | Op::MaddnS | Op::DivnS => f(i.r) | f(i.s) | f(i.t),
        _ if i.is_float() => f(i.s) | f(i.t),
        _ if i.is_load() => a(i.s),
        _ => a(i.s) | a(i.t),
    }
}

/// The registers that `i` writes.
pub(crate) fn writes(i: &Instruction) -> u64 {
    match i.op {
        Op::Ssr | Op::Ssl | Op::Ssa8l | Op::Ssa8b | Op::Ssai => SAR,
        Op::Addi | Op::Push | Op::Movi | Op::Mov | Op::Movsp | Op::Nsa | Op::Nsau => a(i.t),
        Op::Andb | Op::Andbc | Op::Orb | Op::Orbc | Op::Xorb | Op::Any4 | Op::All4 | Op::Any8 | Op::All8 => BOOLEANS,
        Op::Nop => 0,
        _ if i.computes() => a(i.r),
        Op::Quou | Op::Quos | Op::Remu | Op::Rems | Op::Movf | Op::Movt | Op::Rur => a(i.r),
        Op::L32r | Op::Literal | Op::Rsr | Op::Xsr | Op::Rsil | Op::S32c1i | Op::Rer => a(i.t),
        Op::Wsr if i.imm == SAR_NUMBER => SAR,
        Op::Umul | Op::Mul | Op::Mula | Op::Muls => ACCUMULATOR,
        Op::MulaLoad => ACCUMULATOR | 1 << (M + u32::from(Operands::unpack(i.imm).loaded)),
        Op::LoadMac => 1 << (M + u32::from(Operands::unpack(i.imm).loaded)),
        Op::Lsi | Op::Lsip => f(i.t),
        Op::Rfr | Op::RoundS | Op::TruncS | Op::FloorS | Op::CeilS | Op::UtruncS => a(i.r),
        Op::UnS | Op::OeqS | Op::UeqS | Op::OltS | Op::UltS | Op::OleS | Op::UleS => BOOLEANS,
        Op::Ssi | Op::Ssip | Op::Ssx | Op::Ssxp => 0,
        _ if i.is_float() => f(i.r),
        _ if i.is_load() => a(i.t),
        _ => 0,
    }
}
