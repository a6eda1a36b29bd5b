//! Xtensa: the instructions that call.

use cyclescope_machine::Probe;

use super::registers::byte;

/// Tells if the instruction before `address` is a call without a window: CALL0 or CALLX0. What the others leave in a0 is no
/// address, since its upper two bits are the rotation of the window.
pub(super) fn follows_call(probe: &dyn Probe, address: u32) -> bool {
    let Some(at) = address.checked_sub(3) else { return false };
    let bytes = [at, at + 1, at + 2].map(|at| byte(probe, at));
    match bytes {
        [Some(first), Some(second), Some(third)] => {
            first & 0x3F == 0x05 || first == 0xC0 && second & 0xF0 == 0 && third == 0
        }
        _ => false,
    }
}
