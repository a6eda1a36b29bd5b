//! Instructions by their mnemonics, from the table of encodings, and a program that grows with labels.

use std::collections::BTreeMap;

use cyclescope_xtensa::decode::{NARROW, Row, WIDE};

fn row(name: &str) -> Row {
    *WIDE.iter().chain(NARROW).find(|row| row.name == name).unwrap_or_else(|| panic!("no instruction {name}"))
}

/// The instruction `name` with its fields r, s and t.
pub fn rst(name: &str, r: u32, s: u32, t: u32) -> u32 {
    let row = row(name);
    row.value | (r << 12 | s << 8 | t << 4) & !row.mask
}

/// The instruction `name` with its fields s and t, and eight bits.
pub fn st8(name: &str, s: u32, t: u32, imm: i32) -> u32 {
    let row = row(name);
    row.value | (s << 8 | t << 4) & !row.mask | (imm as u32 & 0xFF) << 16
}

pub fn movi(t: u32, value: i32) -> u32 {
    row("MOVI").value | t << 4 | (value as u32 >> 8 & 15) << 8 | (value as u32 & 0xFF) << 16
}
pub fn addi(t: u32, s: u32, value: i32) -> u32 {
    st8("ADDI", s, t, value)
}
pub fn l32i(t: u32, s: u32, offset: i32) -> u32 {
    st8("L32I", s, t, offset / 4)
}
pub fn s32i(t: u32, s: u32, offset: i32) -> u32 {
    st8("S32I", s, t, offset / 4)
}
pub fn l16si(t: u32, s: u32, offset: i32) -> u32 {
    st8("L16SI", s, t, offset / 2)
}
pub fn special(name: &str, t: u32, number: u32) -> u32 {
    row(name).value | t << 4 | number << 8
}
pub fn entry(s: u32, bytes: u32) -> u32 {
    row("ENTRY").value | s << 8 | (bytes / 8) << 12
}
pub fn rsil(t: u32, level: u32) -> u32 {
    rst("RSIL", 0, level, t)
}

/// Special registers.
pub mod sr {
    pub const SAR: u32 = 3;
    pub const LITBASE: u32 = 5;
    pub const EPC1: u32 = 177;
    pub const EXCSAVE1: u32 = 209;
    pub const EXCSAVE2: u32 = 210;
    pub const INTENABLE: u32 = 228;
    pub const INTSET: u32 = 226;
    pub const PS: u32 = 230;
    pub const EXCCAUSE: u32 = 232;
    pub const CCOUNT: u32 = 234;
    pub const ICOUNT: u32 = 236;
    pub const ICOUNTLEVEL: u32 = 237;
    pub const CCOMPARE0: u32 = 240;
}

/// A piece of code at an address, with labels.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub at: u32,
    pub bytes: Vec<u8>,
    labels: BTreeMap<&'static str, u32>,
    fixes: Vec<(usize, &'static str)>,
}

impl Code {
    pub fn at(at: u32) -> Self {
        Self { at, ..Self::default() }
    }

    pub fn here(&self) -> u32 {
        self.at + self.bytes.len() as u32
    }

    /// Adds instructions of 24 bits.
    pub fn add(mut self, words: &[u32]) -> Self {
        for word in words {
            self.bytes.extend_from_slice(&word.to_le_bytes()[..3]);
        }
        self
    }

    /// Adds an instruction of 16 bits.
    pub fn narrow(mut self, word: u32) -> Self {
        self.bytes.extend_from_slice(&word.to_le_bytes()[..2]);
        self
    }

    /// Names this place.
    pub fn label(mut self, name: &'static str) -> Self {
        self.labels.insert(name, self.here());
        self
    }

    /// Adds the branch, jump, call or loop `word` to `label`.
    pub fn to(mut self, word: u32, label: &'static str) -> Self {
        self.fixes.push((self.bytes.len(), label));
        self.add(&[word])
    }

    /// Adds a word of data.
    pub fn word(mut self, word: u32) -> Self {
        self.bytes.extend_from_slice(&word.to_le_bytes());
        self
    }

    /// Goes on at a multiple of four.
    pub fn align(mut self) -> Self {
        while !self.here().is_multiple_of(4) {
            self.bytes.push(0);
        }
        self
    }

    pub fn address_of(&self, label: &str) -> u32 {
        self.labels[label]
    }

    /// The bytes with all labels resolved.
    pub fn build(&self) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for (offset, label) in &self.fixes {
            let (pc, target) = (self.at + *offset as u32, self.labels[label]);
            let ahead = target.wrapping_sub(pc + 4);
            let first = bytes[*offset];
            let bits = match first & 15 {
                1 => target.wrapping_sub((pc + 3) & !3) >> 2 << 8 & 0xFF_FF00,
                5 => target.wrapping_sub((pc & !3) + 4) >> 2 << 6 & 0xFF_FFC0,
                6 if first & 0x30 == 0 => ahead << 6 & 0xFF_FFC0,
                6 if first & 0x30 == 0x10 => ahead << 12 & 0xFF_F000,
                _ => ahead << 16 & 0xFF_0000,
            };
            for (index, byte) in bits.to_le_bytes()[..3].iter().enumerate() {
                bytes[offset + index] |= byte;
            }
        }
        bytes
    }
}
