//! The table from operations to the bodies that carry them out, looked up once, when a block is built.

use cyclescope_engine::{Execute as _, Flow, Outcome, body};

use super::alu::{mixed, signed};
use super::{Exit, Handler};
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op, X, Y, Z};
use crate::hooks::AvrPeripherals;

/// Computes the register that it names.
macro_rules! result {
    (|$cpu:ident, $i:ident| $value:expr) => {
        body!(|$cpu, $i| {
            let result = $value;
            $cpu.set($i.rd, result);
        })
    };
}
/// Computes the pair of registers that it names.
macro_rules! pair {
    (|$cpu:ident, $i:ident| $value:expr) => {
        body!(|$cpu, $i| {
            let result = $value;
            $cpu.set_pair($i.rd, result);
        })
    };
}
/// The last step of its block, which may branch when the condition holds.
macro_rules! branch_if {
    (|$cpu:ident, $i:ident| $condition:expr) => {
        body!(|$cpu, _, here, $i| {
            if $condition {
                $cpu.take(here, $i.imm);
            }
            Flow::Ends(Exit::Next)
        })
    };
}
/// The last step of its block, which may skip the next instruction.
macro_rules! skip_if {
    (|$cpu:ident, $bus:pat_param, $here:ident, $i:ident| $condition:expr) => {
        body!(|$cpu, $bus, $here, $i| {
            if $condition {
                $cpu.skip($here, $i.skipped);
            }
            Flow::Ends(Exit::Next)
        })
    };
}
/// A load: the address, then what else moves. A loaded register wins over a moved pointer.
macro_rules! load {
    (|$cpu:ident, $i:ident| $address:expr $(, $pointer:ident becomes $moved:expr)?) => {
        body!(|$cpu, bus, here, $i| {
            $cpu.load_ram(bus, $address).map(|value| {
                $($cpu.set_pair($pointer, $moved);)?
                $cpu.set($i.rd, value);
            })
        }; {
            let address = $address;
            $($cpu.set_pair($pointer, $moved);)?
            let (value, leave) = $cpu.load_slow(bus, $cpu.access(here, $cpu.config.timing.data_phase, address));
            $cpu.set($i.rd, value);
            leave
        })
    };
}
/// A store: what is stored is read before the pointer moves.
macro_rules! store {
    (|$cpu:ident, $i:ident| $address:expr $(, $pointer:ident becomes $moved:expr)?) => {
        body!(|$cpu, bus, here, $i| {
            $cpu.store_ram(bus, $address, $cpu.get($i.rd)).then(|| { $($cpu.set_pair($pointer, $moved))? })
        }; {
            let (address, value) = ($address, $cpu.get($i.rd));
            $($cpu.set_pair($pointer, $moved);)?
            $cpu.store_slow(bus, $cpu.access(here, $cpu.config.timing.data_phase, address), value)
        })
    };
}
/// A load or store at a pointer, which moves on behind it or back before it.
macro_rules! onward {
    ($access:ident, $pointer:ident) => {
        $access!(|cpu, i| cpu.pair($pointer), $pointer becomes cpu.pair($pointer).wrapping_add(1))
    };
}
macro_rules! backward {
    ($access:ident, $pointer:ident) => {
        $access!(|cpu, i| cpu.pair($pointer).wrapping_sub(1), $pointer becomes cpu.pair($pointer).wrapping_sub(1))
    };
}

/// A load from program memory. In its short form the register is r0, which is what no operand decodes to.
macro_rules! program {
    ($extended:literal, $moves:literal) => {
        body!(|cpu, bus, _, i| {
            let value = cpu.program_byte(bus, $extended);
            if $moves {
                cpu.next_program_byte($extended);
            }
            cpu.set(i.rd, value);
        })
    };
}

/// The handler of `i`.
pub(crate) fn handler<P: AvrPeripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Handler<P, R> {
    // A test sees to it that every operation has a body; one without would be reserved.
    find(i).unwrap_or_else(|| handler(&Instruction::new(Op::Reserved)))
}

pub(super) fn find<P: AvrPeripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    arithmetic(i).or_else(|| bits(i)).or_else(|| flow(i)).or_else(|| moves(i)).or_else(|| core(i))
}

