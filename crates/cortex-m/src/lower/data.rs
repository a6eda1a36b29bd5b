//! Data processing.

use cyclescope_engine::{After, Binary, Compare, Lowering, Micro, Unary, Value};

use super::{CARRY, LOWEST_MAIN, LOWEST_PROCESS, NZ, OVERFLOW, PROCESS_STACK, get};
use crate::cpu::Cpu;
use crate::decode::{Flags, Instruction, Op, Reg, Shift, Shifted};

/// Lowers `i`, if it is one of these.
#[allow(clippy::too_many_lines)] // One row an operation, like the table of bodies.
pub(super) fn lower(cpu: &Cpu, i: &Instruction, to: &mut Lowering) -> Option<After> {
    if i.rd == Reg::Pc && i.writes_rd() {
        return None;
    }
    let rm = |to: &mut Lowering| get(to, i.rm);
    let rn = |to: &mut Lowering| get(to, i.rn);
    match i.op {
        Op::MovReg => {
            let value = rm(to);
            mov(to, i.rd, value);
        }
        Op::MovImm => {
            let value = to.word(i.imm);
            mov(to, i.rd, value);
        }
        Op::LslImm => shifted_by_constant(to, i, Shift::Lsl, i.imm),
        Op::LsrImm => shifted_by_constant(to, i, Shift::Lsr, if i.imm == 0 { 32 } else { i.imm }),
        Op::AsrImm => shifted_by_constant(to, i, Shift::Asr, if i.imm == 0 { 32 } else { i.imm }),
        Op::LslReg | Op::LsrReg | Op::AsrReg | Op::RorReg => shifted_by_register(to, i),
        Op::AddReg => {
            let (a, b) = (rn(to), rm(to));
            add(to, Some(i.rd), a, b);
        }
        Op::AddImm => {
            let (a, b) = (rn(to), to.word(i.imm));
            add(to, Some(i.rd), a, b);
        }
        Op::AdcReg => {
            let (a, b) = (rn(to), rm(to));
            adc(to, i.rd, a, b);
        }
        Op::SubReg => {
            let (a, b) = (rn(to), rm(to));
            sub(to, Some(i.rd), a, b);
        }
        Op::SubImm => {
            let (a, b) = (rn(to), to.word(i.imm));
            sub(to, Some(i.rd), a, b);
        }
        Op::SbcReg => {
            let (a, b) = (rn(to), rm(to));
            let b = to.unary(Unary::Not, b);
            adc(to, i.rd, a, b);
        }
        Op::RsbZero => {
            let (a, b) = (to.word(0), rm(to));
            sub(to, Some(i.rd), a, b);
        }
        Op::CmpReg => {
            let (a, b) = (rn(to), rm(to));
            sub(to, None, a, b);
        }
        Op::CmpImm => {
            let (a, b) = (rn(to), to.word(i.imm));
            sub(to, None, a, b);
        }
        Op::CmnReg => {
            let (a, b) = (rn(to), rm(to));
            add(to, None, a, b);
        }
        Op::CmnConst => {
            let (a, b) = (rn(to), to.word(i.imm));
            add(to, None, a, b);
        }
        Op::Mul | Op::MulQuiet => {
            let (a, b) = (rn(to), rm(to));
            let product = to.binary(Binary::Mul, a, b);
            if i.op == Op::Mul { mov(to, i.rd, product) } else { set(to, i.rd, product) }
        }
        Op::AndReg | Op::EorReg | Op::OrrReg | Op::BicReg => {
            let (a, b) = (rn(to), rm(to));
            let value = logic(to, i.op, a, b)?;
            mov(to, i.rd, value);
        }
        Op::MvnReg => {
            let value = rm(to);
            let value = to.unary(Unary::Not, value);
            mov(to, i.rd, value);
        }
        Op::TstReg => {
            let (a, b) = (rn(to), rm(to));
            let value = to.binary(Binary::And, a, b);
            test(to, value);
        }
        Op::AddHigh => {
            let (a, b) = (rn(to), rm(to));
            let sum = to.binary(Binary::Add, a, b);
            set_base(to, i.rd, sum);
        }
        Op::AddConstant => {
            let (a, b) = (get(to, i.rd), to.word(i.imm));
            let sum = to.binary(Binary::Add, a, b);
            set_base(to, i.rd, sum);
        }
        Op::AddOffset => {
            let (a, b) = (rn(to), to.word(i.imm));
            let sum = to.binary(Binary::Add, a, b);
            set(to, i.rd, sum);
        }
        Op::AddSp => {
            let (sp, by) = (to.get(Reg::Sp as u8), to.word(i.imm));
            let sum = to.binary(Binary::Add, sp, by);
            set_sp(to, sum);
        }
        Op::SubSp => {
            let (sp, by) = (to.get(Reg::Sp as u8), to.word(i.imm));
            let difference = to.binary(Binary::Sub, sp, by);
            set_base(to, Reg::Sp, difference);
        }
        Op::MovHigh => {
            let value = rm(to);
            set(to, i.rd, value);
        }
        Op::Constant => {
            let value = to.word(i.imm);
            set(to, i.rd, value);
        }
        Op::Sxth | Op::Sxtb | Op::Uxth | Op::Uxtb => {
            let value = rm(to);
            let value = to.narrow(value, if matches!(i.op, Op::Sxth | Op::Uxth) { 2 } else { 1 });
            let value = to.widen(value, 4, matches!(i.op, Op::Sxth | Op::Sxtb));
            set(to, i.rd, value);
        }
        Op::Rev | Op::Rev16 => {
            let value = rm(to);
            let mut value = to.unary(Unary::SwapBytes, value);
            if i.op == Op::Rev16 {
                let half = to.word(16);
                value = to.binary(Binary::RotateRight, value, half);
            }
            set(to, i.rd, value);
        }
        Op::Revsh => {
            let value = rm(to);
            let value = to.narrow(value, 2);
            let value = to.unary(Unary::SwapBytes, value);
            let value = to.widen(value, 4, true);
            set(to, i.rd, value);
        }
        Op::AndConst | Op::BicConst | Op::OrrConst | Op::OrnConst | Op::EorConst | Op::MovConst | Op::MvnConst => {
            let (a, b) = (rn(to), to.word(i.imm));
            let value = logic(to, i.op, a, b)?;
            let flags = Flags::unpack(i.rm);
            if flags == Flags::SetWithCarry {
                let carry = to.truth((i.imm as i32) < 0);
                to.set(CARRY, carry);
            }
            if flags == Flags::Keep { set(to, i.rd, value) } else { mov(to, i.rd, value) }
        }
        Op::AddConst | Op::SubConst | Op::RsbConst | Op::AdcConst | Op::SbcConst => {
            let (a, b) = (rn(to), to.word(i.imm));
            arithmetic(to, i.op, i.rd, Flags::unpack(i.rm) != Flags::Keep, a, b)?;
        }
        Op::TstConst | Op::TeqConst => {
            let (a, b) = (rn(to), to.word(i.imm));
            if i.rm == Flags::SetWithCarry.pack() {
                let carry = to.truth((i.imm as i32) < 0);
                to.set(CARRY, carry);
            }
            let value = to.binary(if i.op == Op::TstConst { Binary::And } else { Binary::Xor }, a, b);
            test(to, value);
        }
        Op::AndShifted
        | Op::BicShifted
        | Op::OrrShifted
        | Op::OrnShifted
        | Op::EorShifted
        | Op::MovShifted
        | Op::MvnShifted => {
            let (a, (b, carry)) = (rn(to), shift_carry(to, i));
            let value = logic(to, i.op, a, b)?;
            if Shifted::unpack(i.imm).sets_flags {
                to.set(CARRY, carry);
                mov(to, i.rd, value);
            } else {
                set(to, i.rd, value);
            }
        }
        Op::AddShifted | Op::SubShifted | Op::RsbShifted | Op::AdcShifted | Op::SbcShifted => {
            let (a, (b, _)) = (rn(to), shift_carry(to, i));
            arithmetic(to, i.op, i.rd, Shifted::unpack(i.imm).sets_flags, a, b)?;
        }
        Op::TstShifted | Op::TeqShifted => {
            let (a, (b, carry)) = (rn(to), shift_carry(to, i));
            to.set(CARRY, carry);
            let value = to.binary(if i.op == Op::TstShifted { Binary::And } else { Binary::Xor }, a, b);
            test(to, value);
        }
        Op::CmpShifted => {
            let (a, (b, _)) = (rn(to), shift_carry(to, i));
            sub(to, None, a, b);
        }
        Op::CmnShifted => {
            let (a, (b, _)) = (rn(to), shift_carry(to, i));
            add(to, None, a, b);
        }
        Op::LslQuiet | Op::LsrQuiet | Op::AsrQuiet | Op::RorQuiet => {
            let (value, _) = shift_register(to, i);
            set(to, i.rd, value);
        }
        Op::MovTop => {
            let (value, mask, top) = (get(to, i.rd), to.word(0xFFFF), to.word(i.imm << 16));
            let low = to.binary(Binary::And, value, mask);
            let value = to.binary(Binary::Or, low, top);
            set(to, i.rd, value);
        }
        Op::Bfi | Op::Bfc => {
            let (low, width) = (i.imm & 31, i.imm >> 8);
            let mask = (u32::MAX >> (32 - width.clamp(1, 32))) << low;
            let (old, keep) = (get(to, i.rd), to.word(!mask));
            let mut value = to.binary(Binary::And, old, keep);
            if i.op == Op::Bfi {
                let (new, by, mask) = (rn(to), to.word(low), to.word(mask));
                let new = to.binary(Binary::ShiftLeft, new, by);
                let new = to.binary(Binary::And, new, mask);
                value = to.binary(Binary::Or, value, new);
            }
            set(to, i.rd, value);
        }
        Op::Ubfx | Op::Sbfx => {
            let (low, width) = (i.imm & 0xFF, i.imm >> 8);
            let (value, left) = (rn(to), to.word((32 - low.wrapping_add(width).min(32)) & 31));
            let right = to.word(32_u32.wrapping_sub(width) & 31);
            let top = to.binary(Binary::ShiftLeft, value, left);
            let shift = if i.op == Op::Ubfx { Binary::ShiftRight } else { Binary::ShiftRightSigned };
            let value = to.binary(shift, top, right);
            set(to, i.rd, value);
        }
        Op::Clz | Op::Rbit => {
            let value = rm(to);
            let value = to.unary(if i.op == Op::Clz { Unary::LeadingZeros } else { Unary::ReverseBits }, value);
            set(to, i.rd, value);
        }
        Op::Mla | Op::Mls => {
            let (a, b, c) = (rn(to), rm(to), get(to, Reg::new(i.imm)));
            let product = to.binary(Binary::Mul, a, b);
            let value = to.binary(if i.op == Op::Mla { Binary::Add } else { Binary::Sub }, c, product);
            set(to, i.rd, value);
        }
        Op::Umull | Op::Smull | Op::Umlal | Op::Smlal => {
            let signed = matches!(i.op, Op::Smull | Op::Smlal);
            let (a, b, high) = (rn(to), rm(to), Reg::new(i.imm));
            multiplies_long(cpu, a, b, to);
            let (a, b) = (to.widen(a, 8, signed), to.widen(b, 8, signed));
            let mut value = to.binary(Binary::Mul, a, b);
            let by = to.add(Micro::Constant(32, 8));
            if matches!(i.op, Op::Umlal | Op::Smlal) {
                let (low, top) = (get(to, i.rd), get(to, high));
                let (low, top) = (to.widen(low, 8, false), to.widen(top, 8, false));
                let top = to.binary(Binary::ShiftLeft, top, by);
                let sum = to.binary(Binary::Or, low, top);
                value = to.binary(Binary::Add, value, sum);
            }
            let low = to.narrow(value, 4);
            set(to, i.rd, low);
            let top = to.binary(Binary::ShiftRight, value, by);
            let top = to.narrow(top, 4);
            set(to, high, top);
        }
        Op::Udiv | Op::Sdiv => {
            let (a, b, signed) = (rn(to), rm(to), i.op == Op::Sdiv);
            let value = divide(cpu, a, b, signed, to)?;
            set(to, i.rd, value);
        }
        _ => return None,
    }
    Some(After::Next)
}

