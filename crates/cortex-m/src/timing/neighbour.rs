//! What the instruction before decides in the pipelines of Cortex-M3 and M4: DDI 0337I §3.3.3, DDI 0439 (Arm 100166)
//! §3.3.3, "Load/store timings", and 100166 §7.2.3 for floating point.

use super::Context;
use super::shape::{Shape, shape};
use crate::decode::{FpAccess, FpOp, Instruction, Op, Reg};

/// The registers that make the address of a load or store, a bit each.
fn address_registers(i: &Instruction) -> u32 {
    let (base, offset) = (1 << i.rn as u32, 1 << i.rm as u32);
    match i.op {
        Op::LdrReg
        | Op::LdrhReg
        | Op::LdrbReg
        | Op::LdrshReg
        | Op::LdrsbReg
        | Op::StrReg
        | Op::StrhReg
        | Op::StrbReg => base | offset,
        Op::Tbb | Op::Tbh | Op::LdrPcReg => base | offset,
        Op::LdrLiteral | Op::LdrhLiteral | Op::LdrbLiteral | Op::LdrshLiteral | Op::LdrsbLiteral => 0,
        Op::LdrdLiteral | Op::LdrPcLiteral | Op::VldrLiteral => 0,
        Op::Push | Op::Pop | Op::PopPc => 1 << Reg::Sp as u32,
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

/// Whether a load or store overlaps with the one before it, which saves a cycle: the one before is a load (or STREX, which
/// counts as one) whose result does not make the address.
pub fn overlaps(i: &Instruction, context: &Context) -> bool {
    let Some(previous) = context.previous else { return false };
    let follows = matches!(shape(i), Shape::Load | Shape::Store | Shape::StoreIndexed | Shape::StoreExclusive);
    let leads = matches!(shape(&previous), Shape::Load | Shape::StoreExclusive);
    follows && leads && address_registers(i) & 1 << previous.rd as u32 == 0
}

/// Whether the address waits a cycle for the result of the data processing before.
pub fn waits_for_address(i: &Instruction, context: &Context) -> bool {
    context.previous.is_some_and(|previous| computed(&previous) & address_registers(i) != 0)
}

/// Whether IT is folded into the 16-bit instruction before it and takes no time.
pub fn folds(i: &Instruction, context: &Context) -> bool {
    i.op == Op::It && context.previous.is_some() && !context.previous_wide
}

/// Whether floating-point arithmetic waits a cycle for the result of that before it. Sums take their addend a cycle later
/// and do not wait for it.
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