fn arithmetic<P: AvrPeripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Add => result!(|cpu, i| cpu.add(cpu.get(i.rd), cpu.get(i.rr), false)),
        Op::Adc => result!(|cpu, i| cpu.add(cpu.get(i.rd), cpu.get(i.rr), cpu.c)),
        Op::Sub => result!(|cpu, i| cpu.sub(cpu.get(i.rd), cpu.get(i.rr))),
        Op::Subi => result!(|cpu, i| cpu.sub(cpu.get(i.rd), i.imm as u8)),
        Op::Sbc => result!(|cpu, i| cpu.sbc(cpu.get(i.rd), cpu.get(i.rr))),
        Op::Sbci => result!(|cpu, i| cpu.sbc(cpu.get(i.rd), i.imm as u8)),
        Op::Cp => body!(|cpu, i| {
            cpu.sub(cpu.get(i.rd), cpu.get(i.rr));
        }),
        Op::Cpi => body!(|cpu, i| {
            cpu.sub(cpu.get(i.rd), i.imm as u8);
        }),
        Op::Cpc => body!(|cpu, i| {
            cpu.sbc(cpu.get(i.rd), cpu.get(i.rr));
        }),
        Op::Neg => result!(|cpu, i| cpu.sub(0, cpu.get(i.rd))),
        Op::And => result!(|cpu, i| cpu.logic(cpu.get(i.rd) & cpu.get(i.rr))),
        Op::Andi => result!(|cpu, i| cpu.logic(cpu.get(i.rd) & i.imm as u8)),
        Op::Or => result!(|cpu, i| cpu.logic(cpu.get(i.rd) | cpu.get(i.rr))),
        Op::Ori => result!(|cpu, i| cpu.logic(cpu.get(i.rd) | i.imm as u8)),
        Op::Eor => result!(|cpu, i| cpu.logic(cpu.get(i.rd) ^ cpu.get(i.rr))),
        Op::Com => result!(|cpu, i| cpu.com(cpu.get(i.rd))),
        Op::Inc => result!(|cpu, i| cpu.inc(cpu.get(i.rd))),
        Op::Dec => result!(|cpu, i| cpu.dec(cpu.get(i.rd))),
        Op::Adiw => pair!(|cpu, i| cpu.adiw(cpu.pair(i.rd), i.imm as u16)),
        Op::Sbiw => pair!(|cpu, i| cpu.sbiw(cpu.pair(i.rd), i.imm as u16)),
        Op::Mul => body!(|cpu, i| cpu.multiply(u16::from(cpu.get(i.rd)) * u16::from(cpu.get(i.rr)))),
        Op::Muls => body!(|cpu, i| cpu.multiply(signed(cpu.get(i.rd), cpu.get(i.rr)))),
        Op::Mulsu => body!(|cpu, i| cpu.multiply(mixed(cpu.get(i.rd), cpu.get(i.rr)))),
        Op::Fmul => body!(|cpu, i| cpu.multiply_fraction(u16::from(cpu.get(i.rd)) * u16::from(cpu.get(i.rr)))),
        Op::Fmuls => body!(|cpu, i| cpu.multiply_fraction(signed(cpu.get(i.rd), cpu.get(i.rr)))),
        Op::Fmulsu => body!(|cpu, i| cpu.multiply_fraction(mixed(cpu.get(i.rd), cpu.get(i.rr)))),
        _ => return None,
    })
}

fn bits<P: AvrPeripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Lsr => result!(|cpu, i| cpu.shift_right(cpu.get(i.rd), 0)),
        Op::Asr => result!(|cpu, i| cpu.shift_right(cpu.get(i.rd), cpu.get(i.rd))),
        Op::Ror => result!(|cpu, i| cpu.shift_right(cpu.get(i.rd), u8::from(cpu.c) << 7)),
        Op::Swap => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rd).rotate_left(4))),
        Op::Bst => body!(|cpu, i| cpu.t = cpu.get(i.rd) >> (i.rr & 7) & 1 != 0),
        Op::Bld => body!(|cpu, i| {
            let bit = i.rr & 7;
            cpu.set(i.rd, cpu.get(i.rd) & !(1 << bit) | u8::from(cpu.t) << bit);
        }),
        Op::Bset if i.rr == 7 => body!(|cpu, bus, here, _| {
            cpu.i = true;
            cpu.complete(here.block, Exit::Next);
            cpu.allow_interrupts(bus);
            Flow::Leaves(Exit::Next)
        }),
        Op::Bclr if i.rr == 7 => body!(|cpu, _| cpu.i = false),
        Op::Bset if i.rr == 6 => body!(|cpu, _| cpu.t = true),
        Op::Bclr if i.rr == 6 => body!(|cpu, _| cpu.t = false),
        Op::Bset if i.rr == 0 => body!(|cpu, _| cpu.c = true),
        Op::Bclr if i.rr == 0 => body!(|cpu, _| cpu.c = false),
        Op::Bset => body!(|cpu, i| cpu.write_flag(i.rr, true)),
        Op::Bclr => body!(|cpu, i| cpu.write_flag(i.rr, false)),
        _ => return None,
    })
}

