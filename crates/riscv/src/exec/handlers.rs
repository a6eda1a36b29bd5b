//! The table from operations to the bodies that carry them out, looked up once, when a block is built.

use cyclescope_engine::{Execute as _, index, next};
use cyclescope_machine::{Peripherals, Width};

use super::alu::{mulh, mulhsu, mulhu};
use super::{Exit, Handler};
use crate::cpu::Trap;
use crate::decode::{Instruction, Op};

/// Computes a register from two.
macro_rules! rr {
    (|$a:ident, $b:ident| $result:expr) => {
        |cpu, bus, block, step, rest| {
            let ($a, $b) = (cpu.get(step.i.rs1), cpu.get(step.i.rs2));
            cpu.put(step.i.rd, $result);
            next(cpu, bus, block, rest)
        }
    };
}
/// Computes a register from one and a constant.
macro_rules! ri {
    (|$a:ident, $b:ident| $result:expr) => {
        |cpu, bus, block, step, rest| {
            let ($a, $b) = (cpu.get(step.i.rs1), step.i.imm);
            cpu.put(step.i.rd, $result);
            next(cpu, bus, block, rest)
        }
    };
}
/// The last step of its block, which may branch.
macro_rules! branch {
    (|$a:ident, $b:ident| $condition:expr) => {
        |cpu, _, block, step, rest| {
            let ($a, $b) = (cpu.get(step.i.rs1), cpu.get(step.i.rs2));
            if $condition { cpu.take(block, index(block, rest), step.i.imm) } else { cpu.complete(block, Exit::Next) }
        }
    };
}
macro_rules! load {
    ($width:ident, |$value:ident| $converted:expr) => {
        |cpu, bus, block, step, rest| {
            let address = cpu.get(step.i.rs1).wrapping_add(step.i.imm);
            match cpu.load_fast(bus, address, Width::$width) {
                Some($value) => cpu.put(step.i.rd, $converted),
                None => match cpu.load_slow(bus, block, index(block, rest), address, Width::$width) {
                    Ok(($value, leave)) => {
                        cpu.put(step.i.rd, $converted);
                        if leave {
                            return cpu.leave_after(block, index(block, rest));
                        }
                    }
                    Err(trap) => return cpu.leave_at(block, index(block, rest), trap),
                },
            }
            next(cpu, bus, block, rest)
        }
    };
}
macro_rules! store {
    ($width:ident) => {
        |cpu, bus, block, step, rest| {
            let address = cpu.get(step.i.rs1).wrapping_add(step.i.imm);
            let value = cpu.get(step.i.rs2);
            let leave = if cpu.store_fast(bus, address, Width::$width, value) {
                bus.memory.code_changed()
            } else {
                match cpu.store_slow(bus, block, index(block, rest), address, Width::$width, value) {
                    Ok(leave) => leave,
                    Err(trap) => return cpu.leave_at(block, index(block, rest), trap),
                }
            };
            if leave {
                return cpu.leave_after(block, index(block, rest));
            }
            next(cpu, bus, block, rest)
        }
    };
}
/// The body answers with whether the block must be left behind it, or a trap.
macro_rules! access {
    (|$cpu:ident, $bus:ident, $block:ident, $index:ident, $i:ident| $body:expr) => {
        |$cpu, $bus, $block, step, rest| {
            let ($i, $index) = (&step.i, index($block, rest));
            match $body {
                Ok(false) => next($cpu, $bus, $block, rest),
                Ok(true) => $cpu.leave_after($block, $index),
                Err(trap) => $cpu.leave_at($block, $index, trap),
            }
        }
    };
}
/// The last step of its block: the body says how it ends.
macro_rules! last {
    (|$cpu:ident, $bus:ident, $block:ident, $index:ident, $i:ident| $body:expr) => {
        |$cpu, $bus, $block, step, rest| {
            let ($i, $index) = (&step.i, index($block, rest));
            let _ = (&$bus, $i);
            $body
        }
    };
}

/// The handler of `i`.
pub(super) fn handler<P: Peripherals>(i: &Instruction) -> Handler<P> {
    // A test sees to it that every operation has a body; one without would be illegal.
    find::<P>(i).unwrap_or_else(|| handler(&Instruction::new(Op::Illegal)))
}

pub(super) fn find<P: Peripherals>(i: &Instruction) -> Option<Handler<P>> {
    immediate(i)
        .or_else(|| register(i))
        .or_else(|| memory(i))
        .or_else(|| flow(i))
        .or_else(|| system(i))
        .or_else(|| pico(i))
}

