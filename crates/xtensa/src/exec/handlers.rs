//! The table from operations to the bodies that carry them out, looked up once, when a block is built.

use cyclescope_engine::{Flow, Outcome, body};
use cyclescope_machine::{Peripherals, Width};

use super::arithmetic::{clamps, divide, funnel, left, nsa, right, right_signed, sext};
use super::{Exit, Handler, float};
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op, constant};
use crate::fault::{Cause, Fault};

/// Computes r from s and t.
macro_rules! rst {
    (|$s:ident, $t:ident| $result:expr) => {
        body!(|cpu, i| {
            let ($s, $t) = (cpu.get(i.s), cpu.get(i.t));
            cpu.set(i.r, $result);
        })
    };
}
/// Computes one register from another and the immediate.
macro_rules! one {
    ($to:ident, $from:ident, |$value:ident, $imm:ident| $result:expr) => {
        body!(|cpu, i| {
            let ($value, $imm) = (cpu.get(i.$from), i.imm);
            cpu.set(i.$to, $result);
        })
    };
}
/// Computes one register from another and SAR.
macro_rules! shift {
    ($from:ident, |$value:ident, $sar:ident| $result:expr) => {
        body!(|cpu, i| {
            let ($value, $sar) = (cpu.get(i.$from), cpu.sar);
            cpu.set(i.r, $result);
        })
    };
}
/// Moves s to r under a condition of t.
macro_rules! conditional {
    (|$t:ident| $condition:expr) => {
        body!(|cpu, i| {
            let $t = cpu.get(i.t) as i32;
            if $condition {
                cpu.set(i.r, cpu.get(i.s));
            }
        })
    };
}
/// Branches under a condition of s and t.
macro_rules! branch {
    (|$s:ident, $t:ident| $condition:expr) => {
        body!(|cpu, _, here, i| {
            let ($s, $t) = (cpu.get(i.s), cpu.get(i.t));
            if $condition { cpu.take(here, i.imm) } else { Flow::Next }
        })
    };
}
/// Branches under a condition of s and a constant.
macro_rules! compare {
    (|$s:ident, $c:ident| $condition:expr) => {
        body!(|cpu, _, here, i| {
            let ($s, $c) = (cpu.get(i.s), constant(i.op, i.r));
            if $condition { cpu.take(here, i.imm) } else { Flow::Next }
        })
    };
}
/// Branches under a condition of the core.
macro_rules! branch_if {
    (|$cpu:ident, $i:ident| $condition:expr) => {
        body!(|$cpu, _, here, $i| if $condition { $cpu.take(here, $i.imm) } else { Flow::Next })
    };
}
macro_rules! load {
    ($width:ident, |$value:ident| $converted:expr) => {
        body!(|cpu, bus, here, i| {
            let address = cpu.get(i.s).wrapping_add(i.imm);
            cpu.load_fast(bus, address, Width::$width).map(|$value| cpu.set(i.t, $converted))
        }; {
            let address = cpu.get(i.s).wrapping_add(i.imm);
            cpu.load_slow(bus, here, address, Width::$width).map(|($value, leave)| {
                cpu.set(i.t, $converted);
                leave
            })
        })
    };
}
macro_rules! store {
    ($width:ident) => {
        body!(|cpu, bus, here, i| {
            let (address, value) = (cpu.get(i.s).wrapping_add(i.imm), cpu.get(i.t));
            (cpu.store_fast(bus, address, Width::$width, value) && !bus.memory.code_changed()).then_some(())
        }; {
            let (address, value) = (cpu.get(i.s).wrapping_add(i.imm), cpu.get(i.t));
            cpu.store_slow(bus, here, address, Width::$width, value)
        })
    };
}
/// Computes a boolean register from two.
macro_rules! boolean {
    (|$s:ident, $t:ident| $result:expr) => {
        body!(|cpu, i| {
            let ($s, $t) = (cpu.boolean(i.s), cpu.boolean(i.t));
            cpu.set_boolean(i.r, $result);
        })
    };
}
/// Computes boolean register t from the `$count` that begin at s, whose number is a multiple of it.
macro_rules! booleans {
    ($count:literal, |$bits:ident, $all:ident| $result:expr) => {
        body!(|cpu, i| {
            let $all = (1u16 << $count) - 1;
            let $bits = cpu.booleans >> (i.s & !($count - 1)) & $all;
            cpu.set_boolean(i.t, $result);
        })
    };
}

