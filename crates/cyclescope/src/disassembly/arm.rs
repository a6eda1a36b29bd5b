//! The memory operand of an Arm instruction.

use capstone::arch::arm::{ArmOperandType, ArmShift};
use capstone::arch::{ArchDetail, DetailsArchInsn};
use capstone::{Capstone, InsnDetail, RegId};

use super::text::Memory;

/// The memory that the instruction goes to.
pub(super) fn memory(mnemonic: &str, detail: &InsnDetail<'_>, pc: u32, capstone: &Capstone) -> Option<Memory> {
    let ArchDetail::ArmDetail(detail) = detail.arch_detail() else { return None };
    let operands: Vec<(ArmOperandType, ArmShift)> =
        detail.operands().map(|operand| (operand.op_type.clone(), operand.shift)).collect();
    let number = |register: RegId| arm_register(&capstone.reg_name(register)?);
    arm(mnemonic, &operands, pc, number, |register| {
        capstone.reg_name(register).is_some_and(|name| name.starts_with('d'))
    })
}

fn arm(
    mnemonic: &str,
    operands: &[(ArmOperandType, ArmShift)],
    pc: u32,
    number: impl Fn(RegId) -> Option<u8>,
    is_double: impl Fn(RegId) -> bool,
) -> Option<Memory> {
    const PC: u8 = 15;
    const SP: u8 = 13;
    let plain = mnemonic.trim_end_matches(".w").split('.').next().unwrap_or(mnemonic);
    let registers = || {
        operands.iter().filter_map(|(operand, _)| match operand {
            ArmOperandType::Reg(register) => Some(*register),
            _ => None,
        })
    };
    let size = |register: RegId| if is_double(register) { 8 } else { 4 };
    let writes = ["st", "push", "vst", "vpush"].iter().any(|store| plain.starts_with(store));
    let several = |base, skip, before| {
        let bytes: u32 = registers().skip(skip).map(size).sum();
        Some(Memory { base: Some(base), index: None, offset: if before { -(bytes as i32) } else { 0 }, bytes, writes })
    };
    match plain {
        _ if plain.starts_with("push") || plain.starts_with("vpush") => return several(SP, 0, true),
        _ if plain.starts_with("pop") || plain.starts_with("vpop") => return several(SP, 0, false),
        _ if ["ldm", "stm", "vldm", "vstm"].iter().any(|name| plain.starts_with(name)) => {
            return several(number(registers().next()?)?, 1, plain.contains("db"));
        }
        _ => {}
    }
    let bytes = match plain {
        _ if plain.starts_with("ldrd") || plain.starts_with("strd") => 8,
        _ if plain.starts_with("vldr") || plain.starts_with("vstr") => size(registers().next()?),
        _ if ["ldrb", "ldrsb", "strb", "ldrexb", "strexb", "tbb"].iter().any(|name| plain.starts_with(name)) => 1,
        _ if ["ldrh", "ldrsh", "strh", "ldrexh", "strexh", "tbh"].iter().any(|name| plain.starts_with(name)) => 2,
        _ if ["ldr", "str"].iter().any(|name| plain.starts_with(name)) => 4,
        _ => return None,
    };
    operands.iter().find_map(|(operand, shift)| match operand {
        ArmOperandType::Mem(at) => {
            let base = number(at.base())?;
            let shift = match shift {
                ArmShift::Lsl(by) => u8::try_from(*by).ok()? & 31,
                _ => 0,
            };
            // A literal's address stands in the code: pc, as words see it, and the offset.
            let (base, offset) =
                if base == PC { (None, ((pc + 4) & !3) as i32 + at.disp()) } else { (Some(base), at.disp()) };
            Some(Memory { base, index: number(at.index()).map(|index| (index, shift)), offset, bytes, writes })
        }
        _ => None,
    })
}

fn arm_register(name: &str) -> Option<u8> {
    match name {
        "sb" => Some(9),
        "sl" => Some(10),
        "fp" => Some(11),
        "ip" => Some(12),
        "sp" => Some(13),
        "lr" => Some(14),
        "pc" => Some(15),
        _ => name.strip_prefix('r')?.parse().ok(),
    }
}
