//! AVR: return addresses on the stack, the instructions that call, and interrupt handlers' names.

use cyclescope_machine::Probe;

use super::registers::{AVR_DATA, byte, half};

/// The generations of the family whose program counter takes three bytes on the stack.
const WIDE: u8 = 6;

/// Returns the bytes of a return address on the stack.
pub(super) fn return_bytes(generation: u8) -> u32 {
    if generation == WIDE { 3 } else { 2 }
}

/// Reads the return address, in bytes of flash, whose first byte is at the data address `at`: words, the high byte first.
pub(super) fn return_address(probe: &dyn Probe, generation: u8, at: u32) -> Option<u32> {
    let bytes = (0..return_bytes(generation)).map(|offset| byte(probe, AVR_DATA.checked_add(at)?.checked_add(offset)?));
    let word = bytes.into_iter().try_fold(0u32, |word, byte| Some(word << 8 | u32::from(byte?)))?;
    Some(word * 2)
}

/// Tells if the instruction before `address` is a call: CALL, RCALL, ICALL or EICALL.
pub(super) fn follows_call(probe: &dyn Probe, address: u32) -> bool {
    let before = |bytes| address.checked_sub(bytes).and_then(|at| half(probe, at));
    let short = before(2).is_some_and(|code| code & 0xF000 == 0xD000 || matches!(code, 0x9509 | 0x9519));
    short || before(4).is_some_and(|code| code & 0xFE0E == 0x940E)
}

/// Returns the number of the interrupt whose handler has this name, as avr-libc gives it.
pub(super) fn vector(function: &str) -> Option<u16> {
    function.strip_prefix("__vector_")?.parse().ok()
}
