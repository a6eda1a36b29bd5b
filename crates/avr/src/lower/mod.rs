//! Steps as micro-operations, for compiled code. What stands here says again what the bodies in [`exec`](crate::exec) do, for
//! accesses to SRAM and branches to known places; the oracle runs both on the same programs.

mod alu;
mod transfer;

use std::mem::offset_of;

use cyclescope_engine::{After, Binary, Compare, Fields, Lowering, Micro, Place, Slot, Value};

use crate::cpu::Cpu;
use crate::decode::{Instruction, Op};

/// The numbers of slots; those of r0 to r31 are their own.
const CARRY: u8 = 32;
const NOT_ZERO: u8 = 33;
const NEGATIVE: u8 = 34;
const OVERFLOW: u8 = 35;
const SIGN: u8 = 36;
const HALF: u8 = 37;
const TRANSFER: u8 = 38;
const INTERRUPTS: u8 = 39;
const SP: u8 = 40;
const LOWEST_SP: u8 = 41;
const STACK_FLOOR: u8 = 42;
const RAMPZ: u8 = 43;
const STILL_AT: u8 = 44;
const STILL_VALUE: u8 = 45;
const STILL_UNTIL: u8 = 46;

const SLOTS: [Slot; 47] = {
    let mut slots = [Slot::new(0, 1); 47];
    let mut register = 0;
    while register < 32 {
        slots[register] = Slot::register(offset_of!(Cpu, r) + register, 1);
        register += 1;
    }
    slots[CARRY as usize] = Slot::deferred(offset_of!(Cpu, c), 1);
    slots[NOT_ZERO as usize] = Slot::deferred(offset_of!(Cpu, not_z), 1);
    slots[NEGATIVE as usize] = Slot::deferred(offset_of!(Cpu, n), 1);
    slots[OVERFLOW as usize] = Slot::deferred(offset_of!(Cpu, v), 1);
    slots[SIGN as usize] = Slot::deferred(offset_of!(Cpu, s), 1);
    slots[HALF as usize] = Slot::deferred(offset_of!(Cpu, h), 1);
    slots[TRANSFER as usize] = Slot::new(offset_of!(Cpu, t), 1);
    slots[INTERRUPTS as usize] = Slot::new(offset_of!(Cpu, i), 1);
    slots[SP as usize] = Slot::new(offset_of!(Cpu, sp), 2);
    slots[LOWEST_SP as usize] = Slot::new(offset_of!(Cpu, lowest_sp), 2);
    slots[STACK_FLOOR as usize] = Slot::new(offset_of!(Cpu, stack_floor), 2);
    slots[RAMPZ as usize] = Slot::new(offset_of!(Cpu, rampz), 1);
    slots[STILL_AT as usize] = Slot::new(offset_of!(Cpu, still_at), 2);
    slots[STILL_VALUE as usize] = Slot::new(offset_of!(Cpu, still_value), 1);
    slots[STILL_UNTIL as usize] = Slot::new(offset_of!(Cpu, still_until), 8);
    slots
};

/// The fields that compiled code knows.
pub(crate) const FIELDS: Fields = Fields {
    now: offset_of!(Cpu, now),
    instructions: offset_of!(Cpu, instructions),
    horizon: offset_of!(Cpu, horizon),
    pc: offset_of!(Cpu, pc),
    slots: &SLOTS,
    tables: &[],
};

/// Lowers `i`, which stands at `place`.
pub(crate) fn lower(cpu: &Cpu, i: &Instruction, place: &Place<()>, to: &mut Lowering) -> After {
    branch(cpu, i, place, to)
        .or_else(|| alu::lower(i, to).map(|()| After::Next))
        .or_else(|| transfer::lower(cpu, i, place, to).map(|()| After::Next))
        .unwrap_or(After::Body)
}

/// A constant of one byte.
fn byte(to: &mut Lowering, value: u8) -> Value {
    to.add(Micro::Constant(value.into(), 1))
}

/// A constant of two bytes.
fn half(to: &mut Lowering, value: u16) -> Value {
    to.add(Micro::Constant(value.into(), 2))
}

/// Reads a register.
fn get(to: &mut Lowering, register: u8) -> Value {
    to.get(register & 31)
}

