//! The encodings as a table: nothing overlaps, and examples of the manual decode to what it says.

use super::*;
use crate::config::{LX6, LX106};

#[test]
fn no_two_encodings_overlap() {
    let rows: Vec<&Row> = WIDE.iter().chain(NARROW).collect();
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(row.value & !row.mask, 0, "{}", row.name);
        for other in &rows[..index] {
            let common = row.mask & other.mask;
            assert_ne!(row.value & common, other.value & common, "{} and {}", row.name, other.name);
        }
    }
}

#[test]
fn every_row_is_found_by_its_value() {
    for row in WIDE.iter().chain(NARROW) {
        assert_eq!(super::row(row.value).map(|row| row.name), Some(row.name));
    }
}

/// Encodings by GNU as for the LX106, and what the manual says of them.
#[test]
fn constants_come_out_as_the_assembler_put_them_in() {
    let check = |bits: u32, op: Op, fields: [u8; 3], imm: u32| {
        let [r, s, t] = fields;
        assert_eq!(decode(bits, &LX106.options), Instruction { op, r, s, t, imm }, "{bits:#08x}");
    };
    // addi a3, a4, -1
    check(0xFFC432, Op::Addi, [12, 4, 3], u32::MAX);
    // addmi a3, a4, -512
    check(0xFED432, Op::Addi, [13, 4, 3], (-512i32) as u32);
    // movi a2, -2048
    check(0x00A822, Op::Movi, [10, 8, 2], (-2048i32) as u32);
    // slli a2, a3, 5
    check(0x1123B0, Op::Slli, [2, 3, 11], 5);
    // srai a2, a3, 17
    check(0x312130, Op::Srai, [2, 1, 3], 17);
    // movi.n a2, -32 and 95
    check(0x026C, Op::Movi, [0, 2, 2], (-32i32) as u32);
    check(0xF25C, Op::Movi, [15, 2, 2], 95);
    // addi.n a2, a3, -1
    check(0x230B, Op::Addi, [2, 3, 2], u32::MAX);
    // extui a2, a3, 5, 8
    check(0x742530, Op::Extui, [2, 5, 3], 0xFF);
}

#[test]
fn options_decide_what_there_is() {
    // loop a2, .+8; quou a2, a3, a4; add.s f0, f1, f2; entry a1, 32; l32i.n a2, a3, 4
    for bits in [0x048276, 0xC22340, 0x0A0120, 0x004136] {
        assert_eq!(decode(bits, &LX106.options).op, Op::Illegal, "{bits:#08x}");
        assert_ne!(decode(bits, &LX6.options).op, Op::Illegal, "{bits:#08x}");
    }
    assert_eq!(decode(0x1328, &LX106.options).op, Op::L32i);
}
