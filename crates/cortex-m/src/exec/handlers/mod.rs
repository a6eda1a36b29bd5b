//! The bodies that carry out the operations: one table for each extension, chosen once, when a block is built.
//!
//! `GUARDED` handlers send every data access to the slow path, where the MPU looks at it.

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
/// The last step of its block.
macro_rules! last {
    (|$cpu:ident, $i:ident| $body:expr) => {
        |$cpu, _, block, step, _| {
            let $i = &step.i;
            let exit = $body;
            $cpu.complete(block, exit)
        }
    };
}
macro_rules! load {
    ($width:ident, $extend:ty, |$cpu:ident, $i:ident| $address:expr) => {
        |$cpu, bus, block, step, rest| {
            let $i = &step.i;
            let address = $address;
            match $cpu.load_fast::<P, GUARDED>(bus, address, Width::$width) {
                Some(value) => $cpu.set($i.rd, value as $extend as i32 as u32),
                None => match $cpu.load_slow(bus, block, index(block, rest), address, Width::$width) {
                    Ok((value, touched)) => {
                        $cpu.set($i.rd, value as $extend as i32 as u32);
                        if touched {
                            return $cpu.leave_after(bus, block, index(block, rest));
                        }
                    }
                    Err(fault) => return $cpu.leave_at(block, index(block, rest), fault),
                },
            }
            next($cpu, bus, block, rest)
        }
    };
}
macro_rules! store {
    ($width:ident, |$cpu:ident, $i:ident| $address:expr) => {
        |$cpu, bus, block, step, rest| {
            let $i = &step.i;
            let (address, value) = ($address, $cpu.get($i.rd));
            if !$cpu.store_fast::<P, GUARDED>(bus, address, Width::$width, value) {
                match $cpu.store_slow(bus, block, index(block, rest), address, Width::$width, value) {
                    Ok(false) => {}
                    Ok(true) => return $cpu.leave_after(bus, block, index(block, rest)),
                    Err(fault) => return $cpu.leave_at(block, index(block, rest), fault),
                }
            }
            next($cpu, bus, block, rest)
        }
    };
}
/// Branches on a condition, at the end of a block or out of it.
macro_rules! branch_if {
    ($decoded:expr, |$cpu:ident, $i:ident| $condition:expr) => {
        if $decoded.is_inside_block() {
            |$cpu, bus, block, step, rest| {
                let $i = &step.i;
                if $condition {
                    return $cpu.leave_by(block, index(block, rest), $i);
                }
                next($cpu, bus, block, rest)
            }
        } else {
            last!(|$cpu, $i| {
                if $condition {
                    $cpu.take($i);
                }
                Exit::Next
            })
        }
    };
}
/// Branches to the address that the body loads.
macro_rules! load_pc {
    (|$cpu:ident, $bus:ident, $block:ident, $index:ident, $i:ident| $body:expr) => {
        |$cpu, $bus, $block, step, rest| {
            let ($i, $index) = (&step.i, index($block, rest));
            match $body {
                Ok(target) => {
                    let exit = $cpu.branch_exchange($bus, target);
                    $cpu.complete($block, exit)
                }
                Err(fault) => $cpu.leave_at($block, index($block, rest), fault),
            }
        }
    };
}
/// The body says whether it touched a register, so that the block must be left.
macro_rules! access {
    (|$cpu:ident, $bus:ident, $block:ident, $index:ident, $i:ident| $body:expr) => {
        |$cpu, $bus, $block, step, rest| {
            let ($i, $index) = (&step.i, index($block, rest));
            match $body {
                Ok(false) => next($cpu, $bus, $block, rest),
                Ok(true) => $cpu.leave_after($bus, $block, index($block, rest)),
                Err(fault) => $cpu.leave_at($block, index($block, rest), fault),
            }
        }
    };
}
/// Branches forwards by twice what the body loads.
macro_rules! table {
    (|$cpu:ident, $bus:ident, $block:ident, $index:ident, $i:ident| $body:expr) => {
        |$cpu, $bus, $block, step, rest| {
            let ($i, $index) = (&step.i, index($block, rest));
            match $body {
                Ok((entry, touched)) => {
                    if touched {
                        $cpu.horizon = 0;
                    }
                    let here = $cpu.get(Reg::Pc);
                    $cpu.branch_indirect($bus, here.wrapping_add(2 * entry));
                    $cpu.complete($block, Exit::Next)
                }
                Err(fault) => $cpu.leave_at($block, index($block, rest), fault),
            }
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

use cyclescope_machine::Peripherals;

use super::Handler;
use crate::decode::{Instruction, Op};

/// The handler of `i`.
pub(super) fn handler<P: Peripherals>(i: &Instruction, guarded: bool) -> Handler<P> {
    let found = if guarded { find::<P, true>(i) } else { find::<P, false>(i) };
    // A test sees to it that every operation has a body; one without would be undefined.
    found.unwrap_or_else(|| handler(&Instruction::new(Op::Undefined), guarded))
}

fn find<P: Peripherals, const GUARDED: bool>(i: &Instruction) -> Option<Handler<P>> {
    base::handler::<P, GUARDED>(i)
        .or_else(|| fetch::handler(i))
        .or_else(|| data::handler(i))
        .or_else(|| access::handler::<P, GUARDED>(i))
        .or_else(|| multiple::handler::<P, GUARDED>(i))
        .or_else(|| dsp::handler(i))
        .or_else(|| float::handler::<P, GUARDED>(i))
}

/// Tells whether `i` has a body of its own.
#[cfg(test)]
pub(super) fn exists<P: Peripherals>(i: &Instruction) -> bool {
    find::<P, true>(i).is_some() && find::<P, false>(i).is_some()
}
