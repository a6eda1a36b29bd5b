//! The table from operations to the bodies that carry them out, looked up once, when a block is built.

use cyclescope_engine::{Execute as _, Flow, Outcome, body};
use cyclescope_machine::{Peripherals, Width};

use super::alu::{mulh, mulhsu, mulhu};
use super::{Exit, Handler};
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op};
use crate::trap::Trap;

/// Computes a register from two.
macro_rules! rr {
    (|$a:ident, $b:ident| $result:expr) => {
        body!(|cpu, i| {
            let ($a, $b) = (cpu.get(i.rs1), cpu.get(i.rs2));
            cpu.put(i.rd, $result);
        })
    };
}
/// Computes a register from one and a constant.
macro_rules! ri {
    (|$a:ident, $b:ident| $result:expr) => {
        body!(|cpu, i| {
            let ($a, $b) = (cpu.get(i.rs1), i.imm);
            cpu.put(i.rd, $result);
        })
    };
}
/// The last step of its block, which may branch.
macro_rules! branch {
    (|$a:ident, $b:ident| $condition:expr) => {
        body!(|cpu, _, here, i| {
            let ($a, $b) = (cpu.get(i.rs1), cpu.get(i.rs2));
            if $condition { cpu.take(here, i.imm) } else { Flow::Ends(Exit::Next) }
        })
    };
}
macro_rules! load {
    ($width:ident, |$value:ident| $converted:expr) => {
        body!(|cpu, bus, here, i| {
            let address = cpu.get(i.rs1).wrapping_add(i.imm);
            cpu.load_fast(bus, address, Width::$width).map(|$value| cpu.put(i.rd, $converted))
        }; {
            let address = cpu.get(i.rs1).wrapping_add(i.imm);
            cpu.load_slow(bus, cpu.access(here, address, Width::$width)).map(|($value, leave)| {
                cpu.put(i.rd, $converted);
                leave
            })
        })
    };
}
macro_rules! store {
    ($width:ident) => {
        body!(|cpu, bus, here, i| {
            let (address, value) = (cpu.get(i.rs1).wrapping_add(i.imm), cpu.get(i.rs2));
            (cpu.store_fast(bus, address, Width::$width, value) && !bus.memory.code_changed()).then_some(())
        }; {
            let (address, value) = (cpu.get(i.rs1).wrapping_add(i.imm), cpu.get(i.rs2));
            cpu.store_slow(bus, cpu.access(here, address, Width::$width), value)
        })
    };
}

/// The handler of `i`.
pub(crate) fn handler<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Handler<P, R> {
    // A test sees to it that every operation has a body; one without would be illegal.
    find(i).unwrap_or_else(|| handler(&Instruction::new(Op::Illegal)))
}

pub(super) fn find<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    immediate(i)
        .or_else(|| register(i))
        .or_else(|| memory(i))
        .or_else(|| flow(i))
        .or_else(|| system(i))
        .or_else(|| pico(i))
}

fn immediate<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        // AUIPC's sum is known when a block is built.
        Op::Issue => body!(|cpu, bus, here, _| cpu.issue(bus, here)),
        Op::Mark => body!(|cpu, i| cpu.marks.pass(i.imm, cpu.now)),
        Op::Lui | Op::Auipc => body!(|cpu, i| cpu.put(i.rd, i.imm)),
        Op::Push => body!(|cpu, i| {
            let from = cpu.get(2);
            cpu.put(2, from.wrapping_add(i.imm));
            cpu.main_stack.push(from, cpu.get(2));
        }),
        Op::Addi => ri!(|a, b| a.wrapping_add(b)),
        Op::Slti => ri!(|a, b| u32::from((a as i32) < b as i32)),
        Op::Sltiu => ri!(|a, b| u32::from(a < b)),
        Op::Xori => ri!(|a, b| a ^ b),
        Op::Ori => ri!(|a, b| a | b),
        Op::Andi => ri!(|a, b| a & b),
        Op::Slli => ri!(|a, b| a << (b & 31)),
        Op::Srli => ri!(|a, b| a >> (b & 31)),
        Op::Srai => ri!(|a, b| (a as i32 >> (b & 31)) as u32),
        _ => return None,
    })
}

