//! Loads and stores of several registers: LDM, POP, STM, PUSH. All in RAM and in one go they take the ways of this file, else those
//! of [`super::super::multiple`].

use cyclescope_engine::{Flow, Outcome, body};
use cyclescope_machine::{Bus, Peripherals};

use super::super::multiple::registers;
use super::super::{Exit, Handler, words_of_ram};
use crate::cpu::Cpu;
use crate::decode::{Instruction, Multiple, Op, Reg};

/// The handler of `i`, if it is one of these.
pub(super) fn handler<P: Peripherals, R: Outcome<Cpu, P>, const GUARDED: bool>(
    i: &Instruction,
) -> Option<Handler<P, R>> {
    let Multiple { writes_base, before, done, .. } = Multiple::unpack(i.imm);
    // Where the list ends below its base, and whether the base moves, is decided here and not at each execution.
    macro_rules! by_base {
        (|$cpu:ident, $bus:ident, $here:ident| $in_ram:ident, $anywhere:expr) => {
            match (before, writes_base) {
                _ if GUARDED || done > 0 => body!(|$cpu, $bus, $here, _| $anywhere),
                (false, false) => body!(|$cpu, $bus, $here, i| $in_ram::<P, false, false>($cpu, $bus, i); $anywhere),
                (false, true) => body!(|$cpu, $bus, $here, i| $in_ram::<P, false, true>($cpu, $bus, i); $anywhere),
                (true, false) => body!(|$cpu, $bus, $here, i| $in_ram::<P, true, false>($cpu, $bus, i); $anywhere),
                (true, true) => body!(|$cpu, $bus, $here, i| $in_ram::<P, true, true>($cpu, $bus, i); $anywhere),
            }
        };
    }
    Some(match i.op {
        Op::Ldm => by_base!(|cpu, bus, here| load, cpu.ldm(bus, here).map(|(_, touched)| touched)),
        Op::LdmPc => by_base!(|cpu, bus, here| load_pc, {
            cpu.ldm(bus, here).map(|loaded| {
                let target = cpu.loaded(loaded);
                Flow::Ends(cpu.branch_exchange(bus, target))
            })
        }),
        Op::Stm => by_base!(|cpu, bus, here| store, cpu.stm(bus, here)),
        _ => return None,
    })
}

/// The first address that `i` moves, and its base behind it.
#[inline(always)]
fn span<const BEFORE: bool>(cpu: &Cpu, i: &Instruction) -> (u32, u32) {
    let (base, bytes) = (cpu.get(i.rn), 4 * Multiple::listed(i.imm));
    if BEFORE { (base.wrapping_sub(bytes), base.wrapping_sub(bytes)) } else { (base, base.wrapping_add(bytes)) }
}

/// Loads the list if all of it is RAM, else does nothing.
#[inline(always)]
fn load<P, const BEFORE: bool, const WRITES_BASE: bool>(cpu: &mut Cpu, bus: &Bus<P>, i: &Instruction) -> Option<()> {
    let (address, base) = span::<BEFORE>(cpu, i);
    for (word, register) in words_of_ram::<P, false>(bus, address, Multiple::listed(i.imm))?.zip(registers(i.imm)) {
        cpu.r[register] = word;
    }
    if WRITES_BASE {
        cpu.set_base(i.rn, base);
    }
    Some(())
}

#[inline(always)]
fn load_pc<P, const BEFORE: bool, const WRITES_BASE: bool>(
    cpu: &mut Cpu,
    bus: &Bus<P>,
    i: &Instruction,
) -> Option<Flow<Exit>> {
    load::<P, BEFORE, WRITES_BASE>(cpu, bus, i).map(|()| Flow::Ends(cpu.branch_exchange(bus, cpu.get(Reg::Pc))))
}

/// Stores the list if all of it is RAM, else does nothing.
#[inline(always)]
fn store<P, const BEFORE: bool, const WRITES_BASE: bool>(
    cpu: &mut Cpu,
    bus: &mut Bus<P>,
    i: &Instruction,
) -> Option<()> {
    let (address, base) = span::<BEFORE>(cpu, i);
    let words = bus.memory.ram.settled_words_mut(address, Multiple::listed(i.imm))?;
    if i.rn != Reg::Sp {
        cpu.stores_several(address, Multiple::listed(i.imm));
    }
    for (word, register) in words.iter_mut().zip(registers(i.imm)) {
        *word = cpu.r[register].to_le_bytes();
    }
    if WRITES_BASE {
        cpu.set_base(i.rn, base);
    }
    Some(())
}
