//! From words of flash to instructions, once.
//!
//! An encoding is a row: mask, value, the manual's name, and how its fields become an [`Instruction`]. Decoding is pure;
//! what depends on the place of the instruction (branch targets, what a skip skips) is resolved when a block is built.

mod instruction;
mod op;
mod rows;

use std::sync::LazyLock;

pub use instruction::{Instruction, X, Y, Z};
pub use op::Op;
pub use rows::ROWS;

/// One encoding: an instruction matches when its first word `& mask == value`.
#[derive(Clone, Copy)]
pub struct Row {
    /// The bits that the encoding fixes.
    pub mask: u16,
    /// The values of those bits.
    pub value: u16,
    /// The manual's mnemonic, with operands where it has several encodings.
    pub name: &'static str,
    /// Words it takes: 1 or 2.
    pub words: u8,
    /// Takes the fields out of the first and the second word.
    pub build: fn(u32, u32) -> Instruction,
}

/// The instructions that not every part of the family has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extensions {
    /// ELPM: parts with more than 64 KiB of flash.
    pub elpm: bool,
    /// EIJMP and EICALL: parts with more than 128 KiB of flash.
    pub extended_jumps: bool,
}

impl Extensions {
    /// Those of parts with at most 64 KiB of flash.
    pub const NONE: Self = Self { elpm: false, extended_jumps: false };
    /// All of AVRe+.
    pub const ALL: Self = Self { elpm: true, extended_jumps: true };

    /// Tells whether a core with these extensions has `op`.
    pub const fn have(self, op: Op) -> bool {
        match op {
            Op::ElpmR0 | Op::Elpm | Op::ElpmInc => self.elpm,
            Op::Eijmp | Op::Eicall => self.extended_jumps,
            _ => true,
        }
    }
}

/// For each first word the number of its row plus one; 0 where it is reserved.
static BY_WORD: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    let find = |word: u16| ROWS.iter().position(|row| word & row.mask == row.value);
    (0..=u16::MAX).map(|word| find(word).map_or(0, |index| index as u8 + 1)).collect()
});

/// The encoding of the instruction that begins with `word`; `None` where it is reserved in AVRe+.
pub fn row(word: u16) -> Option<&'static Row> {
    ROWS.get(usize::from(BY_WORD[usize::from(word)]).wrapping_sub(1))
}

/// The words that the instruction beginning with `word` takes: 1 or 2. A reserved one takes 1.
pub fn words(word: u16) -> u32 {
    row(word).map_or(1, |row| u32::from(row.words))
}

