//! The influence of the instruction before, in the pipelines of Cortex-M3 and M4: DDI 0337I §3.3.3, DDI 0439 (Arm 100166) §3.3.3,
//! "Load/store timings", and 100166 §7.2.3 for floating point. Others measured the cases that the manuals leave out, on an
//! STM32F103 (Cortex-M3) and an STM32F407 (Cortex-M4): the repository jnk0le/random, notes on M3 and M4.

use super::Context;
use crate::decode::shape::{Shape, shape};
use crate::decode::{FpAccess, FpOp, Instruction, Multiple, Op, Reg};

/// The registers that make the address of a load or store, a bit each.
fn address_registers(i: &Instruction) -> u32 {
    let (base, offset) = (1 << i.rn as u32, 1 << i.rm as u32);
    match i.op {
        Op::Tbb | Op::Tbh | Op::LdrPcReg => base | offset,
        op if op.is_between(Op::LdrReg, Op::StrbReg) => base | offset,
        Op::LdrLiteral | Op::LdrhLiteral | Op::LdrbLiteral | Op::LdrshLiteral | Op::LdrsbLiteral => 0,
        Op::LdrdLiteral | Op::LdrPcLiteral | Op::VldrLiteral => 0,
        _ if i.moves_data() => base,
        _ => 0,
    }
}

/// The register that data processing writes, a bit.
fn computed(i: &Instruction) -> u32 {
    let written = 1 << i.rd as u32;
    match shape(i) {
        Shape::Data | Shape::Multiply | Shape::MultiplyAccumulate | Shape::DspMultiply | Shape::Divide => match i.op {
            Op::CmpReg | Op::CmpImm | Op::CmnReg | Op::TstReg => 0,
            Op::TstConst | Op::TeqConst | Op::CmnConst => 0,
            Op::TstShifted | Op::TeqShifted | Op::CmpShifted | Op::CmnShifted => 0,
            Op::AddSp | Op::SubSp | Op::MovSp => 1 << Reg::Sp as u32,
            _ => written,
        },
        Shape::LongMultiply | Shape::LongMultiplyAccumulate => written | 1 << (i.imm & 15),
        _ => 0,
    }
}

/// The base that an access of one register writes back, a bit.
fn written_back(i: &Instruction) -> u32 {
    if i.is_indexed() { 1 << i.rn as u32 } else { 0 }
}

/// Tells whether a load or store overlaps with the instruction before it, which saves a cycle. The one before is a load
/// (or STREX, which counts as one), and neither its result nor a base that it writes back makes the address.
pub fn overlaps(i: &Instruction, context: &Context) -> bool {
    let Some(previous) = context.previous else { return false };
    let follows = matches!(shape(i), Shape::Load | Shape::Store | Shape::StoreIndexed | Shape::StoreExclusive);
    let leads = matches!(shape(&previous), Shape::Load | Shape::StoreExclusive);
    let made = 1 << previous.rd as u32 | written_back(&previous);
    follows && leads && address_registers(i) & made == 0
}

/// Tells whether a load waits for the store right before it: the store's data phase does not overlap with an address.
pub fn waits_for_store(i: &Instruction, context: &Context) -> bool {
    let stores = |previous| matches!(shape(&previous), Shape::Store | Shape::StoreIndexed);
    let loads = i.reads_memory() && !i.needs_fpu();
    loads && context.previous.is_some_and(stores)
}

/// Tells whether a NOP takes no time behind the instruction before it: a load, or a store at base plus register.
pub fn is_hidden(i: &Instruction, context: &Context) -> bool {
    let hides = |previous| matches!(shape(&previous), Shape::Load | Shape::StoreIndexed);
    i.op == Op::Nop && context.previous.is_some_and(hides)
}

/// Tells whether the address waits a cycle for the result of the data processing before it, or for the base that a
/// store before it writes back.
pub fn waits_for_address(i: &Instruction, context: &Context) -> bool {
    let computed = |previous: Instruction| {
        let stores = matches!(shape(&previous), Shape::Store) && matches!(shape(i), Shape::Store);
        computed(&previous) | if stores { written_back(&previous) } else { 0 }
    };
    context.previous.is_some_and(|previous| computed(previous) & address_registers(i) != 0)
}

/// Tells whether BX LR or a similar branch decodes before the preceding instruction has written LR, so that the target
/// is not known yet.
pub fn waits_for_link(context: &Context) -> bool {
    let writes_link = |i: Instruction| match shape(&i) {
        Shape::LoadMultiple(_) => match i.op {
            Op::Ldm => Multiple::unpack(i.imm).list >> Reg::Lr as u32 & 1 != 0,
            _ => false,
        },
        Shape::LoadDouble => i.rd == Reg::Lr || i.rm == Reg::Lr,
        _ => i.writes_rd() && i.rd == Reg::Lr,
    };
    context.previous.is_some_and(writes_link)
}

/// Tells whether IT is folded into the 16-bit instruction before it and takes no time.
pub fn folds(i: &Instruction, context: &Context) -> bool {
    i.op == Op::It && context.previous.is_some() && !context.previous_wide
}

/// Tells whether an instruction waits a cycle for the single that the floating-point arithmetic before it computes.
/// Sums take their addend a cycle later and do not wait for it.
pub fn waits_for_single(i: &Instruction, context: &Context) -> bool {
    let Some(previous) = context.previous.and_then(|previous| previous.fp()) else { return false };
    let moves = matches!(previous.op, FpOp::Mov | FpOp::MovImm | FpOp::Abs | FpOp::Neg);
    if moves || previous.compares() {
        return false;
    }
    let access = FpAccess::unpack(i.imm);
    let read = match i.op {
        Op::Fp => i.fp().map_or(0, |fp| fp.reads()),
        Op::Vstr | Op::Vstm => (((1_u64 << access.count) - 1) << access.first) as u32,
        Op::VmovToCore => 1 << (i.imm & 31),
        Op::VmovPairToCore => 3 << (i.imm & 31),
        _ => 0,
    };
    read & 1 << previous.d != 0
}