fn flow<P: AvrPeripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Rjmp | Op::Jmp => body!(|cpu, i| {
            cpu.pc = i.imm;
            Flow::Ends(Exit::Next)
        }),
        Op::Ijmp => body!(|cpu, _, here, _| cpu.jump(here, cpu.indirect(false))),
        Op::Eijmp => body!(|cpu, _, here, _| cpu.jump(here, cpu.indirect(true))),
        Op::Rcall | Op::Call => body!(|cpu, bus, here, i| cpu.call(bus, here, i.imm)),
        Op::Icall => body!(|cpu, bus, here, _| cpu.call(bus, here, cpu.indirect(false))),
        Op::Eicall => body!(|cpu, bus, here, _| cpu.call(bus, here, cpu.indirect(true))),
        Op::Ret => body!(|cpu, bus, here, _| cpu.ret(bus, here)),
        Op::Reti => body!(|cpu, bus, here, _| {
            let flow = cpu.ret(bus, here);
            if flow != Flow::Ends(Exit::Next) {
                return flow;
            }
            cpu.complete(here.block, Exit::Next);
            cpu.leave_handler(bus);
            Flow::Leaves(Exit::Next)
        }),
        Op::Brbs => match i.rr & 7 {
            0 => branch_if!(|cpu, i| cpu.c),
            1 => branch_if!(|cpu, i| cpu.not_z == 0),
            2 => branch_if!(|cpu, i| cpu.n & 0x80 != 0),
            4 => branch_if!(|cpu, i| cpu.s & 0x80 != 0),
            _ => branch_if!(|cpu, i| cpu.flag(i.rr)),
        },
        Op::Brbc => match i.rr & 7 {
            0 => branch_if!(|cpu, i| !cpu.c),
            1 => branch_if!(|cpu, i| cpu.not_z != 0),
            2 => branch_if!(|cpu, i| cpu.n & 0x80 == 0),
            4 => branch_if!(|cpu, i| cpu.s & 0x80 == 0),
            _ => branch_if!(|cpu, i| !cpu.flag(i.rr)),
        },
        Op::Cpse => skip_if!(|cpu, _, here, i| cpu.get(i.rd) == cpu.get(i.rr)),
        Op::Sbrc => skip_if!(|cpu, _, here, i| cpu.get(i.rd) >> (i.rr & 7) & 1 == 0),
        Op::Sbrs => skip_if!(|cpu, _, here, i| cpu.get(i.rd) >> (i.rr & 7) & 1 != 0),
        Op::Sbic => skip_if!(|cpu, bus, here, i| !cpu.input_bit(bus, here)),
        Op::Sbis => skip_if!(|cpu, bus, here, i| cpu.input_bit(bus, here)),
        _ => return None,
    })
}