/// The handler of `i`.
pub(crate) fn handler<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Handler<P, R> {
    // A test sees to it that every operation has a body; one without would be illegal.
    find(i).unwrap_or_else(|| handler(&Instruction::new(Op::Illegal)))
}

/// Tells whether `i` is one of those that wait for others and change nothing.
pub(crate) fn is_quiet(i: &Instruction) -> bool {
    matches!(i.op, Op::Memw | Op::Extw | Op::Rsync | Op::Esync | Op::Dsync | Op::Excw | Op::Window | Op::Literal)
        || matches!(i.op, Op::J | Op::LoopEnd | Op::Mark)
}

pub(super) fn find<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    compute(i)
        .or_else(|| shifts(i))
        .or_else(|| booleans(i))
        .or_else(|| memory(i))
        .or_else(|| branches(i))
        .or_else(|| flow(i))
        .or_else(|| system(i))
        .or_else(|| float::find(i))
}

fn compute<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Mark => body!(|cpu, i| cpu.marks.pass(i.imm, cpu.now)),
        Op::Add => rst!(|s, t| s.wrapping_add(t)),
        Op::Addx2 => rst!(|s, t| (s << 1).wrapping_add(t)),
        Op::Addx4 => rst!(|s, t| (s << 2).wrapping_add(t)),
        Op::Addx8 => rst!(|s, t| (s << 3).wrapping_add(t)),
        Op::Sub => rst!(|s, t| s.wrapping_sub(t)),
        Op::Subx2 => rst!(|s, t| (s << 1).wrapping_sub(t)),
        Op::Subx4 => rst!(|s, t| (s << 2).wrapping_sub(t)),
        Op::Subx8 => rst!(|s, t| (s << 3).wrapping_sub(t)),
        Op::And => rst!(|s, t| s & t),
        Op::Or => rst!(|s, t| s | t),
        Op::Xor => rst!(|s, t| s ^ t),
        Op::Neg => one!(r, t, |value, _imm| value.wrapping_neg()),
        Op::Abs => one!(r, t, |value, _imm| (value as i32).wrapping_abs() as u32),
        Op::Addi => one!(t, s, |value, imm| value.wrapping_add(imm)),
        Op::Push => body!(|cpu, i| {
            let from = cpu.get(1);
            cpu.set(1, from.wrapping_add(i.imm));
            cpu.main_stack.push(from, cpu.get(1));
        }),
        Op::Mov => one!(t, s, |value, _imm| value),
        Op::Movi | Op::Literal => body!(|cpu, i| cpu.set(i.t, i.imm)),
        Op::Extui => body!(|cpu, i| cpu.set(i.r, cpu.get(i.t) >> (i.s & 31) & i.imm)),
        Op::Nsa => one!(t, s, |value, _imm| nsa(value)),
        Op::Nsau => one!(t, s, |value, _imm| value.leading_zeros()),
        Op::Mul16u => rst!(|s, t| (s & 0xFFFF) * (t & 0xFFFF)),
        Op::Mul16s => rst!(|s, t| (i32::from(s as i16) * i32::from(t as i16)) as u32),
        Op::Mull => rst!(|s, t| s.wrapping_mul(t)),
        Op::Muluh => rst!(|s, t| ((u64::from(s) * u64::from(t)) >> 32) as u32),
        Op::Mulsh => rst!(|s, t| ((i64::from(s as i32) * i64::from(t as i32)) >> 32) as u32),
        Op::Sext => one!(r, s, |value, imm| sext(value, imm)),
        Op::Clamps => one!(r, s, |value, imm| clamps(value, imm)),
        Op::Min => rst!(|s, t| (s as i32).min(t as i32) as u32),
        Op::Max => rst!(|s, t| (s as i32).max(t as i32) as u32),
        Op::Minu => rst!(|s, t| s.min(t)),
        Op::Maxu => rst!(|s, t| s.max(t)),
        Op::Moveqz => conditional!(|t| t == 0),
        Op::Movnez => conditional!(|t| t != 0),
        Op::Movltz => conditional!(|t| t < 0),
        Op::Movgez => conditional!(|t| t >= 0),
        Op::Nop => body!(|_, _| ()),
        Op::Quou | Op::Quos | Op::Remu | Op::Rems => body!(|cpu, i| {
            let (s, t) = (cpu.get(i.s), cpu.get(i.t));
            if t == 0 {
                return_fault(Fault::new(Cause::DivideByZero))
            } else {
                cpu.set(i.r, divide(i.op, s, t));
                Ok(false)
            }
        }),
        Op::Umul | Op::Mul | Op::Mula | Op::Muls => body!(|cpu, i| cpu.multiply(i)),
        _ => return None,
    })
}

