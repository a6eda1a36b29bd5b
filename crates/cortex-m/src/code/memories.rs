//! Steps before loads that overlap, where there are several RAMs: a load that goes to another memory than the one before it
//! does not overlap, and where they go is known only when they are executed. The first of a chain says where it goes, each
//! further one compares. Elsewhere there are no such steps.

use cyclescope_machine::Memory;

use crate::decode::{Addressing, Index, Indexed, Instruction, Op};

/// The step `op` before `i`, a load or store of one value that stands at `pc`; `None` if it goes to no RAM for certain, or may
/// make no access at all, as STREX.
pub(super) fn step(i: &Instruction, pc: u32, memory: &Memory, op: Op) -> Option<Instruction> {
    let to = |addressing: Addressing| Instruction::new(op).rd(addressing.pack()).rn(i.rn).rm(i.rm);
    Some(match i.op {
        Op::LdrImm | Op::LdrhImm | Op::LdrbImm | Op::LdrshImm | Op::LdrsbImm => to(Addressing::Offset).imm(i.imm),
        Op::StrImm | Op::StrhImm | Op::StrbImm => to(Addressing::Offset).imm(i.imm),
        Op::Ldrex | Op::Ldrexh | Op::Ldrexb => to(Addressing::Offset).imm(i.imm),
        Op::LdrReg | Op::LdrhReg | Op::LdrbReg | Op::LdrshReg | Op::LdrsbReg => to(Addressing::Register).imm(i.imm & 3),
        Op::StrReg | Op::StrhReg | Op::StrbReg => to(Addressing::Register).imm(i.imm & 3),
        Op::LdrIndexed | Op::LdrhIndexed | Op::LdrbIndexed | Op::LdrshIndexed | Op::LdrsbIndexed => {
            to(Addressing::Offset).imm(indexed(i))
        }
        Op::StrIndexed | Op::StrhIndexed | Op::StrbIndexed => to(Addressing::Offset).imm(indexed(i)),
        Op::LdrLiteral | Op::LdrhLiteral | Op::LdrbLiteral | Op::LdrshLiteral | Op::LdrsbLiteral => {
            let address = (pc.wrapping_add(4) & !3).wrapping_add(i.imm);
            (!memory.ram_around(address).is_empty()).then(|| to(Addressing::Literal).imm(address))?
        }
        _ => return None,
    })
}

/// The constant that makes the address with the base.
fn indexed(i: &Instruction) -> u32 {
    let Indexed { offset, index } = Indexed::unpack(i.imm);
    match index {
        Index::Pre | Index::Offset => offset as u32,
        Index::Post => 0,
        Index::Unprivileged => i.imm & 0xFFFF,
    }
}