/// Lets the cycles pass that the operands of a long multiplication add: as many for each that is long as for this one.
fn multiplies_long(cpu: &Cpu, a: Value, b: Value, to: &mut Lowering) {
    let Some(extra) = cpu.config.timing.long_multiply else { return };
    let step = to.add(Micro::Constant(extra(0x1_0000, 0).into(), 8));
    for value in [a, b] {
        let (most, magnitude) = (to.word(0xFFFF), magnitude(value, to));
        let long = to.compare(Compare::Less, most, magnitude);
        let long = to.widen(long, 8, false);
        let cycles = to.binary(Binary::Mul, long, step);
        to.add(Micro::Pass(cycles));
    }
}

/// The absolute value of a signed number.
fn magnitude(value: Value, to: &mut Lowering) -> Value {
    let (zero, negated) = (to.word(0), to.unary(Unary::Negate, value));
    let negative = to.compare(Compare::LessSigned, value, zero);
    to.select(negative, negated, value)
}

/// A quotient, whose bits take time. A division by zero, which may fault, is the body's.
fn divide(cpu: &Cpu, a: Value, b: Value, signed: bool, to: &mut Lowering) -> Option<Value> {
    let bits_a_cycle = cpu.config.timing.division_bits?;
    let by_zero = to.is(b, 0);
    to.add(Micro::Unless(by_zero));
    let (dividend, divisor) = if signed { (magnitude(a, to), magnitude(b, to)) } else { (a, b) };
    let none = to.compare(Compare::Less, dividend, divisor);
    let (long, short) = (to.unary(Unary::LeadingZeros, divisor), to.unary(Unary::LeadingZeros, dividend));
    let bits = to.binary(Binary::Sub, long, short);
    // One bit more, rounded up to whole cycles, behind the two that begin it.
    let (up, step, begun, zero) = (to.word(bits_a_cycle), to.word(bits_a_cycle), to.word(2), to.word(0));
    let bits = to.binary(Binary::Add, bits, up);
    let cycles = to.binary(Binary::Divide, bits, step);
    let cycles = to.binary(Binary::Add, cycles, begun);
    let cycles = to.select(none, zero, cycles);
    let cycles = to.widen(cycles, 8, false);
    to.add(Micro::Pass(cycles));
    Some(to.binary(if signed { Binary::DivideSigned } else { Binary::Divide }, a, b))
}

