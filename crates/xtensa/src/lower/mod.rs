//! Steps as micro-operations, for compiled code. What stands here says again what the bodies in [`exec`](crate::exec) do, for
//! accesses to main RAM, branches to known places, loops and windows; the oracle runs both on the same programs.
//!
//! Registers of the current window have places of their own in the state, so they are slots like any other.

mod access;
mod data;
mod special;
mod windows;

use std::mem::offset_of;

use cyclescope_engine::{After, Binary, Compare, Fields, Lowering, MainStack, Micro, Place, Slot, Table, Unary, Value};
use cyclescope_machine::{Memory, Width};

use crate::code::{self, Ends, Pending, loop_begins};
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op, constant, is_narrow};
use crate::exception::Lines;
use crate::timing::crosses;

/// The numbers of slots; those of a0 to a15 are their own, those of f0 to f15 follow.
const F: u8 = 16;
const SAR: u8 = 32;
const BOOLEANS: u8 = 33;
const LOOP_BEGIN: u8 = 34;
const LOOP_END: u8 = 35;
const LOOP_COUNT: u8 = 36;
const ODD_LOOP: u8 = 37;
const USABLE: u8 = 38;
const INCREMENT: u8 = 39;
const EXCEPTION: u8 = 40;
const COPROCESSORS: u8 = 41;
const STACK_TOP: u8 = 42;
const STACK_LOWEST: u8 = 43;
const ROWS: u8 = 44;
const PENDING: u8 = 45;
const HORIZON: u8 = 46;
const WINDOW_BASE: u8 = 47;
const WINDOW_START: u8 = 48;
const LEVEL: u8 = 49;
const USER: u8 = 50;
const OLD_BASE: u8 = 51;
const PS_WINDOWS: u8 = 52;
const LINES: u8 = 53;
const LATCHED: u8 = 54;
const ENABLED: u8 = 55;
const COUNT_OFFSET: u8 = 56;
/// Those of EPC, EPS and EXCSAVE follow.
const SAVED: u8 = 57;
const COUNT: usize = SAVED as usize + 24;

/// The number of the table of all general registers.
const FILE: u8 = 0;

const TABLES: [Table; 1] = [Table { offset: offset_of!(Cpu, file), length: 64 }];

