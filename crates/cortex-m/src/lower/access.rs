//! Loads and stores.

use std::ops::Range;

use cyclescope_engine::{After, Binary, Compare, Lowering, Micro, Value};
use cyclescope_machine::Memory;

use super::data::{set, set_base};
use super::{IPSR, LOADED_FROM, LOADED_TO, OTHER_SP, ROWS, get, thumb};

use crate::code::Place;
use crate::cpu::Cpu;
use crate::decode::{Addressing, Index, Indexed, Instruction, Multiple, Op, Reg};
use crate::exec::registers;
use crate::stacks::CONTEXT_BYTES;

/// The most RAMs that an access is compared with.
const MOST_RAMS: usize = 3;

/// Lowers `i`, which stands at `place`, if it is one of these.
pub(super) fn lower(cpu: &Cpu, memory: &Memory, i: &Instruction, place: &Place, to: &mut Lowering) -> Option<After> {
    if i.rd == Reg::Pc && i.writes_rd() {
        return None;
    }
    match i.op {
        Op::LdrImm | Op::LdrhImm | Op::LdrbImm | Op::LdrshImm | Op::LdrsbImm => {
            let address = offset(to, i);
            load(to, i, address)?;
        }
        Op::LdrReg | Op::LdrhReg | Op::LdrbReg | Op::LdrshReg | Op::LdrsbReg => {
            let address = indexed_by_register(to, i);
            load(to, i, address)?;
        }
        Op::LdrLiteral | Op::LdrhLiteral | Op::LdrbLiteral | Op::LdrshLiteral | Op::LdrsbLiteral => {
            let address = to.word(i.imm);
            load(to, i, address)?;
        }
        Op::StrImm | Op::StrhImm | Op::StrbImm => {
            let address = offset(to, i);
            store(to, i, address)?;
        }
        Op::StrReg | Op::StrhReg | Op::StrbReg => {
            let address = indexed_by_register(to, i);
            store(to, i, address)?;
        }
        Op::LdrIndexed | Op::LdrhIndexed | Op::LdrbIndexed | Op::LdrshIndexed | Op::LdrsbIndexed => {
            let (address, base) = indexed(to, i)?;
            let value = loaded(to, i, address)?;
            set_base(to, i.rn, base);
            set(to, i.rd, value);
        }
        Op::StrIndexed | Op::StrhIndexed | Op::StrbIndexed => {
            let (address, base) = indexed(to, i)?;
            store(to, i, address)?;
            set_base(to, i.rn, base);
        }
        Op::Ldrd => {
            let (address, base) = indexed(to, i)?;
            let place = words(to, address, 2, false);
            let (low, high) = (to.add(Micro::Load(place, 0, 4)), to.add(Micro::Load(place, 4, 4)));
            set_base(to, i.rn, base);
            set(to, i.rd, low);
            set(to, i.rm, high);
        }
        Op::Strd => {
            let (address, base) = indexed(to, i)?;
            let place = words(to, address, 2, true);
            let (low, high) = (get(to, i.rd), get(to, i.rm));
            to.add(Micro::Store(place, 0, low));
            to.add(Micro::Store(place, 4, high));
            set_base(to, i.rn, base);
        }
        Op::Ldm => {
            load_several(to, i)?;
        }
        Op::LdmPc => {
            let target = load_several(to, i)??;
            return Some(After::EndsAt(thumb(to, target)));
        }
        Op::Stm => store_several(to, i)?,
        Op::LdrPcReg => {
            let address = indexed_by_register(to, i);
            let target = to.load(address, 4);
            return Some(After::EndsAt(thumb(to, target)));
        }
        Op::LdrPcImm => {
            let address = offset(to, i);
            let target = to.load(address, 4);
            return Some(After::EndsAt(thumb(to, target)));
        }
        Op::LdrPcIndexed => {
            let (address, base) = indexed(to, i)?;
            let target = to.load(address, 4);
            set_base(to, i.rn, base);
            return Some(After::EndsAt(thumb(to, target)));
        }
        Op::FlashConstant => {
            let overlapped = place.cycles <= cpu.config.timing.cycles(cpu.config.timing.data_phase);
            let at = u64::from(place.before).wrapping_sub(u64::from(overlapped));
            let at = to.add(Micro::Constant(at, 8));
            let stall = to.add(Micro::ReadFlash(memory.flash.placed(i.imm), at));
            to.add(Micro::Pass(stall));
            let value = to.word(memory.flash.word(i.imm));
            set(to, i.rd, value);
        }
        Op::NoteMemory | Op::CompareMemory => {
            let address = match Addressing::unpack(i.rd) {
                Addressing::Offset => offset(to, i),
                Addressing::Register => indexed_by_register(to, i),
                Addressing::Literal => to.word(i.imm),
            };
            turn_to_memory(to, cpu, memory, place, address, i.op == Op::CompareMemory);
        }
        _ => return None,
    }
    Some(After::Next)
}

