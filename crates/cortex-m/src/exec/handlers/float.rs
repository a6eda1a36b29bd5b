//! The floating-point extension.

use cyclescope_engine::{Answer as _, Flow, Outcome, body};
use cyclescope_machine::Peripherals;

use super::super::Handler;
use crate::cpu::Cpu;
use crate::decode::{Fp, FpAccess, FpOp, Instruction, Op, Reg};
use crate::float::{self, Rounding};

/// The handler of `i`, if it is one of these.
#[allow(clippy::too_many_lines)] // One row an operation, like the manual's table.
pub(super) fn handler<P: Peripherals, R: Outcome<Cpu, P>, const GUARDED: bool>(
    i: &Instruction,
) -> Option<Handler<P, R>> {
    /// With the floating-point unit on and its state its own.
    macro_rules! ready {
        (|$cpu:ident, $i:pat_param| $body:expr) => {
            body!(|$cpu, bus, here, $i| {
                if !$cpu.fp.ready && !$cpu.begin_fp_context() {
                    return $cpu.make_fp_ready(bus, here);
                }
                $body;
                Flow::Next
            })
        };
    }
    /// A result in a single.
    macro_rules! result {
        (|$cpu:ident, $fp:ident| $value:expr) => {
            ready!(|$cpu, i| {
                let $fp = Fp::unpack(i.imm);
                let value: u32 = $value;
                $cpu.set_single($fp.d, value);
            })
        };
    }
    macro_rules! two {
        ($function:ident) => {
            result!(|cpu, fp| float::$function(cpu.single(fp.n), cpu.single(fp.m), &mut cpu.fp.fpscr))
        };
    }
    macro_rules! accumulates {
        ($function:ident) => {
            result!(|cpu, fp| {
                float::$function(cpu.single(fp.d), cpu.single(fp.n), cpu.single(fp.m), &mut cpu.fp.fpscr)
            })
        };
    }
    macro_rules! compares {
        (|$cpu:ident, $fp:ident| $with:expr, $raises:literal) => {
            ready!(|$cpu, i| {
                let $fp = Fp::unpack(i.imm);
                float::compare($cpu.single($fp.d), $with, $raises, &mut $cpu.fp.fpscr);
            })
        };
    }
    /// Fixed point, in place.
    macro_rules! fixed {
        ($function:ident, $size:literal) => {
            result!(|cpu, fp| float::$function(cpu.single(fp.d), $size, fp.m, &mut cpu.fp.fpscr))
        };
    }
    macro_rules! moves {
        (|$cpu:ident, $bus:ident, $here:ident, $i:pat_param| $body:expr) => {
            body!(|$cpu, $bus, $here, $i| {
                if !$cpu.fp.ready && !$cpu.begin_fp_context() {
                    return $cpu.make_fp_ready($bus, $here);
                }
                $body.flow($cpu, $bus, $here)
            })
        };
    }
    let handler: Handler<P, R> = match i.op {
        Op::Fp => match Fp::unpack(i.imm).op {
            FpOp::Add => two!(add),
            FpOp::Sub => two!(sub),
            FpOp::Mul => two!(mul),
            FpOp::Nmul => two!(nmul),
            FpOp::Div => two!(div),
            FpOp::Mla => accumulates!(mla),
            FpOp::Mls => accumulates!(mls),
            FpOp::Nmla => accumulates!(nmla),
            FpOp::Nmls => accumulates!(nmls),
            FpOp::Fma => accumulates!(fma),
            FpOp::Fms => accumulates!(fms),
            FpOp::Fnma => accumulates!(fnma),
            FpOp::Fnms => accumulates!(fnms),
            FpOp::Mov => result!(|cpu, fp| cpu.single(fp.m)),
            FpOp::MovImm => result!(|cpu, fp| float::expand_imm(fp.m as u8)),
            FpOp::Abs => result!(|cpu, fp| float::abs(cpu.single(fp.m))),
            FpOp::Neg => result!(|cpu, fp| float::neg(cpu.single(fp.m))),
            FpOp::Sqrt => result!(|cpu, fp| float::sqrt(cpu.single(fp.m), &mut cpu.fp.fpscr)),
            FpOp::Cmp => compares!(|cpu, fp| cpu.single(fp.m), false),
            FpOp::Cmpe => compares!(|cpu, fp| cpu.single(fp.m), true),
            FpOp::CmpZero => compares!(|cpu, fp| 0, false),
            FpOp::CmpeZero => compares!(|cpu, fp| 0, true),
            FpOp::FromSigned => result!(|cpu, fp| float::from_i32(cpu.single(fp.m) as i32, &mut cpu.fp.fpscr)),
            FpOp::FromUnsigned => result!(|cpu, fp| float::from_u32(cpu.single(fp.m), &mut cpu.fp.fpscr)),
            FpOp::ToSigned => {
                result!(|cpu, fp| float::to_i32(cpu.single(fp.m), Rounding::Zero, &mut cpu.fp.fpscr))
            }
            FpOp::ToUnsigned => {
                result!(|cpu, fp| float::to_u32(cpu.single(fp.m), Rounding::Zero, &mut cpu.fp.fpscr))
            }
            FpOp::ToSignedRounded => {
                result!(|cpu, fp| float::to_i32(cpu.single(fp.m), cpu.fp.fpscr.rounding(), &mut cpu.fp.fpscr))
            }
            FpOp::ToUnsignedRounded => {
                result!(|cpu, fp| float::to_u32(cpu.single(fp.m), cpu.fp.fpscr.rounding(), &mut cpu.fp.fpscr))
            }
            FpOp::HalfBottomToSingle => {
                result!(|cpu, fp| float::half_to_single(cpu.single(fp.m) as u16, &mut cpu.fp.fpscr))
            }
            FpOp::HalfTopToSingle => {
                result!(|cpu, fp| float::half_to_single((cpu.single(fp.m) >> 16) as u16, &mut cpu.fp.fpscr))
            }
            FpOp::SingleToHalfBottom => result!(|cpu, fp| {
                let half = float::single_to_half(cpu.single(fp.m), &mut cpu.fp.fpscr);
                cpu.single(fp.d) & 0xFFFF_0000 | u32::from(half)
            }),
            FpOp::SingleToHalfTop => result!(|cpu, fp| {
                let half = float::single_to_half(cpu.single(fp.m), &mut cpu.fp.fpscr);
                cpu.single(fp.d) & 0xFFFF | u32::from(half) << 16
            }),
            FpOp::FromSignedFixed16 => fixed!(from_signed_fixed, 16),
            FpOp::FromUnsignedFixed16 => fixed!(from_unsigned_fixed, 16),
            FpOp::FromSignedFixed32 => fixed!(from_signed_fixed, 32),
            FpOp::FromUnsignedFixed32 => fixed!(from_unsigned_fixed, 32),
            FpOp::ToSignedFixed16 => fixed!(to_signed_fixed, 16),
            FpOp::ToUnsignedFixed16 => fixed!(to_unsigned_fixed, 16),
            FpOp::ToSignedFixed32 => fixed!(to_signed_fixed, 32),
            FpOp::ToUnsignedFixed32 => fixed!(to_unsigned_fixed, 32),
        },
        Op::VmovToCore => ready!(|cpu, i| cpu.set(i.rd, cpu.single(i.imm))),
        Op::VmovFromCore => ready!(|cpu, i| cpu.set_single(i.imm, cpu.get(i.rd))),
        Op::VmovPairToCore => ready!(|cpu, i| {
            cpu.set(i.rd, cpu.single(i.imm));
            cpu.set(i.rn, cpu.single(i.imm + 1));
        }),
        Op::VmovPairFromCore => ready!(|cpu, i| {
            cpu.set_single(i.imm, cpu.get(i.rd));
            cpu.set_single(i.imm + 1, cpu.get(i.rn));
        }),
        // With PC as its target, the flags go to the core's.
        Op::Vmrs if i.rd == Reg::Pc => ready!(|cpu, _| cpu.set_nzcv(cpu.fp.fpscr.bits())),
        Op::Vmrs => ready!(|cpu, i| cpu.set(i.rd, cpu.fp.fpscr.bits())),
        Op::Vmsr => ready!(|cpu, i| cpu.fp.fpscr = float::Fpscr::from_bits(cpu.get(i.rd))),
        Op::Vldr => moves!(|cpu, bus, here, i| {
            let address = cpu.get(i.rn).wrapping_add_signed(FpAccess::unpack(i.imm).offset);
            cpu.load_singles::<P, GUARDED>(bus, here, address)
        }),
        Op::VldrLiteral => moves!(|cpu, bus, here, i| {
            let base = here.place().pc.wrapping_add(4) & !3;
            cpu.load_singles::<P, GUARDED>(bus, here, base.wrapping_add_signed(FpAccess::unpack(i.imm).offset))
        }),
        Op::Vstr => moves!(|cpu, bus, here, i| {
            let address = cpu.get(i.rn).wrapping_add_signed(FpAccess::unpack(i.imm).offset);
            cpu.store_singles::<P, GUARDED>(bus, here, address)
        }),
        Op::Vldm => moves!(|cpu, bus, here, _| cpu.vldm::<P, GUARDED>(bus, here)),
        Op::Vstm => moves!(|cpu, bus, here, _| cpu.vstm::<P, GUARDED>(bus, here)),
        _ => return None,
    };
    Some(handler)
}
