//! Special registers: those that hold what was written, CCOUNT, and PS while no interrupt waits for it.

use cyclescope_engine::{Binary, Compare, Lowering, Micro, Place, Value};

use super::{
    COUNT_OFFSET, ENABLED, EXCEPTION, INCREMENT, LATCHED, LEVEL, LINES, OLD_BASE, PS_WINDOWS, SAR, SAVED, USER, get,
    set, unless, windows,
};
use crate::code;
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op};
use crate::ps::Ps;
use crate::special::Special;

/// Lowers `i`, if it is one of these.
pub(super) fn lower(cpu: &Cpu, i: &Instruction, place: &Place<code::After>, to: &mut Lowering) -> Option<()> {
    match i.op {
        Op::Rsr => {
            let value = match Special::find(i.imm as u8, cpu.config.configuration)? {
                Special::Ps => ps(to),
                Special::Ccount => {
                    let phase = cpu.config.timing.cycles(cpu.config.timing.counter_phase);
                    let (now, offset) = (to.add(Micro::Now), to.get(COUNT_OFFSET));
                    let (now, before) = (to.narrow(now, 4), to.word(place.before + phase));
                    let at = to.binary(Binary::Add, now, before);
                    to.binary(Binary::Add, at, offset)
                }
                register => {
                    let (slot, _) = kept(register)?;
                    to.get(slot)
                }
            };
            set(to, i.t, value);
        }
        Op::Wsr => {
            let register = Special::find(i.imm as u8, cpu.config.configuration)?;
            if register == Special::Ps {
                write_ps(cpu, i, to);
            } else {
                let (slot, bits) = kept(register)?;
                let (value, bits) = (get(to, i.t), to.word(bits));
                let value = to.binary(Binary::And, value, bits);
                to.set(slot, value);
            }
        }
        Op::Rsil => {
            require_no_interrupt(cpu, to);
            let (old, level) = (ps(to), to.add(Micro::Constant(u64::from(i.imm & 15), 1)));
            set(to, i.t, old);
            to.set(LEVEL, level);
        }
        _ => return None,
    }
    Some(())
}

/// The slot of a register that holds what was written to it, and its bits.
fn kept(register: Special) -> Option<(u8, u32)> {
    Some(match register {
        Special::Sar => (SAR, 63),
        Special::Epc(level) => (SAVED + level, u32::MAX),
        Special::Depc => (SAVED, u32::MAX),
        Special::Eps(level) => (SAVED + 8 + level, u32::MAX),
        Special::Excsave(level) => (SAVED + 16 + level, u32::MAX),
        _ => return None,
    })
}

/// Gives up while an interrupt that is enabled waits, if only for its level.
fn require_no_interrupt(cpu: &Cpu, to: &mut Lowering) {
    let (level, nmi) = cpu.kinds.level_and_nmi();
    let (lines, latched, enabled) = (to.get(LINES), to.get(LATCHED), to.get(ENABLED));
    let (level, nmi, none) = (to.word(level), to.word(nmi), to.word(0));
    let lines = to.binary(Binary::And, lines, level);
    let raised = to.binary(Binary::Or, lines, latched);
    let enabled = to.binary(Binary::Or, enabled, nmi);
    let waiting = to.binary(Binary::And, raised, enabled);
    let some = to.compare(Compare::NotEqual, waiting, none);
    unless(some, to);
}

/// The slots of PS, with the lowest bit and the bits of each.
const PS: [(u8, (u32, u32)); 6] = [
    (LEVEL, Ps::LEVEL),
    (EXCEPTION, Ps::EXCEPTION),
    (USER, Ps::USER),
    (OLD_BASE, Ps::OLD_BASE),
    (INCREMENT, Ps::INCREMENT),
    (PS_WINDOWS, Ps::WINDOWS),
];

/// Reads PS ([`Ps::bits`]).
fn ps(to: &mut Lowering) -> Value {
    PS.into_iter().fold(to.word(0), |bits, (slot, (lowest, _))| {
        let (field, lowest) = (to.get(slot), to.word(lowest));
        let field = to.widen(field, 4, false);
        let field = to.binary(Binary::ShiftLeft, field, lowest);
        to.binary(Binary::Or, bits, field)
    })
}

/// Writes PS ([`Cpu::set_ps`]).
fn write_ps(cpu: &Cpu, i: &Instruction, to: &mut Lowering) {
    require_no_interrupt(cpu, to);
    let has_windows = cpu.config.configuration.options.windows;
    let value = get(to, i.t);
    let mut looks = to.truth(has_windows);
    for (slot, (lowest, bits)) in PS {
        let is_there = has_windows || !matches!(slot, OLD_BASE | INCREMENT | PS_WINDOWS);
        let (lowest, bits) = (to.word(lowest), to.word(if is_there { bits } else { 0 }));
        let field = to.binary(Binary::ShiftRight, value, lowest);
        let field = to.binary(Binary::And, field, bits);
        let field = to.narrow(field, 1);
        to.set(slot, field);
        let condition = match slot {
            EXCEPTION => to.not(field),
            PS_WINDOWS => field,
            _ => continue,
        };
        looks = to.binary(Binary::And, looks, condition);
    }
    windows::look_again(cpu, looks, to);
}
