//! Armv6-M, which all cores have.

use cyclescope_engine::{Execute as _, Flow, Outcome, body};
use cyclescope_machine::{Peripherals, Width};

use super::super::{Exit, Handler};
use crate::cpu::{Cpu, Fault, FaultKind};
use crate::decode::{Instruction, Op, Reg};

/// The handler of `i`, if it is one of these.
#[allow(clippy::too_many_lines)] // One row an operation, like the manual's table.
pub(super) fn handler<P: Peripherals, R: Outcome<Cpu, P>, const GUARDED: bool>(
    i: &Instruction,
) -> Option<Handler<P, R>> {
    let handler: Handler<P, R> = match i.op {
        Op::MovReg => body!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rm))),
        Op::MovImm => body!(|cpu, i| cpu.mov(i.rd, i.imm)),
        Op::LslImm => body!(|cpu, i| cpu.lsl_imm(i)),
        Op::LsrImm => body!(|cpu, i| cpu.lsr_imm(i)),
        Op::AsrImm => body!(|cpu, i| cpu.asr_imm(i)),
        Op::LslReg => body!(|cpu, i| cpu.lsl_reg(i)),
        Op::LsrReg => body!(|cpu, i| cpu.lsr_reg(i)),
        Op::AsrReg => body!(|cpu, i| cpu.asr_reg(i)),
        Op::RorReg => body!(|cpu, i| cpu.ror_reg(i)),
        Op::AddReg => body!(|cpu, i| cpu.add(i.rd, cpu.get(i.rn), cpu.get(i.rm))),
        Op::AddImm => body!(|cpu, i| cpu.add(i.rd, cpu.get(i.rn), i.imm)),
        Op::AdcReg => body!(|cpu, i| cpu.adc(i.rd, cpu.get(i.rn), cpu.get(i.rm))),
        Op::SubReg => body!(|cpu, i| cpu.sub(i.rd, cpu.get(i.rn), cpu.get(i.rm))),
        Op::SubImm => body!(|cpu, i| cpu.sub(i.rd, cpu.get(i.rn), i.imm)),
        Op::SbcReg => body!(|cpu, i| cpu.adc(i.rd, cpu.get(i.rn), !cpu.get(i.rm))),
        Op::RsbZero => body!(|cpu, i| cpu.sub(i.rd, 0, cpu.get(i.rm))),
        Op::CmpReg => body!(|cpu, i| cpu.cmp(cpu.get(i.rn), cpu.get(i.rm))),
        Op::CmpImm => body!(|cpu, i| cpu.cmp(cpu.get(i.rn), i.imm)),
        Op::CmnReg => body!(|cpu, i| cpu.cmn(cpu.get(i.rn), cpu.get(i.rm))),
        Op::Mul => body!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn).wrapping_mul(cpu.get(i.rm)))),
        Op::AndReg => body!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn) & cpu.get(i.rm))),
        Op::EorReg => body!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn) ^ cpu.get(i.rm))),
        Op::OrrReg => body!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn) | cpu.get(i.rm))),
        Op::BicReg => body!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn) & !cpu.get(i.rm))),
        Op::MvnReg => body!(|cpu, i| cpu.mov(i.rd, !cpu.get(i.rm))),
        Op::TstReg => body!(|cpu, i| cpu.test(cpu.get(i.rn) & cpu.get(i.rm))),
        Op::AddHigh => body!(|cpu, i| cpu.add_high(i)),
        Op::AddOffset => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rn).wrapping_add(i.imm))),
        Op::AddSp => body!(|cpu, i| cpu.set_sp(cpu.get(Reg::Sp).wrapping_add(i.imm))),
        Op::SubSp => body!(|cpu, i| cpu.push_to(cpu.get(Reg::Sp).wrapping_sub(i.imm))),
        Op::MovHigh => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm))),
        Op::MovSp => body!(|cpu, i| cpu.move_sp(cpu.get(i.rm))),
        Op::Constant => body!(|cpu, i| cpu.set(i.rd, i.imm)),
        Op::AddConstant => body!(|cpu, i| cpu.add_constant(i)),
        Op::Sxth => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm) as i16 as u32)),
        Op::Sxtb => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm) as i8 as u32)),
        Op::Uxth => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm) & 0xFFFF)),
        Op::Uxtb => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm) & 0xFF)),
        Op::Rev => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm).swap_bytes())),
        Op::Rev16 => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm).swap_bytes().rotate_left(16))),
        Op::Revsh => body!(|cpu, i| cpu.set(i.rd, (cpu.get(i.rm) as u16).swap_bytes() as i16 as u32)),

        Op::LdrImm => load!(Word, u32, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::LdrhImm => load!(Half, u16, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::LdrbImm => load!(Byte, u8, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::StrImm => store!(Word, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::StrhImm => store!(Half, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::StrbImm => store!(Byte, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::LdrReg if i.imm == 0 => load!(Word, u32, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::LdrReg => load!(Word, u32, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << (i.imm & 3))),
        Op::LdrhReg if i.imm == 0 => load!(Half, u16, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::LdrhReg => load!(Half, u16, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << (i.imm & 3))),
        Op::LdrbReg if i.imm == 0 => load!(Byte, u8, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::LdrbReg => load!(Byte, u8, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << (i.imm & 3))),
        Op::LdrshReg if i.imm == 0 => load!(Half, i16, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::LdrshReg => load!(Half, i16, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << (i.imm & 3))),
        Op::LdrsbReg if i.imm == 0 => load!(Byte, i8, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::LdrsbReg => load!(Byte, i8, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << (i.imm & 3))),
        Op::StrReg if i.imm == 0 => store!(Word, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::StrReg => store!(Word, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << (i.imm & 3))),
        Op::StrhReg if i.imm == 0 => store!(Half, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::StrhReg => store!(Half, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << (i.imm & 3))),
        Op::StrbReg if i.imm == 0 => store!(Byte, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm))),
        Op::StrbReg => store!(Byte, |cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << (i.imm & 3))),
        Op::LdrLiteral => load!(Word, u32, |cpu, i| i.imm),
        Op::FlashConstant => body!(|cpu, bus, here, i| cpu.load_constant(bus, here, i)),

        Op::B => body!(|cpu, i| {
            cpu.go_to(i.imm);
            Flow::Ends(Exit::Next)
        }),
        Op::Beq => branch_if!(i, |cpu, _| cpu.zero()),
        Op::Bne => branch_if!(i, |cpu, _| !cpu.zero()),
        Op::Bcs => branch_if!(i, |cpu, _| cpu.c),
        Op::Bcc => branch_if!(i, |cpu, _| !cpu.c),
        Op::Bmi => branch_if!(i, |cpu, _| cpu.nz < 0),
        Op::Bpl => branch_if!(i, |cpu, _| cpu.nz >= 0),
        Op::Bvs => branch_if!(i, |cpu, _| cpu.v),
        Op::Bvc => branch_if!(i, |cpu, _| !cpu.v),
        Op::Bhi => branch_if!(i, |cpu, _| cpu.c && !cpu.zero()),
        Op::Bls => branch_if!(i, |cpu, _| !cpu.c || cpu.zero()),
        Op::Bge => branch_if!(i, |cpu, _| (cpu.nz < 0) == cpu.v),
        Op::Blt => branch_if!(i, |cpu, _| (cpu.nz < 0) != cpu.v),
        Op::Bgt => branch_if!(i, |cpu, _| !cpu.zero() && (cpu.nz < 0) == cpu.v),
        Op::Ble => branch_if!(i, |cpu, _| cpu.zero() || (cpu.nz < 0) != cpu.v),
        Op::Bl => body!(|cpu, i| {
            cpu.bl(i);
            Flow::Ends(Exit::Next)
        }),
        Op::Bx => body!(|cpu, bus, _, i| Flow::Ends(cpu.branch_exchange(bus, cpu.get(i.rm)))),
        Op::Blx => body!(|cpu, bus, _, i| {
            cpu.blx(bus, i);
            Flow::Ends(Exit::Next)
        }),
        Op::AddPc => body!(|cpu, bus, _, i| {
            cpu.branch_indirect(bus, i.imm.wrapping_add(cpu.get(i.rm)));
            Flow::Ends(Exit::Next)
        }),
        Op::MovPc => body!(|cpu, bus, _, i| {
            cpu.branch_indirect(bus, cpu.get(i.rm));
            Flow::Ends(Exit::Next)
        }),

        Op::Isb => body!(|cpu, _| cpu.refill = true),
        Op::Nop | Op::Yield | Op::Dsb | Op::Dmb => body!(|_, _| ()),
        Op::Sev => body!(|cpu, bus, here, _| {
            cpu.event = true;
            if bus.shared.turns.are_several() {
                cpu.horizon = 0;
                bus.shared.interrupts.send_event_to_other(cpu.starts_at(here));
            }
            bus.shared.turns.are_several()
        }),
        Op::Cps => body!(|cpu, i| cpu.cps(i)),
        Op::Mrs => body!(|cpu, i| cpu.mrs(i)),
        Op::Msr => body!(|cpu, i| cpu.msr(i)),
        Op::Wfe => body!(|_, _| Flow::Ends(Exit::WaitForEvent)),
        Op::Wfi => body!(|_, _| Flow::Ends(Exit::WaitForInterrupt)),
        Op::Svc => body!(|cpu, _, here, _| {
            // Should it escalate, it is returned to as it stands in its IT block.
            cpu.detail = u32::from(here.place().detail.entry.it);
            Flow::Ends(Exit::SupervisorCall)
        }),
        Op::Bkpt => body!(|cpu, i| {
            cpu.detail = i.imm;
            cpu.r[Reg::Pc as usize] = cpu.r[Reg::Pc as usize].wrapping_sub(2);
            Flow::Ends(Exit::Breakpoint)
        }),
        Op::Udf | Op::Undefined | Op::Adr => body!(|cpu, _, here, _| {
            let fault = Fault { kind: FaultKind::Undefined, cause: "undefined instruction", address: None };
            cpu.leave_at(here, fault)
        }),
        _ => return None,
    };
    Some(handler)
}
