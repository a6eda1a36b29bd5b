//! Loads and stores of several registers: LDM, POP, STM, PUSH. All in RAM and in one go they take the ways of this file, else those
//! of [`super::super::multiple`].

use cyclescope_engine::{Execute as _, index, next};
use cyclescope_machine::{Bus, Peripherals};

use super::super::multiple::registers;
use super::super::{Exit, Handler, Step, words_of_ram};
use crate::code::Block;
use crate::cpu::Cpu;
use crate::decode::{Instruction, Multiple, Op, Reg};

/// The handler of `i`, if it is one of these.
pub(super) fn handler<P: Peripherals, const GUARDED: bool>(i: &Instruction) -> Option<Handler<P>> {
    let Multiple { writes_base, before, done, .. } = Multiple::unpack(i.imm);
    // Where the list ends below its base, and whether the base moves, is decided here and not at each execution.
    macro_rules! by_base {
        ($in_ram:ident, $anywhere:ident) => {
            match (before, writes_base) {
                _ if GUARDED || done > 0 => $anywhere::<P, GUARDED>,
                (false, false) => $in_ram::<P, false, false>,
                (false, true) => $in_ram::<P, false, true>,
                (true, false) => $in_ram::<P, true, false>,
                (true, true) => $in_ram::<P, true, true>,
            }
        };
    }
    Some(match i.op {
        Op::Ldm => by_base!(load, load_anywhere),
        Op::LdmPc => by_base!(load_pc, load_pc_anywhere),
        Op::Stm => by_base!(store, store_anywhere),
        _ => return None,
    })
}

/// The first address that `i` moves, and its base behind it.
#[inline(always)]
fn span<const BEFORE: bool>(cpu: &Cpu, i: &Instruction) -> (u32, u32) {
    let (base, bytes) = (cpu.get(i.rn), 4 * Multiple::listed(i.imm));
    if BEFORE { (base.wrapping_sub(bytes), base.wrapping_sub(bytes)) } else { (base, base.wrapping_add(bytes)) }
}

/// Loads the list if all of it is RAM, else does nothing and returns `false`.
#[inline(always)]
fn load_list<P, const BEFORE: bool, const WRITES_BASE: bool>(cpu: &mut Cpu, bus: &Bus<P>, i: &Instruction) -> bool {
    let (address, base) = span::<BEFORE>(cpu, i);
    let Some(words) = words_of_ram::<P, false>(bus, address, Multiple::listed(i.imm)) else { return false };
    for (word, register) in words.zip(registers(i.imm)) {
        cpu.r[register] = word;
    }
    if WRITES_BASE {
        cpu.set_base(i.rn, base);
    }
    true
}

fn load<P: Peripherals, const BEFORE: bool, const WRITES_BASE: bool>(
    cpu: &mut Cpu,
    bus: &mut Bus<P>,
    block: &Block<P>,
    step: &Step<P>,
    rest: &[Step<P>],
) -> Exit {
    if load_list::<P, BEFORE, WRITES_BASE>(cpu, bus, &step.i) {
        return next(cpu, bus, block, rest);
    }
    load_anywhere::<P, false>(cpu, bus, block, step, rest)
}

fn load_pc<P: Peripherals, const BEFORE: bool, const WRITES_BASE: bool>(
    cpu: &mut Cpu,
    bus: &mut Bus<P>,
    block: &Block<P>,
    step: &Step<P>,
    rest: &[Step<P>],
) -> Exit {
    if load_list::<P, BEFORE, WRITES_BASE>(cpu, bus, &step.i) {
        let exit = cpu.branch_exchange(bus, cpu.get(Reg::Pc));
        return cpu.complete(block, exit);
    }
    load_pc_anywhere::<P, false>(cpu, bus, block, step, rest)
}

fn store<P: Peripherals, const BEFORE: bool, const WRITES_BASE: bool>(
    cpu: &mut Cpu,
    bus: &mut Bus<P>,
    block: &Block<P>,
    step: &Step<P>,
    rest: &[Step<P>],
) -> Exit {
    let i = &step.i;
    let (address, base) = span::<BEFORE>(cpu, i);
    if (i.rn == Reg::Sp || !cpu.may_save_context(address))
        && let Some(words) = bus.memory.ram.settled_words_mut(address, Multiple::listed(i.imm))
    {
        for (word, register) in words.iter_mut().zip(registers(i.imm)) {
            *word = cpu.r[register].to_le_bytes();
        }
        if WRITES_BASE {
            cpu.set_base(i.rn, base);
        }
        return next(cpu, bus, block, rest);
    }
    store_anywhere::<P, false>(cpu, bus, block, step, rest)
}

#[inline(never)]
fn load_anywhere<P: Peripherals, const GUARDED: bool>(
    cpu: &mut Cpu,
    bus: &mut Bus<P>,
    block: &Block<P>,
    step: &Step<P>,
    rest: &[Step<P>],
) -> Exit {
    match cpu.ldm::<P, GUARDED>(bus, block, index(block, rest), &step.i) {
        Ok((_, false)) => next(cpu, bus, block, rest),
        Ok((_, true)) => cpu.leave_after(bus, block, index(block, rest)),
        Err(fault) => cpu.leave_at(block, index(block, rest), fault),
    }
}

#[inline(never)]
fn load_pc_anywhere<P: Peripherals, const GUARDED: bool>(
    cpu: &mut Cpu,
    bus: &mut Bus<P>,
    block: &Block<P>,
    step: &Step<P>,
    rest: &[Step<P>],
) -> Exit {
    match cpu.ldm::<P, GUARDED>(bus, block, index(block, rest), &step.i) {
        Ok((target, touched)) => {
            if touched {
                cpu.horizon = 0;
            }
            let exit = cpu.branch_exchange(bus, target);
            cpu.complete(block, exit)
        }
        Err(fault) => cpu.leave_at(block, index(block, rest), fault),
    }
}

#[inline(never)]
fn store_anywhere<P: Peripherals, const GUARDED: bool>(
    cpu: &mut Cpu,
    bus: &mut Bus<P>,
    block: &Block<P>,
    step: &Step<P>,
    rest: &[Step<P>],
) -> Exit {
    match cpu.stm::<P, GUARDED>(bus, block, index(block, rest), &step.i) {
        Ok(false) => next(cpu, bus, block, rest),
        Ok(true) => cpu.leave_after(bus, block, index(block, rest)),
        Err(fault) => cpu.leave_at(block, index(block, rest), fault),
    }
}
