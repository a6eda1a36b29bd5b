//! RISC-V: the instructions that call.

use cyclescope_machine::Probe;

use super::registers::{half, word};

/// Tells if the instruction before `address` is a call: JAL or JALR that links to ra or t0, or C.JAL, C.JALR.
pub(super) fn follows_call(probe: &dyn Probe, address: u32) -> bool {
    let long = address.checked_sub(4).and_then(|at| word(probe, at)).is_some_and(|code| {
        let links = matches!(code >> 7 & 31, 1 | 5);
        links && (code & 0x7F == 0x6F || code & 0x707F == 0x67)
    });
    let short = address.checked_sub(2).and_then(|at| half(probe, at)).is_some_and(|code| {
        let to_register = code & 0xF07F == 0x9002 && code & 0x0F80 != 0;
        to_register || code & 0xE003 == 0x2001
    });
    long || short
}
