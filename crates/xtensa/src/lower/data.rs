//! Computation, and moves between registers.

use cyclescope_engine::{Binary, Compare, Lowering, MainStack, Micro, Unary, Value};

use super::{BOOLEANS, SAR, STACK_LOWEST, STACK_TOP, boolean, float, get, long, set, set_float, unless};
use crate::decode::{Instruction, Op};
use crate::float::steps;

/// Lowers `i`, if it is one of these.
pub(super) fn lower(i: &Instruction, to: &mut Lowering) -> Option<()> {
    match i.op {
        // Nothing overtakes anything here.
        Op::Nop | Op::Isync | Op::Rsync | Op::Esync | Op::Dsync | Op::Excw | Op::Memw | Op::Extw => return Some(()),
        Op::Cache | Op::Iitlb | Op::Idtlb | Op::Wer => return Some(()),
        Op::Push => {
            let (from, by) = (get(to, 1), to.word(i.imm));
            let stack = to.binary(Binary::Add, from, by);
            set(to, 1, stack);
            MainStack::lower_push([STACK_TOP, STACK_LOWEST], from, stack, to);
            return Some(());
        }
        _ => {}
    }
    // The last one reads both registers before it looks at the operation.
    one(i, to)
        .or_else(|| shift(i, to))
        .or_else(|| conditional(i, to))
        .or_else(|| booleans(i, to))
        .or_else(|| floats(i, to))
        .or_else(|| two(i, to))
}

/// Those that compute from one register and a constant.
fn one(i: &Instruction, to: &mut Lowering) -> Option<()> {
    let (result, value) = match i.op {
        Op::Movi | Op::Literal => (i.t, to.word(i.imm)),
        Op::Rer => (i.t, to.word(0)),
        Op::Mov => (i.t, get(to, i.s)),
        Op::Addi => {
            let (a, b) = (get(to, i.s), to.word(i.imm));
            (i.t, to.binary(Binary::Add, a, b))
        }
        Op::Neg => {
            let t = get(to, i.t);
            (i.r, to.unary(Unary::Negate, t))
        }
        Op::Abs => {
            let t = get(to, i.t);
            let (negated, none) = (to.unary(Unary::Negate, t), to.word(0));
            let negative = to.compare(Compare::LessSigned, t, none);
            (i.r, to.select(negative, negated, t))
        }
        Op::Extui => {
            let (t, by, mask) = (get(to, i.t), to.word((i.s & 31).into()), to.word(i.imm));
            let down = to.binary(Binary::ShiftRight, t, by);
            (i.r, to.binary(Binary::And, down, mask))
        }
        Op::Slli if i.imm < 32 => (i.r, by_constant(Binary::ShiftLeft, i.s, i.imm, to)),
        Op::Slli => (i.r, to.word(0)),
        Op::Srai => (i.r, by_constant(Binary::ShiftRightSigned, i.t, i.imm & 31, to)),
        Op::Srli => (i.r, by_constant(Binary::ShiftRight, i.t, i.imm & 31, to)),
        Op::Nsau => {
            let s = get(to, i.s);
            (i.t, to.unary(Unary::LeadingZeros, s))
        }
        Op::Nsa => {
            let (s, by, one) = (get(to, i.s), to.word(31), to.word(1));
            let sign = to.binary(Binary::ShiftRightSigned, s, by);
            let folded = to.binary(Binary::Xor, s, sign);
            let zeros = to.unary(Unary::LeadingZeros, folded);
            (i.t, to.binary(Binary::Sub, zeros, one))
        }
        Op::Sext => {
            let (s, by) = (get(to, i.s), to.word(31 - i.imm));
            let up = to.binary(Binary::ShiftLeft, s, by);
            (i.r, to.binary(Binary::ShiftRightSigned, up, by))
        }
        Op::Clamps => {
            let most = (1 << i.imm) - 1;
            let (s, least, most) = (get(to, i.s), to.word(!most), to.word(most));
            let low = larger(Compare::LessSigned, s, least, to);
            (i.r, smaller(Compare::LessSigned, low, most, to))
        }
        _ => return None,
    };
    set(to, result, value);
    Some(())
}

fn by_constant(shift: Binary, register: u8, by: u32, to: &mut Lowering) -> Value {
    let (value, by) = (get(to, register), to.word(by));
    to.binary(shift, value, by)
}

fn smaller(comparison: Compare, a: Value, b: Value, to: &mut Lowering) -> Value {
    let is = to.compare(comparison, a, b);
    to.select(is, a, b)
}

