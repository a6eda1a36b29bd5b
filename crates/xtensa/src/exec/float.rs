//! The bodies of the floating-point unit (§4.3.11).

use cyclescope_engine::{Flow, Outcome, body};
use cyclescope_machine::{Peripherals, Width};

use super::Handler;
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op};
use crate::fault::{Cause, Fault};
use crate::float::{self, Predicate, steps};

/// Computes f[r] from f[s].
macro_rules! one {
    (|$s:ident, $fcsr:ident| $result:expr) => {
        body!(|cpu, i| {
            let ($s, $fcsr) = (cpu.float(i.s), &mut cpu.fcsr);
            let result = $result;
            cpu.set_float(i.r, result);
        })
    };
}
/// Computes f[r] from f[s] and f[t].
macro_rules! two {
    (|$s:ident, $t:ident, $fcsr:ident| $result:expr) => {
        body!(|cpu, i| {
            let ($s, $t, $fcsr) = (cpu.float(i.s), cpu.float(i.t), &mut cpu.fcsr);
            let result = $result;
            cpu.set_float(i.r, result);
        })
    };
}
/// Computes f[r] from itself, f[s] and f[t].
macro_rules! three {
    (|$r:ident, $s:ident, $t:ident, $fcsr:ident| $result:expr) => {
        body!(|cpu, i| {
            let ($r, $s, $t, $fcsr) = (cpu.float(i.r), cpu.float(i.s), cpu.float(i.t), &mut cpu.fcsr);
            let result = $result;
            cpu.set_float(i.r, result);
        })
    };
}
/// Computes a[r] from f[s] and a scale.
macro_rules! to_integer {
    ($convert:path) => {
        body!(|cpu, i| {
            let result = $convert(cpu.float(i.s), i.imm, &mut cpu.fcsr);
            cpu.set(i.r, result);
        })
    };
}
/// Computes f[r] from a[s] and a scale.
macro_rules! from_integer {
    ($convert:path) => {
        body!(|cpu, i| {
            let result = $convert(cpu.get(i.s), i.imm, &mut cpu.fcsr);
            cpu.set_float(i.r, result);
        })
    };
}
/// Compares f[s] with f[t].
macro_rules! compare {
    ($predicate:ident) => {
        body!(|cpu, i| {
            let result = float::compare(Predicate::$predicate, cpu.float(i.s), cpu.float(i.t), &mut cpu.fcsr);
            cpu.set_boolean(i.r, result);
        })
    };
}
/// Moves f[s] to f[r] under a condition.
macro_rules! conditional {
    (|$cpu:ident, $i:ident| $condition:expr) => {
        body!(|$cpu, $i| {
            if $condition {
                $cpu.set_float($i.r, $cpu.float($i.s));
            }
        })
    };
}

pub(super) fn find<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    memory(i).or_else(|| moves(i)).or_else(|| compute(i))
}

/// The address of a load or store, and what its base register gets afterwards: those with P in their names increase it.
fn address(cpu: &Cpu, i: &Instruction) -> (u32, Option<u32>) {
    let base = cpu.get(i.s);
    match i.op {
        Op::Lsx | Op::Ssx => (base.wrapping_add(cpu.get(i.t)), None),
        Op::Lsxp | Op::Ssxp => (base, Some(base.wrapping_add(cpu.get(i.t)))),
        Op::Lsip | Op::Ssip => (base, Some(base.wrapping_add(i.imm))),
        _ => (base.wrapping_add(i.imm), None),
    }
}