/// A refusal, as the answer of a body that otherwise has nothing to say.
fn return_fault(fault: Fault) -> Result<bool, Fault> {
    Err(fault)
}

fn shifts<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Slli => one!(r, s, |value, imm| (u64::from(value) << imm) as u32),
        Op::Srai => one!(r, t, |value, imm| (value as i32 >> (imm & 31)) as u32),
        Op::Srli => one!(r, t, |value, imm| value >> (imm & 31)),
        Op::Src => body!(|cpu, i| cpu.set(i.r, funnel(cpu.get(i.s), cpu.get(i.t), cpu.sar))),
        Op::Srl => shift!(t, |value, sar| right(value, sar)),
        Op::Sra => shift!(t, |value, sar| right_signed(value, sar)),
        Op::Sll => shift!(s, |value, sar| left(value, sar)),
        Op::Ssr => body!(|cpu, i| cpu.sar = cpu.get(i.s) & 31),
        Op::Ssl => body!(|cpu, i| cpu.sar = 32 - (cpu.get(i.s) & 31)),
        Op::Ssa8l => body!(|cpu, i| cpu.sar = 8 * (cpu.get(i.s) & 3)),
        Op::Ssa8b => body!(|cpu, i| cpu.sar = 32 - 8 * (cpu.get(i.s) & 3)),
        Op::Ssai => body!(|cpu, i| cpu.sar = i.imm),
        _ => return None,
    })
}

fn booleans<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Andb => boolean!(|s, t| s & t),
        Op::Andbc => boolean!(|s, t| s & !t),
        Op::Orb => boolean!(|s, t| s | t),
        Op::Orbc => boolean!(|s, t| s | !t),
        Op::Xorb => boolean!(|s, t| s ^ t),
        Op::Any4 => booleans!(4, |bits, _all| bits != 0),
        Op::All4 => booleans!(4, |bits, all| bits == all),
        Op::Any8 => booleans!(8, |bits, _all| bits != 0),
        Op::All8 => booleans!(8, |bits, all| bits == all),
        Op::Movf => body!(|cpu, i| {
            if !cpu.boolean(i.t) {
                cpu.set(i.r, cpu.get(i.s));
            }
        }),
        Op::Movt => body!(|cpu, i| {
            if cpu.boolean(i.t) {
                cpu.set(i.r, cpu.get(i.s));
            }
        }),
        _ => return None,
    })
}