fn larger(comparison: Compare, a: Value, b: Value, to: &mut Lowering) -> Value {
    let is = to.compare(comparison, a, b);
    to.select(is, b, a)
}

/// Those that compute from two registers.
fn two(i: &Instruction, to: &mut Lowering) -> Option<()> {
    let (s, t) = (get(to, i.s), get(to, i.t));
    let sum = |operation, places: u32, to: &mut Lowering| {
        let by = to.word(places);
        let scaled = to.binary(Binary::ShiftLeft, s, by);
        to.binary(operation, scaled, t)
    };
    let result = match i.op {
        Op::Addx2 => sum(Binary::Add, 1, to),
        Op::Addx4 => sum(Binary::Add, 2, to),
        Op::Addx8 => sum(Binary::Add, 3, to),
        Op::Subx2 => sum(Binary::Sub, 1, to),
        Op::Subx4 => sum(Binary::Sub, 2, to),
        Op::Subx8 => sum(Binary::Sub, 3, to),
        Op::Add => to.binary(Binary::Add, s, t),
        Op::Sub => to.binary(Binary::Sub, s, t),
        Op::And => to.binary(Binary::And, s, t),
        Op::Or => to.binary(Binary::Or, s, t),
        Op::Xor => to.binary(Binary::Xor, s, t),
        Op::Mull => to.binary(Binary::Mul, s, t),
        Op::Mul16u | Op::Mul16s => {
            let [s, t] = [s, t].map(|value| {
                let half = to.narrow(value, 2);
                to.widen(half, 4, i.op == Op::Mul16s)
            });
            to.binary(Binary::Mul, s, t)
        }
        Op::Muluh | Op::Mulsh => {
            let [s, t] = [s, t].map(|value| to.widen(value, 8, i.op == Op::Mulsh));
            let (product, half) = (to.binary(Binary::Mul, s, t), long(32, to));
            let high = to.binary(Binary::ShiftRight, product, half);
            to.narrow(high, 4)
        }
        Op::Min => smaller(Compare::LessSigned, s, t, to),
        Op::Max => larger(Compare::LessSigned, s, t, to),
        Op::Minu => smaller(Compare::Less, s, t, to),
        Op::Maxu => larger(Compare::Less, s, t, to),
        Op::Quou | Op::Quos | Op::Remu | Op::Rems => {
            let by_zero = to.is(t, 0);
            unless(by_zero, to);
            let operation = match i.op {
                Op::Quou => Binary::Divide,
                Op::Quos => Binary::DivideSigned,
                Op::Remu => Binary::Remainder,
                _ => Binary::RemainderSigned,
            };
            to.binary(operation, s, t)
        }
        _ => return None,
    };
    set(to, i.r, result);
    Some(())
}

/// Shifts by SAR, and those that write it.
fn shift(i: &Instruction, to: &mut Lowering) -> Option<()> {
    let low = |register: u8, places: u32, bits: u32, to: &mut Lowering| {
        let (value, bits, by) = (get(to, register), to.word(bits), to.word(places));
        let value = to.binary(Binary::And, value, bits);
        to.binary(Binary::ShiftLeft, value, by)
    };
    let up_to_32 = |distance: Value, to: &mut Lowering| {
        let most = to.word(32);
        to.binary(Binary::Sub, most, distance)
    };
    let amount = match i.op {
        Op::Ssai => Some(to.word(i.imm)),
        Op::Ssr => Some(low(i.s, 0, 31, to)),
        Op::Ssa8l => Some(low(i.s, 3, 3, to)),
        Op::Ssl => {
            let distance = low(i.s, 0, 31, to);
            Some(up_to_32(distance, to))
        }
        Op::Ssa8b => {
            let distance = low(i.s, 3, 3, to);
            Some(up_to_32(distance, to))
        }
        _ => None,
    };
    if let Some(amount) = amount {
        to.set(SAR, amount);
        return Some(());
    }
    let half = |to: &mut Lowering, value: Value| {
        let (wide, half) = (to.widen(value, 8, false), long(32, to));
        to.binary(Binary::ShiftLeft, wide, half)
    };
    let (wide, operation) = match i.op {
        Op::Src => {
            let (high, low) = (get(to, i.s), get(to, i.t));
            let (high, low) = (half(to, high), to.widen(low, 8, false));
            (to.binary(Binary::Or, high, low), Binary::ShiftRight)
        }
        Op::Sll => {
            let s = get(to, i.s);
            (half(to, s), Binary::ShiftRight)
        }
        Op::Srl | Op::Sra => {
            let (t, signed) = (get(to, i.t), i.op == Op::Sra);
            let operation = if signed { Binary::ShiftRightSigned } else { Binary::ShiftRight };
            (to.widen(t, 8, signed), operation)
        }
        _ => return None,
    };
    let sar = to.get(SAR);
    let sar = to.widen(sar, 8, false);
    let shifted = to.binary(operation, wide, sar);
    let result = to.narrow(shifted, 4);
    set(to, i.r, result);
    Some(())
}

