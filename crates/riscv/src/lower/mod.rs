//! Steps as micro-operations, for compiled code. What stands here says again what the bodies in [`exec`](crate::exec) do, for
//! accesses to main RAM and branches to known places; the oracle runs both on the same programs.

mod data;
mod issue;

use std::mem::offset_of;

use cyclescope_engine::{After, Binary, Compare, Fields, Lowering, MainStack, Micro, Place, Slot, Table, Value};
use cyclescope_machine::{Memory, Width};

use crate::code::Detail;
use crate::cpu::{self, Cpu};
use crate::decode::{Instruction, Op, is_wide};
use crate::exec::{MOST_TAGS, Recall};
use crate::pipeline::STORES;
use crate::trap::Privilege;

/// The numbers of slots; those of x1 to x31 are their own.
const COMPRESSED: u8 = 32;
const EMPTY: u8 = 33;
const COMMITTED: u8 = 34;
const STACK_TOP: u8 = 35;
const STACK_LOWEST: u8 = 36;
const GUARDED: u8 = 37;
const READABLE: u8 = 38;
const WRITABLE: u8 = 40;
const ROWS: u8 = 42;
const HORIZON: u8 = 43;
const PHASE: u8 = 44;
const PHASE_AT: u8 = 45;
const STORED: u8 = 46;
const FALLS_ASLEEP: u8 = STORED + STORES as u8;
const PRIVILEGE: u8 = FALLS_ASLEEP + 1;
const COUNT: usize = PRIVILEGE as usize + 1;

/// The numbers of tables.
const FETCH_TAGS: u8 = 0;
const DATA_TAGS: u8 = 1;

const TABLES: [Table; 2] = [
    Table { offset: offset_of!(Cpu, fetch_tags), length: MOST_TAGS as u32 },
    Table { offset: offset_of!(Cpu, data_tags), length: MOST_TAGS as u32 },
];

