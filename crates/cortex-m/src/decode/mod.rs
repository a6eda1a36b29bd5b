//! From bytes to instructions, once.
//!
//! An encoding is a row: mask, value, the manual's name, and how its fields become an [`Instruction`]. Decoding is
//! pure; what depends on the place of the instruction (branch targets, literals) is resolved when a block is built.
//! A later architecture adds its rows in a file beside these.

mod armv6m;
mod instruction;

use std::sync::LazyLock;

pub use armv6m::{NARROW, WIDE};
pub use instruction::{Instruction, Op, Reg};

/// One encoding: an instruction matches when `bits & mask == value`.
///
/// For 16-bit encodings `bits` is the halfword; for 32-bit ones the first halfword is in the upper half.
#[derive(Clone, Copy)]
pub struct Row {
    /// The bits the encoding fixes.
    pub mask: u32,
    /// What those bits are.
    pub value: u32,
    /// The manual's name and encoding, such as `ADD (register) T1`.
    pub name: &'static str,
    /// Takes the fields out.
    pub build: fn(u32) -> Instruction,
}

/// Whether the halfword `first` begins a 32-bit instruction (DDI 0419E §A5.1: bits 15:11 are 11101, 11110 or 11111).
pub const fn is_wide(first: u16) -> bool {
    first >> 11 >= 0b11101
}

/// The row that `bits` matches, if any.
pub fn row(first: u16, second: u16) -> Option<&'static Row> {
    if is_wide(first) {
        let bits = u32::from(first) << 16 | u32::from(second);
        WIDE.iter().find(|row| bits & row.mask == row.value)
    } else {
        let candidates = &BY_TOP_BITS[usize::from(first >> 10)];
        candidates.iter().copied().find(|row| u32::from(first) & row.mask == row.value)
    }
}

/// Decodes the instruction that begins with `first`; `second` is the halfword after it and counts only for 32-bit
/// encodings. What no row matches is [`Op::Undefined`].
pub fn decode(first: u16, second: u16) -> Instruction {
    let bits = if is_wide(first) { u32::from(first) << 16 | u32::from(second) } else { u32::from(first) };
    row(first, second).map_or(Instruction::new(Op::Undefined).imm(bits), |row| (row.build)(bits))
}

/// The narrow rows that a halfword's six top bits leave possible.
static BY_TOP_BITS: LazyLock<[Vec<&'static Row>; 64]> = LazyLock::new(|| {
    std::array::from_fn(|top| {
        let top = (top as u32) << 10;
        NARROW.iter().filter(|row| top & row.mask & 0xFC00 == row.value & row.mask & 0xFC00).collect()
    })
});

#[cfg(test)]
mod tests {
    use super::*;

    fn overlaps(rows: &[Row]) -> Vec<(&str, &str)> {
        let mut found = Vec::new();
        for (index, a) in rows.iter().enumerate() {
            for b in &rows[index + 1..] {
                if a.value & b.mask == b.value & a.mask {
                    found.push((a.name, b.name));
                }
            }
        }
        found
    }

    #[test]
    fn no_two_encodings_overlap() {
        assert_eq!(overlaps(NARROW), []);
        assert_eq!(overlaps(WIDE), []);
    }

    #[test]
    fn rows_fix_no_bit_outside_their_mask() {
        for row in NARROW.iter().chain(WIDE) {
            assert_eq!(row.value & !row.mask, 0, "{}", row.name);
        }
    }

    #[test]
    fn every_halfword_lands_somewhere() {
        let mut undefined = 0;
        for first in 0..=u16::MAX {
            if is_wide(first) {
                continue;
            }
            let instruction = decode(first, 0);
            match row(first, 0) {
                Some(row) => assert_eq!((row.build)(u32::from(first)), instruction),
                None => {
                    assert_eq!(instruction.op, Op::Undefined);
                    undefined += 1;
                }
            }
        }
        // DDI 0419E §A5.2.5: of the miscellaneous group B1 and B3 (CBZ on Armv7-M), B6 but for CPS, B7, B8, B9, a quarter
        // of BA, BB, and IT in BF; and BX and BLX with should-be-zero bits set.
        let miscellaneous = 2 * 256 + (256 - 2) + 256 + 2 * 256 + 64 + 256 + (256 - 16);
        let exchange = 256 - 2 * 16;
        assert_eq!(undefined, miscellaneous + exchange);
    }
}
