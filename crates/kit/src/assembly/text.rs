//! The common parts of the program's text.

use crate::sequence::Sequence;
use crate::table::{Memory, Run};

/// Writes one instruction on each line.
pub(super) fn lines(code: &str) -> String {
    code.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()).fold(String::new(), |text, line| {
        let indent = if line.ends_with(':') { "" } else { "    " };
        text + indent + line + "\n"
    })
}

/// The greatest number of wait states that flags can hold. Boards whose flash has a fixed number ignore it.
const MOST_WAIT: u8 = 15;

/// Returns the flags of a sequence, with the bits that `main.c` expects.
pub(super) fn flags(sequence: &Sequence) -> u32 {
    let Memory { wait, prefetch, cache, data_cache, passes } = sequence.memory;
    u32::from(wait.min(MOST_WAIT))
        | u32::from(prefetch) << 4
        | u32::from(cache) << 5
        | u32::from(data_cache) << 6
        | u32::from(sequence.run == Run::Ram) << 7
        | u32::from(passes) << 8
}