/// The next load or store, which stands at `place`, is to `address`: the memory that the last load was from is the one around it from
/// now on. Gives up where that is neither the same as before nor one of main RAM's. If the two are compared and are not the same, time
/// passes where it did before; elsewhere it gives up.
fn turn_to_memory(to: &mut Lowering, cpu: &Cpu, memory: &Memory, place: &Place, address: Value, compares: bool) {
    let (from, end) = (to.get(LOADED_FROM), to.get(LOADED_TO));
    let length = to.binary(Binary::Sub, end, from);
    let mut known = is_inside(to, address, from, length);
    let (mut new_from, mut new_end) = (from, end);
    for ram in main_rams(memory) {
        let (start, end, length) = (to.word(ram.start), to.word(ram.end), to.word(ram.end - ram.start));
        let turns = is_inside(to, address, start, length);
        known = to.binary(Binary::Or, known, turns);
        new_from = to.select(turns, start, new_from);
        new_end = to.select(turns, end, new_end);
    }
    let unknown = to.not(known);
    to.add(Micro::Unless(unknown));
    if let Some(row) = cpu.config.timing.memory_change.filter(|_| compares) {
        let (is_other, none) = (to.compare(Compare::NotEqual, new_from, from), to.word(0));
        let was_one = to.compare(Compare::NotEqual, length, none);
        let changes = to.binary(Binary::And, is_other, was_one);
        if cpu.memory_changes.has(place.pc) {
            let [none, cycles, used] = [0, u64::from(cpu.config.timing.cycles(row)), 1 << row]
                .map(|number| to.add(Micro::Constant(number, 8)));
            let cycles = to.select(changes, cycles, none);
            to.add(Micro::Pass(cycles));
            let (rows, used) = (to.get(ROWS), to.select(changes, used, none));
            let rows = to.binary(Binary::Or, rows, used);
            to.set(ROWS, rows);
        } else {
            to.add(Micro::Unless(changes));
        }
    }
    to.set(LOADED_FROM, new_from);
    to.set(LOADED_TO, new_end);
}

/// The RAMs that main RAM consists of; the first and the last, where most programs have their variables and their stack, if there are
/// many.
fn main_rams(memory: &Memory) -> Vec<Range<u32>> {
    let (base, end) = (memory.ram.base().get(), memory.ram.end().get());
    let after =
        |ram: &Range<u32>| (ram.end < end).then(|| memory.ram_around(ram.end)).filter(|next| next.end > ram.end);
    let mut rams: Vec<_> = std::iter::successors(Some(memory.ram_around(base)), after).collect();
    if rams.len() > MOST_RAMS {
        rams.drain(1..rams.len() - 1);
    }
    rams
}

/// Tells whether `address` is one of the `length` from `from` up.
fn is_inside(to: &mut Lowering, address: Value, from: Value, length: Value) -> Value {
    let offset = to.binary(Binary::Sub, address, from);
    to.compare(Compare::Less, offset, length)
}

/// The address of `rn` and the constant.
fn offset(to: &mut Lowering, i: &Instruction) -> Value {
    let (base, offset) = (get(to, i.rn), to.word(i.imm));
    to.binary(Binary::Add, base, offset)
}

/// The address of `rn` and `rm`, shifted.
fn indexed_by_register(to: &mut Lowering, i: &Instruction) -> Value {
    let (base, mut index) = (get(to, i.rn), get(to, i.rm));
    if i.imm & 3 != 0 {
        let by = to.word(i.imm & 3);
        index = to.binary(Binary::ShiftLeft, index, by);
    }
    to.binary(Binary::Add, base, index)
}

/// The address of a load or store that moves its base, and what the base becomes; `None` without privilege.
fn indexed(to: &mut Lowering, i: &Instruction) -> Option<(Value, Value)> {
    let Indexed { offset, index } = Indexed::unpack(i.imm);
    let (base, by) = (get(to, i.rn), to.word(offset as u32));
    let moved = to.binary(Binary::Add, base, by);
    match index {
        Index::Pre => Some((moved, moved)),
        Index::Post => Some((base, moved)),
        Index::Offset => Some((moved, base)),
        Index::Unprivileged => None,
    }
}

