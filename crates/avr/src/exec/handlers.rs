//! The table from operations to the bodies that carry them out, looked up once, when a block is built.

use cyclescope_engine::{Execute as _, index, next};

use super::alu::{mixed, signed};
use super::{Exit, Handler};
use crate::decode::{Instruction, Op, X, Y, Z};
use crate::hooks::AvrPeripherals;

/// Touches registers only.
macro_rules! plain {
    (|$cpu:ident, $i:ident| $body:expr) => {
        |$cpu, bus, block, step, rest| {
            let $i = &step.i;
            $body;
            next($cpu, bus, block, rest)
        }
    };
}
/// The last step of its block, which may branch or skip when the condition holds.
macro_rules! branch_if {
    (|$cpu:ident, $i:ident| $condition:expr) => {
        |$cpu, _, block, step, _| {
            let $i = &step.i;
            if $condition {
                $cpu.take(block, $i.imm);
            }
            $cpu.complete(block, Exit::Next)
        }
    };
}
macro_rules! skip_if {
    (|$cpu:ident, $bus:ident, $block:ident, $index:ident, $i:ident| $condition:expr) => {
        |$cpu, $bus, $block, step, rest| {
            let ($i, $index) = (&step.i, index($block, rest));
            if $condition {
                $cpu.skip($block, $i.skipped);
            }
            $cpu.complete($block, Exit::Next)
        }
    };
}
/// A load: the address, then what else moves. A loaded register wins over a moved pointer.
macro_rules! load {
    (|$cpu:ident, $i:ident| $address:expr) => {
        |$cpu, bus, block, step, rest| {
            let $i = &step.i;
            let address: u16 = $address;
            match $cpu.load_ram(bus, address) {
                Some(value) => $cpu.set($i.rd, value),
                None => {
                    let (value, leave) = $cpu.load_slow(bus, block, index(block, rest), address);
                    $cpu.set($i.rd, value);
                    if leave {
                        return $cpu.leave_after(block, index(block, rest));
                    }
                }
            }
            next($cpu, bus, block, rest)
        }
    };
}
/// A store: what is stored is read before the pointer moves.
macro_rules! store {
    (|$cpu:ident, $i:ident| $address:expr) => {
        |$cpu, bus, block, step, rest| {
            let $i = &step.i;
            let value = $cpu.get($i.rd);
            let address: u16 = $address;
            if !$cpu.store_ram(bus, address, value) && $cpu.store_slow(bus, block, index(block, rest), address, value) {
                return $cpu.leave_after(block, index(block, rest));
            }
            next($cpu, bus, block, rest)
        }
    };
}
/// The body says whether the block must be left behind it.
macro_rules! access {
    (|$cpu:ident, $bus:ident, $block:ident, $index:ident, $i:ident| $body:expr) => {
        |$cpu, $bus, $block, step, rest| {
            let ($i, $index) = (&step.i, index($block, rest));
            if $body {
                return $cpu.leave_after($block, $index);
            }
            next($cpu, $bus, $block, rest)
        }
    };
}
/// The last step of its block: the body says how it ends.
macro_rules! last {
    (|$cpu:ident, $bus:ident, $block:ident, $index:ident, $i:ident| $body:expr) => {
        |$cpu, $bus, $block, step, rest| {
            let ($i, $index) = (&step.i, index($block, rest));
            let _ = $i;
            $body
        }
    };
}
macro_rules! moving {
    (+ $pointer:ident, $cpu:ident) => {{
        let address = $cpu.pair($pointer);
        $cpu.set_pair($pointer, address.wrapping_add(1));
        address
    }};
    (- $pointer:ident, $cpu:ident) => {{
        let address = $cpu.pair($pointer).wrapping_sub(1);
        $cpu.set_pair($pointer, address);
        address
    }};
}

