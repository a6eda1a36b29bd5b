//! Registers of 8, 16 and 32 bits in words, with the description's values after reset.

use super::generated;
use crate::{Bank, Map, Modelled, Write};

/// Returns the values of the registers of `map` after reset, from the vendor's description.
pub fn after_reset(map: &'static Map) -> &'static [Modelled] {
    generated::ALL.iter().find(|(known, _)| *known == map).map_or(&[], |(_, values)| values)
}

/// Returns a bank over `map` that models `model`. All other registers hold the description's values after reset.
pub(super) fn bank(map: &'static Map, model: &[Modelled]) -> Bank {
    let all: Vec<Modelled> = model.iter().chain(after_reset(map)).copied().collect();
    Bank::new(map, &all)
}

/// Returns the byte that a write puts into `lane` (0 to 3) of its word, or `None` if it does not write the whole byte.
pub(super) fn byte(write: Write, lane: u32) -> Option<u8> {
    let shift = lane * 8;
    (write.lanes >> shift & 0xFF == 0xFF).then_some((write.value >> shift) as u8)
}

/// Returns the half-word that a write puts into `lane` (0 or 1) of its word, or `None` if it does not write the whole
/// half-word.
pub(super) fn half(write: Write, lane: u32) -> Option<u16> {
    let shift = lane * 16;
    (write.lanes >> shift & 0xFFFF == 0xFFFF).then_some((write.value >> shift) as u16)
}
