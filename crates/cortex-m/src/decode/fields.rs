//! The notation of the encoding tables: bit fields, and rows from the manual's own bit diagrams.

use super::{Instruction, Reg};

/// One encoding: an instruction matches when `bits & mask == value`.
///
/// For 16-bit encodings `bits` is the halfword; for 32-bit ones the first halfword is in the upper half.
#[derive(Clone, Copy)]
pub struct Row {
    /// The bits the encoding fixes.
    pub mask: u32,
    /// The values of those bits.
    pub value: u32,
    /// The manual's name and encoding, such as `ADD (register) T1`.
    pub name: &'static str,
    /// Takes the fields out.
    pub build: fn(u32) -> Instruction,
}

/// `count` bits of `word` from bit `low` up.
pub(super) const fn bits(word: u32, low: u32, count: u32) -> u32 {
    word >> low & ((1 << count) - 1)
}

/// The register in the three bits from `at` up.
pub(super) const fn low(word: u32, at: u32) -> Reg {
    Reg::new(word >> at & 7)
}

/// The signed number in the low `width` bits.
pub(super) const fn sign_extend(value: u32, width: u32) -> u32 {
    ((value << (32 - width)) as i32 >> (32 - width)) as u32
}

/// A row by mask and value.
pub(super) const fn row(mask: u32, value: u32, name: &'static str, build: fn(u32) -> Instruction) -> Row {
    Row { mask, value, name, build }
}

/// The register in the four bits from `at` up.
pub(super) const fn reg(word: u32, at: u32) -> Reg {
    Reg::new(word >> at & 15)
}

/// A row as the manual draws it: 32 characters, first halfword first, `0` and `1` fixed and `x` a field; spaces only
/// separate.
pub(super) const fn wide(diagram: &str, name: &'static str, build: fn(u32) -> Instruction) -> Row {
    drawn(diagram, 32, name, build)
}

/// The same with 16 characters.
pub(super) const fn narrow(diagram: &str, name: &'static str, build: fn(u32) -> Instruction) -> Row {
    drawn(diagram, 16, name, build)
}

const fn drawn(diagram: &str, width: u32, name: &'static str, build: fn(u32) -> Instruction) -> Row {
    let bytes = diagram.as_bytes();
    let (mut mask, mut value, mut count, mut at) = (0, 0, 0, 0);
    while at < bytes.len() {
        let (fixed, one) = match bytes[at] {
            b'0' => (1, 0),
            b'1' => (1, 1),
            b'x' => (0, 0),
            b' ' => {
                at += 1;
                continue;
            }
            _ => panic!("a diagram has 0, 1, x and spaces"),
        };
        mask = mask << 1 | fixed;
        value = value << 1 | one;
        count += 1;
        at += 1;
    }
    assert!(count == width, "a diagram has a character for each bit");
    row(mask, value, name, build)
}