/// A load from program memory. In its short form the register is r0, which is what no operand decodes to.
macro_rules! program {
    ($extended:literal) => {
        |cpu, bus, block, step, rest| {
            let value = cpu.program_byte(bus, $extended);
            cpu.set(step.i.rd, value);
            next(cpu, bus, block, rest)
        }
    };
    ($extended:literal, moving) => {
        |cpu, bus, block, step, rest| {
            let value = cpu.program_byte(bus, $extended);
            cpu.next_program_byte($extended);
            cpu.set(step.i.rd, value);
            next(cpu, bus, block, rest)
        }
    };
}

/// The handler of `i`.
pub(super) fn handler<P: AvrPeripherals>(i: &Instruction) -> Handler<P> {
    // A test sees to it that every operation has a body; one without would be reserved.
    find::<P>(i).unwrap_or_else(|| handler(&Instruction::new(Op::Reserved)))
}

pub(super) fn find<P: AvrPeripherals>(i: &Instruction) -> Option<Handler<P>> {
    arithmetic(i).or_else(|| bits(i)).or_else(|| flow(i)).or_else(|| moves(i)).or_else(|| core(i))
}

fn arithmetic<P: AvrPeripherals>(i: &Instruction) -> Option<Handler<P>> {
    Some(match i.op {
        Op::Add => plain!(|cpu, i| {
            let result = cpu.add(cpu.get(i.rd), cpu.get(i.rr), false);
            cpu.set(i.rd, result);
        }),
        Op::Adc => plain!(|cpu, i| {
            let result = cpu.add(cpu.get(i.rd), cpu.get(i.rr), cpu.c);
            cpu.set(i.rd, result);
        }),
        Op::Sub => plain!(|cpu, i| {
            let result = cpu.sub(cpu.get(i.rd), cpu.get(i.rr));
            cpu.set(i.rd, result);
        }),
        Op::Subi => plain!(|cpu, i| {
            let result = cpu.sub(cpu.get(i.rd), i.imm as u8);
            cpu.set(i.rd, result);
        }),
        Op::Sbc => plain!(|cpu, i| {
            let result = cpu.sbc(cpu.get(i.rd), cpu.get(i.rr));
            cpu.set(i.rd, result);
        }),
        Op::Sbci => plain!(|cpu, i| {
            let result = cpu.sbc(cpu.get(i.rd), i.imm as u8);
            cpu.set(i.rd, result);
        }),
        Op::Cp => plain!(|cpu, i| cpu.sub(cpu.get(i.rd), cpu.get(i.rr))),
        Op::Cpi => plain!(|cpu, i| cpu.sub(cpu.get(i.rd), i.imm as u8)),
        Op::Cpc => plain!(|cpu, i| cpu.sbc(cpu.get(i.rd), cpu.get(i.rr))),
        Op::Neg => plain!(|cpu, i| {
            let result = cpu.sub(0, cpu.get(i.rd));
            cpu.set(i.rd, result);
        }),
        Op::And => plain!(|cpu, i| {
            let result = cpu.logic(cpu.get(i.rd) & cpu.get(i.rr));
            cpu.set(i.rd, result);
        }),
        Op::Andi => plain!(|cpu, i| {
            let result = cpu.logic(cpu.get(i.rd) & i.imm as u8);
            cpu.set(i.rd, result);
        }),
        Op::Or => plain!(|cpu, i| {
            let result = cpu.logic(cpu.get(i.rd) | cpu.get(i.rr));
            cpu.set(i.rd, result);
        }),
        Op::Ori => plain!(|cpu, i| {
            let result = cpu.logic(cpu.get(i.rd) | i.imm as u8);
            cpu.set(i.rd, result);
        }),
        Op::Eor => plain!(|cpu, i| {
            let result = cpu.logic(cpu.get(i.rd) ^ cpu.get(i.rr));
            cpu.set(i.rd, result);
        }),
        Op::Com => plain!(|cpu, i| {
            let result = cpu.com(cpu.get(i.rd));
            cpu.set(i.rd, result);
        }),
        Op::Inc => plain!(|cpu, i| {
            let result = cpu.inc(cpu.get(i.rd));
            cpu.set(i.rd, result);
        }),
        Op::Dec => plain!(|cpu, i| {
            let result = cpu.dec(cpu.get(i.rd));
            cpu.set(i.rd, result);
        }),
        Op::Adiw => plain!(|cpu, i| {
            let result = cpu.adiw(cpu.pair(i.rd), i.imm as u16);
            cpu.set_pair(i.rd, result);
        }),
        Op::Sbiw => plain!(|cpu, i| {
            let result = cpu.sbiw(cpu.pair(i.rd), i.imm as u16);
            cpu.set_pair(i.rd, result);
        }),
        Op::Mul => plain!(|cpu, i| cpu.multiply(u16::from(cpu.get(i.rd)) * u16::from(cpu.get(i.rr)))),
        Op::Muls => plain!(|cpu, i| cpu.multiply(signed(cpu.get(i.rd), cpu.get(i.rr)))),
        Op::Mulsu => plain!(|cpu, i| cpu.multiply(mixed(cpu.get(i.rd), cpu.get(i.rr)))),
        Op::Fmul => plain!(|cpu, i| cpu.multiply_fraction(u16::from(cpu.get(i.rd)) * u16::from(cpu.get(i.rr)))),
        Op::Fmuls => plain!(|cpu, i| cpu.multiply_fraction(signed(cpu.get(i.rd), cpu.get(i.rr)))),
        Op::Fmulsu => plain!(|cpu, i| cpu.multiply_fraction(mixed(cpu.get(i.rd), cpu.get(i.rr)))),
        _ => return None,
    })
}