fn memory<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Lsi | Op::Lsip | Op::Lsx | Op::Lsxp => body!(|cpu, bus, here, i| {
            let (address, next) = address(cpu, i);
            cpu.load_slow(bus, here, address, Width::Word).map(|(value, leave)| {
                cpu.set_float(if matches!(i.op, Op::Lsx | Op::Lsxp) { i.r } else { i.t }, value);
                if let Some(next) = next {
                    cpu.set(i.s, next);
                }
                leave
            })
        }),
        Op::Ssi | Op::Ssip | Op::Ssx | Op::Ssxp => body!(|cpu, bus, here, i| {
            let (address, next) = address(cpu, i);
            let value = cpu.float(if matches!(i.op, Op::Ssx | Op::Ssxp) { i.r } else { i.t });
            let stored = cpu.store_slow(bus, here, address, Width::Word, value);
            if let Some(next) = next.filter(|_| stored.is_ok()) {
                cpu.set(i.s, next);
            }
            stored
        }),
        Op::Enabled => body!(|cpu, _, here, _| {
            if cpu.coprocessors & 1 == 0 { cpu.leave_at(here, Fault::new(Cause::Coprocessor0)) } else { Flow::Next }
        }),
        _ => return None,
    })
}

fn moves<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::Rfr => body!(|cpu, i| cpu.set(i.r, cpu.float(i.s))),
        Op::Wfr => body!(|cpu, i| cpu.set_float(i.r, cpu.get(i.s))),
        Op::MovS => one!(|s, _fcsr| s),
        Op::AbsS => one!(|s, _fcsr| float::abs(s)),
        Op::NegS => one!(|s, _fcsr| float::neg(s)),
        Op::ConstS => body!(|cpu, i| cpu.set_float(i.r, steps::constant(i.imm))),
        Op::MoveqzS => conditional!(|cpu, i| cpu.get(i.t) == 0),
        Op::MovnezS => conditional!(|cpu, i| cpu.get(i.t) != 0),
        Op::MovltzS => conditional!(|cpu, i| (cpu.get(i.t) as i32) < 0),
        Op::MovgezS => conditional!(|cpu, i| cpu.get(i.t) as i32 >= 0),
        Op::MovfS => conditional!(|cpu, i| !cpu.boolean(i.t)),
        Op::MovtS => conditional!(|cpu, i| cpu.boolean(i.t)),
        Op::UnS => compare!(Un),
        Op::OeqS => compare!(Oeq),
        Op::UeqS => compare!(Ueq),
        Op::OltS => compare!(Olt),
        Op::UltS => compare!(Ult),
        Op::OleS => compare!(Ole),
        Op::UleS => compare!(Ule),
        _ => return None,
    })
}

fn compute<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    Some(match i.op {
        Op::AddS => two!(|s, t, fcsr| float::add(s, t, fcsr)),
        Op::SubS => two!(|s, t, fcsr| float::sub(s, t, fcsr)),
        Op::MulS => two!(|s, t, fcsr| float::mul(s, t, fcsr)),
        Op::MaddS => three!(|r, s, t, fcsr| float::madd(r, s, t, fcsr)),
        Op::MsubS => three!(|r, s, t, fcsr| float::msub(r, s, t, fcsr)),
        Op::MaddnS => three!(|r, s, t, _fcsr| steps::maddn(r, s, t)),
        Op::DivnS => three!(|r, s, t, fcsr| steps::divn(r, s, t, fcsr)),
        Op::RoundS => to_integer!(float::round),
        Op::TruncS => to_integer!(float::trunc),
        Op::FloorS => to_integer!(float::floor),
        Op::CeilS => to_integer!(float::ceil),
        Op::UtruncS => to_integer!(float::utrunc),
        Op::FloatS => from_integer!(float::float),
        Op::UfloatS => from_integer!(float::ufloat),
        Op::Div0S => one!(|s, _fcsr| steps::div0(s)),
        Op::Recip0S => one!(|s, _fcsr| steps::recip0(s)),
        Op::Sqrt0S => one!(|s, _fcsr| steps::sqrt0(s)),
        Op::Rsqrt0S => one!(|s, _fcsr| steps::rsqrt0(s)),
        Op::Nexp01S => one!(|s, _fcsr| steps::nexp01(s)),
        Op::MksadjS => one!(|s, fcsr| steps::mksadj(s, fcsr)),
        Op::MkdadjS => three!(|r, s, _t, fcsr| steps::mkdadj(r, s, fcsr)),
        Op::AddexpS => three!(|r, s, _t, _fcsr| steps::addexp(r, s)),
        Op::AddexpmS => three!(|r, s, _t, _fcsr| steps::addexpm(r, s)),
        _ => return None,
    })
}