const SLOTS: [Slot; COUNT] = {
    let mut slots = [Slot::new(0, 4); COUNT];
    let mut register = 0;
    while register < 16 {
        slots[register] = Slot::register(offset_of!(Cpu, a) + 4 * register, 4);
        slots[F as usize + register] = Slot::register(offset_of!(Cpu, f) + 4 * register, 4);
        register += 1;
    }
    slots[SAR as usize] = Slot::deferred(offset_of!(Cpu, sar), 4);
    slots[BOOLEANS as usize] = Slot::deferred(offset_of!(Cpu, booleans), 2);
    slots[LOOP_BEGIN as usize] = Slot::deferred(offset_of!(Cpu, loop_begin), 4);
    slots[LOOP_END as usize] = Slot::deferred(offset_of!(Cpu, loop_end), 4);
    slots[LOOP_COUNT as usize] = Slot::deferred(offset_of!(Cpu, loop_count), 4);
    slots[ODD_LOOP as usize] = Slot::deferred(offset_of!(Cpu, odd_loop), 1);
    slots[USABLE as usize] = Slot::deferred(offset_of!(Cpu, usable), 1);
    slots[INCREMENT as usize] = Slot::deferred(offset_of!(Cpu, ps.increment), 1);
    slots[EXCEPTION as usize] = Slot::deferred(offset_of!(Cpu, ps.exception), 1);
    slots[COPROCESSORS as usize] = Slot::deferred(offset_of!(Cpu, coprocessors), 1);
    slots[STACK_TOP as usize] = Slot::deferred(offset_of!(Cpu, main_stack) + MainStack::TOP, 4);
    slots[STACK_LOWEST as usize] = Slot::deferred(offset_of!(Cpu, main_stack) + MainStack::LOWEST, 4);
    slots[ROWS as usize] = Slot::deferred(offset_of!(Cpu, rows), 8);
    slots[PENDING as usize] = Slot::deferred(offset_of!(Cpu, pending) + Pending::RESULTS, 8);
    slots[HORIZON as usize] = Slot::new(offset_of!(Cpu, horizon), 8);
    slots[WINDOW_BASE as usize] = Slot::deferred(offset_of!(Cpu, window_base), 1);
    slots[WINDOW_START as usize] = Slot::deferred(offset_of!(Cpu, window_start), 2);
    slots[LEVEL as usize] = Slot::deferred(offset_of!(Cpu, ps.level), 1);
    slots[USER as usize] = Slot::deferred(offset_of!(Cpu, ps.user), 1);
    slots[OLD_BASE as usize] = Slot::deferred(offset_of!(Cpu, ps.old_base), 1);
    slots[PS_WINDOWS as usize] = Slot::deferred(offset_of!(Cpu, ps.windows), 1);
    slots[LINES as usize] = Slot::deferred(offset_of!(Cpu, lines) + Lines::LEVELS, 4);
    slots[LATCHED as usize] = Slot::deferred(offset_of!(Cpu, latched), 4);
    slots[ENABLED as usize] = Slot::deferred(offset_of!(Cpu, enabled), 4);
    slots[COUNT_OFFSET as usize] = Slot::deferred(offset_of!(Cpu, count_offset), 4);
    let mut level = 0;
    while level < 8 {
        slots[SAVED as usize + level] = Slot::deferred(offset_of!(Cpu, epc) + 4 * level, 4);
        slots[SAVED as usize + 8 + level] = Slot::deferred(offset_of!(Cpu, eps) + 4 * level, 4);
        slots[SAVED as usize + 16 + level] = Slot::deferred(offset_of!(Cpu, excsave) + 4 * level, 4);
        level += 1;
    }
    slots
};

/// The fields that compiled code knows.
pub(crate) const FIELDS: Fields = Fields {
    now: offset_of!(Cpu, now),
    instructions: offset_of!(Cpu, instructions),
    horizon: offset_of!(Cpu, horizon),
    pc: offset_of!(Cpu, pc),
    slots: &SLOTS,
    tables: &TABLES,
};

/// Lowers `i`, which stands at `place`.
pub(crate) fn lower(
    cpu: &Cpu,
    memory: &Memory,
    i: &Instruction,
    place: &Place<code::After>,
    to: &mut Lowering,
) -> After {
    match i.op {
        Op::Mark => {
            to.add(Micro::Mark(i.imm));
            return After::Next;
        }
        Op::LoopEnd => return end_loop(cpu, memory, place, to).unwrap_or(After::Body),
        _ => {}
    }
    flow(i, place, to)
        .or_else(|| windows::lower(cpu, i, place, to))
        .or_else(|| special::lower(cpu, i, place, to).map(|()| After::Next))
        .or_else(|| looks_first(i, to).map(|()| After::Next))
        .or_else(|| access::lower(i, to).map(|()| After::Next))
        .or_else(|| data::lower(i, to).map(|()| After::Next))
        .unwrap_or(After::Body)
}

/// Lowers the end of a block that leaves results to come: the next instruction runs by itself.
pub(crate) fn lower_completed(ends: &Ends, to: &mut Lowering) {
    if ends.waits {
        let (pending, now) = (long(ends.pending.bits(), to), long(0, to));
        to.set(PENDING, pending);
        to.set(HORIZON, now);
    }
}

/// The cycles that a jump to `target`, which is computed, takes beyond its static ones.
pub(crate) fn computed(cpu: &Cpu, memory: &Memory, target: u32, to: &mut Lowering) -> Option<u32> {
    let timed = memory.timed(target);
    let first = memory.read(target, Width::Byte)?;
    let narrow = cpu.config.configuration.options.density && is_narrow(first as u8);
    if !crosses(timed, if narrow { 2 } else { 3 }) {
        return Some(0);
    }
    let crossing = cpu.config.timing.crossing;
    let (used, row) = (to.get(ROWS), long(1 << crossing, to));
    let used = to.binary(Binary::Or, used, row);
    to.set(ROWS, used);
    Some(cpu.config.timing.cycles(crossing))
}

