//! Steps as micro-operations, for compiled code. What stands here says again what the bodies in [`exec`](crate::exec) do, for
//! accesses to main RAM and branches to known places; the oracle runs both on the same programs.

mod access;
mod data;
mod dsp;
mod float;
mod system;

use std::mem::offset_of;

use cyclescope_engine::{After, Binary, Compare, Fields, Lowering, Micro, Slot, Value};
use cyclescope_machine::{Memory, Width};

use crate::code::Place;
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op, Reg, is_wide};
use crate::exception::Nvic;
use crate::timing::on_system_bus;

/// The numbers of slots; those of the general registers are their own.
const NZ: u8 = 15;
const CARRY: u8 = 16;
const OVERFLOW: u8 = 17;
pub(crate) const REFILL: u8 = 18;
const IPSR: u8 = 19;
const PROCESS_STACK: u8 = 20;
const OTHER_SP: u8 = 21;
const LOWEST_MAIN: u8 = 22;
const LOWEST_PROCESS: u8 = 23;
const LOADED_FROM: u8 = 24;
const LOADED_TO: u8 = 25;
const ROWS: u8 = 26;
const SATURATED: u8 = 27;
const GE: u8 = 28;
const PRIMASK: u8 = 29;
const FAULTMASK: u8 = 30;
const BASEPRI: u8 = 31;
const UNPRIVILEGED: u8 = 32;
const EXCLUSIVE: u8 = 33;
const FP_ACTIVE: u8 = 34;
const FP_READY: u8 = 35;
const PRIORITY_MASK: u8 = 36;
const PENDING: u8 = 37;
const ENABLED: u8 = PENDING + NVIC_WORDS;
const SINGLES: u8 = ENABLED + NVIC_WORDS;

/// The words of the NVIC's sets.
const NVIC_WORDS: u8 = Nvic::WORDS as u8;

const SLOTS: [Slot; SINGLES as usize + 32] = {
    let mut slots = [Slot::new(0, 4); SINGLES as usize + 32];
    let mut register = 0;
    while register < 15 {
        slots[register] = Slot::register(offset_of!(Cpu, r) + 4 * register, 4);
        register += 1;
    }
    slots[NZ as usize] = Slot::deferred(offset_of!(Cpu, nz), 8);
    slots[CARRY as usize] = Slot::deferred(offset_of!(Cpu, c), 1);
    slots[OVERFLOW as usize] = Slot::deferred(offset_of!(Cpu, v), 1);
    slots[REFILL as usize] = Slot::deferred(offset_of!(Cpu, refill), 1);
    slots[IPSR as usize] = Slot::new(offset_of!(Cpu, ipsr), 2);
    slots[PROCESS_STACK as usize] = Slot::new(offset_of!(Cpu, process_stack), 1);
    slots[OTHER_SP as usize] = Slot::new(offset_of!(Cpu, other_sp), 4);
    slots[LOWEST_MAIN as usize] = Slot::new(offset_of!(Cpu, lowest_sp), 4);
    slots[LOWEST_PROCESS as usize] = Slot::new(offset_of!(Cpu, lowest_sp) + 4, 4);
    slots[LOADED_FROM as usize] = Slot::new(offset_of!(Cpu, loaded_from.start), 4);
    slots[LOADED_TO as usize] = Slot::new(offset_of!(Cpu, loaded_from.end), 4);
    slots[ROWS as usize] = Slot::new(offset_of!(Cpu, rows), 8);
    slots[SATURATED as usize] = Slot::new(offset_of!(Cpu, q), 1);
    slots[GE as usize] = Slot::new(offset_of!(Cpu, ge), 1);
    slots[PRIMASK as usize] = Slot::new(offset_of!(Cpu, primask), 1);
    slots[FAULTMASK as usize] = Slot::new(offset_of!(Cpu, faultmask), 1);
    slots[BASEPRI as usize] = Slot::new(offset_of!(Cpu, basepri), 1);
    slots[UNPRIVILEGED as usize] = Slot::new(offset_of!(Cpu, unprivileged), 1);
    slots[EXCLUSIVE as usize] = Slot::new(offset_of!(Cpu, exclusive), 1);
    slots[FP_ACTIVE as usize] = Slot::new(offset_of!(Cpu, fp.active), 1);
    slots[FP_READY as usize] = Slot::new(offset_of!(Cpu, fp.ready), 1);
    slots[PRIORITY_MASK as usize] = Slot::new(offset_of!(Cpu, nvic) + Nvic::PRIORITY_MASK, 1);
    let mut word = 0;
    while word < NVIC_WORDS as usize {
        slots[PENDING as usize + word] = Slot::new(offset_of!(Cpu, nvic) + Nvic::PENDING + 8 * word, 8);
        slots[ENABLED as usize + word] = Slot::new(offset_of!(Cpu, nvic) + Nvic::ENABLED + 8 * word, 8);
        word += 1;
    }
    let mut single = 0;
    while single < 32 {
        slots[SINGLES as usize + single] = Slot::new(offset_of!(Cpu, fp.singles) + 4 * single, 4);
        single += 1;
    }
    slots
};