const SLOTS: [Slot; COUNT] = {
    let mut slots = [Slot::new(0, 4); COUNT];
    let mut register = 0;
    while register < 32 {
        slots[register] = Slot::register(offset_of!(Cpu, x) + 4 * register, 4);
        register += 1;
    }
    slots[COMPRESSED as usize] = Slot::deferred(offset_of!(Cpu, after.compressed), 1);
    slots[EMPTY as usize] = Slot::deferred(offset_of!(Cpu, after.empty), 1);
    slots[COMMITTED as usize] = Slot::deferred(offset_of!(Cpu, after.committed), 1);
    slots[STACK_TOP as usize] = Slot::new(offset_of!(Cpu, main_stack) + MainStack::TOP, 4);
    slots[STACK_LOWEST as usize] = Slot::new(offset_of!(Cpu, main_stack) + MainStack::LOWEST, 4);
    slots[GUARDED as usize] = Slot::new(offset_of!(Cpu, guarded), 1);
    slots[READABLE as usize] = Slot::new(offset_of!(Cpu, readable.from), 4);
    slots[READABLE as usize + 1] = Slot::new(offset_of!(Cpu, readable.bytes), 4);
    slots[WRITABLE as usize] = Slot::new(offset_of!(Cpu, writable.from), 4);
    slots[WRITABLE as usize + 1] = Slot::new(offset_of!(Cpu, writable.bytes), 4);
    slots[ROWS as usize] = Slot::new(offset_of!(Cpu, rows), 8);
    slots[HORIZON as usize] = Slot::new(offset_of!(Cpu, horizon), 8);
    slots[PHASE as usize] = Slot::deferred(offset_of!(Cpu, recall) + Recall::PHASE, 4);
    slots[PHASE_AT as usize] = Slot::deferred(offset_of!(Cpu, recall) + Recall::AT, 8);
    slots[FALLS_ASLEEP as usize] = Slot::new(offset_of!(Cpu, falls_asleep), 1);
    slots[PRIVILEGE as usize] = Slot::new(offset_of!(Cpu, privilege), 1);
    let mut store = 0;
    while store < STORES {
        slots[STORED as usize + store] = Slot::deferred(offset_of!(Cpu, recall) + Recall::STORED + 4 * store, 4);
        store += 1;
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
pub(crate) fn lower(cpu: &Cpu, memory: &Memory, i: &Instruction, place: &Place<Detail>, to: &mut Lowering) -> After {
    if i.op == Op::Issue {
        return issue::lower(cpu, memory, place, to).map_or(After::Body, |()| After::Next);
    }
    if i.op == Op::Mark {
        to.add(Micro::Mark(i.imm));
        return After::Next;
    }
    if i.op == Op::Wfi && sleeps(cpu, to) {
        return After::Stops;
    }
    branch(cpu, i, place, to)
        .or_else(|| data::lower(cpu, i, to).map(|()| After::Next))
        .or_else(|| access(cpu, i, to).map(|()| After::Next))
        .unwrap_or(After::Body)
}

/// Lowers WFI in machine mode, but of a pipeline, which may go on. Tells whether that is so.
fn sleeps(cpu: &Cpu, to: &mut Lowering) -> bool {
    if cpu.pipeline.is_some() || cpu.privilege != Privilege::Machine || cpu.config.privileged().is_none() {
        return false;
    }
    let (mode, machine) = (to.get(PRIVILEGE), to.add(Micro::Constant(Privilege::Machine as u64, 1)));
    let other = to.compare(Compare::NotEqual, mode, machine);
    to.add(Micro::Unless(other));
    let (yes, now) = (to.truth(true), to.add(Micro::Constant(0, 8)));
    to.set(FALLS_ASLEEP, yes);
    to.set(HORIZON, now);
    true
}

/// Lowers what an instruction leaves behind for the next one.
pub(crate) fn leave_behind(effects: cpu::After, to: &mut Lowering) {
    let cpu::After { compressed, empty, committed } = effects;
    for (slot, value) in [(COMPRESSED, compressed.into()), (EMPTY, empty), (COMMITTED, committed.into())] {
        let value = to.add(Micro::Constant(value.into(), 1));
        to.set(slot, value);
    }
}

/// The cycles that an indirect jump to `target` takes beyond its static ones, with what it leaves there. None of a misaligned one.
pub(crate) fn computed(cpu: &Cpu, memory: &Memory, target: u32, to: &mut Lowering) -> Option<u32> {
    if target & cpu.misalignment != 0 {
        return None;
    }
    let mut cycles = 0;
    if let Some(split) = cpu.config.timing.split
        && memory.timed(target) & 2 != 0
        && is_wide(memory.read(target, Width::Half)? as u16)
    {
        cycles = cpu.config.timing.cycles(split);
        let (used, row) = (to.get(ROWS), to.add(Micro::Constant(1 << split, 8)));
        let used = to.binary(Binary::Or, used, row);
        to.set(ROWS, used);
    }
    let empty = to.add(Micro::Constant(cycles.into(), 1));
    to.set(EMPTY, empty);
    Some(cycles)
}

/// Reads a register.
fn get(to: &mut Lowering, register: u8) -> Value {
    if register == 0 { to.word(0) } else { to.get(register) }
}

/// Writes a register. Nobody reads what is written in the place of x0.
fn set(to: &mut Lowering, register: u8, value: Value) {
    if register != 0 && register != Instruction::NOWHERE {
        to.set(register, value);
    }
}

/// Branches and jumps but to misaligned addresses.
fn branch(cpu: &Cpu, i: &Instruction, place: &Place<Detail>, to: &mut Lowering) -> Option<After> {
    let comparison = match i.op {
        Op::Jalr => {
            let (base, offset, even) = (get(to, i.rs1), to.word(i.imm), to.word(!1));
            let target = to.binary(Binary::Add, base, offset);
            let target = to.binary(Binary::And, target, even);
            let back = to.word(place.next_pc);
            set(to, i.rd, back);
            return Some(After::EndsAt(target));
        }
        _ if i.imm & cpu.misalignment != 0 => return None,
        Op::Jal => {
            let back = to.word(place.next_pc);
            set(to, i.rd, back);
            return Some(After::Ends(i.imm));
        }
        Op::Beq => Compare::Equal,
        Op::Bne => Compare::NotEqual,
        Op::Blt | Op::Bge => Compare::LessSigned,
        Op::Bltu | Op::Bgeu => Compare::Less,
        _ => return None,
    };
    let (a, b) = (get(to, i.rs1), get(to, i.rs2));
    let mut holds = to.compare(comparison, a, b);
    if matches!(i.op, Op::Bge | Op::Bgeu) {
        holds = to.not(holds);
    }
    leave_behind(place.detail.branches, to);
    Some(After::EndsIf(holds, i.imm, place.detail.taken))
}

/// Loads and stores, but those that a core's RAM does not answer at once.
fn access(cpu: &Cpu, i: &Instruction, to: &mut Lowering) -> Option<()> {
    let (bytes, signed) = match i.op {
        Op::Lb => (1, true),
        Op::Lh => (2, true),
        Op::Lbu | Op::Sb => (1, false),
        Op::Lhu | Op::Sh => (2, false),
        Op::Lw | Op::Sw => (4, false),
        _ => return None,
    };
    let (base, offset) = (get(to, i.rs1), to.word(i.imm));
    let address = to.binary(Binary::Add, base, offset);
    allow(cpu, address, if i.is_store() { WRITABLE } else { READABLE }, to);
    if i.is_store() {
        let value = get(to, i.rs2);
        let value = if bytes < 4 { to.narrow(value, bytes) } else { value };
        to.store(address, bytes, value);
    } else {
        let value = to.load(address, bytes);
        let value = if bytes < 4 { to.widen(value, 4, signed) } else { value };
        set(to, i.rd, value);
    }
    Some(())
}

/// Gives up where the PMP has a say in a store, or a load, at `address`.
fn allow_in(cpu: &Cpu, address: Value, stores: bool, to: &mut Lowering) {
    allow(cpu, address, if stores { WRITABLE } else { READABLE }, to);
}

/// Gives up where the PMP has a say in an access to `address`, but in the window known to be allowed, which the slots from `window`
/// up hold. A core that is not under its guard when it is compiled seldom is later.
fn allow(cpu: &Cpu, address: Value, window: u8, to: &mut Lowering) {
    if cpu.pmp.regions() == 0 {
        return;
    }
    let mut denied = to.get(GUARDED);
    if cpu.guarded {
        let (from, bytes) = (to.get(window), to.get(window + 1));
        let offset = to.binary(Binary::Sub, address, from);
        let outside = to.compare(Compare::LessOrEqual, bytes, offset);
        denied = to.binary(Binary::And, denied, outside);
    }
    to.add(Micro::Unless(denied));
}