fn bits<P: AvrPeripherals>(i: &Instruction) -> Option<Handler<P>> {
    Some(match i.op {
        Op::Lsr => plain!(|cpu, i| {
            let result = cpu.shift_right(cpu.get(i.rd), 0);
            cpu.set(i.rd, result);
        }),
        Op::Asr => plain!(|cpu, i| {
            let result = cpu.shift_right(cpu.get(i.rd), cpu.get(i.rd));
            cpu.set(i.rd, result);
        }),
        Op::Ror => plain!(|cpu, i| {
            let result = cpu.shift_right(cpu.get(i.rd), u8::from(cpu.c) << 7);
            cpu.set(i.rd, result);
        }),
        Op::Swap => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rd).rotate_left(4))),
        Op::Bst => plain!(|cpu, i| cpu.t = cpu.get(i.rd) >> (i.rr & 7) & 1 != 0),
        Op::Bld => plain!(|cpu, i| {
            let bit = i.rr & 7;
            cpu.set(i.rd, cpu.get(i.rd) & !(1 << bit) | u8::from(cpu.t) << bit);
        }),
        Op::Bset if i.rr == 7 => last!(|cpu, bus, block, _index, i| {
            cpu.i = true;
            let exit = cpu.complete(block, Exit::Next);
            cpu.allow_interrupts(bus);
            exit
        }),
        Op::Bclr if i.rr == 7 => plain!(|cpu, _i| cpu.i = false),
        Op::Bset if i.rr == 6 => plain!(|cpu, _i| cpu.t = true),
        Op::Bclr if i.rr == 6 => plain!(|cpu, _i| cpu.t = false),
        Op::Bset if i.rr == 0 => plain!(|cpu, _i| cpu.c = true),
        Op::Bclr if i.rr == 0 => plain!(|cpu, _i| cpu.c = false),
        Op::Bset => plain!(|cpu, i| cpu.write_flag(i.rr, true)),
        Op::Bclr => plain!(|cpu, i| cpu.write_flag(i.rr, false)),
        _ => return None,
    })
}