/// Writes a register other than the program counter.
pub(super) fn set(to: &mut Lowering, register: Reg, value: Value) {
    to.set(register as u8, value);
}

/// Sets N and Z.
fn test(to: &mut Lowering, result: Value) {
    let nz = to.widen(result, 8, true);
    to.set(NZ, nz);
}

/// Writes `rd` and sets N and Z.
fn mov(to: &mut Lowering, rd: Reg, result: Value) {
    test(to, result);
    set(to, rd, result);
}

/// Writes the stack pointer, whose two low bits are zero.
fn set_sp(to: &mut Lowering, value: Value) {
    let mask = to.word(!3);
    let value = to.binary(Binary::And, value, mask);
    set(to, Reg::Sp, value);
}

/// Writes a base back; a stack pointer remembers how low it was.
pub(super) fn set_base(to: &mut Lowering, base: Reg, value: Value) {
    if base != Reg::Sp {
        return set(to, base, value);
    }
    set_sp(to, value);
    let process = to.get(PROCESS_STACK);
    for (slot, is_process) in [(LOWEST_MAIN, false), (LOWEST_PROCESS, true)] {
        let lowest = to.get(slot);
        let lower = to.binary(Binary::MinUnsigned, lowest, value);
        let (if_process, if_main) = if is_process { (lower, lowest) } else { (lowest, lower) };
        let lowest = to.select(process, if_process, if_main);
        to.set(slot, lowest);
    }
}

