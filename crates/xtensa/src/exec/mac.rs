//! The multiplier-accumulator (§4.3.7): products of 16 bits, added up in 40.

use crate::cpu::Cpu;
use crate::decode::{Instruction, Op, Operands};

/// The accumulator's 40 bits of `value`, with their sign.
const fn forty(value: i64) -> i64 {
    value << 24 >> 24
}

impl Cpu {
    fn operand(&self, register: u8) -> u32 {
        if register < Operands::ACCUMULATOR { self.get(register) } else { self.m[usize::from(register & 3)] }
    }

    /// The product of the halves that `operands` name.
    fn product(&self, operands: Operands, signed: bool) -> i64 {
        let half = |register: u8, high: bool| {
            let half = (self.operand(register) >> if high { 16 } else { 0 }) as u16;
            if signed { i64::from(half as i16) } else { i64::from(half) }
        };
        half(operands.first, operands.first_high) * half(operands.second, operands.second_high)
    }

    /// UMUL, MUL, MULA and MULS, and the sum of MULA with a load.
    pub(super) fn multiply(&mut self, i: &Instruction) {
        let product = self.product(Operands::unpack(i.imm), i.op != Op::Umul);
        self.accumulator = match i.op {
            Op::Umul | Op::Mul => product,
            Op::Muls => forty(self.accumulator - product),
            _ => forty(self.accumulator + product),
        };
    }

    /// The address of the load of LDINC, LDDEC and MULA with them, which its register gets too.
    pub(super) fn stepped(&self, i: &Instruction) -> u32 {
        self.get(i.s).wrapping_add_signed(Operands::unpack(i.imm).step.into())
    }

    /// The load from `address` has given `value`: the sum is made of the operands as they were before it.
    pub(super) fn loaded(&mut self, i: &Instruction, address: u32, value: u32) {
        if i.op == Op::MulaLoad {
            self.multiply(i);
        }
        self.m[usize::from(Operands::unpack(i.imm).loaded)] = value;
        self.set(i.s, address);
    }
}
