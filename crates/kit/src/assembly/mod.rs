//! Writes the kit's program in assembly: one function for each sequence, which returns the cycles between its two
//! readings of the counter, and the table that `firmware/kit/main.c` reads.

mod arm;
mod avr;
mod text;

pub(crate) use arm::function as arm_function;

use crate::sequence::Sequence;
use crate::table::Home;

/// The instruction set of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// Cortex-M, or Cortex-M0+ if `small`.
    Arm {
        /// Tells if the core is a Cortex-M0+.
        small: bool,
        /// The memory of sequences that name none.
        home: Home,
    },
    /// AVR.
    Avr,
}

/// Returns the whole file.
pub(crate) fn text(all: &[Sequence], target: Target, version: &str) -> String {
    let name = match target {
        Target::Arm { .. } => arm::version(version),
        Target::Avr => avr::version(version),
    };
    format!("/* Generated from experiments/kit by `cargo xtask images build`. */\n{}{name}", sequences(all, target))
}

/// Returns the sequences and their table, without the version, which is computed from them.
pub(crate) fn sequences(all: &[Sequence], target: Target) -> String {
    match target {
        Target::Arm { small, home } => arm::sequences(all, small, home),
        Target::Avr => avr::sequences(all),
    }
}