/// The top bit of a value, as a truth.
fn top(to: &mut Lowering, value: Value) -> Value {
    let by = to.word(31);
    let bit = to.binary(Binary::ShiftRight, value, by);
    to.narrow(bit, 1)
}

/// The bit `bit` of a value, as a truth.
fn bit(to: &mut Lowering, value: Value, bit: u32) -> Value {
    let (by, one) = (to.word(bit), to.word(1));
    let value = to.binary(Binary::ShiftRight, value, by);
    let value = to.binary(Binary::And, value, one);
    to.narrow(value, 1)
}

/// V of a sum: both operands have the other sign than the result.
fn overflow(to: &mut Lowering, a: Value, b: Value, result: Value) {
    let (a, b) = (to.binary(Binary::Xor, a, result), to.binary(Binary::Xor, b, result));
    let both = to.binary(Binary::And, a, b);
    let overflow = top(to, both);
    to.set(OVERFLOW, overflow);
}

/// Adds, sets the flags, and writes `rd` if there is one.
fn add(to: &mut Lowering, rd: Option<Reg>, a: Value, b: Value) {
    let result = to.binary(Binary::Add, a, b);
    let carry = to.compare(Compare::Less, result, a);
    to.set(CARRY, carry);
    overflow(to, a, b, result);
    test(to, result);
    if let Some(rd) = rd {
        set(to, rd, result);
    }
}

