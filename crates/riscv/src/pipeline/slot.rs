//! An instruction as the pipeline sees it.

use super::{Masks, Variant};
use crate::decode::{Instruction, Op};

/// The kind of an instruction, by its effect on stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    Load,
    Store,
    Shift,
    Multiply,
    Divide,
    Csr,
    FenceI,
    Wait,
    /// MRET.
    Return,
    /// An exception of the decode, execute or memory stage.
    TrapDecode,
    TrapExecute,
    TrapMemory,
}

/// An instruction in the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub pc: u32,
    pub kind: Kind,
    /// Registers read, 0 for none, and the register written.
    pub reads: [u8; 2],
    pub writes: u8,
    /// Its result can be passed on from the execute and from the memory stage.
    pub early: [bool; 2],
    /// The bits that a shift moves.
    pub amount: u8,
    /// The address that is fetched behind it, and whether that takes a jump.
    pub predicted: u32,
    pub jumps: bool,
    /// It jumps in the memory stage wherever it goes: no prediction was made, or the wrong one.
    pub late: bool,
    /// The program's: not fetched astray.
    pub own: bool,
    /// It has come to its stage in the latest cycle.
    pub fresh: bool,
    /// The address that the memory stage goes to.
    pub redirect: Option<u32>,
    /// Masks that it sets.
    pub masks: Option<Masks>,
}

/// Tells whether the condition of the branch `i` holds.
fn holds(i: &Instruction, register: &impl Fn(u8) -> u32) -> bool {
    let (a, b) = (register(i.rs1), register(i.rs2));
    match i.op {
        Op::Beq => a == b,
        Op::Bne => a != b,
        Op::Blt => (a as i32) < b as i32,
        Op::Bge => a as i32 >= b as i32,
        Op::Bltu => a < b,
        _ => a >= b,
    }
}

/// The part of an instruction that comes from its encoding and the registers: `i` at `pc`, which ends before `next`. Targets are
/// relative; `register` reads one.
pub(crate) fn slot(
    variant: Option<&Variant>,
    i: &Instruction,
    pc: u32,
    next: u32,
    register: impl Fn(u8) -> u32,
) -> Slot {
    let size = match i.op {
        Op::Lb | Op::Lbu | Op::Sb => 1,
        Op::Lh | Op::Lhu | Op::Sh => 2,
        _ => 4,
    };
    let is_memory = i.is_load() || i.is_store();
    let misaligned = is_memory && register(i.rs1).wrapping_add(i.imm) & (size - 1) != 0;
    let constant = matches!(i.op, Op::Slli | Op::Srli | Op::Srai);
    let is_shift = constant || matches!(i.op, Op::Sll | Op::Srl | Op::Sra);
    let kind = match i.op {
        _ if misaligned => Kind::TrapMemory,
        _ if i.is_load() => Kind::Load,
        _ if i.is_store() => Kind::Store,
        _ if is_shift => Kind::Shift,
        _ if i.is_multiplication() => Kind::Multiply,
        _ if i.is_division() => Kind::Divide,
        _ if i.is_csr() => Kind::Csr,
        Op::FenceI => Kind::FenceI,
        Op::Wfi => Kind::Wait,
        Op::Mret => Kind::Return,
        Op::Ecall => Kind::TrapExecute,
        Op::Illegal | Op::FetchFault | Op::Ebreak => Kind::TrapDecode,
        _ => Kind::Plain,
    };
    let none = matches!(
        i.op,
        Op::Lui
            | Op::Auipc
            | Op::Jal
            | Op::Fence
            | Op::FenceI
            | Op::Ecall
            | Op::Ebreak
            | Op::Mret
            | Op::Wfi
            | Op::Illegal
    ) || matches!(i.op, Op::Csrrwi | Op::Csrrsi | Op::Csrrci);
    let two = i.is_branch()
        || i.is_store()
        || i.is_multiplication()
        || i.is_division()
        || (Op::Add as u8..=Op::And as u8).contains(&(i.op as u8));
    let writes = if i.is_branch() || i.is_store() || kind == Kind::TrapDecode { 0 } else { i.rd & 31 };
    let early = match kind {
        _ if matches!(i.op, Op::Jal | Op::Jalr) => [true, false],
        Kind::Load => [false, false],
        Kind::Multiply => [false, variant.is_some_and(|variant| variant.iterative_multiplier)],
        Kind::Divide | Kind::Csr => [false, true],
        Kind::Shift => [variant.is_some_and(|variant| variant.light_shifter), true],
        _ => [true, true],
    };
    let jumps = (i.op == Op::Jal || i.is_branch() && (i.imm as i32) < 0) && i.imm & 2 == 0;
    Slot {
        pc,
        kind,
        reads: [if none { 0 } else { i.rs1 & 31 }, if two { i.rs2 & 31 } else { 0 }],
        writes,
        early,
        amount: if !is_shift { 0 } else { (if constant { i.imm } else { register(i.rs2) } & 31) as u8 },
        predicted: if jumps { pc.wrapping_add(i.imm) } else { next },
        jumps,
        late: i.op == Op::Jalr || i.is_branch() && !jumps && holds(i, &register),
        own: false,
        fresh: false,
        redirect: None,
        masks: None,
    }
}