fn flow<P: AvrPeripherals>(i: &Instruction) -> Option<Handler<P>> {
    Some(match i.op {
        Op::Rjmp | Op::Jmp => last!(|cpu, _bus, block, _index, i| {
            cpu.pc = i.imm;
            cpu.complete(block, Exit::Next)
        }),
        Op::Ijmp => last!(|cpu, _bus, block, index, i| cpu.jump(block, index, cpu.indirect(false))),
        Op::Eijmp => last!(|cpu, _bus, block, index, i| cpu.jump(block, index, cpu.indirect(true))),
        Op::Rcall | Op::Call => last!(|cpu, bus, block, index, i| cpu.call(bus, block, index, i.imm)),
        Op::Icall => last!(|cpu, bus, block, index, i| cpu.call(bus, block, index, cpu.indirect(false))),
        Op::Eicall => last!(|cpu, bus, block, index, i| cpu.call(bus, block, index, cpu.indirect(true))),
        Op::Ret => last!(|cpu, bus, block, index, i| cpu.ret(bus, block, index)),
        Op::Reti => last!(|cpu, bus, block, index, i| {
            let exit = cpu.ret(bus, block, index);
            if exit == Exit::Next {
                cpu.leave_handler(bus);
            }
            exit
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
        Op::Cpse => skip_if!(|cpu, _bus, block, _index, i| cpu.get(i.rd) == cpu.get(i.rr)),
        Op::Sbrc => skip_if!(|cpu, _bus, block, _index, i| cpu.get(i.rd) >> (i.rr & 7) & 1 == 0),
        Op::Sbrs => skip_if!(|cpu, _bus, block, _index, i| cpu.get(i.rd) >> (i.rr & 7) & 1 != 0),
        Op::Sbic => skip_if!(|cpu, bus, block, index, i| !cpu.input_bit(bus, block, index, i)),
        Op::Sbis => skip_if!(|cpu, bus, block, index, i| cpu.input_bit(bus, block, index, i)),
        _ => return None,
    })
}

fn moves<P: AvrPeripherals>(i: &Instruction) -> Option<Handler<P>> {
    Some(match i.op {
        Op::Mov => plain!(|cpu, i| cpu.set(i.rd, cpu.get(i.rr))),
        Op::Movw => plain!(|cpu, i| cpu.set_pair(i.rd, cpu.pair(i.rr))),
        Op::Ldi => plain!(|cpu, i| cpu.set(i.rd, i.imm as u8)),
        Op::Lds => load!(|cpu, i| i.imm as u16),
        Op::LdX => load!(|cpu, i| cpu.pair(X)),
        Op::LdXInc => load!(|cpu, i| moving!(+ X, cpu)),
        Op::LdXDec => load!(|cpu, i| moving!(-X, cpu)),
        Op::LddY => load!(|cpu, i| cpu.pair(Y).wrapping_add(i.imm as u16)),
        Op::LdYInc => load!(|cpu, i| moving!(+ Y, cpu)),
        Op::LdYDec => load!(|cpu, i| moving!(-Y, cpu)),
        Op::LddZ => load!(|cpu, i| cpu.pair(Z).wrapping_add(i.imm as u16)),
        Op::LdZInc => load!(|cpu, i| moving!(+ Z, cpu)),
        Op::LdZDec => load!(|cpu, i| moving!(-Z, cpu)),
        Op::Sts => store!(|cpu, i| i.imm as u16),
        Op::StX => store!(|cpu, i| cpu.pair(X)),
        Op::StXInc => store!(|cpu, i| moving!(+ X, cpu)),
        Op::StXDec => store!(|cpu, i| moving!(-X, cpu)),
        Op::StdY => store!(|cpu, i| cpu.pair(Y).wrapping_add(i.imm as u16)),
        Op::StYInc => store!(|cpu, i| moving!(+ Y, cpu)),
        Op::StYDec => store!(|cpu, i| moving!(-Y, cpu)),
        Op::StdZ => store!(|cpu, i| cpu.pair(Z).wrapping_add(i.imm as u16)),
        Op::StZInc => store!(|cpu, i| moving!(+ Z, cpu)),
        Op::StZDec => store!(|cpu, i| moving!(-Z, cpu)),
        Op::LpmR0 | Op::Lpm => program!(false),
        Op::ElpmR0 | Op::Elpm => program!(true),
        Op::LpmInc => program!(false, moving),
        Op::ElpmInc => program!(true, moving),
        Op::Push => |cpu, bus, block, step, rest| {
            let value = cpu.get(step.i.rd);
            if cpu.sp > cpu.stack_floor && cpu.store_ram(bus, cpu.sp, value) {
                cpu.sp = cpu.sp.wrapping_sub(1);
                cpu.lowest_sp = cpu.lowest_sp.min(cpu.sp);
                return next(cpu, bus, block, rest);
            }
            let index = index(block, rest);
            let at = cpu.phase(block, index, cpu.config.timing.data_phase);
            cpu.push(bus, block.places[index].pc, at, value);
            if cpu.is_unsettled(bus) { cpu.leave_after(block, index) } else { next(cpu, bus, block, rest) }
        },
        Op::Pop => |cpu, bus, block, step, rest| {
            let sp = cpu.sp.wrapping_add(1);
            if let Some(value) = cpu.load_ram(bus, sp) {
                cpu.sp = sp;
                cpu.set(step.i.rd, value);
                return next(cpu, bus, block, rest);
            }
            let index = index(block, rest);
            let at = cpu.phase(block, index, cpu.config.timing.data_phase);
            let value = cpu.pop(bus, block.places[index].pc, at);
            cpu.set(step.i.rd, value);
            if cpu.is_unsettled(bus) { cpu.leave_after(block, index) } else { next(cpu, bus, block, rest) }
        },
        _ => return None,
    })
}

fn core<P: AvrPeripherals>(i: &Instruction) -> Option<Handler<P>> {
    Some(match i.op {
        Op::In => access!(|cpu, bus, block, index, i| {
            let (value, leave) = cpu.input(bus, block, index, i.imm as u16);
            cpu.set(i.rd, value);
            leave
        }),
        Op::Out => access!(|cpu, bus, block, index, i| cpu.output(bus, block, index, i)),
        Op::Sbi => access!(|cpu, bus, block, index, i| cpu.output_bit(bus, block, index, i, true)),
        Op::Cbi => access!(|cpu, bus, block, index, i| cpu.output_bit(bus, block, index, i, false)),
        Op::InSreg => plain!(|cpu, i| cpu.set(i.rd, cpu.sreg())),
        Op::InSpl => plain!(|cpu, i| cpu.set(i.rd, cpu.sp as u8)),
        Op::InSph => plain!(|cpu, i| cpu.set(i.rd, (cpu.sp >> 8) as u8)),
        Op::OutSreg => last!(|cpu, bus, block, _index, i| {
            let (before, value) = (cpu.i, cpu.get(i.rd));
            cpu.set_sreg(value);
            let exit = cpu.complete(block, Exit::Next);
            if cpu.i && !before {
                cpu.rows.insert(cpu.config.timing.delay_by_sreg);
                cpu.allow_interrupts(bus);
            }
            exit
        }),
        Op::OutSpl => plain!(|cpu, i| cpu.write_sp(cpu.sp & 0xFF00 | u16::from(cpu.get(i.rd)))),
        Op::OutSph => plain!(|cpu, i| cpu.write_sp(cpu.sp & 0xFF | u16::from(cpu.get(i.rd)) << 8)),
        Op::Spm => last!(|cpu, bus, block, index, i| {
            cpu.store_program(bus, block, index);
            cpu.complete(block, Exit::Next)
        }),
        Op::Nop => plain!(|cpu, _i| {}),
        Op::Wdr => access!(|cpu, bus, block, index, _i| cpu.reset_watchdog(bus, block, index)),
        Op::Sleep => last!(|cpu, _bus, block, _index, i| cpu.complete(block, Exit::Sleep)),
        Op::Break => last!(|cpu, _bus, block, index, i| {
            if cpu.config.debugger {
                cpu.leave_before(block, index, Exit::Break)
            } else {
                cpu.complete(block, Exit::Next)
            }
        }),
        Op::NameUndefined => access!(|cpu, bus, block, index, _i| {
            cpu.name_undefined(bus, block, index);
            false
        }),
        Op::Reserved | Op::Outside => last!(|cpu, _bus, block, index, i| {
            cpu.refuse(block.places[index].pc, i);
            cpu.leave_before(block, index, Exit::Fault)
        }),
        _ => return None,
    })
}
