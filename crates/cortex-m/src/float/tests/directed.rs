//! Cases whose result and flags are read from the manual's pseudocode.

use super::super::*;

const ONE: u32 = 0x3F80_0000;

#[test]
fn simple_sums_are_exact() {
    let mut fpscr = Fpscr::default();
    assert_eq!(add(ONE, ONE, &mut fpscr), 0x4000_0000);
    assert_eq!(sub(ONE, ONE, &mut fpscr), 0);
    assert_eq!(mul(0x4040_0000, 0x4000_0000, &mut fpscr), 0x40C0_0000);
    assert_eq!(div(0x4040_0000, 0x4000_0000, &mut fpscr), 0x3FC0_0000);
    assert_eq!(sqrt(0x4110_0000, &mut fpscr), 0x4040_0000);
    assert_eq!(fma(ONE, 0x4000_0000, 0x4040_0000, &mut fpscr), 0x40E0_0000);
    assert_eq!(fpscr.bits(), 0);
}