fn immediate<P: Peripherals>(i: &Instruction) -> Option<Handler<P>> {
    Some(match i.op {
        // AUIPC's sum is known when a block is built.
        Op::Mark => |cpu, bus, block, step, rest| {
            cpu.marks.pass(step.i.imm, cpu.now);
            next(cpu, bus, block, rest)
        },
        Op::Lui | Op::Auipc => |cpu, bus, block, step, rest| {
            cpu.put(step.i.rd, step.i.imm);
            next(cpu, bus, block, rest)
        },
        Op::Push => |cpu, bus, block, step, rest| {
            let from = cpu.get(2);
            cpu.put(2, from.wrapping_add(step.i.imm));
            cpu.main_stack.push(from, cpu.get(2));
            next(cpu, bus, block, rest)
        },
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

fn register<P: Peripherals>(i: &Instruction) -> Option<Handler<P>> {
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
        Op::Div | Op::Divu | Op::Rem | Op::Remu => |cpu, bus, block, step, rest| {
            let result = cpu.divide(step.i.op, cpu.get(step.i.rs1), cpu.get(step.i.rs2));
            cpu.put(step.i.rd, result);
            next(cpu, bus, block, rest)
        },
        _ => return None,
    })
}

fn memory<P: Peripherals>(i: &Instruction) -> Option<Handler<P>> {
    Some(match i.op {
        Op::Lb => load!(Byte, |value| value as i8 as u32),
        Op::Lh => load!(Half, |value| value as i16 as u32),
        Op::Lw => load!(Word, |value| value),
        Op::Lbu => load!(Byte, |value| value),
        Op::Lhu => load!(Half, |value| value),
        Op::Sb => store!(Byte),
        Op::Sh => store!(Half),
        Op::Sw => store!(Word),
        _ if i.is_atomic() => access!(|cpu, bus, block, index, i| cpu.atomic(bus, block, index, i)),
        _ => return None,
    })
}

fn flow<P: Peripherals>(i: &Instruction) -> Option<Handler<P>> {
    Some(match i.op {
        Op::Jal => last!(|cpu, bus, block, index, i| {
            if i.imm & cpu.misalignment != 0 {
                return cpu.leave_at(block, index, Trap::new(Trap::INSTRUCTION_MISALIGNED, i.imm));
            }
            cpu.put(i.rd, block.next_pc);
            cpu.pc = i.imm;
            cpu.complete(block, Exit::Next)
        }),
        Op::Jalr => last!(|cpu, bus, block, index, i| {
            let target = cpu.get(i.rs1).wrapping_add(i.imm);
            cpu.jump_to(bus, block, index, target, i.rd)
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

fn system<P: Peripherals>(i: &Instruction) -> Option<Handler<P>> {
    Some(match i.op {
        // One hart, and no access overtakes another.
        Op::Fence => |cpu, bus, block, _, rest| next(cpu, bus, block, rest),
        // What was stored is seen already; what comes next is fetched anew.
        Op::FenceI => last!(|cpu, bus, block, _index, i| cpu.complete(block, Exit::Next)),
        Op::Ecall => last!(|cpu, bus, block, index, i| cpu.call_environment(block, index)),
        Op::Ebreak => last!(|cpu, bus, block, index, i| cpu.breakpoint(bus, block, index)),
        Op::Mret => last!(|cpu, bus, block, index, i| cpu.mret(bus, block, index, block.places[index].detail.bits)),
        Op::Wfi => last!(|cpu, bus, block, index, i| cpu.wfi(block, index, block.places[index].detail.bits)),
        _ if i.is_csr() => access!(|cpu, bus, block, index, i| cpu.access_csr(bus, block, index, i)),
        Op::Illegal => last!(|cpu, bus, block, index, i| {
            cpu.leave_at(block, index, Trap::new(Trap::ILLEGAL, block.places[index].detail.bits))
        }),
        Op::FetchFault => last!(|cpu, bus, block, index, i| {
            cpu.leave_at(block, index, Trap::new(Trap::INSTRUCTION_ACCESS, i.imm))
        }),
        _ => return None,
    })
}

fn pico<P: Peripherals>(i: &Instruction) -> Option<Handler<P>> {
    Some(match i.op {
        Op::Getq => |cpu, bus, block, step, rest| {
            cpu.put(step.i.rd, cpu.pico.q[usize::from(step.i.rs1 & 3)]);
            next(cpu, bus, block, rest)
        },
        Op::Setq => |cpu, bus, block, step, rest| {
            cpu.pico.q[usize::from(step.i.rd & 3)] = cpu.get(step.i.rs1);
            next(cpu, bus, block, rest)
        },
        Op::Retirq => last!(|cpu, bus, block, _index, i| {
            let exit = cpu.complete(block, Exit::Next);
            cpu.pico_return(bus);
            exit
        }),
        Op::Maskirq => last!(|cpu, bus, block, _index, i| {
            let (before, mask) = (cpu.pico.mask, cpu.get(i.rs1));
            cpu.pico_set_mask(mask);
            cpu.put(i.rd, before);
            cpu.complete(block, Exit::Next)
        }),
        Op::Waitirq => last!(|cpu, bus, block, index, i| cpu.waitirq(block, index, i.rd)),
        Op::Timer => last!(|cpu, bus, block, index, i| {
            let at = cpu.phase(block, index, cpu.config.timing.counter_phase);
            let left = cpu.pico_timer(at, cpu.get(i.rs1));
            cpu.put(i.rd, left);
            cpu.complete(block, Exit::Next)
        }),
        _ => return None,
    })
}