/// The fields that compiled code knows.
pub(crate) const FIELDS: Fields = Fields {
    now: offset_of!(Cpu, now),
    instructions: offset_of!(Cpu, instructions),
    horizon: offset_of!(Cpu, horizon),
    pc: offset_of!(Cpu, r) + 60,
    slots: &SLOTS,
    tables: &[],
};

/// Lowers `i`, which stands at `place`.
pub(crate) fn lower(cpu: &Cpu, memory: &Memory, i: &Instruction, place: &Place, to: &mut Lowering) -> After {
    branch(i, to)
        .or_else(|| data::lower(cpu, i, to))
        .or_else(|| access::lower(cpu, memory, i, place, to))
        .or_else(|| system::lower(cpu, i, to).map(|()| After::Next))
        .or_else(|| dsp::lower(i, to).map(|()| After::Next))
        .or_else(|| float::lower(i, to).map(|()| After::Next))
        .unwrap_or(After::Body)
}

/// The cycles that an indirect branch to `target` takes beyond its static ones, with what it leaves there.
pub(crate) fn computed(cpu: &Cpu, memory: &Memory, target: u32, to: &mut Lowering) -> Option<u32> {
    let mut cycles = 0;
    if memory.timed(target) & 2 != 0 && is_wide(memory.read(target, Width::Half)? as u16) {
        cycles += cpu.config.timing.unaligned_target;
    }
    if on_system_bus(target)
        && let Some(row) = cpu.config.timing.system_fetch
    {
        cycles += cpu.config.timing.cycles(row);
        let (used, row) = (to.get(ROWS), to.add(Micro::Constant(1 << row, 8)));
        let used = to.binary(Binary::Or, used, row);
        to.set(ROWS, used);
    }
    refill(to);
    Some(cycles)
}

/// Reads a register.
fn get(to: &mut Lowering, register: Reg) -> Value {
    if register == Reg::Pc { to.add(Micro::Pc) } else { to.get(register as u8) }
}

/// Fetching begins anew.
fn refill(to: &mut Lowering) {
    let begins = to.truth(true);
    to.set(REFILL, begins);
}

/// Tells whether `condition` holds, one below 14.
fn holds(to: &mut Lowering, condition: u32) -> Value {
    let [zero, negative] = [
        |to: &mut Lowering| {
            let nz = to.get(NZ);
            let result = to.narrow(nz, 4);
            to.is(result, 0)
        },
        |to: &mut Lowering| {
            let (nz, none) = (to.get(NZ), to.add(Micro::Constant(0, 8)));
            to.compare(Compare::LessSigned, nz, none)
        },
    ];
    let signed = |to: &mut Lowering| {
        let (negative, overflow) = (negative(to), to.get(OVERFLOW));
        to.binary(Binary::Xor, negative, overflow)
    };
    let holds = match condition >> 1 {
        0 => zero(to),
        1 => to.get(CARRY),
        2 => negative(to),
        3 => to.get(OVERFLOW),
        4 => {
            let zero = zero(to);
            let (carry, other) = (to.get(CARRY), to.not(zero));
            to.binary(Binary::And, carry, other)
        }
        5 => {
            let less = signed(to);
            to.not(less)
        }
        _ => {
            let (less, zero) = (signed(to), zero(to));
            let either = to.binary(Binary::Or, less, zero);
            to.not(either)
        }
    };
    if condition & 1 == 0 { holds } else { to.not(holds) }
}

