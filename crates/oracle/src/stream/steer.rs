//! What an instruction needs before it: operands at the edges, and bases that make its accesses hit memory.

use cyclescope_cortex_m::decode::{Instruction, Op, Reg};
use cyclescope_machine::Width;

use super::chunk::{Chunk, Literal};
use crate::map::{DATA_BYTES, IMAGE_BYTES, RAM_BASE, Region};
use crate::random::Random;

const fn bit(register: Reg) -> u32 {
    1 << register as u32
}

/// Appends to `chunk` what makes `instruction`, which comes next, do something worth comparing.
pub fn prepare(chunk: &mut Chunk, instruction: &Instruction, flash_base: u32, random: &mut Random) {
    let mut steer = Steer { chunk, flash_base, random };
    let Instruction { op, rd, rn, rm, imm } = *instruction;
    match op {
        Op::LdrImm => steer.base(rn, imm, Width::Word, true),
        Op::LdrhImm => steer.base(rn, imm, Width::Half, true),
        Op::LdrbImm => steer.base(rn, imm, Width::Byte, true),
        Op::StrImm => steer.base(rn, imm, Width::Word, false),
        Op::StrhImm => steer.base(rn, imm, Width::Half, false),
        Op::StrbImm => steer.base(rn, imm, Width::Byte, false),
        Op::LdrReg => steer.base_and_offset(rn, rm, Width::Word, true),
        Op::LdrhReg | Op::LdrshReg => steer.base_and_offset(rn, rm, Width::Half, true),
        Op::LdrbReg | Op::LdrsbReg => steer.base_and_offset(rn, rm, Width::Byte, true),
        Op::StrReg => steer.base_and_offset(rn, rm, Width::Word, false),
        Op::StrhReg => steer.base_and_offset(rn, rm, Width::Half, false),
        Op::StrbReg => steer.base_and_offset(rn, rm, Width::Byte, false),
        Op::Ldm => steer.list(rn, imm, true),
        Op::Stm => steer.list(rn, imm, false),
        Op::Push => {
            let bytes = 4 * imm.count_ones();
            let address = steer.place(Width::Word, bytes, false).wrapping_add(bytes);
            steer.set(Reg::Sp, address, 0);
        }
        Op::Pop => steer.list(Reg::Sp, imm, true),
        Op::AddHigh if rd == Reg::Sp && rm != Reg::Sp => steer.aligned(rm),
        Op::MovSp if rm != Reg::Sp => steer.aligned(rm),
        Op::Msr => {
            let value = steer.special(imm);
            steer.set(rn, value, 0);
        }
        _ => steer.operands(instruction),
    }
}

struct Steer<'a> {
    chunk: &'a mut Chunk,
    flash_base: u32,
    random: &'a mut Random,
}

impl Steer<'_> {
    fn set(&mut self, register: Reg, value: u32, busy: u32) {
        self.chunk.set(register, Literal::Value(value), busy, self.random);
    }

    /// An address where `bytes` bytes can be read, or stored where `read` is false.
    fn place(&mut self, width: Width, bytes: u32, read: bool) -> u32 {
        let (base, size) = if read && self.random.one_in(4) {
            (self.random.pick(&Region::ALL).base(self.flash_base), IMAGE_BYTES)
        } else {
            (RAM_BASE, DATA_BYTES)
        };
        let last = size - bytes;
        let offset = match self.random.below(16) {
            0 => 0,
            1 => last,
            _ => self.random.below(last + 1),
        };
        base + (offset & !(width.bytes() - 1))
    }

    fn base(&mut self, rn: Reg, imm: u32, width: Width, read: bool) {
        let address = self.place(width, width.bytes(), read);
        self.set(rn, address.wrapping_sub(imm), 0);
    }

    fn base_and_offset(&mut self, rn: Reg, rm: Reg, width: Width, read: bool) {
        let address = self.place(width, width.bytes(), read);
        if rn == rm {
            // Twice the register is an even address, whatever its top bit.
            let top = self.random.below(2) << 31;
            self.set(rn, (address >> 1) | top, 0);
        } else {
            let offset = self.random.operand();
            self.set(rn, address.wrapping_sub(offset), 0);
            self.set(rm, offset, bit(rn));
        }
    }

    fn list(&mut self, rn: Reg, list: u32, read: bool) {
        let address = self.place(Width::Word, 4 * list.count_ones(), read);
        self.set(rn, address, 0);
    }

    fn aligned(&mut self, register: Reg) {
        let value = self.random.operand() & !3;
        self.set(register, value, 0);
    }

    /// A value for the special register `number` without reserved bits.
    fn special(&mut self, number: u32) -> u32 {
        match number {
            0..=7 => self.random.bits() & 0xF000_0000,
            8 | 9 => self.random.operand() & !3,
            // Unprivileged now and then: there is no way back before the batch ends.
            20 => self.random.below(2) << 1 | u32::from(self.random.one_in(8)),
            _ => self.random.operand() & 1,
        }
    }

    /// Operands at the edges, most of the time.
    fn operands(&mut self, instruction: &Instruction) {
        let sources = sources(instruction);
        let mut busy = 0;
        // High registers first: setting one goes through a low one.
        for register in Reg::ALL.into_iter().rev() {
            let usable = register < Reg::Sp || register == Reg::Lr;
            if sources & bit(register) != 0 && usable && !self.random.one_in(4) {
                let value = self.random.operand();
                self.set(register, value, busy);
                busy |= bit(register);
            }
        }
    }
}

/// The registers that a data-processing instruction reads.
fn sources(instruction: &Instruction) -> u32 {
    let Instruction { op, rd: _, rn, rm, .. } = *instruction;
    match op {
        Op::MovReg
        | Op::LslImm
        | Op::LsrImm
        | Op::AsrImm
        | Op::RsbZero
        | Op::MvnReg
        | Op::MovHigh
        | Op::Sxth
        | Op::Sxtb
        | Op::Uxth
        | Op::Uxtb
        | Op::Rev
        | Op::Rev16
        | Op::Revsh => bit(rm),
        Op::AddImm | Op::SubImm | Op::CmpImm => bit(rn),
        Op::LslReg
        | Op::LsrReg
        | Op::AsrReg
        | Op::RorReg
        | Op::AddReg
        | Op::AdcReg
        | Op::SubReg
        | Op::SbcReg
        | Op::CmpReg
        | Op::CmnReg
        | Op::Mul
        | Op::AndReg
        | Op::EorReg
        | Op::OrrReg
        | Op::BicReg
        | Op::TstReg
        | Op::AddHigh => bit(rn) | bit(rm),
        _ => 0,
    }
}