fn register<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Add => rr!(|a, b| a.wrapping_add(b)),
        Op::Sub => rr!(|a, b| a.wrapping_sub(b)),
        Op::Sll => rr!(|a, b| a << (b & 31)),
        Op::Slt => rr!(|a, b| u32::from((a as i32) < b as i32)),
        Op::Sltu => rr!(|a, b| u32::from(a < b)),
        Op::Xor => rr!(|a, b| a ^ b),
        Op::Srl => rr!(|a, b| a >> (b & 31)),
        Op::Sra => rr!(|a, b| (a as i32 >> (b & 31)) as u32),
        Op::Or => rr!(|a, b| a | b),
        Op::And => rr!(|a, b| a & b),
        Op::Mul => rr!(|a, b| a.wrapping_mul(b)),
        Op::Mulh => rr!(|a, b| mulh(a, b)),
        Op::Mulhsu => rr!(|a, b| mulhsu(a, b)),
        Op::Mulhu => rr!(|a, b| mulhu(a, b)),
        Op::Div | Op::Divu | Op::Rem | Op::Remu => body!(|cpu, i| {
            let result = cpu.divide(i.op, cpu.get(i.rs1), cpu.get(i.rs2));
            cpu.put(i.rd, result);
        }),
        _ => return None,
    })
}

fn memory<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Lb => load!(Byte, |value| value as i8 as u32),
        Op::Lh => load!(Half, |value| value as i16 as u32),
        Op::Lw => load!(Word, |value| value),
        Op::Lbu => load!(Byte, |value| value),
        Op::Lhu => load!(Half, |value| value),
        Op::Sb => store!(Byte),
        Op::Sh => store!(Half),
        Op::Sw => store!(Word),
        _ if i.is_atomic() => body!(|cpu, bus, here, _| cpu.atomic(bus, here)),
        _ => return None,
    })
}

fn flow<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Jal => body!(|cpu, _, here, i| {
            if i.imm & cpu.misalignment != 0 {
                return cpu.leave_at(here, Trap::new(Trap::INSTRUCTION_MISALIGNED, i.imm));
            }
            cpu.put(i.rd, here.block.next_pc);
            cpu.pc = i.imm;
            Flow::Ends(Exit::Next)
        }),
        Op::Jalr => body!(|cpu, bus, here, i| {
            let target = cpu.get(i.rs1).wrapping_add(i.imm);
            cpu.jump_to(bus, here, target, i.rd)
        }),
        Op::Beq => branch!(|a, b| a == b),
        Op::Bne => branch!(|a, b| a != b),
        Op::Blt => branch!(|a, b| (a as i32) < b as i32),
        Op::Bge => branch!(|a, b| a as i32 >= b as i32),
        Op::Bltu => branch!(|a, b| a < b),
        Op::Bgeu => branch!(|a, b| a >= b),
        _ => return None,
    })
}

fn system<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        // One hart, and no access overtakes another.
        Op::Fence | Op::FlushData => body!(|_, _| ()),
        // What was stored is seen already; what comes next is fetched anew.
        Op::FenceI => body!(|_, _| Flow::Ends(Exit::Next)),
        Op::Ecall => body!(|cpu, _, here, _| cpu.call_environment(here)),
        Op::Ebreak => body!(|cpu, bus, here, _| cpu.breakpoint(bus, here)),
        Op::Mret => body!(|cpu, bus, here, _| cpu.mret(bus, here, here.place().detail.bits)),
        Op::Wfi => body!(|cpu, bus, here, _| cpu.wfi(bus, here, here.place().detail.bits)),
        _ if i.is_csr() => body!(|cpu, bus, here, i| cpu.access_csr(bus, here, i)),
        Op::Illegal => {
            body!(|cpu, _, here, _| { cpu.leave_at(here, Trap::new(Trap::ILLEGAL, here.place().detail.bits)) })
        }
        Op::FetchFault => body!(|cpu, _, here, i| { cpu.leave_at(here, Trap::new(Trap::INSTRUCTION_ACCESS, i.imm)) }),
        _ => return None,
    })
}

fn pico<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Getq => body!(|cpu, i| cpu.put(i.rd, cpu.pico.q[usize::from(i.rs1 & 3)])),
        Op::Setq => body!(|cpu, i| cpu.pico.q[usize::from(i.rd & 3)] = cpu.get(i.rs1)),
        Op::Retirq => body!(|cpu, bus, here, _| {
            cpu.complete(here.block, Exit::Next);
            cpu.pico_return(bus);
            Flow::Leaves(Exit::Next)
        }),
        Op::Maskirq => body!(|cpu, i| {
            let (before, mask) = (cpu.pico.mask, cpu.get(i.rs1));
            cpu.pico_set_mask(mask);
            cpu.put(i.rd, before);
            Flow::Ends(Exit::Next)
        }),
        Op::Waitirq => body!(|cpu, _, here, i| cpu.waitirq(here, i.rd)),
        Op::Timer => body!(|cpu, _, here, i| {
            let at = cpu.phase(here, cpu.config.timing.counter_phase);
            let left = cpu.pico_timer(at, cpu.get(i.rs1));
            cpu.put(i.rd, left);
            Flow::Ends(Exit::Next)
        }),
        _ => return None,
    })
}