fn memory<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::L8ui => load!(Byte, |value| value),
        Op::L16ui => load!(Half, |value| value),
        Op::L16si => load!(Half, |value| value as i16 as u32),
        Op::L32i | Op::L32ai | Op::L32e => load!(Word, |value| value),
        Op::L32r => body!(|cpu, bus, here, i| {
            let address = cpu.literal(here.place().pc, i.imm);
            cpu.load_slow(bus, here, address, Width::Word).map(|(value, leave)| {
                cpu.set(i.t, value);
                leave
            })
        }),
        Op::S8i => store!(Byte),
        Op::S16i => store!(Half),
        Op::S32i | Op::S32ri | Op::S32e => store!(Word),
        Op::S32c1i => body!(|cpu, bus, here, i| cpu.conditional_store(bus, here, i)),
        Op::MulaLoad | Op::LoadMac => body!(|cpu, bus, here, i| {
            let address = cpu.stepped(i);
            cpu.load_slow(bus, here, address, Width::Word).map(|(value, leave)| {
                cpu.loaded(i, address, value);
                leave
            })
        }),
        _ => return None,
    })
}

fn branches<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Beqz => branch!(|s, _t| s == 0),
        Op::Bnez => branch!(|s, _t| s != 0),
        Op::Bltz => branch!(|s, _t| (s as i32) < 0),
        Op::Bgez => branch!(|s, _t| s as i32 >= 0),
        Op::Beqi => compare!(|s, c| s == c),
        Op::Bnei => compare!(|s, c| s != c),
        Op::Blti => compare!(|s, c| (s as i32) < c as i32),
        Op::Bgei => compare!(|s, c| s as i32 >= c as i32),
        Op::Bltui => compare!(|s, c| s < c),
        Op::Bgeui => compare!(|s, c| s >= c),
        Op::Bnone => branch!(|s, t| s & t == 0),
        Op::Bany => branch!(|s, t| s & t != 0),
        Op::Ball => branch!(|s, t| !s & t == 0),
        Op::Bnall => branch!(|s, t| !s & t != 0),
        Op::Beq => branch!(|s, t| s == t),
        Op::Bne => branch!(|s, t| s != t),
        Op::Blt => branch!(|s, t| (s as i32) < t as i32),
        Op::Bge => branch!(|s, t| s as i32 >= t as i32),
        Op::Bltu => branch!(|s, t| s < t),
        Op::Bgeu => branch!(|s, t| s >= t),
        Op::Bbc => branch!(|s, t| s >> (t & 31) & 1 == 0),
        Op::Bbs => branch!(|s, t| s >> (t & 31) & 1 != 0),
        Op::Bbci => branch_if!(|cpu, i| cpu.get(i.s) >> (i.t & 31) & 1 == 0),
        Op::Bbsi => branch_if!(|cpu, i| cpu.get(i.s) >> (i.t & 31) & 1 != 0),
        Op::Bf => branch_if!(|cpu, i| !cpu.boolean(i.s)),
        Op::Bt => branch_if!(|cpu, i| cpu.boolean(i.s)),
        _ => return None,
    })
}

fn flow<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::J => body!(|cpu, _, here, i| cpu.jump(here, i.imm)),
        Op::Jx => body!(|cpu, bus, here, i| cpu.jump_to(bus, here, cpu.get(i.s))),
        Op::Ret => body!(|cpu, bus, here, _| cpu.jump_to(bus, here, cpu.get(0))),
        Op::Retw => body!(|cpu, bus, here, _| cpu.return_window(bus, here)),
        Op::Call0 => body!(|cpu, _, here, i| {
            cpu.link(here.place().next_pc);
            cpu.jump(here, i.imm)
        }),
        Op::Callx0 => body!(|cpu, bus, here, i| {
            let target = cpu.get(i.s);
            cpu.link(here.place().next_pc);
            cpu.jump_to(bus, here, target)
        }),
        Op::Call4 | Op::Call8 | Op::Call12 => body!(|cpu, _, here, i| {
            cpu.link_windowed(i.call_increment(), here.place().next_pc);
            cpu.jump(here, i.imm)
        }),
        Op::Callx4 | Op::Callx8 | Op::Callx12 => body!(|cpu, bus, here, i| {
            let target = cpu.get(i.s);
            cpu.link_windowed(i.call_increment(), here.place().next_pc);
            cpu.jump_to(bus, here, target)
        }),
        Op::Entry => body!(|cpu, _, here, i| cpu.entry(here, i)),
        Op::Loop | Op::Loopnez | Op::Loopgtz => body!(|cpu, _, here, i| cpu.begin_loop(here, i)),
        Op::LoopEnd => body!(|cpu, _, here, _| cpu.end_loop(here)),
        Op::Window => body!(|cpu, _, here, i| if i.t > cpu.usable { cpu.overflow(here) } else { Flow::Next }),
        Op::Movsp => body!(|cpu, _, here, i| cpu.movsp(here, i)),
        Op::Rotw => body!(|cpu, i| {
            cpu.rotate(((i.imm << 28) as i32) >> 28);
        }),
        _ => return None,
    })
}