/// Subtracts, sets the flags, and writes `rd` if there is one.
fn sub(to: &mut Lowering, rd: Option<Reg>, a: Value, b: Value) {
    let result = to.binary(Binary::Sub, a, b);
    let carry = to.compare(Compare::LessOrEqual, b, a);
    to.set(CARRY, carry);
    let (differs, turns) = (to.binary(Binary::Xor, a, b), to.binary(Binary::Xor, a, result));
    let both = to.binary(Binary::And, differs, turns);
    let overflow = top(to, both);
    to.set(OVERFLOW, overflow);
    test(to, result);
    if let Some(rd) = rd {
        set(to, rd, result);
    }
}

/// Adds with the carry, sets the flags, and writes `rd`.
fn adc(to: &mut Lowering, rd: Reg, a: Value, b: Value) {
    let carry = to.get(CARRY);
    let [wide_a, wide_b, wide_carry] = [a, b, carry].map(|value| to.widen(value, 8, false));
    let sum = to.binary(Binary::Add, wide_a, wide_b);
    let sum = to.binary(Binary::Add, sum, wide_carry);
    let result = to.narrow(sum, 4);
    let by = to.add(Micro::Constant(32, 8));
    let carry = to.binary(Binary::ShiftRight, sum, by);
    let carry = to.narrow(carry, 1);
    to.set(CARRY, carry);
    overflow(to, a, b, result);
    mov(to, rd, result);
}

/// The sum with the carry, without flags.
fn with_carry(to: &mut Lowering, a: Value, b: Value) -> Value {
    let carry = to.get(CARRY);
    let carry = to.widen(carry, 4, false);
    let sum = to.binary(Binary::Add, a, b);
    to.binary(Binary::Add, sum, carry)
}

fn arithmetic(to: &mut Lowering, op: Op, rd: Reg, sets_flags: bool, a: Value, b: Value) -> Option<()> {
    match op {
        Op::AddConst | Op::AddShifted if sets_flags => add(to, Some(rd), a, b),
        Op::SubConst | Op::SubShifted if sets_flags => sub(to, Some(rd), a, b),
        Op::RsbConst | Op::RsbShifted if sets_flags => sub(to, Some(rd), b, a),
        Op::AdcConst | Op::AdcShifted if sets_flags => adc(to, rd, a, b),
        Op::SbcConst | Op::SbcShifted if sets_flags => {
            let b = to.unary(Unary::Not, b);
            adc(to, rd, a, b);
        }
        _ => {
            let value = match op {
                Op::AddConst | Op::AddShifted => to.binary(Binary::Add, a, b),
                Op::SubConst | Op::SubShifted => to.binary(Binary::Sub, a, b),
                Op::RsbConst | Op::RsbShifted => to.binary(Binary::Sub, b, a),
                Op::AdcConst | Op::AdcShifted => with_carry(to, a, b),
                Op::SbcConst | Op::SbcShifted => {
                    let b = to.unary(Unary::Not, b);
                    with_carry(to, a, b)
                }
                _ => return None,
            };
            set(to, rd, value);
        }
    }
    Some(())
}

fn logic(to: &mut Lowering, op: Op, a: Value, b: Value) -> Option<Value> {
    Some(match op {
        Op::AndReg | Op::AndConst | Op::AndShifted => to.binary(Binary::And, a, b),
        Op::EorReg | Op::EorConst | Op::EorShifted => to.binary(Binary::Xor, a, b),
        Op::OrrReg | Op::OrrConst | Op::OrrShifted => to.binary(Binary::Or, a, b),
        Op::BicReg | Op::BicConst | Op::BicShifted => {
            let b = to.unary(Unary::Not, b);
            to.binary(Binary::And, a, b)
        }
        Op::OrnConst | Op::OrnShifted => {
            let b = to.unary(Unary::Not, b);
            to.binary(Binary::Or, a, b)
        }
        Op::MovConst | Op::MovShifted => b,
        Op::MvnConst | Op::MvnShifted => to.unary(Unary::Not, b),
        _ => return None,
    })
}

/// A shift by a constant that sets the flags.
fn shifted_by_constant(to: &mut Lowering, i: &Instruction, by: Shift, amount: u32) {
    let value = get(to, i.rm);
    let (result, carry) = shift(to, value, by, amount);
    to.set(CARRY, carry);
    mov(to, i.rd, result);
}

