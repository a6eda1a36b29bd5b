//! Arithmetic, logic, shifts and flags.

use cyclescope_engine::{Binary, Compare, Lowering, Unary, Value};

use super::{
    CARRY, HALF, INTERRUPTS, NEGATIVE, NOT_ZERO, OVERFLOW, SIGN, TRANSFER, byte, flag, get, half, has_bit, pair, set,
    set_pair, split,
};
use crate::decode::{Instruction, Op};

/// Lowers `i`, if it is one of these.
pub(super) fn lower(i: &Instruction, to: &mut Lowering) -> Option<()> {
    let of_constant = matches!(i.op, Op::Subi | Op::Sbci | Op::Andi | Op::Ori | Op::Cpi | Op::Ldi);
    let (a, b) = (get(to, i.rd), if of_constant { byte(to, i.imm as u8) } else { get(to, i.rr) });
    let result = match i.op {
        Op::Add => add(to, a, b, false),
        Op::Adc if i.rd == i.rr => rotate_left(to, a),
        Op::Adc => add(to, a, b, true),
        Op::Sub | Op::Subi => subtract(to, a, b, false),
        Op::Sbc | Op::Sbci => subtract(to, a, b, true),
        Op::Cp | Op::Cpi | Op::Cpc => {
            subtract(to, a, b, i.op == Op::Cpc);
            return Some(());
        }
        Op::Neg => {
            let zero = byte(to, 0);
            subtract(to, zero, a, false)
        }
        Op::And | Op::Andi => logic(to, Binary::And, a, b),
        Op::Or | Op::Ori => logic(to, Binary::Or, a, b),
        Op::Eor => logic(to, Binary::Xor, a, b),
        Op::Com => {
            let (all, carry) = (byte(to, 0xFF), to.truth(true));
            to.set(CARRY, carry);
            logic(to, Binary::Xor, a, all)
        }
        Op::Inc | Op::Dec => {
            let one = byte(to, 1);
            let result = to.binary(if i.op == Op::Inc { Binary::Add } else { Binary::Sub }, a, one);
            let (from, into) = if i.op == Op::Inc { (a, result) } else { (result, a) };
            let from = to.unary(Unary::Not, from);
            let overflow = to.binary(Binary::And, from, into);
            to.set(NOT_ZERO, result);
            signs(to, result, overflow);
            result
        }
        Op::Lsr | Op::Asr | Op::Ror => shift_right(i.op, to, a),
        Op::Swap => {
            let by = byte(to, 4);
            to.binary(Binary::RotateRight, a, by)
        }
        Op::Mov | Op::Ldi => b,
        Op::Movw => {
            let value = pair(to, i.rr);
            set_pair(to, i.rd, value);
            return Some(());
        }
        Op::Adiw | Op::Sbiw => {
            word(i, to);
            return Some(());
        }
        Op::Mul | Op::Muls | Op::Mulsu | Op::Fmul | Op::Fmuls | Op::Fmulsu => {
            multiply(i.op, to, a, b);
            return Some(());
        }
        Op::Bst => {
            let bit = has_bit(to, a, i.rr);
            to.set(TRANSFER, bit);
            return Some(());
        }
        Op::Bld => {
            let (bit, mask, by) = (to.get(TRANSFER), byte(to, !(1 << (i.rr & 7))), byte(to, i.rr & 7));
            let (bit, others) = (to.binary(Binary::ShiftLeft, bit, by), to.binary(Binary::And, a, mask));
            to.binary(Binary::Or, others, bit)
        }
        Op::Bset | Op::Bclr => return write_flag(i, to),
        Op::InSreg => sreg(to),
        Op::Nop => return Some(()),
        _ => return None,
    };
    set(to, i.rd, result);
    Some(())
}

/// Sets N and S as they follow from the result when V is `overflow`.
fn signs(to: &mut Lowering, result: Value, overflow: Value) {
    let sign = to.binary(Binary::Xor, result, overflow);
    to.set(NEGATIVE, result);
    to.set(OVERFLOW, overflow);
    to.set(SIGN, sign);
}

/// Sets H of a sum or difference.
fn half_carry(to: &mut Lowering, a: Value, b: Value, result: Value) {
    let half = to.binary(Binary::Xor, a, b);
    let half = to.binary(Binary::Xor, half, result);
    to.set(HALF, half);
}

/// Computes with three numbers of one byte in four, and says whether that left one: a sum has bit 8 then, a difference bit 31.
fn with_carry(to: &mut Lowering, operation: Binary, a: Value, b: Value) -> (Value, Value) {
    let carry = to.get(CARRY);
    let [a, b, carry] = [a, b, carry].map(|value| to.widen(value, 4, false));
    let wide = to.binary(operation, a, b);
    let wide = to.binary(operation, wide, carry);
    let by = to.word(if operation == Binary::Add { 8 } else { 31 });
    let left = to.binary(Binary::ShiftRight, wide, by);
    (to.narrow(wide, 1), to.narrow(left, 1))
}

fn add(to: &mut Lowering, a: Value, b: Value, with: bool) -> Value {
    let (result, carry) = if with {
        with_carry(to, Binary::Add, a, b)
    } else {
        let result = to.binary(Binary::Add, a, b);
        (result, to.compare(Compare::Less, result, a))
    };
    added(to, a, b, result, carry);
    result
}

