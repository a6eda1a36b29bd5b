//! Armv6-M, which all cores have.

use cyclescope_engine::{Execute as _, index, next};
use cyclescope_machine::{Peripherals, Width};

use super::super::{Exit, Handler};
use crate::cpu::{Fault, FaultKind};
use crate::decode::{Instruction, Op, Reg};

/// The handler of `i`, if it is one of these.
#[allow(clippy::too_many_lines)] // One row an operation, like the manual's table.
pub(super) fn handler<P: Peripherals, const GUARDED: bool>(i: &Instruction) -> Option<Handler<P>> {
    let handler: Handler<P> = match i.op {
        Op::MovReg => plain!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rm))),
        Op::MovImm => plain!(|cpu, i| cpu.mov(i.rd, i.imm)),
        Op::LslImm => plain!(|cpu, i| cpu.lsl_imm(i)),
        Op::LsrImm => plain!(|cpu, i| cpu.lsr_imm(i)),
        Op::AsrImm => plain!(|cpu, i| cpu.asr_imm(i)),
        Op::LslReg => plain!(|cpu, i| cpu.lsl_reg(i)),
        Op::LsrReg => plain!(|cpu, i| cpu.lsr_reg(i)),
        Op::AsrReg => plain!(|cpu, i| cpu.asr_reg(i)),
        Op::RorReg => plain!(|cpu, i| cpu.ror_reg(i)),
        Op::AddReg => plain!(|cpu, i| cpu.add(i.rd, cpu.get(i.rn), cpu.get(i.rm))),
        Op::AddImm => plain!(|cpu, i| cpu.add(i.rd, cpu.get(i.rn), i.imm)),
        Op::AdcReg => plain!(|cpu, i| cpu.adc(i.rd, cpu.get(i.rn), cpu.get(i.rm))),
        Op::SubReg => plain!(|cpu, i| cpu.sub(i.rd, cpu.get(i.rn), cpu.get(i.rm))),
        Op::SubImm => plain!(|cpu, i| cpu.sub(i.rd, cpu.get(i.rn), i.imm)),
        Op::SbcReg => plain!(|cpu, i| cpu.adc(i.rd, cpu.get(i.rn), !cpu.get(i.rm))),
        Op::RsbZero => plain!(|cpu, i| cpu.sub(i.rd, 0, cpu.get(i.rm))),
        Op::CmpReg => plain!(|cpu, i| cpu.cmp(cpu.get(i.rn), cpu.get(i.rm))),
        Op::CmpImm => plain!(|cpu, i| cpu.cmp(cpu.get(i.rn), i.imm)),
        Op::CmnReg => plain!(|cpu, i| cpu.cmn(cpu.get(i.rn), cpu.get(i.rm))),
        Op::Mul => plain!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn).wrapping_mul(cpu.get(i.rm)))),
        Op::AndReg => plain!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn) & cpu.get(i.rm))),
        Op::EorReg => plain!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn) ^ cpu.get(i.rm))),
        Op::OrrReg => plain!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn) | cpu.get(i.rm))),
        Op::BicReg => plain!(|cpu, i| cpu.mov(i.rd, cpu.get(i.rn) & !cpu.get(i.rm))),
        Op::MvnReg => plain!(|cpu, i| cpu.mov(i.rd, !cpu.get(i.rm))),
        Op::TstReg => plain!(|cpu, i| cpu.test(cpu.get(i.rn) & cpu.get(i.rm))),
        Op::AddHigh => plain!(|cpu, i| cpu.add_high(i)),
        Op::AddOffset => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rn).wrapping_add(i.imm))),
        Op::AddSp => plain!(|cpu, i| cpu.set_sp(cpu.get(Reg::Sp).wrapping_add(i.imm))),
        Op::SubSp => plain!(|cpu, i| cpu.push_to(cpu.get(Reg::Sp).wrapping_sub(i.imm))),
        Op::MovHigh => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm))),
        Op::MovSp => plain!(|cpu, i| cpu.move_sp(cpu.get(i.rm))),
        Op::Constant => plain!(|cpu, i| cpu.set(i.rd, i.imm)),
        Op::AddConstant => plain!(|cpu, i| cpu.add_constant(i)),
        Op::Sxth => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm) as i16 as u32)),
        Op::Sxtb => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm) as i8 as u32)),
        Op::Uxth => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm) & 0xFFFF)),
        Op::Uxtb => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm) & 0xFF)),
        Op::Rev => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm).swap_bytes())),
        Op::Rev16 => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm).swap_bytes().rotate_left(16))),
        Op::Revsh => plain!(|cpu, i| cpu.set(i.rd, (cpu.get(i.rm) as u16).swap_bytes() as i16 as u32)),

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
        Op::FlashConstant => |cpu, bus, block, step, rest| {
            let value = bus.memory.flash.word(step.i.imm);
            cpu.set(step.i.rd, value);
            cpu.stall_data(bus, cpu.loads_at(block, index(block, rest)), step.i.imm);
            next(cpu, bus, block, rest)
        },

        Op::B => last!(|cpu, i| {
            cpu.go_to(i.imm);
            Exit::Next
        }),
        Op::Beq => branch_if!(i, |cpu, _i| cpu.zero()),
        Op::Bne => branch_if!(i, |cpu, _i| !cpu.zero()),
        Op::Bcs => branch_if!(i, |cpu, _i| cpu.c),
        Op::Bcc => branch_if!(i, |cpu, _i| !cpu.c),
        Op::Bmi => branch_if!(i, |cpu, _i| cpu.nz < 0),
        Op::Bpl => branch_if!(i, |cpu, _i| cpu.nz >= 0),
        Op::Bvs => branch_if!(i, |cpu, _i| cpu.v),
        Op::Bvc => branch_if!(i, |cpu, _i| !cpu.v),
        Op::Bhi => branch_if!(i, |cpu, _i| cpu.c && !cpu.zero()),
        Op::Bls => branch_if!(i, |cpu, _i| !cpu.c || cpu.zero()),
        Op::Bge => branch_if!(i, |cpu, _i| (cpu.nz < 0) == cpu.v),
        Op::Blt => branch_if!(i, |cpu, _i| (cpu.nz < 0) != cpu.v),
        Op::Bgt => branch_if!(i, |cpu, _i| !cpu.zero() && (cpu.nz < 0) == cpu.v),
        Op::Ble => branch_if!(i, |cpu, _i| cpu.zero() || (cpu.nz < 0) != cpu.v),
        Op::Bl => last!(|cpu, i| {
            cpu.bl(i);
            Exit::Next
        }),
        Op::Bx => |cpu, bus, block, step, _| {
            let exit = cpu.branch_exchange(bus, cpu.get(step.i.rm));
            cpu.complete(block, exit)
        },
        Op::Blx => |cpu, bus, block, step, _| {
            cpu.blx(bus, &step.i);
            cpu.complete(block, Exit::Next)
        },
        Op::AddPc => |cpu, bus, block, step, _| {
            cpu.branch_indirect(bus, step.i.imm.wrapping_add(cpu.get(step.i.rm)));
            cpu.complete(block, Exit::Next)
        },
        Op::MovPc => |cpu, bus, block, step, _| {
            cpu.branch_indirect(bus, cpu.get(step.i.rm));
            cpu.complete(block, Exit::Next)
        },

        Op::Isb => plain!(|cpu, _i| cpu.refill = true),
        Op::Nop | Op::Yield | Op::Dsb | Op::Dmb => |cpu, bus, block, _, rest| next(cpu, bus, block, rest),
        Op::Sev => plain!(|cpu, _i| cpu.event = true),
        Op::Cps => plain!(|cpu, i| cpu.cps(i)),
        Op::Mrs => plain!(|cpu, i| cpu.mrs(i)),
        Op::Msr => plain!(|cpu, i| cpu.msr(i)),
        Op::Wfe => last!(|cpu, _i| Exit::WaitForEvent),
        Op::Wfi => last!(|cpu, _i| Exit::WaitForInterrupt),
        Op::Svc => |cpu, _, block, _, rest| {
            // Should it escalate, it is returned to as it stands in its IT block.
            cpu.detail = u32::from(block.places[index(block, rest)].detail.entry.it);
            cpu.complete(block, Exit::SupervisorCall)
        },
        Op::Bkpt => last!(|cpu, i| {
            cpu.detail = i.imm;
            cpu.r[Reg::Pc as usize] = cpu.r[Reg::Pc as usize].wrapping_sub(2);
            Exit::Breakpoint
        }),
        Op::Udf | Op::Undefined | Op::Adr => |cpu, _, block, _, rest| {
            let fault = Fault { kind: FaultKind::Undefined, cause: "undefined instruction", address: None };
            cpu.leave_at(block, index(block, rest), fault)
        },
        _ => return None,
    };
    Some(handler)
}
