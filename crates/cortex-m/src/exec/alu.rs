//! Data processing: DDI 0419E §A6.7 and the shared functions of its appendix D; for Armv7-M, DDI 0403E §A7.7.

use crate::cpu::Cpu;
use crate::decode::{Instruction, Reg, Shift, Shifted};

impl Cpu {
    /// Sets N and Z.
    #[inline(always)]
    pub(super) fn test(&mut self, result: u32) {
        self.nz = i64::from(result as i32);
    }

    /// Writes `rd` and sets N and Z.
    #[inline(always)]
    pub(super) fn mov(&mut self, rd: Reg, result: u32) {
        self.test(result);
        self.set(rd, result);
    }

    #[inline(always)]
    pub(super) fn cmn(&mut self, a: u32, b: u32) {
        let (result, carry) = a.overflowing_add(b);
        self.c = carry;
        self.v = (a as i32).overflowing_add(b as i32).1;
        self.test(result);
    }

    #[inline(always)]
    pub(super) fn add(&mut self, rd: Reg, a: u32, b: u32) {
        self.cmn(a, b);
        self.set(rd, a.wrapping_add(b));
    }

    #[inline(always)]
    pub(super) fn cmp(&mut self, a: u32, b: u32) {
        self.c = a >= b;
        self.v = (a as i32).overflowing_sub(b as i32).1;
        self.test(a.wrapping_sub(b));
    }

    #[inline(always)]
    pub(super) fn sub(&mut self, rd: Reg, a: u32, b: u32) {
        self.cmp(a, b);
        self.set(rd, a.wrapping_sub(b));
    }

    /// AddWithCarry() with the carry flag.
    #[inline(always)]
    pub(super) fn adc(&mut self, rd: Reg, a: u32, b: u32) {
        let wide = u64::from(a) + u64::from(b) + u64::from(self.c);
        let result = wide as u32;
        self.c = wide >> 32 != 0;
        self.v = (a ^ result) & (b ^ result) & 1 << 31 != 0;
        self.mov(rd, result);
    }

    #[inline(always)]
    pub(super) fn lsl_imm(&mut self, i: &Instruction) {
        let value = self.get(i.rm);
        self.c = value >> ((32 - i.imm) & 31) & 1 != 0;
        self.mov(i.rd, value << (i.imm & 31));
    }

    /// An immediate of 0 means a shift by 32.
    #[inline(always)]
    pub(super) fn lsr_imm(&mut self, i: &Instruction) {
        let value = self.get(i.rm);
        self.c = value >> (i.imm.wrapping_sub(1) & 31) & 1 != 0;
        self.mov(i.rd, if i.imm == 0 { 0 } else { value >> (i.imm & 31) });
    }

    /// An immediate of 0 means a shift by 32.
    #[inline(always)]
    pub(super) fn asr_imm(&mut self, i: &Instruction) {
        let value = self.get(i.rm) as i32;
        let last = i.imm.wrapping_sub(1) & 31;
        self.c = value >> last & 1 != 0;
        self.mov(i.rd, (value >> last >> 1) as u32);
    }

    #[inline(always)]
    pub(super) fn lsl_reg(&mut self, i: &Instruction) {
        let (value, by) = (self.get(i.rn), self.get(i.rm) & 0xFF);
        if by > 0 {
            let shifted = if by <= 32 { u64::from(value) << by } else { 0 };
            self.c = shifted >> 32 & 1 != 0;
            self.mov(i.rd, shifted as u32);
        } else {
            self.mov(i.rd, value);
        }
    }

    #[inline(always)]
    pub(super) fn lsr_reg(&mut self, i: &Instruction) {
        let (value, by) = (self.get(i.rn), self.get(i.rm) & 0xFF);
        if by > 0 {
            let before = if by <= 32 { u64::from(value) >> (by - 1) } else { 0 };
            self.c = before & 1 != 0;
            self.mov(i.rd, (before >> 1) as u32);
        } else {
            self.mov(i.rd, value);
        }
    }