/// ADC of a register to itself, or ROL.
fn rotate_left(to: &mut Lowering, a: Value) -> Value {
    let (before, seven) = (to.get(CARRY), byte(to, 7));
    let twice = to.binary(Binary::Add, a, a);
    let (result, carry) = (to.binary(Binary::Add, twice, before), to.binary(Binary::ShiftRight, a, seven));
    added(to, a, a, result, carry);
    result
}

/// Sets the flags of a sum.
fn added(to: &mut Lowering, a: Value, b: Value, result: Value, carry: Value) {
    to.set(CARRY, carry);
    half_carry(to, a, b, result);
    to.set(NOT_ZERO, result);
    let (from_a, from_b) = (to.binary(Binary::Xor, a, result), to.binary(Binary::Xor, b, result));
    let overflow = to.binary(Binary::And, from_a, from_b);
    signs(to, result, overflow);
}

/// With carry, Z stays clear if it was.
fn subtract(to: &mut Lowering, a: Value, b: Value, with: bool) -> Value {
    let (result, carry) = if with {
        with_carry(to, Binary::Sub, a, b)
    } else {
        (to.binary(Binary::Sub, a, b), to.compare(Compare::Less, a, b))
    };
    to.set(CARRY, carry);
    half_carry(to, a, b, result);
    let (apart, from_a) = (to.binary(Binary::Xor, a, b), to.binary(Binary::Xor, a, result));
    let overflow = to.binary(Binary::And, apart, from_a);
    signs(to, result, overflow);
    let not_zero = if with {
        let before = to.get(NOT_ZERO);
        to.binary(Binary::Or, before, result)
    } else {
        result
    };
    to.set(NOT_ZERO, not_zero);
    result
}

fn logic(to: &mut Lowering, operation: Binary, a: Value, b: Value) -> Value {
    let (result, none) = (to.binary(operation, a, b), byte(to, 0));
    to.set(NOT_ZERO, result);
    signs(to, result, none);
    result
}

fn shift_right(op: Op, to: &mut Lowering, a: Value) -> Value {
    let (one, seven) = (byte(to, 1), byte(to, 7));
    let result = match op {
        Op::Asr => to.binary(Binary::ShiftRightSigned, a, one),
        _ => to.binary(Binary::ShiftRight, a, one),
    };
    let result = if op == Op::Ror {
        let carry = to.get(CARRY);
        let top = to.binary(Binary::ShiftLeft, carry, seven);
        to.binary(Binary::Or, result, top)
    } else {
        result
    };
    let (out, last) = (to.binary(Binary::And, a, one), to.binary(Binary::ShiftLeft, a, seven));
    to.set(CARRY, out);
    to.set(NOT_ZERO, result);
    let overflow = to.binary(Binary::Xor, result, last);
    signs(to, result, overflow);
    result
}

/// ADIW and SBIW.
fn word(i: &Instruction, to: &mut Lowering) {
    let adds = i.op == Op::Adiw;
    let (a, k) = (pair(to, i.rd), half(to, i.imm as u16));
    let result = to.binary(if adds { Binary::Add } else { Binary::Sub }, a, k);
    let ([_, was], [low, is]) = (split(to, a), split(to, result));
    let (not_was, not_is) = (to.unary(Unary::Not, was), to.unary(Unary::Not, is));
    let (rises, falls) = (to.binary(Binary::And, not_was, is), to.binary(Binary::And, was, not_is));
    let (carry, overflow) = if adds { (falls, rises) } else { (rises, falls) };
    let carry = has_bit(to, carry, 7);
    to.set(CARRY, carry);
    let not_zero = to.binary(Binary::Or, low, is);
    to.set(NOT_ZERO, not_zero);
    signs(to, is, overflow);
    set_pair(to, i.rd, result);
}

fn multiply(op: Op, to: &mut Lowering, a: Value, b: Value) {
    let signed = [!matches!(op, Op::Mul | Op::Fmul), matches!(op, Op::Muls | Op::Fmuls)];
    let (a, b) = (to.widen(a, 2, signed[0]), to.widen(b, 2, signed[1]));
    let (product, one, top) = (to.binary(Binary::Mul, a, b), half(to, 1), half(to, 15));
    let carry = to.binary(Binary::ShiftRight, product, top);
    let carry = to.narrow(carry, 1);
    to.set(CARRY, carry);
    let is_fraction = matches!(op, Op::Fmul | Op::Fmuls | Op::Fmulsu);
    let result = if is_fraction { to.binary(Binary::ShiftLeft, product, one) } else { product };
    let [low, high] = split(to, result);
    let not_zero = to.binary(Binary::Or, low, high);
    to.set(NOT_ZERO, not_zero);
    set_pair(to, 0, result);
}

/// BSET and BCLR, but where an interrupt may come then, and where the bodies write all of SREG.
fn write_flag(i: &Instruction, to: &mut Lowering) -> Option<()> {
    let high = i.op == Op::Bset;
    let slot = match i.rr {
        0 => CARRY,
        6 => TRANSFER,
        7 if !high => INTERRUPTS,
        _ => return None,
    };
    let value = to.truth(high);
    to.set(slot, value);
    Some(())
}

/// SREG.
fn sreg(to: &mut Lowering) -> Value {
    let mut value = byte(to, 0);
    for bit in 0..8 {
        let (set, by) = (flag(to, bit), byte(to, bit));
        let set = to.binary(Binary::ShiftLeft, set, by);
        value = to.binary(Binary::Or, value, set);
    }
    value
}