/// Reads a register of the current window.
fn get(to: &mut Lowering, register: u8) -> Value {
    to.get(register & 15)
}

/// Writes a register of the current window.
fn set(to: &mut Lowering, register: u8, value: Value) {
    to.set(register & 15, value);
}

/// Reads a register of the floating-point unit.
fn float(to: &mut Lowering, register: u8) -> Value {
    to.get(F + (register & 15))
}

/// Writes a register of the floating-point unit.
fn set_float(to: &mut Lowering, register: u8, value: Value) {
    to.set(F + (register & 15), value);
}

/// Tells whether a boolean register is set.
fn boolean(to: &mut Lowering, register: u8) -> Value {
    let booleans = to.get(BOOLEANS);
    let booleans = to.widen(booleans, 4, false);
    has_bits(booleans, 1 << (register & 15), to)
}

/// Tells whether `value` has any of these bits.
fn has_bits(value: Value, bits: u32, to: &mut Lowering) -> Value {
    let (bits, none) = (to.word(bits), to.word(0));
    let some = to.binary(Binary::And, value, bits);
    to.compare(Compare::NotEqual, some, none)
}

/// Gives up where `truth` holds.
fn unless(truth: Value, to: &mut Lowering) {
    to.add(Micro::Unless(truth));
}

fn long(value: u64, to: &mut Lowering) -> Value {
    to.add(Micro::Constant(value, 8))
}

/// The steps that look whether an instruction may be executed, and give up where it raises an exception.
fn looks_first(i: &Instruction, to: &mut Lowering) -> Option<()> {
    let raises = match i.op {
        Op::Window => {
            let (usable, last) = (to.get(USABLE), to.add(Micro::Constant(i.t.into(), 1)));
            to.compare(Compare::Less, usable, last)
        }
        Op::Enabled => {
            let coprocessors = to.get(COPROCESSORS);
            let coprocessors = to.widen(coprocessors, 4, false);
            let enabled = has_bits(coprocessors, 1, to);
            to.not(enabled)
        }
        _ => return None,
    };
    unless(raises, to);
    Some(())
}

/// Branches, jumps, calls and the beginnings of loops.
fn flow(i: &Instruction, place: &Place<code::After>, to: &mut Lowering) -> Option<After> {
    if i.is_branch() {
        let holds = holds(i, to)?;
        return Some(After::LeavesIf(holds, i.imm, place.detail.taken));
    }
    Some(match i.op {
        Op::J => After::Ends(i.imm),
        Op::Jx => After::EndsAt(get(to, i.s)),
        Op::Ret => After::EndsAt(get(to, 0)),
        Op::Call0 | Op::Call4 | Op::Call8 | Op::Call12 => {
            link(i, place.next_pc, to);
            After::Ends(i.imm)
        }
        Op::Callx0 | Op::Callx4 | Op::Callx8 | Op::Callx12 => {
            let target = get(to, i.s);
            link(i, place.next_pc, to);
            After::EndsAt(target)
        }
        Op::Loop | Op::Loopnez | Op::Loopgtz => {
            begin_loop(i, place.next_pc, to);
            After::Next
        }
        _ => return None,
    })
}

