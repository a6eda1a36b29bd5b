//! Writes the kit's program in assembly: one function for each sequence, which returns the cycles between its two
//! readings of the counter, and the table that `firmware/kit/main.c` reads.

mod arm;
mod avr;

pub(crate) use arm::function as arm_function;

use crate::kit::{Kit, Sequence};
use crate::table::{Memory, Run};

/// Returns the whole file.
pub(crate) fn text(kit: &Kit) -> String {
    let version = kit.version();
    let name = if kit.is_avr() { avr::version(&version) } else { arm::version(&version) };
    format!("/* Generated from experiments/kit by `cargo xtask images build`. */\n{}{name}", sequences(kit))
}

/// Returns the sequences and their table, without the version, which is computed from them.
pub(crate) fn sequences(kit: &Kit) -> String {
    if kit.is_avr() { avr::sequences(kit) } else { arm::sequences(kit) }
}

/// Writes one instruction on each line.
fn lines(code: &str) -> String {
    code.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()).fold(String::new(), |text, line| {
        let indent = if line.ends_with(':') { "" } else { "    " };
        text + indent + line + "\n"
    })
}

/// Returns the flags of a sequence, with the bits that `main.c` expects.
fn flags(sequence: &Sequence) -> u32 {
    let Memory { wait, prefetch, cache, data_cache, passes } = sequence.memory;
    u32::from(wait)
        | u32::from(prefetch) << 4
        | u32::from(cache) << 5
        | u32::from(data_cache) << 6
        | u32::from(sequence.run == Run::Ram) << 7
        | u32::from(passes) << 8
}
