//! The DSP extension against values worked from the manual.

use super::*;

#[test]
fn the_shapes_of_parallel_addition() {
    assert_eq!(sadd16(0x7FFF_0001, 0x0001_0002), (0x8000_0003, 0b1111));
    assert_eq!(sel(0x1111_1111, 0x2222_2222, 0b1010), 0x1122_1122);
}