/// The value that a load gives, extended.
fn loaded(to: &mut Lowering, i: &Instruction, address: Value) -> Option<Value> {
    let (bytes, signed) = match i.op {
        Op::LdrImm | Op::LdrReg | Op::LdrLiteral | Op::LdrIndexed => return Some(to.load(address, 4)),
        Op::LdrhImm | Op::LdrhReg | Op::LdrhLiteral | Op::LdrhIndexed => (2, false),
        Op::LdrbImm | Op::LdrbReg | Op::LdrbLiteral | Op::LdrbIndexed => (1, false),
        Op::LdrshImm | Op::LdrshReg | Op::LdrshLiteral | Op::LdrshIndexed => (2, true),
        Op::LdrsbImm | Op::LdrsbReg | Op::LdrsbLiteral | Op::LdrsbIndexed => (1, true),
        _ => return None,
    };
    let value = to.load(address, bytes);
    Some(to.widen(value, 4, signed))
}

fn load(to: &mut Lowering, i: &Instruction, address: Value) -> Option<()> {
    let value = loaded(to, i, address)?;
    set(to, i.rd, value);
    Some(())
}

fn store(to: &mut Lowering, i: &Instruction, address: Value) -> Option<()> {
    let value = get(to, i.rd);
    let (bytes, value) = match i.op {
        Op::StrImm | Op::StrReg | Op::StrIndexed => (4, value),
        Op::StrhImm | Op::StrhReg | Op::StrhIndexed => (2, to.narrow(value, 2)),
        Op::StrbImm | Op::StrbReg | Op::StrbIndexed => (1, to.narrow(value, 1)),
        _ => return None,
    };
    to.store(address, bytes, value);
    Some(())
}

/// The place of `count` words in RAM.
pub(super) fn words(to: &mut Lowering, address: Value, count: u8, writes: bool) -> Value {
    to.add(Micro::Ram { address, bytes: 4, count, writes })
}

/// The first address that `i` moves, and its base behind it; `None` for the rest of one that was interrupted.
fn span(to: &mut Lowering, i: &Instruction) -> Option<(Multiple, Value, Value)> {
    let multiple = Multiple::unpack(i.imm);
    let (base, bytes) = (get(to, i.rn), to.word(4 * Multiple::listed(i.imm)));
    if multiple.done > 0 || Multiple::listed(i.imm) == 0 {
        return None;
    }
    Some(if multiple.before {
        let first = to.binary(Binary::Sub, base, bytes);
        (multiple, first, first)
    } else {
        (multiple, base, to.binary(Binary::Add, base, bytes))
    })
}

/// Loads several registers; what is loaded for the program counter, if it is.
fn load_several(to: &mut Lowering, i: &Instruction) -> Option<Option<Value>> {
    let (multiple, first, base) = span(to, i)?;
    if multiple.list & 1 << Reg::Sp as u32 != 0 {
        return None;
    }
    let place = words(to, first, Multiple::listed(i.imm) as u8, false);
    let mut target = None;
    for (number, register) in (0..).zip(registers(multiple.list)) {
        let value = to.add(Micro::Load(place, 4 * number, 4));
        if register == Reg::Pc as usize { target = Some(value) } else { to.set(register as u8, value) }
    }
    if multiple.writes_base {
        set_base(to, i.rn, base);
    }
    Some(target)
}

/// Gives up where a store of several registers from `first` up may save a task's registers ([`Cpu::may_save_context`]).
pub(super) fn saves_no_context(to: &mut Lowering, first: Value) {
    let (ipsr, none) = (to.get(IPSR), to.add(Micro::Constant(0, 2)));
    let in_handler = to.compare(Compare::NotEqual, ipsr, none);
    let (pointer, one, most) = (to.get(OTHER_SP), to.word(1), to.word(CONTEXT_BYTES));
    let below = to.binary(Binary::Sub, pointer, first);
    let below = to.binary(Binary::Sub, below, one);
    let near = to.compare(Compare::Less, below, most);
    let saves = to.binary(Binary::And, in_handler, near);
    to.add(Micro::Unless(saves));
}

/// Stores several registers, unless that saves a task's registers to its stack.
fn store_several(to: &mut Lowering, i: &Instruction) -> Option<()> {
    let (multiple, first, base) = span(to, i)?;
    if i.rn != Reg::Sp {
        saves_no_context(to, first);
    }
    let place = words(to, first, Multiple::listed(i.imm) as u8, true);
    for (number, register) in (0..).zip(registers(multiple.list)) {
        let value = get(to, Reg::new(register as u32));
        to.add(Micro::Store(place, 4 * number, value));
    }
    if multiple.writes_base {
        set_base(to, i.rn, base);
    }
    Some(())
}