/// The instruction that begins with `first`; `second` counts if it has two words.
pub fn decode(first: u16, second: u16, extensions: Extensions) -> Instruction {
    let reserved = Instruction::new(Op::Reserved).imm(u32::from(first));
    let Some(row) = row(first) else { return reserved };
    let instruction = (row.build)(u32::from(first), u32::from(second));
    if extensions.have(instruction.op) { instruction } else { reserved }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[u16], op: Op, rd: u8, rr: u8, imm: u32) {
        let second = words.get(1).copied().unwrap_or(0);
        let i = decode(words[0], second, Extensions::ALL);
        assert_eq!((i.op, i.rd, i.rr, i.imm), (op, rd, rr, imm), "{words:04x?}");
        assert_eq!(super::words(words[0]), words.len() as u32, "{words:04x?}");
    }

    #[test]
    fn every_word_lands_in_one_row_or_is_reserved() {
        let mut reserved = 0;
        for word in 0..=u16::MAX {
            let matching: Vec<&str> =
                ROWS.iter().filter(|row| word & row.mask == row.value).map(|row| row.name).collect();
            assert!(matching.len() <= 1, "{word:04x}: {matching:?}");
            assert_eq!(row(word).map(|row| row.name), matching.first().copied());
            reserved += u32::from(matching.is_empty());
        }
        // 0001 to 00FF; 9003, 9008, 900B and their like in 9200; 9204 to 9207 (XCH, LAS, LAC, LAT of AVRxm); the rest of
        // 940x to 95xx with DES; the upper halves of BLD, BST, SBRC and SBRS.
        assert_eq!(reserved, 255 + 3 * 32 + 7 * 32 + RESERVED_IN_94 + 4 * 256);
        for row in ROWS {
            assert_eq!(row.value & !row.mask, 0, "{}", row.name);
        }
    }

    /// Of the 512 words from 9400 to 95FF: 8 one-operand rows of 32, BSET and BCLR of 8 each, 12 single ones and the two
    /// jumps, which take 16 words of 4 each.
    const RESERVED_IN_94: u32 = 512 - 8 * 32 - 16 - 12 - 128;

    #[test]
    fn fields_are_taken_as_an_assembler_puts_them() {
        // Words from avr-as (binutils 2.26).
        check(&[0x0F01], Op::Add, 16, 17, 0); // add r16, r17
        check(&[0x2DEF], Op::Mov, 30, 15, 0); // mov r30, r15
        check(&[0x01F8], Op::Movw, 30, 16, 0); // movw r30, r16
        check(&[0x0212], Op::Muls, 17, 18, 0); // muls r17, r18
        check(&[0x0321], Op::Mulsu, 18, 17, 0); // mulsu r18, r17
        check(&[0x0329], Op::Fmul, 18, 17, 0);
        check(&[0x03A1], Op::Fmuls, 18, 17, 0);
        check(&[0x03A9], Op::Fmulsu, 18, 17, 0);
        check(&[0xEA5C], Op::Ldi, 21, 0, 0xAC); // ldi r21, 0xac
        check(&[0x9631], Op::Adiw, 30, 0, 1); // adiw r30, 1
        check(&[0x97CF], Op::Sbiw, 24, 0, 63); // sbiw r24, 63
        check(&[0xAD5F], Op::LddY, 21, 0, 63); // ldd r21, Y+63
        check(&[0x8352], Op::StdZ, 21, 0, 2); // std Z+2, r21
        check(&[0x91F0, 0x0123], Op::Lds, 31, 0, 0x123); // lds r31, 0x123
        check(&[0x9300, 0x0456], Op::Sts, 16, 0, 0x456); // sts 0x456, r16
        check(&[0x940C, 0x1234], Op::Jmp, 0, 0, 0x2468); // jmp 0x2468
        check(&[0x95FF, 0xFFFF], Op::Call, 0, 0, 0x7F_FFFE); // call 0x7ffffe
        check(&[0xCFFF], Op::Rjmp, 0, 0, -2i32 as u32); // rjmp .-2
        check(&[0xD001], Op::Rcall, 0, 0, 2); // rcall .+2
        check(&[0xF7F1], Op::Brbc, 0, 1, -4i32 as u32); // brne .-4
        check(&[0xF008], Op::Brbs, 0, 0, 2); // brcs .+2
        check(&[0xB60F], Op::In, 0, 0, 0x3F); // in r0, 0x3f
        check(&[0xBFCD], Op::Out, 28, 0, 0x3D); // out 0x3d, r28
        check(&[0x9A2F], Op::Sbi, 0, 7, 5); // sbi 0x05, 7
        check(&[0x99FE], Op::Sbic, 0, 6, 0x1F); // sbic 0x1f, 6
        check(&[0x9478], Op::Bset, 0, 7, 0); // sei
        check(&[0x94E8], Op::Bclr, 0, 6, 0); // clt
        check(&[0xFB17], Op::Bst, 17, 7, 0); // bst r17, 7
        check(&[0xF917], Op::Bld, 17, 7, 0); // bld r17, 7
        check(&[0xFF00], Op::Sbrs, 16, 0, 0); // sbrs r16, 0
        check(&[0x9FDE], Op::Mul, 29, 30, 0); // mul r29, r30
    }

    #[test]
    fn what_a_part_does_not_have_is_reserved() {
        for word in [0x9006, 0x9007, 0x95D8, 0x9419, 0x9519] {
            assert_eq!(decode(word, 0, Extensions::NONE).op, Op::Reserved, "{word:04x}");
            assert_ne!(decode(word, 0, Extensions::ALL).op, Op::Reserved, "{word:04x}");
        }
        assert_eq!(decode(0x9204, 0, Extensions::ALL).op, Op::Reserved, "XCH is AVRxm's");
    }
}