    #[inline(always)]
    pub(super) fn asr_reg(&mut self, i: &Instruction) {
        let (value, by) = (self.get(i.rn), self.get(i.rm) & 0xFF);
        if by > 0 {
            let before = i64::from(value as i32) >> (by.min(32) - 1);
            self.c = before & 1 != 0;
            self.mov(i.rd, (before >> 1) as u32);
        } else {
            self.mov(i.rd, value);
        }
    }

    #[inline(always)]
    pub(super) fn ror_reg(&mut self, i: &Instruction) {
        let (value, by) = (self.get(i.rn), self.get(i.rm) & 0xFF);
        let result = value.rotate_right(by & 31);
        if by > 0 {
            self.c = (result as i32) < 0;
        }
        self.mov(i.rd, result);
    }

    /// ADD (register) T2: any register, no flags; the stack pointer keeps its low bits clear.
    #[inline(always)]
    pub(super) fn add_high(&mut self, i: &Instruction) {
        let sum = self.get(i.rn).wrapping_add(self.get(i.rm));
        if i.rd == Reg::Sp { self.push_to(sum) } else { self.set(i.rd, sum) }
    }

    #[inline(always)]
    pub(super) fn add_constant(&mut self, i: &Instruction) {
        let sum = self.get(i.rd).wrapping_add(i.imm);
        if i.rd == Reg::Sp { self.push_to(sum) } else { self.set(i.rd, sum) }
    }

    /// The operand `rm` as the instruction shifts it, and the carry that comes out.
    #[inline(always)]
    pub(super) fn shift_carry(&self, i: &Instruction) -> (u32, bool) {
        self.shift_of(self.get(i.rm), i.imm)
    }

    /// Shift_C() of a value by what `imm` packs (DDI 0403E §A7.4.2).
    #[inline(always)]
    pub(super) fn shift_of(&self, value: u32, imm: u32) -> (u32, bool) {
        let Shifted { by, amount, .. } = Shifted::unpack(imm);
        match by {
            Shift::Lsl if amount == 0 => (value, self.c),
            Shift::Lsl => (value << (amount & 31), value >> ((32 - amount) & 31) & 1 != 0),
            Shift::Lsr => (value.checked_shr(amount).unwrap_or(0), value >> ((amount - 1) & 31) & 1 != 0),
            Shift::Asr => ((value as i32 >> amount.min(31)) as u32, value as i32 >> ((amount - 1) & 31) & 1 != 0),
            Shift::Ror => {
                let result = value.rotate_right(amount);
                (result, (result as i32) < 0)
            }
            Shift::Rrx => (u32::from(self.c) << 31 | value >> 1, value & 1 != 0),
        }
    }

    /// The sum with the carry flag.
    #[inline(always)]
    pub(super) fn with_carry(&self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b).wrapping_add(u32::from(self.c))
    }

    /// BFI of the low bits of `value`: `imm` has the lowest bit and, above a byte, the width.
    #[inline(always)]
    pub(super) fn insert(&mut self, i: &Instruction, value: u32) {
        let (low, width) = (i.imm & 31, i.imm >> 8);
        let mask = (u32::MAX >> (32 - width.clamp(1, 32))) << low;
        self.set(i.rd, self.get(i.rd) & !mask | value << low & mask);
    }

    /// The 64-bit number in `rd` (low) and the register `imm` (high).
    #[inline(always)]
    pub(super) fn long(&self, i: &Instruction) -> u64 {
        u64::from(self.get(Reg::new(i.imm))) << 32 | u64::from(self.get(i.rd))
    }

    #[inline(always)]
    pub(super) fn set_long(&mut self, i: &Instruction, value: u64) {
        self.set(i.rd, value as u32);
        self.set(Reg::new(i.imm), (value >> 32) as u32);
    }

    #[inline(always)]
    pub(super) fn signed_product(&self, i: &Instruction) -> u64 {
        (i64::from(self.get(i.rn) as i32) * i64::from(self.get(i.rm) as i32)) as u64
    }
}