fn system<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Isync | Op::Rsync | Op::Esync | Op::Dsync | Op::Excw | Op::Memw | Op::Extw | Op::Cache => {
            body!(|_, _| ())
        }
        Op::Iitlb | Op::Idtlb => body!(|_, _| ()),
        Op::Rfe | Op::Rfde | Op::Rfi | Op::Rfwo | Op::Rfwu => body!(|cpu, bus, here, i| cpu.come_back(bus, here, i)),
        Op::Break | Op::BreakN => body!(|cpu, _, here, i| cpu.breakpoint(here, i)),
        Op::Syscall => body!(|cpu, _, here, _| cpu.leave_at(here, Fault::new(Cause::Syscall))),
        Op::Simcall => body!(|cpu, _, here, _| {
            if cpu.config.semihosting {
                cpu.leave_before(here, Exit::Semihosting)
            } else {
                // Hardware has no such instruction (chapter 6, SIMCALL).
                cpu.leave_at(here, Fault::ILLEGAL)
            }
        }),
        Op::Rsil => body!(|cpu, i| {
            cpu.set(i.t, cpu.ps.bits());
            cpu.set_ps(crate::ps::Ps { level: i.imm as u8, ..cpu.ps });
            // An interrupt that it lets in comes before the next instruction.
            Ok(cpu.takeable().is_some())
        }),
        Op::Waiti => body!(|cpu, _, here, i| cpu.wait(here, i.imm)),
        Op::Rsr => body!(|cpu, _, here, i| {
            let at = cpu.phase(here, cpu.config.timing.counter_phase);
            cpu.set(i.t, cpu.read_special(i.imm, at));
        }),
        Op::Wsr => body!(|cpu, bus, here, i| {
            let at = cpu.phase(here, cpu.config.timing.counter_phase);
            cpu.write_special(bus, i.imm, cpu.get(i.t), at);
        }),
        Op::Xsr => body!(|cpu, bus, here, i| {
            let at = cpu.phase(here, cpu.config.timing.counter_phase);
            let (old, new) = (cpu.read_special(i.imm, at), cpu.get(i.t));
            cpu.set(i.t, old);
            cpu.write_special(bus, i.imm, new, at);
        }),
        Op::Rur => body!(|cpu, i| cpu.set(i.r, cpu.read_user(i.imm))),
        Op::Wur => body!(|cpu, i| cpu.write_user(i.imm, cpu.get(i.t))),
        // The ESP32 has nothing at the bus of external registers that programs use: reads give zeros.
        Op::Rer => body!(|cpu, i| cpu.set(i.t, 0)),
        Op::Wer => body!(|_, _| ()),
        Op::Ritlb0 | Op::Ritlb1 | Op::Pitlb | Op::Rdtlb0 | Op::Rdtlb1 | Op::Pdtlb => {
            body!(|cpu, i| cpu.set(i.t, cpu.read_region(i.op, cpu.get(i.s))))
        }
        Op::Witlb | Op::Wdtlb => body!(|cpu, i| cpu.write_region(i.op, cpu.get(i.s), cpu.get(i.t))),
        Op::Illegal => body!(|cpu, _, here, _| cpu.leave_at(here, Fault::ILLEGAL)),
        Op::FetchFault => body!(|cpu, _, here, i| cpu.leave_at(here, Fault::at(Cause::FetchAddress, i.imm))),
        _ => return None,
    })
}
