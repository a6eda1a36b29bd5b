//! Instructions that move the window: registers that leave it go to the file, and those that come into it are read there.
//!
//! The distance is not known before they run. Compilers use one for all calls, so that of the call before is expected, and bodies do others.

use std::array;

use cyclescope_engine::{After, Binary, Compare, Lowering, MainStack, Micro, Place, Unary, Value};

use super::{
    EXCEPTION, FILE, INCREMENT, PS_WINDOWS, STACK_LOWEST, STACK_TOP, USABLE, WINDOW_BASE, WINDOW_START, get, set,
    unless,
};
use crate::code;
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op};

/// The distance that is expected where no call was made.
const USUAL: u8 = 2;

/// Lowers `i`, if it is one of these.
pub(super) fn lower(cpu: &Cpu, i: &Instruction, place: &Place<code::After>, to: &mut Lowering) -> Option<After> {
    if !cpu.config.configuration.options.windows {
        return None;
    }
    match i.op {
        Op::Entry if i.s < 4 => {
            entry(cpu, i, to);
            Some(After::Next)
        }
        Op::Retw => Some(After::EndsAt(return_window(cpu, place, to))),
        Op::Rotw => {
            let by = ((i.imm << 28) as i32) >> 28;
            if by == 0 || by.abs() > 3 {
                return None;
            }
            let registers = window(to);
            let base = rotate(cpu, registers, by, to);
            let start = started(to);
            look_at_windows(cpu, base, start, None, to);
            Some(After::Next)
        }
        _ => None,
    }
}

/// The distance that is expected of a call.
fn expected(cpu: &Cpu) -> u8 {
    if cpu.ps.increment > 0 { cpu.ps.increment } else { USUAL }
}

/// Gives up where no windows are in use.
fn require_windows(to: &mut Lowering) {
    let (windows, exception) = (to.get(PS_WINDOWS), to.get(EXCEPTION));
    let none = to.not(windows);
    let either = to.binary(Binary::Or, none, exception);
    unless(either, to);
}

/// Calls a function as ENTRY does ([`Cpu::entry`]).
fn entry(cpu: &Cpu, i: &Instruction, to: &mut Lowering) {
    let by = expected(cpu);
    require_windows(to);
    let (increment, usable, by_value) = (to.get(INCREMENT), to.get(USABLE), to.add(Micro::Constant(by.into(), 1)));
    let other = to.compare(Compare::NotEqual, increment, by_value);
    unless(other, to);
    let overflows = to.compare(Compare::Less, usable, by_value);
    unless(overflows, to);
    let mut registers = window(to);
    let (from, room) = (registers[usize::from(i.s)], to.word(i.imm));
    let stack = to.binary(Binary::Sub, from, room);
    if i.s == 1 {
        MainStack::lower_push([STACK_TOP, STACK_LOWEST], from, stack, to);
    }
    registers[usize::from(4 * by + i.s)] = stack;
    let base = rotate(cpu, registers, by.into(), to);
    let (start, one) = (started(to), to.word(1));
    let bit = to.binary(Binary::ShiftLeft, one, base);
    let start = to.binary(Binary::Or, start, bit);
    set_started(start, to);
    // Without windows it is illegal, so they are looked at.
    let yes = to.truth(true);
    look_at_windows(cpu, base, start, Some(yes), to);
}

/// Returns as RETW does ([`Cpu::return_window`]), and says to which address.
fn return_window(cpu: &Cpu, place: &Place<code::After>, to: &mut Lowering) -> Value {
    let by = expected(cpu);
    require_windows(to);
    let link = get(to, 0);
    let (thirty, base, start) = (to.word(30), self::base(to), started(to));
    let size = to.binary(Binary::ShiftRight, link, thirty);
    let as_expected = to.is(size, by.into());
    let other = to.not(as_expected);
    unless(other, to);
    // The caller's window is the nearest that has started behind this one: bit 2 is that of the nearest place.
    let windows = u32::from(cpu.windows());
    let (all, first) = (doubled(cpu, start, to), to.word(windows - 3));
    let first = to.binary(Binary::Add, base, first);
    let behind = to.binary(Binary::ShiftRight, all, first);
    let looked_at = to.word(7 << (3 - by) & 7);
    let behind = to.binary(Binary::And, behind, looked_at);
    let is_nearest = to.is(behind, 1 << (3 - by));
    let underflows = to.not(is_nearest);
    unless(underflows, to);
    let (low, region) = (to.word(0x3FFF_FFFF), to.word(place.pc & 0xC000_0000));
    let target = to.binary(Binary::And, link, low);
    let target = to.binary(Binary::Or, target, region);
    let one = to.word(1);
    let bit = to.binary(Binary::ShiftLeft, one, base);
    let others = to.unary(Unary::Not, bit);
    let start = to.binary(Binary::And, start, others);
    set_started(start, to);
    let registers = window(to);
    let base = rotate(cpu, registers, -i32::from(by), to);
    let yes = to.truth(true);
    look_at_windows(cpu, base, start, Some(yes), to);
    target
}

