//! Values worked by hand.

use super::super::*;

#[test]
fn ge_is_two_bits_a_halfword_and_says_not_negative_or_carry() {
    assert_eq!(sadd16(0x7FFF_0001, 0x0001_0002), (0x8000_0003, 0b1111));
    assert_eq!(sadd16(0xFFFF_0001, 0x0000_0002), (0xFFFF_0003, 0b0011));
    assert_eq!(uadd16(0xFFFF_0001, 0x0001_0002), (0x0000_0003, 0b1100));
    assert_eq!(usub16(0x0001_0002, 0x0002_0001), (0xFFFF_0001, 0b0011));
    assert_eq!(usub8(0x0102_0304, 0x0201_0403), (0xFF01_FF01, 0b0101));
}

#[test]
fn asx_adds_at_the_top_and_sax_at_the_bottom() {
    // Top: 3 + 1; bottom: 4 - 2.
    assert_eq!(sasx(0x0003_0004, 0x0002_0001), (0x0004_0002, 0b1111));
    // Top: 3 - 1; bottom: 4 + 2.
    assert_eq!(ssax(0x0003_0004, 0x0002_0001), (0x0002_0006, 0b1111));
    // Unsigned: the sum does not carry, the difference does not borrow.
    assert_eq!(uasx(0x0003_0004, 0x0002_0001).1, 0b0011);
    assert_eq!(usax(0x0003_0004, 0x0002_0001).1, 0b1100);
    assert_eq!(qasx(0x7FFF_8000, 0x0001_0001), 0x7FFF_8000);
    assert_eq!(uhsax(0x0000_FFFF, 0xFFFF_0001), 0xFFFF_FFFF);
}

#[test]
fn selection_goes_by_bytes() {
    for ge in 0..16u32 {
        let expected = (0..4).map(|byte| if ge >> byte & 1 != 0 { 0x11 } else { 0xEE } << (8 * byte)).sum::<u32>();
        assert_eq!(sel(0x1111_1111, 0xEEEE_EEEE, ge), expected, "{ge:04b}");
    }
}

#[test]
fn packing_takes_the_shifted_operand_at_the_named_end() {
    assert_eq!(pkhbt(0x1111_2222, 0x3333_4444), 0x3333_2222);
    assert_eq!(pkhtb(0x1111_2222, 0x3333_4444), 0x1111_4444);
}

#[test]
fn q_is_set_where_a_result_does_not_fit() {
    // The only sum of two products that does not fit: 2 × (-2¹⁵)².
    assert_eq!(smuad(0x8000_8000, 0x8000_8000, false), (0x8000_0000, true));
    assert_eq!(smuad(0x8000_8000, 0x8000_8001, false), (0x7FFF_8000, false));
    assert_eq!(smla(1, 1, 0x7FFF_FFFF, false, false), (0x8000_0000, true));
    // The sum overflows on its way and fits in the end: no Q.
    assert_eq!(smlad(0x8000_8000, 0x8000_8000, 0xFFFF_FFFF, false), (0x7FFF_FFFF, false));
    assert!(smlaw(0x7FFF_FFFF, 0x7FFF, 0x7FFF_FFFF, false).1);
    // The double saturates, the sum does not.
    assert_eq!(qdadd(0xFFFF_FFFF, 0x4000_0000), (0x7FFF_FFFE, true));
    assert_eq!(qdsub(0, 0x8000_0000), (0x7FFF_FFFF, true));
    assert_eq!(qsub(0, 0x8000_0000), (0x7FFF_FFFF, true));
    assert_eq!(ssat(0x0000_0080, 8), (0x7F, true));
    assert_eq!(usat(0xFFFF_FFFF, 31), (0, true));
    assert_eq!(usat(5, 0), (0, true));
    assert_eq!(ssat16(0x0080_FF7F, 8), (0x007F_FF80, true));
}

#[test]
fn upper_words_are_cut_or_rounded() {
    assert_eq!(smmul(0x0001_0000, 0x0000_8000, false), 0);
    assert_eq!(smmul(0x0001_0000, 0x0000_8000, true), 1);
    // 0 - 1 in the upper word: the borrow from below counts.
    assert_eq!(smmls(1, 1, 0, false), 0xFFFF_FFFF);
    assert_eq!(smmls(1, 1, 0, true), 0);
    assert_eq!(umaal(u32::MAX, u32::MAX, u32::MAX, u32::MAX), u64::MAX);
}
