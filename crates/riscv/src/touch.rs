//! The data that the next instruction reads or writes, for a debugger. Nothing here takes part in a run.

use cyclescope_machine::{Memory, Touch, Width};

use crate::cpu::Cpu;
use crate::decode::{self, Op};

impl Cpu {
    /// The bytes that the instruction about to execute reads or writes; traps taken before it are left aside.
    pub(crate) fn touched(&self, memory: &Memory) -> Option<Touch> {
        let half = |address: u32| memory.read(address, Width::Half);
        let bits = half(self.pc)? | half(self.pc.wrapping_add(2)).unwrap_or(0) << 16;
        let i = decode::decode(bits, self.config.extensions);
        let base = self.get(i.rs1);
        let address = base.wrapping_add(i.imm);
        Some(match i.op {
            Op::Lb | Op::Lbu => Touch::read(address, 1),
            Op::Lh | Op::Lhu => Touch::read(address, 2),
            Op::Lw => Touch::read(address, 4),
            Op::Sb => Touch::write(address, 1),
            Op::Sh => Touch::write(address, 2),
            Op::Sw => Touch::write(address, 4),
            Op::LrW => Touch::read(base, 4),
            Op::ScW if self.reservation != Some(base) => return None,
            Op::ScW => Touch::write(base, 4),
            _ if i.is_atomic() => Touch::both(base, 4),
            _ => return None,
        })
    }
}
