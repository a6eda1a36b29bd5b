//! The data that the next instruction moves, for a debugger, and where a core says ahead what it wants of a RAM.

use cyclescope_machine::{Memory, Touch, Width};

use crate::cpu::Cpu;
use crate::decode::{FpAccess, Instruction, Multiple, Op, Reg};

impl Cpu {
    /// Returns the access of the next instruction to data, as if no exception came before it. For an IT instruction,
    /// which takes no time of its own, it is the access of the first instruction under it. An instruction whose
    /// condition fails moves nothing.
    pub(crate) fn touched(&self, memory: &Memory) -> Option<Touch> {
        let half = |address: u32| memory.read(address, Width::Half).map(|half| half as u16);
        let at = |pc: u32| {
            let (first, second) = (half(pc)?, half(pc.wrapping_add(2)).unwrap_or(0));
            Some(self.config.architecture.instructions().decode(first, second))
        };
        let pc = self.r[Reg::Pc as usize];
        let i = at(pc)?;
        if i.op == Op::It {
            let condition = i.imm >> 4;
            return self.passes(condition).then(|| self.moved(&at(pc.wrapping_add(2))?, pc.wrapping_add(2)))?;
        }
        let it = u32::from(self.entry.it);
        if it & 0xF != 0 && !self.passes(it >> 4) {
            return None;
        }
        self.moved(&i, pc)
    }

    /// ConditionPassed() (DDI 0403E §A7.3.1).
    fn passes(&self, condition: u32) -> bool {
        let flags = self.apsr();
        let [n, z, c, v] = [31, 30, 29, 28].map(|bit| flags >> bit & 1 != 0);
        let holds = match condition >> 1 & 7 {
            0 => z,
            1 => c,
            2 => n,
            3 => v,
            4 => c && !z,
            5 => n == v,
            6 => n == v && !z,
            _ => return true,
        };
        holds == (condition & 1 == 0)
    }

    fn moved(&self, i: &Instruction, pc: u32) -> Option<Touch> {
        // As a base, the program counter is that of the instruction after the next.
        let base = if i.rn == Reg::Pc { pc.wrapping_add(4) } else { self.get(i.rn) };
        let literal = |offset: u32| (pc.wrapping_add(4) & !3).wrapping_add(offset);
        let register = || base.wrapping_add(self.get(i.rm) << (i.imm & 3));
        let (read, write) = (Touch::read, Touch::write);
        Some(match i.op {
            Op::LdrImm | Op::LdrPcImm => read(base.wrapping_add(i.imm), 4),
            Op::LdrhImm | Op::LdrshImm => read(base.wrapping_add(i.imm), 2),
            Op::LdrbImm | Op::LdrsbImm => read(base.wrapping_add(i.imm), 1),
            Op::StrImm => write(base.wrapping_add(i.imm), 4),
            Op::StrhImm => write(base.wrapping_add(i.imm), 2),
            Op::StrbImm => write(base.wrapping_add(i.imm), 1),
            Op::LdrReg | Op::LdrPcReg => read(register(), 4),
            Op::LdrhReg | Op::LdrshReg => read(register(), 2),
            Op::LdrbReg | Op::LdrsbReg => read(register(), 1),
            Op::StrReg => write(register(), 4),
            Op::StrhReg => write(register(), 2),
            Op::StrbReg => write(register(), 1),
            Op::LdrLiteral | Op::LdrPcLiteral => read(literal(i.imm), 4),
            Op::LdrhLiteral | Op::LdrshLiteral => read(literal(i.imm), 2),
            Op::LdrbLiteral | Op::LdrsbLiteral => read(literal(i.imm), 1),
            Op::LdrdLiteral => read(literal(i.imm), 8),
            Op::LdrIndexed | Op::LdrPcIndexed => read(self.indexed_address(i), 4),
            Op::LdrhIndexed | Op::LdrshIndexed => read(self.indexed_address(i), 2),
            Op::LdrbIndexed | Op::LdrsbIndexed => read(self.indexed_address(i), 1),
            Op::StrIndexed => write(self.indexed_address(i), 4),
            Op::StrhIndexed => write(self.indexed_address(i), 2),
            Op::StrbIndexed => write(self.indexed_address(i), 1),
            Op::Ldrd => read(self.indexed_address(i), 8),
            Op::Strd => write(self.indexed_address(i), 8),
            Op::Ldrex => read(base.wrapping_add(i.imm), 4),
            Op::Ldrexh => read(base.wrapping_add(i.imm), 2),
            Op::Ldrexb => read(base.wrapping_add(i.imm), 1),
            Op::Strex if self.exclusive => write(base.wrapping_add(i.imm), 4),
            Op::Strexh if self.exclusive => write(base.wrapping_add(i.imm), 2),
            Op::Strexb if self.exclusive => write(base.wrapping_add(i.imm), 1),
            Op::Tbb => read(base.wrapping_add(self.get(i.rm)), 1),
            Op::Tbh => read(base.wrapping_add(self.get(i.rm) << 1), 2),
            Op::Ldm | Op::LdmPc | Op::Stm => {
                let multiple = Multiple::unpack(i.imm);
                let bytes = 4 * multiple.list.count_ones().max(1);
                let from = if multiple.before { base.wrapping_sub(bytes) } else { base };
                if i.op == Op::Stm { write(from, bytes) } else { read(from, bytes) }
            }
            Op::Vldr | Op::Vstr | Op::VldrLiteral => {
                let access = FpAccess::unpack(i.imm);
                let base = if i.op == Op::VldrLiteral { literal(0) } else { base };
                let (from, bytes) = (base.wrapping_add_signed(access.offset), 4 * access.count.max(1));
                if i.op == Op::Vstr { write(from, bytes) } else { read(from, bytes) }
            }
            Op::Vldm | Op::Vstm => {
                let access = FpAccess::unpack(i.imm);
                let bytes = 4 * access.count.max(1);
                let from = if access.before { base.wrapping_sub(bytes) } else { base };
                if i.op == Op::Vstm { write(from, bytes) } else { read(from, bytes) }
            }
            _ => return None,
        })
    }

    fn indexed_address(&self, i: &Instruction) -> u32 {
        use crate::decode::{Index, Indexed};
        match Indexed::unpack(i.imm).index {
            Index::Unprivileged => self.get(i.rn).wrapping_add(i.imm & 0xFFFF),
            _ => self.indexed(i).0,
        }
    }
}