/// Moves under a condition, of general registers and those of the floating-point unit.
fn conditional(i: &Instruction, to: &mut Lowering) -> Option<()> {
    let holds = match i.op {
        Op::Moveqz | Op::MoveqzS => {
            let t = get(to, i.t);
            to.is(t, 0)
        }
        Op::Movnez | Op::MovnezS => {
            let t = get(to, i.t);
            let zero = to.is(t, 0);
            to.not(zero)
        }
        Op::Movltz | Op::MovltzS | Op::Movgez | Op::MovgezS => {
            let (t, none) = (get(to, i.t), to.word(0));
            let negative = to.compare(Compare::LessSigned, t, none);
            if matches!(i.op, Op::Movltz | Op::MovltzS) { negative } else { to.not(negative) }
        }
        Op::Movt | Op::MovtS => boolean(to, i.t),
        Op::Movf | Op::MovfS => {
            let is = boolean(to, i.t);
            to.not(is)
        }
        _ => return None,
    };
    if i.is_float() {
        let (new, old) = (float(to, i.s), float(to, i.r));
        let moved = to.select(holds, new, old);
        set_float(to, i.r, moved);
    } else {
        let (new, old) = (get(to, i.s), get(to, i.r));
        let moved = to.select(holds, new, old);
        set(to, i.r, moved);
    }
    Some(())
}

/// Those that compute a boolean register.
fn booleans(i: &Instruction, to: &mut Lowering) -> Option<()> {
    let (register, result) = match i.op {
        Op::Andb | Op::Andbc | Op::Orb | Op::Orbc | Op::Xorb => {
            let (s, t) = (boolean(to, i.s), boolean(to, i.t));
            let t = if matches!(i.op, Op::Andbc | Op::Orbc) { to.not(t) } else { t };
            let operation = match i.op {
                Op::Andb | Op::Andbc => Binary::And,
                Op::Orb | Op::Orbc => Binary::Or,
                _ => Binary::Xor,
            };
            (i.r, to.binary(operation, s, t))
        }
        Op::Any4 | Op::All4 | Op::Any8 | Op::All8 => {
            let count = if matches!(i.op, Op::Any4 | Op::All4) { 4 } else { 8 };
            let all = ((1u64 << count) - 1) << (i.s & 15 & !(count - 1));
            let (booleans, mask) = (to.get(BOOLEANS), to.add(Micro::Constant(all, 2)));
            let set = to.binary(Binary::And, booleans, mask);
            let none = to.add(Micro::Constant(0, 2));
            let result = if matches!(i.op, Op::Any4 | Op::Any8) {
                to.compare(Compare::NotEqual, set, none)
            } else {
                to.compare(Compare::Equal, set, mask)
            };
            (i.t, result)
        }
        _ => return None,
    };
    let bit = 1u64 << (register & 15);
    let booleans = to.get(BOOLEANS);
    let (bit, others) = (to.add(Micro::Constant(bit, 2)), to.add(Micro::Constant(!bit & 0xFFFF, 2)));
    let (on, off) = (to.binary(Binary::Or, booleans, bit), to.binary(Binary::And, booleans, others));
    let booleans = to.select(result, on, off);
    to.set(BOOLEANS, booleans);
    Some(())
}

/// Moves of the floating-point unit.
fn floats(i: &Instruction, to: &mut Lowering) -> Option<()> {
    let sign = 1 << 31;
    let result = match i.op {
        Op::Rfr => {
            let value = float(to, i.s);
            set(to, i.r, value);
            return Some(());
        }
        Op::Wfr => get(to, i.s),
        Op::MovS => float(to, i.s),
        Op::ConstS => to.word(steps::constant(i.imm)),
        Op::AbsS => {
            let (value, others) = (float(to, i.s), to.word(!sign));
            to.binary(Binary::And, value, others)
        }
        Op::NegS => {
            let (value, sign) = (float(to, i.s), to.word(sign));
            to.binary(Binary::Xor, value, sign)
        }
        _ => return None,
    };
    set_float(to, i.r, result);
    Some(())
}
