//! Computation.

use cyclescope_engine::{Binary, Compare, Lowering, MainStack, Micro, Value};

use super::{ROWS, STACK_LOWEST, STACK_TOP, get, set};
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op};
use crate::timing::Division;

/// Lowers `i`, if it is one of these.
pub(super) fn lower(cpu: &Cpu, i: &Instruction, to: &mut Lowering) -> Option<()> {
    let result = match i.op {
        Op::Lui | Op::Auipc => to.word(i.imm),
        Op::Push => {
            push(i, to);
            return Some(());
        }
        Op::Addi | Op::Slti | Op::Sltiu | Op::Xori | Op::Ori | Op::Andi | Op::Slli | Op::Srli | Op::Srai => {
            let (a, b) = (get(to, i.rs1), to.word(i.imm));
            computed(i.op, a, b, to)?
        }
        // One hart, and no access overtakes another.
        Op::Fence => return Some(()),
        _ => {
            let (a, b) = (get(to, i.rs1), get(to, i.rs2));
            let result = computed(i.op, a, b, to)?;
            if i.is_division() {
                takes_time(cpu, b, to);
            }
            result
        }
    };
    set(to, i.rd, result);
    Some(())
}

/// The time of a division by `divisor` where it depends on that.
fn takes_time(cpu: &Cpu, divisor: Value, to: &mut Lowering) {
    let Some(Division { row, extra }) = cpu.config.timing.division else { return };
    let (by_zero, none) = (to.is(divisor, 0), to.add(Micro::Constant(0, 8)));
    let extra = to.add(Micro::Constant(extra.into(), 8));
    let extra = to.select(by_zero, none, extra);
    to.add(Micro::Pass(extra));
    let (old, row) = (to.get(ROWS), to.add(Micro::Constant(1 << row, 8)));
    let used = to.binary(Binary::Or, old, row);
    let used = to.select(by_zero, old, used);
    to.set(ROWS, used);
}

/// The result of `op`.
fn computed(op: Op, a: Value, b: Value, to: &mut Lowering) -> Option<Value> {
    let operation = match op {
        Op::Slti | Op::Slt | Op::Sltiu | Op::Sltu => {
            let signed = matches!(op, Op::Slti | Op::Slt);
            let less = to.compare(if signed { Compare::LessSigned } else { Compare::Less }, a, b);
            return Some(to.widen(less, 4, false));
        }
        Op::Mulh => return Some(high(a, b, [true, true], to)),
        Op::Mulhsu => return Some(high(a, b, [true, false], to)),
        Op::Mulhu => return Some(high(a, b, [false, false], to)),
        Op::Div | Op::Divu => {
            let quotient = to.binary(if op == Op::Div { Binary::DivideSigned } else { Binary::Divide }, a, b);
            let (by_zero, all) = (to.is(b, 0), to.word(u32::MAX));
            return Some(to.select(by_zero, all, quotient));
        }
        Op::Rem => Binary::RemainderSigned,
        Op::Remu => Binary::Remainder,
        Op::Addi | Op::Add => Binary::Add,
        Op::Sub => Binary::Sub,
        Op::Xori | Op::Xor => Binary::Xor,
        Op::Ori | Op::Or => Binary::Or,
        Op::Andi | Op::And => Binary::And,
        Op::Slli | Op::Sll => Binary::ShiftLeft,
        Op::Srli | Op::Srl => Binary::ShiftRight,
        Op::Srai | Op::Sra => Binary::ShiftRightSigned,
        Op::Mul => Binary::Mul,
        _ => return None,
    };
    Some(to.binary(operation, a, b))
}

/// The high word of a product of numbers that are signed or not.
fn high(a: Value, b: Value, signed: [bool; 2], to: &mut Lowering) -> Value {
    let (a, b) = (to.widen(a, 8, signed[0]), to.widen(b, 8, signed[1]));
    let (product, half) = (to.binary(Binary::Mul, a, b), to.add(Micro::Constant(32, 8)));
    let high = to.binary(Binary::ShiftRight, product, half);
    to.narrow(high, 4)
}

/// Makes room on the stack ([`MainStack::push`]).
fn push(i: &Instruction, to: &mut Lowering) {
    let (from, by) = (get(to, 2), to.word(i.imm));
    let sp = to.binary(Binary::Add, from, by);
    set(to, 2, sp);
    MainStack::lower_push([STACK_TOP, STACK_LOWEST], from, sp, to);
}
