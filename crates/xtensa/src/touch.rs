//! The data that the next instruction reads or writes, for a debugger. Nothing here takes part in a run.

use cyclescope_machine::{Memory, Touch};

use crate::code::fetch;
use crate::cpu::Cpu;
use crate::decode::{Op, Operands};

impl Cpu {
    /// The bytes that the instruction about to execute reads or writes; exceptions taken before it are left aside.
    pub(crate) fn touched(&self, memory: &Memory) -> Option<Touch> {
        let (i, _) = fetch(memory, self.pc, &self.config.configuration.options);
        let address = self.get(i.s).wrapping_add(i.imm);
        let indexed = self.get(i.s).wrapping_add(self.get(i.t));
        Some(match i.op {
            Op::L8ui => Touch::read(address, 1),
            Op::L16ui | Op::L16si => Touch::read(address, 2),
            Op::L32i | Op::L32ai | Op::L32e | Op::Lsi => Touch::read(address, 4),
            Op::Lsip | Op::Lsxp => Touch::read(self.get(i.s), 4),
            Op::L32r => Touch::read(self.literal(self.pc, (self.pc.wrapping_add(3) & !3).wrapping_add(i.imm)), 4),
            Op::Lsx => Touch::read(indexed, 4),
            Op::MulaLoad | Op::LoadMac => {
                Touch::read(self.get(i.s).wrapping_add_signed(Operands::unpack(i.imm).step.into()), 4)
            }
            Op::S8i => Touch::write(address, 1),
            Op::S16i => Touch::write(address, 2),
            Op::S32i | Op::S32ri | Op::S32e | Op::Ssi => Touch::write(address, 4),
            Op::Ssip | Op::Ssxp => Touch::write(self.get(i.s), 4),
            Op::Ssx => Touch::write(indexed, 4),
            Op::S32c1i => Touch::both(address, 4),
            _ => return None,
        })
    }
}
