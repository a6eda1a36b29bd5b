//! The addresses at which loops may end.
//!
//! A loop ends where LEND says, whatever stands there, and blocks have to end there too. LEND is set by a loop instruction, which
//! reaches 259 bytes ahead at the most, so what stands before an address tells whether a loop may end there. Bytes are looked at
//! one by one, since nothing says where instructions begin: a constant that looks like a loop instruction ends a block early and
//! changes nothing.

use cyclescope_machine::{Memory, Width};

/// The most bytes from a loop instruction to the end of its loop.
pub(super) const REACH: u32 = 4 + 255;

/// The bytes of a loop instruction.
const LENGTH: u32 = 3;

/// The bytes from a loop instruction at `address` to the end of its loop, if there is one.
fn distance(memory: &Memory, address: u32) -> Option<u32> {
    let byte = |offset: u32| memory.read(address.wrapping_add(offset), Width::Byte);
    (byte(0)? == 0x76 && matches!(byte(1)? >> 4, 8..=10)).then(|| byte(2)).flatten().map(|imm| imm + 4)
}

/// Tells whether a loop may end at `address`.
pub(crate) fn ends_a_loop(memory: &Memory, address: u32) -> bool {
    (4..=REACH).any(|back| distance(memory, address.wrapping_sub(back)) == Some(back))
}

/// The first instruction of the loop that may end at `end`: of several the shortest.
pub(crate) fn loop_begins(memory: &Memory, end: u32) -> Option<u32> {
    let back = (4..=REACH).find(|back| distance(memory, end.wrapping_sub(*back)) == Some(*back))?;
    Some(end.wrapping_sub(back).wrapping_add(LENGTH))
}

/// The addresses from `from` to before `to` at which loops may end.
pub(super) fn ends(memory: &Memory, from: u32, to: u32) -> Vec<u32> {
    let first = from.wrapping_sub(REACH);
    (0..to.wrapping_sub(first))
        .map(|offset| first.wrapping_add(offset))
        .filter_map(|address| distance(memory, address).map(|bytes| address.wrapping_add(bytes)))
        .filter(|end| end.wrapping_sub(from) < to.wrapping_sub(from))
        .collect()
}