/// Tells whether the condition of the branch `i` holds.
fn holds(i: &Instruction, to: &mut Lowering) -> Option<Value> {
    let s = get(to, i.s);
    let (comparison, other) = match i.op {
        Op::Beqz | Op::Beqi | Op::Beq => (Compare::Equal, true),
        Op::Bnez | Op::Bnei | Op::Bne => (Compare::NotEqual, true),
        Op::Bltz | Op::Blti | Op::Blt => (Compare::LessSigned, true),
        Op::Bgez | Op::Bgei | Op::Bge => (Compare::LessSigned, false),
        Op::Bltui | Op::Bltu => (Compare::Less, true),
        Op::Bgeui | Op::Bgeu => (Compare::Less, false),
        Op::Bnone | Op::Bany | Op::Ball | Op::Bnall => {
            let t = get(to, i.t);
            let s = if matches!(i.op, Op::Ball | Op::Bnall) { to.unary(Unary::Not, s) } else { s };
            let common = to.binary(Binary::And, s, t);
            let none = to.is(common, 0);
            return Some(if matches!(i.op, Op::Bnone | Op::Ball) { none } else { to.not(none) });
        }
        Op::Bbc | Op::Bbs => {
            let t = get(to, i.t);
            let down = to.binary(Binary::ShiftRight, s, t);
            let set = has_bits(down, 1, to);
            return Some(if i.op == Op::Bbs { set } else { to.not(set) });
        }
        Op::Bbci | Op::Bbsi => {
            let set = has_bits(s, 1 << (i.t & 31), to);
            return Some(if i.op == Op::Bbsi { set } else { to.not(set) });
        }
        Op::Bf | Op::Bt => {
            let set = boolean(to, i.s);
            return Some(if i.op == Op::Bt { set } else { to.not(set) });
        }
        _ => return None,
    };
    let b = match i.op {
        Op::Beqz | Op::Bnez | Op::Bltz | Op::Bgez => to.word(0),
        Op::Beqi | Op::Bnei | Op::Blti | Op::Bgei | Op::Bltui | Op::Bgeui => to.word(constant(i.op, i.r)),
        _ => get(to, i.t),
    };
    let compared = to.compare(comparison, s, b);
    Some(if other { compared } else { to.not(compared) })
}

/// The return address `next_pc` of the call `i`, with the increment of the window for ENTRY.
fn link(i: &Instruction, next_pc: u32, to: &mut Lowering) {
    let increment = i.call_increment();
    if increment == 0 {
        let back = to.word(next_pc);
        set(to, 0, back);
        return;
    }
    let by = to.add(Micro::Constant(increment.into(), 1));
    to.set(INCREMENT, by);
    let back = to.word(u32::from(increment) << 30 | next_pc & 0x3FFF_FFFF);
    set(to, 4 * increment, back);
}

/// A loop from `next_pc` on. The body does what skips it.
fn begin_loop(i: &Instruction, next_pc: u32, to: &mut Lowering) {
    let (count, none) = (get(to, i.s), to.word(0));
    match i.op {
        Op::Loopnez => {
            let skips = to.is(count, 0);
            unless(skips, to);
        }
        Op::Loopgtz => {
            let skips = to.compare(Compare::LessOrEqualSigned, count, none);
            unless(skips, to);
        }
        _ => {}
    }
    let (begin, end, one) = (to.word(next_pc), to.word(i.imm), to.word(1));
    let (rest, known) = (to.binary(Binary::Sub, count, one), to.truth(false));
    to.set(LOOP_COUNT, rest);
    to.set(LOOP_BEGIN, begin);
    to.set(LOOP_END, end);
    to.set(ODD_LOOP, known);
}

/// The end of a loop, if it is known where it begins.
fn end_loop(cpu: &Cpu, memory: &Memory, place: &Place<code::After>, to: &mut Lowering) -> Option<After> {
    let end = place.next_pc;
    let begin = if cpu.loop_end == end { cpu.loop_begin } else { loop_begins(memory, end)? };
    let (count, its_end, exception) = (to.get(LOOP_COUNT), to.get(LOOP_END), to.get(EXCEPTION));
    let none = to.word(0);
    let goes_on = to.compare(Compare::NotEqual, count, none);
    let (ends_here, usual) = (to.is(its_end, end), to.not(exception));
    let goes_on = to.binary(Binary::And, goes_on, ends_here);
    let goes_back = to.binary(Binary::And, goes_on, usual);
    let its_begin = to.get(LOOP_BEGIN);
    let known = to.is(its_begin, begin);
    let other = to.not(known);
    let unknown = to.binary(Binary::And, goes_back, other);
    unless(unknown, to);
    let one = to.word(1);
    let rest = to.binary(Binary::Sub, count, one);
    to.set(LOOP_COUNT, rest);
    Some(After::EndsIf(goes_back, begin, 0))
}
