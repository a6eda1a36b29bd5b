//! Data processing, branches and state of Armv7-M.

use cyclescope_engine::{Flow, Outcome, body};
use cyclescope_machine::Peripherals;

use super::super::{Exit, Handler};
use crate::cpu::{Cpu, Fault, FaultKind};
use crate::decode::{Flags, Guard, Instruction, Op, Reg, Saturation, Shift, Shifted};

/// The handler of `i`, if it is one of these.
#[allow(clippy::too_many_lines)] // One row an operation, like the manual's table.
pub(super) fn handler<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    /// Logic with a constant.
    macro_rules! logic_const {
        (|$a:ident, $b:ident| $value:expr) => {
            match Flags::unpack(i.rm) {
                Flags::Keep => body!(|cpu, i| {
                    let ($a, $b) = (cpu.get(i.rn), i.imm);
                    cpu.set(i.rd, $value);
                }),
                Flags::Set => body!(|cpu, i| {
                    let ($a, $b) = (cpu.get(i.rn), i.imm);
                    cpu.mov(i.rd, $value);
                }),
                Flags::SetWithCarry => body!(|cpu, i| {
                    let ($a, $b) = (cpu.get(i.rn), i.imm);
                    cpu.c = ($b as i32) < 0;
                    cpu.mov(i.rd, $value);
                }),
            }
        };
    }
    /// Logic with a shifted register.
    macro_rules! logic_shifted {
        (|$a:ident, $b:ident| $value:expr) => {
            match Shifted::unpack(i.imm) {
                Shifted { sets_flags: true, .. } => body!(|cpu, i| {
                    let ($a, ($b, carry)) = (cpu.get(i.rn), cpu.shift_carry(i));
                    cpu.c = carry;
                    cpu.mov(i.rd, $value);
                }),
                Shifted { by: Shift::Lsl, .. } => body!(|cpu, i| {
                    let ($a, $b) = (cpu.get(i.rn), cpu.get(i.rm) << (i.imm & 31));
                    cpu.set(i.rd, $value);
                }),
                _ => body!(|cpu, i| {
                    let ($a, ($b, _)) = (cpu.get(i.rn), cpu.shift_carry(i));
                    cpu.set(i.rd, $value);
                }),
            }
        };
    }
    /// Arithmetic with a constant: what it gives, and the body that sets flags.
    macro_rules! arithmetic_const {
        (|$cpu:ident, $a:ident, $b:ident| $value:expr, |$rd:ident| $flags:expr) => {
            match Flags::unpack(i.rm) {
                Flags::Keep => body!(|$cpu, i| {
                    let ($a, $b) = ($cpu.get(i.rn), i.imm);
                    let value: u32 = $value;
                    $cpu.set(i.rd, value);
                }),
                _ => body!(|$cpu, i| {
                    let ($a, $b, $rd) = ($cpu.get(i.rn), i.imm, i.rd);
                    $flags;
                }),
            }
        };
    }
    macro_rules! arithmetic_shifted {
        (|$cpu:ident, $a:ident, $b:ident| $value:expr, |$rd:ident| $flags:expr) => {
            match Shifted::unpack(i.imm) {
                Shifted { sets_flags: true, .. } => body!(|$cpu, i| {
                    let ($a, $b, $rd) = ($cpu.get(i.rn), $cpu.shift_carry(i).0, i.rd);
                    $flags;
                }),
                Shifted { by: Shift::Lsl, .. } => body!(|$cpu, i| {
                    let ($a, $b) = ($cpu.get(i.rn), $cpu.get(i.rm) << (i.imm & 31));
                    let value: u32 = $value;
                    $cpu.set(i.rd, value);
                }),
                _ => body!(|$cpu, i| {
                    let ($a, $b) = ($cpu.get(i.rn), $cpu.shift_carry(i).0);
                    let value: u32 = $value;
                    $cpu.set(i.rd, value);
                }),
            }
        };
    }
    /// Tests with a constant or a shifted register.
    macro_rules! test_const {
        (|$a:ident, $b:ident| $value:expr) => {
            body!(|cpu, i| {
                let ($a, $b) = (cpu.get(i.rn), i.imm);
                if Flags::unpack(i.rm) == Flags::SetWithCarry {
                    cpu.c = ($b as i32) < 0;
                }
                cpu.test($value);
            })
        };
    }
    macro_rules! test_shifted {
        (|$a:ident, $b:ident| $value:expr) => {
            body!(|cpu, i| {
                let ($a, ($b, carry)) = (cpu.get(i.rn), cpu.shift_carry(i));
                cpu.c = carry;
                cpu.test($value);
            })
        };
    }
    /// Skips the next step unless the condition holds.
    macro_rules! guard {
        (|$cpu:ident| $condition:expr) => {
            body!(|$cpu, i| {
                if $condition {
                    return Flow::Next;
                }
                $cpu.now = $cpu.now.wrapping_sub(u64::from(Guard::unpack(i.imm).saved));
                Flow::Skip
            })
        };
    }
    let handler: Handler<P, R> = match i.op {
        Op::AndConst => logic_const!(|a, b| a & b),
        Op::BicConst => logic_const!(|a, b| a & !b),
        Op::OrrConst => logic_const!(|a, b| a | b),
        Op::OrnConst => logic_const!(|a, b| a | !b),
        Op::EorConst => logic_const!(|a, b| a ^ b),
        Op::MovConst => logic_const!(|_a, b| b),
        Op::MvnConst => logic_const!(|_a, b| !b),
        Op::AddConst => arithmetic_const!(|cpu, a, b| a.wrapping_add(b), |rd| cpu.add(rd, a, b)),
        Op::SubConst => arithmetic_const!(|cpu, a, b| a.wrapping_sub(b), |rd| cpu.sub(rd, a, b)),
        Op::RsbConst => arithmetic_const!(|cpu, a, b| b.wrapping_sub(a), |rd| cpu.sub(rd, b, a)),
        Op::AdcConst => arithmetic_const!(|cpu, a, b| cpu.with_carry(a, b), |rd| cpu.adc(rd, a, b)),
        Op::SbcConst => arithmetic_const!(|cpu, a, b| cpu.with_carry(a, !b), |rd| cpu.adc(rd, a, !b)),
        Op::TstConst => test_const!(|a, b| a & b),
        Op::TeqConst => test_const!(|a, b| a ^ b),
        Op::CmnConst => body!(|cpu, i| cpu.cmn(cpu.get(i.rn), i.imm)),

        Op::AndShifted => logic_shifted!(|a, b| a & b),
        Op::BicShifted => logic_shifted!(|a, b| a & !b),
        Op::OrrShifted => logic_shifted!(|a, b| a | b),
        Op::OrnShifted => logic_shifted!(|a, b| a | !b),
        Op::EorShifted => logic_shifted!(|a, b| a ^ b),
        Op::MovShifted => logic_shifted!(|_a, b| b),
        Op::MvnShifted => logic_shifted!(|_a, b| !b),
        Op::AddShifted => arithmetic_shifted!(|cpu, a, b| a.wrapping_add(b), |rd| cpu.add(rd, a, b)),
        Op::SubShifted => arithmetic_shifted!(|cpu, a, b| a.wrapping_sub(b), |rd| cpu.sub(rd, a, b)),
        Op::RsbShifted => arithmetic_shifted!(|cpu, a, b| b.wrapping_sub(a), |rd| cpu.sub(rd, b, a)),
        Op::AdcShifted => arithmetic_shifted!(|cpu, a, b| cpu.with_carry(a, b), |rd| cpu.adc(rd, a, b)),
        Op::SbcShifted => arithmetic_shifted!(|cpu, a, b| cpu.with_carry(a, !b), |rd| cpu.adc(rd, a, !b)),
        Op::TstShifted => test_shifted!(|a, b| a & b),
        Op::TeqShifted => test_shifted!(|a, b| a ^ b),
        Op::CmpShifted => body!(|cpu, i| cpu.cmp(cpu.get(i.rn), cpu.shift_carry(i).0)),
        Op::CmnShifted => body!(|cpu, i| cpu.cmn(cpu.get(i.rn), cpu.shift_carry(i).0)),

        Op::LslQuiet => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rn).checked_shl(cpu.get(i.rm) & 0xFF).unwrap_or(0))),
        Op::LsrQuiet => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rn).checked_shr(cpu.get(i.rm) & 0xFF).unwrap_or(0))),
        Op::AsrQuiet => body!(|cpu, i| {
            let value = cpu.get(i.rn) as i32;
            cpu.set(i.rd, (value >> (cpu.get(i.rm) & 0xFF).min(31)) as u32);
        }),
        Op::RorQuiet => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rn).rotate_right(cpu.get(i.rm) & 31))),
        Op::MovTop => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rd) & 0xFFFF | i.imm << 16)),
        Op::Bfi => body!(|cpu, i| cpu.insert(i, cpu.get(i.rn))),
        Op::Bfc => body!(|cpu, i| cpu.insert(i, 0)),
        Op::Ubfx => body!(|cpu, i| {
            let (low, width) = (i.imm & 0xFF, i.imm >> 8);
            cpu.set(i.rd, cpu.get(i.rn).wrapping_shl(32 - low.wrapping_add(width).min(32)).wrapping_shr(32 - width));
        }),
        Op::Sbfx => body!(|cpu, i| {
            let (low, width) = (i.imm & 0xFF, i.imm >> 8);
            let top = cpu.get(i.rn).wrapping_shl(32 - low.wrapping_add(width).min(32)) as i32;
            cpu.set(i.rd, top.wrapping_shr(32 - width) as u32);
        }),
        Op::Clz => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm).leading_zeros())),
        Op::Rbit => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rm).reverse_bits())),
        Op::MulQuiet => body!(|cpu, i| cpu.set(i.rd, cpu.get(i.rn).wrapping_mul(cpu.get(i.rm)))),
        Op::Mla => body!(|cpu, i| {
            let product = cpu.get(i.rn).wrapping_mul(cpu.get(i.rm));
            cpu.set(i.rd, cpu.get(Reg::new(i.imm)).wrapping_add(product));
        }),
        Op::Mls => body!(|cpu, i| {
            let product = cpu.get(i.rn).wrapping_mul(cpu.get(i.rm));
            cpu.set(i.rd, cpu.get(Reg::new(i.imm)).wrapping_sub(product));
        }),
        Op::Umull => body!(|cpu, i| {
            cpu.multiplies_long(i);
            cpu.set_long(i, u64::from(cpu.get(i.rn)) * u64::from(cpu.get(i.rm)));
        }),
        Op::Smull => body!(|cpu, i| {
            cpu.multiplies_long(i);
            cpu.set_long(i, cpu.signed_product(i));
        }),
        Op::Umlal => body!(|cpu, i| {
            cpu.multiplies_long(i);
            let product = u64::from(cpu.get(i.rn)) * u64::from(cpu.get(i.rm));
            cpu.set_long(i, cpu.long(i).wrapping_add(product));
        }),
        Op::Smlal => body!(|cpu, i| {
            cpu.multiplies_long(i);
            cpu.set_long(i, cpu.long(i).wrapping_add(cpu.signed_product(i)));
        }),
        Op::Udiv => body!(|cpu, i| cpu.divide(i, false)),
        Op::Sdiv => body!(|cpu, i| cpu.divide(i, true)),
        Op::Ssat => body!(|cpu, i| {
            let (value, saturated) =
                crate::dsp::ssat(cpu.shift_of(cpu.get(i.rn), i.imm).0, Saturation::unpack(i.imm).width);
            cpu.q |= saturated;
            cpu.set(i.rd, value);
        }),
        Op::Usat => body!(|cpu, i| {
            let (value, saturated) =
                crate::dsp::usat(cpu.shift_of(cpu.get(i.rn), i.imm).0, Saturation::unpack(i.imm).width);
            cpu.q |= saturated;
            cpu.set(i.rd, value);
        }),

        Op::Cbz => branch_if!(i, |cpu, i| cpu.get(i.rn) == 0),
        Op::Cbnz => branch_if!(i, |cpu, i| cpu.get(i.rn) != 0),
        Op::Clrex => body!(|cpu, _| cpu.exclusive = false),
        Op::It => body!(|_, _| ()),
        Op::NoCoprocessor => body!(|cpu, _, here, _| {
            let cause = "instruction of a coprocessor that the core does not have";
            cpu.leave_at(here, Fault { kind: FaultKind::NoCoprocessor, cause, address: None })
        }),

        Op::Guard => match Guard::unpack(i.imm).condition {
            0 => guard!(|cpu| cpu.zero()),
            1 => guard!(|cpu| !cpu.zero()),
            2 => guard!(|cpu| cpu.c),
            3 => guard!(|cpu| !cpu.c),
            4 => guard!(|cpu| cpu.nz < 0),
            5 => guard!(|cpu| cpu.nz >= 0),
            6 => guard!(|cpu| cpu.v),
            7 => guard!(|cpu| !cpu.v),
            8 => guard!(|cpu| cpu.c && !cpu.zero()),
            9 => guard!(|cpu| !cpu.c || cpu.zero()),
            10 => guard!(|cpu| (cpu.nz < 0) == cpu.v),
            11 => guard!(|cpu| (cpu.nz < 0) != cpu.v),
            12 => guard!(|cpu| !cpu.zero() && (cpu.nz < 0) == cpu.v),
            13 => guard!(|cpu| cpu.zero() || (cpu.nz < 0) != cpu.v),
            _ => body!(|_, _| ()),
        },
        Op::SetEntry => body!(|cpu, i| cpu.enter_with(crate::cpu::Entry::unpack(i.imm))),
        Op::Mark => body!(|cpu, i| cpu.marks.pass(i.imm, cpu.now)),
        Op::AlignSp => body!(|cpu, _| cpu.move_sp(cpu.get(Reg::Sp))),
        _ => return None,
    };
    Some(handler)
}