/// Branches, conditions, and steps that belong to none.
fn branch(i: &Instruction, to: &mut Lowering) -> Option<After> {
    let conditional = |to: &mut Lowering, holds: Value| {
        refill(to);
        let cycles = (i.rd as u8).into();
        Some(if i.is_inside_block() {
            After::LeavesIf(holds, i.imm, cycles)
        } else {
            After::EndsIf(holds, i.imm, cycles)
        })
    };
    let on = |to: &mut Lowering, condition: u32| {
        let holds = holds(to, condition);
        conditional(to, holds)
    };
    match i.op {
        Op::B => {
            refill(to);
            Some(After::Ends(i.imm))
        }
        Op::Beq => on(to, 0),
        Op::Bne => on(to, 1),
        Op::Bcs => on(to, 2),
        Op::Bcc => on(to, 3),
        Op::Bmi => on(to, 4),
        Op::Bpl => on(to, 5),
        Op::Bvs => on(to, 6),
        Op::Bvc => on(to, 7),
        Op::Bhi => on(to, 8),
        Op::Bls => on(to, 9),
        Op::Bge => on(to, 10),
        Op::Blt => on(to, 11),
        Op::Bgt => on(to, 12),
        Op::Ble => on(to, 13),
        Op::Cbz | Op::Cbnz => {
            let value = get(to, i.rn);
            let zero = to.is(value, 0);
            let holds = if i.op == Op::Cbz { zero } else { to.not(zero) };
            conditional(to, holds)
        }
        Op::Bl => {
            link(to);
            refill(to);
            Some(After::Ends(i.imm))
        }
        // Bit 0 is to be set, or the branch leaves Thumb; what returns from an exception is no known way.
        Op::Bx => {
            let target = get(to, i.rm);
            Some(After::EndsAt(thumb(to, target)))
        }
        Op::Blx => {
            let target = get(to, i.rm);
            link(to);
            Some(After::EndsAt(thumb(to, target)))
        }
        Op::MovPc => {
            let target = get(to, i.rm);
            Some(After::EndsAt(even(to, target)))
        }
        Op::AddPc => {
            let (a, b) = (get(to, i.rm), to.word(i.imm));
            let target = to.binary(Binary::Add, a, b);
            Some(After::EndsAt(even(to, target)))
        }
        Op::Guard => {
            let crate::decode::Guard { condition, saved } = crate::decode::Guard::unpack(i.imm);
            if condition >= 14 {
                return Some(After::Next);
            }
            Some(After::Guard(holds(to, condition), saved))
        }
        Op::Isb => {
            refill(to);
            Some(After::Next)
        }
        Op::Nop | Op::Yield | Op::Dsb | Op::Dmb | Op::It => Some(After::Next),
        Op::Mark => {
            to.add(Micro::Mark(i.imm));
            Some(After::Next)
        }
        Op::Fetches => {
            let anew = to.get(REFILL);
            let stall = to.add(Micro::Fetches(i.imm, anew));
            to.add(Micro::Pass(stall));
            let done = to.truth(false);
            to.set(REFILL, done);
            Some(After::Next)
        }
        _ => None,
    }
}

/// The link register takes the address behind the instruction.
fn link(to: &mut Lowering) {
    let (pc, bit) = (to.add(Micro::Pc), to.word(1));
    let back = to.binary(Binary::Or, pc, bit);
    to.set(Reg::Lr as u8, back);
}

/// The target of a branch that takes bit 0 for EPSR.T: an address with bit 0 set is no code's.
fn thumb(to: &mut Lowering, target: Value) -> Value {
    let bit = to.word(1);
    to.binary(Binary::Xor, target, bit)
}

/// The target of a branch that ignores bit 0.
fn even(to: &mut Lowering, target: Value) -> Value {
    let mask = to.word(!1);
    to.binary(Binary::And, target, mask)
}
