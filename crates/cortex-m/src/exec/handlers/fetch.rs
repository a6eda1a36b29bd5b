//! Steps of fetching.

use cyclescope_machine::{Bus, Peripherals};

use super::super::{Exit, Handler, Step, next};
use crate::code::{Block, Refill};
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op, Reg};

/// The quick way, or else the whole one.
macro_rules! quickly {
    ($quick:ident) => {
        |cpu, bus, block, step, rest| {
            if cpu.$quick::<P, MANY>(bus, &step.i) {
                return next(cpu, bus, block, rest);
            }
            whole::<P, MANY>(cpu, bus, block, step, rest)
        }
    };
}

/// The handler of `i`, if it is one of these. Whether the cache is large decides how it is searched; the builder says so in
/// `rd`.
pub(super) fn handler<P: Peripherals>(i: &Instruction) -> Option<Handler<P>> {
    if i.rd == Reg::R0 { through::<P, false>(i) } else { through::<P, true>(i) }
}

fn through<P: Peripherals, const MANY: bool>(i: &Instruction) -> Option<Handler<P>> {
    let handler: Handler<P> = match i.op {
        Op::Refill if Refill::unpack(i).lines == 0 => quickly!(try_refill),
        Op::Refill => |cpu, bus, block, step, rest| {
            let anew = cpu.begins_anew(bus, &step.i);
            if !cpu.try_refill::<P, MANY>(bus, &step.i) {
                return whole::<P, MANY>(cpu, bus, block, step, rest);
            }
            // Who came straight on has asked for the lines behind it.
            if anew && !cpu.try_request_further::<P, MANY>(bus, &step.i) {
                return further::<P, MANY>(cpu, bus, block, step, rest);
            }
            next(cpu, bus, block, rest)
        },
        Op::RefillAndAwait => quickly!(try_refill_and_await),
        Op::FetchLine => quickly!(try_request),
        Op::FetchAndAwaitLine => quickly!(try_fetch),
        Op::AwaitLine => quickly!(try_await),
        _ => return None,
    };
    Some(handler)
}

#[inline(never)]
fn whole<P: Peripherals, const MANY: bool>(
    cpu: &mut Cpu,
    bus: &mut Bus<P>,
    block: &Block<P>,
    step: &Step<P>,
    rest: &[Step<P>],
) -> Exit {
    cpu.fetch::<P, MANY>(bus, &step.i);
    next(cpu, bus, block, rest)
}

#[inline(never)]
fn further<P: Peripherals, const MANY: bool>(
    cpu: &mut Cpu,
    bus: &mut Bus<P>,
    block: &Block<P>,
    step: &Step<P>,
    rest: &[Step<P>],
) -> Exit {
    cpu.request_further::<P, MANY>(bus, &step.i);
    next(cpu, bus, block, rest)
}