fn moves<P: AvrPeripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Mov => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rr))),
        Op::Movw => body!(|cpu, i| cpu.set_pair(i.rd, cpu.pair(i.rr))),
        Op::Ldi => body!(|cpu, i| cpu.set(i.rd, i.imm as u8)),
        Op::Lds => load!(|cpu, i| i.imm as u16),
        Op::LdX => load!(|cpu, i| cpu.pair(X)),
        Op::LdXInc => onward!(load, X),
        Op::LdXDec => backward!(load, X),
        Op::LddY => load!(|cpu, i| cpu.pair(Y).wrapping_add(i.imm as u16)),
        Op::LdYInc => onward!(load, Y),
        Op::LdYDec => backward!(load, Y),
        Op::LddZ => load!(|cpu, i| cpu.pair(Z).wrapping_add(i.imm as u16)),
        Op::LdZInc => onward!(load, Z),
        Op::LdZDec => backward!(load, Z),
        Op::Sts => store!(|cpu, i| i.imm as u16),
        Op::StX => store!(|cpu, i| cpu.pair(X)),
        Op::StXInc => onward!(store, X),
        Op::StXDec => backward!(store, X),
        Op::StdY => store!(|cpu, i| cpu.pair(Y).wrapping_add(i.imm as u16)),
        Op::StYInc => onward!(store, Y),
        Op::StYDec => backward!(store, Y),
        Op::StdZ => store!(|cpu, i| cpu.pair(Z).wrapping_add(i.imm as u16)),
        Op::StZInc => onward!(store, Z),
        Op::StZDec => backward!(store, Z),
        Op::LpmR0 | Op::Lpm => program!(false, false),
        Op::ElpmR0 | Op::Elpm => program!(true, false),
        Op::LpmInc => program!(false, true),
        Op::ElpmInc => program!(true, true),
        Op::Push => body!(|cpu, bus, here, i| {
            (cpu.sp > cpu.stack_floor && cpu.store_ram(bus, cpu.sp, cpu.get(i.rd))).then(|| {
                cpu.sp = cpu.sp.wrapping_sub(1);
                cpu.lowest_sp = cpu.lowest_sp.min(cpu.sp);
            })
        }; {
            let at = cpu.phase(here, cpu.config.timing.data_phase);
            cpu.push(bus, here.place().pc, at, cpu.get(i.rd));
            cpu.is_unsettled(bus)
        }),
        Op::Pop => body!(|cpu, bus, here, i| {
            let sp = cpu.sp.wrapping_add(1);
            cpu.load_ram(bus, sp).map(|value| {
                cpu.sp = sp;
                cpu.set(i.rd, value);
            })
        }; {
            let at = cpu.phase(here, cpu.config.timing.data_phase);
            let value = cpu.pop(bus, here.place().pc, at);
            cpu.set(i.rd, value);
            cpu.is_unsettled(bus)
        }),
        _ => return None,
    })
}

fn core<P: AvrPeripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::In => body!(|cpu, bus, here, i| {
            let (value, leave) = cpu.load_slow(bus, cpu.access(here, cpu.config.timing.io_phase, i.imm as u16));
            cpu.set(i.rd, value);
            leave
        }),
        Op::Out => body!(|cpu, bus, here, i| {
            let store = cpu.access(here, cpu.config.timing.io_phase, i.imm as u16);
            cpu.store_slow(bus, store, cpu.get(i.rd))
        }),
        Op::Sbi => body!(|cpu, bus, here, _| cpu.output_bit(bus, here, true)),
        Op::Cbi => body!(|cpu, bus, here, _| cpu.output_bit(bus, here, false)),
        Op::InSreg => body!(|cpu, i| cpu.set(i.rd, cpu.sreg())),
        Op::InSpl => body!(|cpu, i| cpu.set(i.rd, cpu.sp as u8)),
        Op::InSph => body!(|cpu, i| cpu.set(i.rd, (cpu.sp >> 8) as u8)),
        Op::OutSreg => body!(|cpu, bus, here, i| {
            let (before, value) = (cpu.i, cpu.get(i.rd));
            cpu.set_sreg(value);
            cpu.complete(here.block, Exit::Next);
            if cpu.i && !before {
                cpu.rows.insert(cpu.config.timing.delay_by_sreg);
                cpu.allow_interrupts(bus);
            }
            Flow::Leaves(Exit::Next)
        }),
        Op::OutSpl => body!(|cpu, i| cpu.write_sp(cpu.sp & 0xFF00 | u16::from(cpu.get(i.rd)))),
        Op::OutSph => body!(|cpu, i| cpu.write_sp(cpu.sp & 0xFF | u16::from(cpu.get(i.rd)) << 8)),
        Op::Spm => body!(|cpu, bus, here, _| {
            cpu.store_program(bus, here);
            Flow::Ends(Exit::Next)
        }),
        Op::Nop => body!(|_, _| ()),
        Op::Wdr => body!(|cpu, bus, here, _| cpu.reset_watchdog(bus, here)),
        Op::Sleep => body!(|_, _| Flow::Ends(Exit::Sleep)),
        Op::Break => body!(|cpu, _, here, _| {
            if cpu.config.debugger { cpu.leave_before(here, Exit::Break) } else { Flow::Ends(Exit::Next) }
        }),
        Op::NameUndefined => body!(|cpu, bus, here, _| {
            cpu.name_undefined(bus, here);
            false
        }),
        Op::Reserved | Op::Outside => body!(|cpu, _, here, i| {
            cpu.refuse(here.place().pc, i);
            cpu.leave_before(here, Exit::Fault)
        }),
        _ => return None,
    })
}
