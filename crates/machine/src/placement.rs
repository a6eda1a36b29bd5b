//! Other places for code and constants, for timing only.
//!
//! A program's addresses decide when its instructions and constants arrive, not what they compute. A placement moves stretches of
//! memory for the first and leaves the second alone: code runs at the addresses that it was linked for, and waits for lines,
//! caches and word boundaries as if it lay elsewhere.

use std::ops::Range;

/// The places that stretches of memory have for timing only. What lies in none of them stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The address with which `moves` begins.
    first: u32,
    /// For each byte, the bytes by which it moves; they wrap around.
    moves: Vec<u32>,
}

impl Placement {
    /// Moves each stretch of addresses to the one beside it. Of stretches that overlap, the last counts.
    pub fn new(stretches: impl IntoIterator<Item = (Range<u32>, u32)> + Clone) -> Self {
        let first = stretches.clone().into_iter().map(|(from, _)| from.start).min().unwrap_or(0);
        let end = stretches.clone().into_iter().map(|(from, _)| from.end).max().unwrap_or(0);
        let mut moves = vec![0; end.saturating_sub(first) as usize];
        for (from, to) in stretches {
            let bytes = (from.start - first) as usize..(from.end - first) as usize;
            moves[bytes].fill(to.wrapping_sub(from.start));
        }
        Self { first, moves }
    }

    /// The address that counts for timing in place of `address`.
    #[inline]
    pub fn of(&self, address: u32) -> u32 {
        let byte = address.wrapping_sub(self.first);
        address.wrapping_add(self.moves.get(byte as usize).copied().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_move_and_the_rest_stays() {
        let placement = Placement::new([(0x10..0x16, 0x40), (0x20..0x23, 0x1E)]);
        for (address, expect) in
            [(0, 0), (0xF, 0xF), (0x10, 0x40), (0x15, 0x45), (0x16, 0x16), (0x20, 0x1E), (0x22, 0x20), (0x23, 0x23)]
        {
            assert_eq!(placement.of(address), expect, "{address:#x}");
        }
        assert_eq!(Placement::default().of(u32::MAX), u32::MAX);
    }
}
