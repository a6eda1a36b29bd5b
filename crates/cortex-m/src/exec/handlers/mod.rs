//! The bodies that carry out the operations: one table for each extension, chosen once, when a block is built.
//!
//! `GUARDED` handlers send every data access to the slow path, where the MPU looks at it.

macro_rules! load {
    ($width:ident, $extend:ty, |$cpu:ident, $i:ident| $address:expr) => {
        body!(|$cpu, bus, here, $i| {
            let loaded = $cpu.load_fast::<P, GUARDED>(bus, $address, Width::$width);
            loaded.map(|value| $cpu.set($i.rd, value as $extend as i32 as u32))
        }; {
            $cpu.read(bus, $cpu.load_at(here, $address, Width::$width)).map(|(value, touched)| {
                $cpu.set($i.rd, value as $extend as i32 as u32);
                touched
            })
        })
    };
}
macro_rules! store {
    ($width:ident, |$cpu:ident, $i:ident| $address:expr) => {
        body!(|$cpu, bus, here, $i| {
            $cpu.store_fast::<P, GUARDED>(bus, $address, Width::$width, $cpu.get($i.rd)).then_some(())
        }; {
            $cpu.write(bus, $cpu.store_at(here, $address, Width::$width), $cpu.get($i.rd))
        })
    };
}
/// Branches on a condition, at the end of a block or out of it.
macro_rules! branch_if {
    ($decoded:expr, |$cpu:ident, $i:pat_param| $condition:expr) => {
        if $decoded.is_inside_block() {
            body!(|$cpu, _, here, i| {
                let $i = i;
                if $condition { $cpu.leave_by(here, i) } else { Flow::Next }
            })
        } else {
            body!(|$cpu, i| {
                let $i = i;
                if $condition {
                    $cpu.take(i);
                }
                Flow::Ends(Exit::Next)
            })
        }
    };
}

mod access;
mod base;
mod data;
mod dsp;
mod fetch;
mod float;
mod multiple;

use cyclescope_engine::Outcome;
use cyclescope_machine::Peripherals;

use super::Handler;
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op};

/// The handler of `i`.
pub(crate) fn handler<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction, guarded: bool) -> Handler<P, R> {
    let found = if guarded { find::<P, R, true>(i) } else { find::<P, R, false>(i) };
    // A test sees to it that every operation has a body; one without would be undefined.
    found.unwrap_or_else(|| handler(&Instruction::new(Op::Undefined), guarded))
}

fn find<P: Peripherals, R: Outcome<Cpu, P>, const GUARDED: bool>(i: &Instruction) -> Option<Handler<P, R>> {
    base::handler::<P, R, GUARDED>(i)
        .or_else(|| fetch::handler(i))
        .or_else(|| data::handler(i))
        .or_else(|| access::handler::<P, R, GUARDED>(i))
        .or_else(|| multiple::handler::<P, R, GUARDED>(i))
        .or_else(|| dsp::handler(i))
        .or_else(|| float::handler::<P, R, GUARDED>(i))
}

/// Tells whether `i` has a body of its own.
#[cfg(test)]
pub(super) fn exists<P: Peripherals>(i: &Instruction) -> bool {
    use cyclescope_engine::Flow;

    use super::Exit;

    find::<P, Flow<Exit>, true>(i).is_some() && find::<P, Flow<Exit>, false>(i).is_some()
}