/// Writes a register.
fn set(to: &mut Lowering, register: u8, value: Value) {
    to.set(register & 31, value);
}

/// Joins two bytes.
fn join(to: &mut Lowering, low: Value, high: Value) -> Value {
    let (low, high, by) = (to.widen(low, 2, false), to.widen(high, 2, false), half(to, 8));
    let high = to.binary(Binary::ShiftLeft, high, by);
    to.binary(Binary::Or, low, high)
}

/// The two bytes of a value.
fn split(to: &mut Lowering, value: Value) -> [Value; 2] {
    let by = half(to, 8);
    let high = to.binary(Binary::ShiftRight, value, by);
    [to.narrow(value, 1), to.narrow(high, 1)]
}

/// Reads a pair of registers.
fn pair(to: &mut Lowering, low: u8) -> Value {
    let (low, high) = (get(to, low & 30), get(to, low & 30 | 1));
    join(to, low, high)
}

/// Writes a pair of registers.
fn set_pair(to: &mut Lowering, low: u8, value: Value) {
    let [first, second] = split(to, value);
    set(to, low & 30, first);
    set(to, low & 30 | 1, second);
}

/// Tells whether the bit `bit` of a byte is set.
fn has_bit(to: &mut Lowering, value: Value, bit: u8) -> Value {
    let (mask, none) = (byte(to, 1 << (bit & 7)), byte(to, 0));
    let value = to.binary(Binary::And, value, mask);
    to.compare(Compare::NotEqual, value, none)
}

/// Tells whether the flag at `bit` of SREG is set.
fn flag(to: &mut Lowering, bit: u8) -> Value {
    let (slot, place) = match bit & 7 {
        0 => return to.get(CARRY),
        1 => {
            let (value, none) = (to.get(NOT_ZERO), byte(to, 0));
            return to.compare(Compare::Equal, value, none);
        }
        2 => (NEGATIVE, 7),
        3 => (OVERFLOW, 7),
        4 => (SIGN, 7),
        5 => (HALF, 4),
        6 => return to.get(TRANSFER),
        _ => return to.get(INTERRUPTS),
    };
    let value = to.get(slot);
    has_bit(to, value, place)
}

/// Branches, skips, jumps, calls and returns.
fn branch(cpu: &Cpu, i: &Instruction, place: &Place<()>, to: &mut Lowering) -> Option<After> {
    let taken = (cpu.config.timing.cost)(i).taken;
    let inside = i.imm < cpu.flash_bytes;
    let skip = place.next_pc + 2 * u32::from(i.skipped);
    Some(match i.op {
        Op::Rjmp | Op::Jmp => After::Ends(i.imm),
        Op::Rcall | Op::Call if inside => {
            transfer::push_pc(cpu, place.next_pc, to);
            After::Ends(i.imm)
        }
        Op::Icall => {
            let word = pair(to, crate::decode::Z);
            transfer::push_pc(cpu, place.next_pc, to);
            After::EndsAt(address_of(to, word))
        }
        Op::Ret => After::EndsAt(transfer::pop_pc(cpu, to)),
        Op::Ijmp => {
            let word = pair(to, crate::decode::Z);
            After::EndsAt(address_of(to, word))
        }
        Op::Brbs => After::EndsIf(flag(to, i.rr), i.imm, taken),
        Op::Brbc => {
            let set = flag(to, i.rr);
            After::EndsIf(to.not(set), i.imm, taken)
        }
        Op::Cpse => {
            let (a, b) = (get(to, i.rd), get(to, i.rr));
            After::EndsIf(to.compare(Compare::Equal, a, b), skip, taken)
        }
        Op::Sbrc | Op::Sbrs => {
            let value = get(to, i.rd);
            let set = has_bit(to, value, i.rr);
            After::EndsIf(if i.op == Op::Sbrs { set } else { to.not(set) }, skip, taken)
        }
        _ => return None,
    })
}

/// The address in bytes of a word of flash by its number.
fn address_of(to: &mut Lowering, word: Value) -> Value {
    let (word, by) = (to.widen(word, 4, false), to.word(1));
    to.binary(Binary::ShiftLeft, word, by)
}
