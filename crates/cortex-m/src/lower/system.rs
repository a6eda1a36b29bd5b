//! Special registers, masks, and the local monitor of exclusive accesses.

use cyclescope_engine::{Binary, Compare, Lowering, Micro, Value};

use super::data::set;
use super::{
    BASEPRI, CARRY, ENABLED, EXCLUSIVE, FAULTMASK, FP_ACTIVE, GE, IPSR, NVIC_WORDS, NZ, OTHER_SP, OVERFLOW, PENDING,
    PRIMASK, PRIORITY_MASK, PROCESS_STACK, SATURATED, UNPRIVILEGED, get,
};
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op, Reg};
use crate::exec::sysm;

/// Lowers `i`, if it is one of these.
pub(super) fn lower(cpu: &Cpu, i: &Instruction, to: &mut Lowering) -> Option<()> {
    if i.rd == Reg::Pc {
        return None;
    }
    match i.op {
        Op::Cps => {
            // FAULTMASK depends on the priority that is being handled.
            if i.imm & (Instruction::CPS_PRIMASK | Instruction::CPS_FAULTMASK) != Instruction::CPS_PRIMASK {
                return None;
            }
            require_privilege(to);
            require_nothing_ready(to);
            let masked = to.truth(i.imm & Instruction::CPS_DISABLE != 0);
            to.set(PRIMASK, masked);
        }
        Op::Mrs => {
            let value = special(cpu, i.imm, to)?;
            set(to, i.rd, value);
        }
        Op::Msr => write_special(cpu, i, to)?,
        Op::Clrex => {
            let watches = to.truth(false);
            to.set(EXCLUSIVE, watches);
        }
        Op::Ldrex | Op::Ldrexh | Op::Ldrexb => {
            let (address, bytes) = exclusive(i, to);
            let value = to.load(address, bytes);
            let value = if bytes < 4 { to.widen(value, 4, false) } else { value };
            let watches = to.truth(true);
            to.set(EXCLUSIVE, watches);
            set(to, i.rd, value);
        }
        Op::Strex | Op::Strexh | Op::Strexb => {
            let lost = to.get(EXCLUSIVE);
            let lost = to.not(lost);
            to.add(Micro::Unless(lost));
            let (address, bytes) = exclusive(i, to);
            let value = get(to, i.rm);
            let value = if bytes < 4 { to.narrow(value, bytes) } else { value };
            to.store(address, bytes, value);
            let (watches, stored) = (to.truth(false), to.word(0));
            to.set(EXCLUSIVE, watches);
            set(to, i.rd, stored);
        }
        _ => return None,
    }
    Some(())
}

/// The address and the bytes of an exclusive access.
fn exclusive(i: &Instruction, to: &mut Lowering) -> (Value, u8) {
    let bytes = match i.op {
        Op::Ldrexb | Op::Strexb => 1,
        Op::Ldrexh | Op::Strexh => 2,
        _ => 4,
    };
    let (base, offset) = (get(to, i.rn), to.word(i.imm));
    (to.binary(Binary::Add, base, offset), bytes)
}

/// Tells whether unprivileged code runs.
fn lacks_privilege(to: &mut Lowering) -> Value {
    let (ipsr, none) = (to.get(IPSR), to.add(Micro::Constant(0, 2)));
    let (in_thread, unprivileged) = (to.compare(Compare::Equal, ipsr, none), to.get(UNPRIVILEGED));
    to.binary(Binary::And, in_thread, unprivileged)
}

/// Gives up without privilege.
fn require_privilege(to: &mut Lowering) {
    let lacks = lacks_privilege(to);
    to.add(Micro::Unless(lacks));
}

/// Gives up while an exception is pending and enabled: a change of the masks may let it in.
fn require_nothing_ready(to: &mut Lowering) {
    let none = to.add(Micro::Constant(0, 8));
    let mut ready = none;
    for word in 0..NVIC_WORDS {
        let (pending, enabled) = (to.get(PENDING + word), to.get(ENABLED + word));
        let both = to.binary(Binary::And, pending, enabled);
        ready = to.binary(Binary::Or, ready, both);
    }
    let any = to.compare(Compare::NotEqual, ready, none);
    to.add(Micro::Unless(any));
}

/// A truth or a small number at the bit `bit` of a word.
fn at(to: &mut Lowering, value: Value, bit: u32) -> Value {
    let (value, by) = (to.widen(value, 4, false), to.word(bit));
    to.binary(Binary::ShiftLeft, value, by)
}

/// The value that MRS reads from the register `sys`.
fn special(cpu: &Cpu, sys: u32, to: &mut Lowering) -> Option<Value> {
    let v7 = cpu.config.architecture.is_v7();
    let value = match sys {
        0..=7 => {
            let mut value = if sys & 1 != 0 {
                let ipsr = to.get(IPSR);
                to.widen(ipsr, 4, false)
            } else {
                to.word(0)
            };
            if sys & 4 == 0 {
                let (nz, zero) = (to.get(NZ), to.add(Micro::Constant(0, 8)));
                let result = to.narrow(nz, 4);
                let (negative, is_zero) = (to.compare(Compare::LessSigned, nz, zero), to.is(result, 0));
                let others = [(CARRY, 29), (OVERFLOW, 28), (SATURATED, 27), (GE, 16)];
                let others = others.map(|(slot, bit)| (to.get(slot), bit));
                for (flag, bit) in [(negative, 31), (is_zero, 30)].into_iter().chain(others) {
                    let flag = at(to, flag, bit);
                    value = to.binary(Binary::Or, value, flag);
                }
            }
            return Some(value);
        }
        sysm::CONTROL => {
            let mut value = to.word(0);
            for (slot, bit) in [(UNPRIVILEGED, 0), (PROCESS_STACK, 1), (FP_ACTIVE, 2)] {
                let flag = to.get(slot);
                let flag = at(to, flag, bit);
                value = to.binary(Binary::Or, value, flag);
            }
            return Some(value);
        }
        sysm::MSP | sysm::PSP => {
            let (process, used, other) = (to.get(PROCESS_STACK), to.get(Reg::Sp as u8), to.get(OTHER_SP));
            if sys == sysm::PSP { to.select(process, used, other) } else { to.select(process, other, used) }
        }
        sysm::PRIMASK => {
            let masked = to.get(PRIMASK);
            to.widen(masked, 4, false)
        }
        sysm::BASEPRI | sysm::BASEPRI_MAX if v7 => {
            let priority = to.get(BASEPRI);
            to.widen(priority, 4, false)
        }
        sysm::FAULTMASK if v7 => {
            let masked = to.get(FAULTMASK);
            to.widen(masked, 4, false)
        }
        _ => return None,
    };
    let (lacks, zero) = (lacks_privilege(to), to.word(0));
    Some(to.select(lacks, zero, value))
}

/// Lowers MSR to PRIMASK and BASEPRI.
fn write_special(cpu: &Cpu, i: &Instruction, to: &mut Lowering) -> Option<()> {
    let value = get(to, i.rn);
    let low = to.narrow(value, 1);
    let (slot, value) = match i.imm & 0xFF {
        sysm::PRIMASK => {
            let one = to.truth(true);
            (PRIMASK, to.binary(Binary::And, low, one))
        }
        sysm::BASEPRI if cpu.config.architecture.is_v7() => {
            let mask = to.get(PRIORITY_MASK);
            (BASEPRI, to.binary(Binary::And, low, mask))
        }
        _ => return None,
    };
    require_privilege(to);
    require_nothing_ready(to);
    to.set(slot, value);
    Some(())
}