/// WINDOWBASE in 4 bytes.
fn base(to: &mut Lowering) -> Value {
    let base = to.get(WINDOW_BASE);
    to.widen(base, 4, false)
}

/// WINDOWSTART in 4 bytes.
fn started(to: &mut Lowering) -> Value {
    let start = to.get(WINDOW_START);
    to.widen(start, 4, false)
}

fn set_started(start: Value, to: &mut Lowering) {
    let start = to.narrow(start, 2);
    to.set(WINDOW_START, start);
}

/// WINDOWSTART twice: windows behind the last one are the first ones.
fn doubled(cpu: &Cpu, start: Value, to: &mut Lowering) -> Value {
    let windows = to.word(cpu.windows().into());
    let again = to.binary(Binary::ShiftLeft, start, windows);
    to.binary(Binary::Or, start, again)
}

/// The registers of the window.
fn window(to: &mut Lowering) -> [Value; 16] {
    array::from_fn(|register| get(to, register as u8))
}

/// Turns the window with these `registers` by as many times four registers, one to three ahead or back. Returns the new WINDOWBASE.
fn rotate(cpu: &Cpu, registers: [Value; 16], by: i32, to: &mut Lowering) -> Value {
    let moved = 4 * by.unsigned_abs() as usize;
    let (base, four) = (base(to), to.word(2));
    let first = to.binary(Binary::ShiftLeft, base, four);
    let last = to.word(cpu.config.configuration.registers - 1);
    let place = |offset: i32, to: &mut Lowering| {
        let offset = to.word(offset as u32);
        let place = to.binary(Binary::Add, first, offset);
        to.binary(Binary::And, place, last)
    };
    let leaves = if by > 0 { 0..moved } else { 16 - moved..16 };
    for register in leaves {
        let place = place(register as i32, to);
        to.add(Micro::SetEntry(FILE, place, registers[register]));
    }
    for register in 0..16 {
        // The register that it was in the window before.
        let before = register + 4 * by;
        let value = match usize::try_from(before) {
            Ok(before) if before < 16 => registers[before],
            _ => {
                let place = place(before, to);
                to.add(Micro::Entry(FILE, place))
            }
        };
        set(to, register as u8, value);
    }
    let (by, windows) = (to.word(by as u32), to.word(u32::from(cpu.windows()) - 1));
    let sum = to.binary(Binary::Add, base, by);
    let base = to.binary(Binary::And, sum, windows);
    let narrow = to.narrow(base, 1);
    to.set(WINDOW_BASE, narrow);
    base
}

/// Finds the registers that can be used ([`Cpu::look_at_windows`]) with these WINDOWBASE and WINDOWSTART. Windows are `looked_at`, or as PS says.
fn look_at_windows(cpu: &Cpu, base: Value, start: Value, looked_at: Option<Value>, to: &mut Lowering) {
    let (all, one) = (doubled(cpu, start, to), to.word(1));
    let next = to.binary(Binary::Add, base, one);
    let ahead = to.binary(Binary::ShiftRight, all, next);
    // The fourth is not looked at.
    let fourth = to.word(8);
    let ahead = to.binary(Binary::Or, ahead, fourth);
    let negated = to.unary(Unary::Negate, ahead);
    let lowest = to.binary(Binary::And, ahead, negated);
    let (zeros, most) = (to.unary(Unary::LeadingZeros, lowest), to.word(31));
    let usable = to.binary(Binary::Sub, most, zeros);
    let usable = to.narrow(usable, 1);
    let looks = looked_at.unwrap_or_else(|| {
        let (windows, exception) = (to.get(PS_WINDOWS), to.get(EXCEPTION));
        let usual = to.not(exception);
        to.binary(Binary::And, windows, usual)
    });
    let all = to.add(Micro::Constant(3, 1));
    let usable = to.select(looks, usable, all);
    to.set(USABLE, usable);
}

/// The registers that can be used once PS has other fields.
pub(super) fn look_again(cpu: &Cpu, looks: Value, to: &mut Lowering) {
    let (base, start) = (base(to), started(to));
    look_at_windows(cpu, base, start, Some(looks), to);
}