/// The operand `rm` as the instruction shifts it, and the carry that comes out.
fn shift_carry(to: &mut Lowering, i: &Instruction) -> (Value, Value) {
    let Shifted { by, amount, .. } = Shifted::unpack(i.imm);
    let value = get(to, i.rm);
    shift(to, value, by, amount)
}

/// A value shifted by a constant, and the carry that comes out.
fn shift(to: &mut Lowering, value: Value, by: Shift, amount: u32) -> (Value, Value) {
    match by {
        Shift::Lsl if amount == 0 => (value, to.get(CARRY)),
        Shift::Lsl => {
            let distance = to.word(amount & 31);
            (to.binary(Binary::ShiftLeft, value, distance), bit(to, value, (32 - amount) & 31))
        }
        Shift::Lsr => {
            let distance = to.word(amount & 31);
            let result = if amount >= 32 { to.word(0) } else { to.binary(Binary::ShiftRight, value, distance) };
            (result, bit(to, value, amount.wrapping_sub(1) & 31))
        }
        Shift::Asr => {
            let distance = to.word(amount.min(31));
            (to.binary(Binary::ShiftRightSigned, value, distance), bit(to, value, amount.wrapping_sub(1) & 31))
        }
        Shift::Ror => {
            let distance = to.word(amount & 31);
            let result = to.binary(Binary::RotateRight, value, distance);
            (result, top(to, result))
        }
        Shift::Rrx => {
            let carry = to.get(CARRY);
            let carry = to.widen(carry, 4, false);
            let (one, high) = (to.word(1), to.word(31));
            let (carry, rest) = (to.binary(Binary::ShiftLeft, carry, high), to.binary(Binary::ShiftRight, value, one));
            (to.binary(Binary::Or, carry, rest), bit(to, value, 0))
        }
    }
}

/// A shift by a register that sets the flags.
fn shifted_by_register(to: &mut Lowering, i: &Instruction) {
    let (result, carry) = shift_register(to, i);
    to.set(CARRY, carry);
    mov(to, i.rd, result);
}

/// The register `rn` shifted by the low byte of `rm`, and the carry that comes out.
fn shift_register(to: &mut Lowering, i: &Instruction) -> (Value, Value) {
    let (value, by, mask) = (get(to, i.rn), get(to, i.rm), to.word(0xFF));
    let by = to.binary(Binary::And, by, mask);
    let none = to.is(by, 0);
    let old = to.get(CARRY);
    let (result, carry) = match i.op {
        Op::RorReg | Op::RorQuiet => {
            let result = to.binary(Binary::RotateRight, value, by);
            (result, top(to, result))
        }
        Op::LslReg | Op::LslQuiet => {
            let (wide, most) = (to.widen(value, 8, false), to.word(32));
            let (fits, distance) = (to.compare(Compare::LessOrEqual, by, most), to.widen(by, 8, false));
            let (shifted, zero) = (to.binary(Binary::ShiftLeft, wide, distance), to.add(Micro::Constant(0, 8)));
            let shifted = to.select(fits, shifted, zero);
            let by = to.add(Micro::Constant(32, 8));
            let out = to.binary(Binary::ShiftRight, shifted, by);
            let out = to.narrow(out, 4);
            (to.narrow(shifted, 4), bit(to, out, 0))
        }
        _ => {
            // Shifted by one less, the last bit is what comes out.
            let signed = matches!(i.op, Op::AsrReg | Op::AsrQuiet);
            let (wide, most, one) = (to.widen(value, 8, signed), to.word(32), to.add(Micro::Constant(1, 8)));
            let distance = to.binary(Binary::MinUnsigned, by, most);
            let distance = to.widen(distance, 8, false);
            let distance = to.binary(Binary::Sub, distance, one);
            let mut before =
                to.binary(if signed { Binary::ShiftRightSigned } else { Binary::ShiftRight }, wide, distance);
            if !signed {
                let (fits, zero) = (to.compare(Compare::LessOrEqual, by, most), to.add(Micro::Constant(0, 8)));
                before = to.select(fits, before, zero);
            }
            let out = to.narrow(before, 4);
            let result = to.binary(if signed { Binary::ShiftRightSigned } else { Binary::ShiftRight }, before, one);
            (to.narrow(result, 4), bit(to, out, 0))
        }
    };
    (to.select(none, value, result), to.select(none, old, carry))
}
