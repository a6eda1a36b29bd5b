//! Values read from an ESP32 and an ESP32-S3: see the module's source.

use super::super::Fcsr;
use super::super::steps::*;

/// Seven fraction bits of each of RECIP0.S's intervals, as hardware has them.
const RECIPROCAL: &str = "7f7d7b7977757472706e6d6b696866646361605e5d5b5a585755545351504f4d \
    4c4b4a48474645444241403f3e3d3c3b3a393837363534333231302f2e2d2c2b \
    2a2928282726252423232221201f1f1e1d1c1c1b1a1919181717161515141313 \
    121111100f0f0e0e0d0c0c0b0b0a090908080707060505040403030202010101";
/// The same of RSQRT0.S's: operands with an even exponent field, then those with an odd one.
const ROOT: &str = "343332302f2e2c2b2a2928272625232221201f1e1e1d1c1b1a19181717161514 \
    1313121110100f0e0e0d0c0c0b0a0a0909080707060605040403030202010100 \
    7f7d7b7977767472716f6d6c6a696766646361605f5d5c5b5a58575655545352 \
    504f4e4d4c4b4a49484746464544434241403f3f3e3d3c3b3b3a393838373635";

fn bytes(text: &str) -> Vec<u32> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[test]
fn estimates_are_the_measured_tables() {
    let (reciprocal, root) = (bytes(RECIPROCAL), bytes(ROOT));
    assert_eq!((reciprocal.len(), root.len()), (128, 128));
    for interval in 0..128 {
        let fraction = interval << 16;
        for last in [0, 0xFFFF] {
            let operand = 0x3F80_0000 | fraction | last;
            let expected = 0x3F00_0000 | reciprocal[interval as usize] << 16;
            assert_eq!(recip0(operand), expected, "RECIP0.S of {operand:08x}");
            assert_eq!(div0(operand), expected, "DIV0.S of {operand:08x}");
            for (exponent, half) in [(0x4000_0000, 0), (0x3F80_0000, 64)] {
                let operand = exponent | fraction | last;
                let expected = 0x3F00_0000 | root[half + (interval >> 1) as usize] << 16;
                assert_eq!(rsqrt0(operand), expected, "RSQRT0.S of {operand:08x}");
                assert_eq!(sqrt0(operand), expected, "SQRT0.S of {operand:08x}");
            }
        }
    }
}

#[test]
fn estimates_at_the_edges() {
    for (operand, expected) in [
        (0x7F80_0000, 0),
        (0, 0x7F80_0000),
        (0x8000_0000, 0xFF80_0000),
        (0x7E80_0000, 0x007F_8000), // below the normal numbers
    ] {
        assert_eq!(recip0(operand), expected, "RECIP0.S of {operand:08x}");
    }
    assert_eq!(div0(0x7FC0_0000), 0x3F2A_0000);
    assert_eq!(rsqrt0(0xBF80_0000), 0xFFFF_0000);
    assert_eq!(sqrt0(0x7F80_0000), 0x3F7F_0000);
}

#[test]
fn constants_repeat() {
    let constants: Vec<u32> = (0..16).map(constant).collect();
    assert_eq!(constants, [0, 0x3F80_0000, 0x4000_0000, 0x3F00_0000].repeat(4));
}

/// The operands of the measured steps.
const OPERANDS: [u32; 24] = [
    0,
    1 << 31,
    0x3F80_0000,
    0xBF80_0000,
    0x4000_0000,
    0x3F00_0000,
    0x4049_0FDB,
    0xC049_0FDB,
    0x3EAA_AAAB,
    0x3F80_0001,
    0x3FFF_FFFF,
    0x7F00_0000,
    0x7F00_0001,
    0x00FF_FFFF,
    0x0080_0000,
    0x0000_0001,
    0x0040_0000,
    0x7F7F_FFFE,
    0x0080_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0x7FD5_AA55,
    0x7F80_0001,
];

#[test]
fn the_reduced_operands() {
    for (operand, expected) in [
        (0, 0xBF80_0000u32),
        (1 << 31, 0x3F80_0000),
        (0x3F80_0000, 0xBF80_0000),
        (0x3F00_0000, 0xC000_0000),
        (0x4049_0FDB, 0xC049_0FDB),
        (0x7F80_0000, 0xBF80_0000),
        (0x7FC0_0000, 0xFFC0_0000),
        (0x7FD5_AA55, 0xFFD5_AA55),
        (0x7F80_0001, 0xFF80_0001),
        (0x0000_0001, 0xC000_0000),
    ] {
        assert_eq!(nexp01(operand), expected, "NEXP01.S of {operand:08x}");
    }
}

#[test]
fn adjustments_of_roots() {
    for (operand, expected, fsr) in [
        (0, 0x3FB7_C000u32, 0),
        (1 << 31, 0x43B7_C000, 0),
        (0x3F80_0000, 0x3F9F_C000, 0),
        (0xBF80_0000, 0x4FB7_C000, Fcsr::V),
        (0x3F00_0000, 0x3B9D_C000, 0),
        (0x4049_0FDB, 0x3F9F_C000, 0),
        (0x7F80_0000, 0x47B7_C000, 0),
        (0xFF80_0000, 0x4FB7_C000, Fcsr::V),
        (0x7FC0_0000, 0x4FB7_C000, 0),
        (0x7F80_0001, 0x4FB7_C000, Fcsr::V),
    ] {
        let mut fcsr = Fcsr::default();
        assert_eq!(mksadj(operand, &mut fcsr), expected, "MKSADJ.S of {operand:08x}");
        assert_eq!(fcsr.fsr(), fsr, "flags of MKSADJ.S of {operand:08x}");
    }
}

#[test]
fn adjustments_of_quotients() {
    // By divisor (0 and 1), in the order of the operands.
    let by_zero = [
        (0x4FB7_C000u32, Fcsr::V),
        (0x53B7_C000, Fcsr::V),
        (0x47B7_C000, Fcsr::Z),
        (0x4BB7_C000, Fcsr::Z),
        (0x47B7_C000, Fcsr::Z),
        (0x47B7_C000, Fcsr::Z),
        (0x47B7_C000, Fcsr::Z),
        (0x4BB7_C000, Fcsr::Z),
    ];
    let by_one =
        [0x3FB7_C000u32, 0x43B7_C000, 0x3F9F_C000, 0x3F9F_C000, 0x3F9F_C000, 0x379D_C000, 0x3F9F_C000, 0x3F9F_C000];
    for (i, (expected, fsr)) in by_zero.into_iter().enumerate() {
        let mut fcsr = Fcsr::default();
        assert_eq!(mkdadj(0, OPERANDS[i], &mut fcsr), expected, "MKDADJ.S of {:08x} by 0", OPERANDS[i]);
        assert_eq!(fcsr.fsr(), fsr, "flags of {:08x} by 0", OPERANDS[i]);
    }
    for (i, expected) in by_one.into_iter().enumerate() {
        // The sign of a finite quotient is that of the reduced numbers.
        assert_eq!(mkdadj(0x3F80_0000, OPERANDS[i], &mut Fcsr::default()), expected, "{:08x} by 1", OPERANDS[i]);
    }
    for (operand, expected, fsr) in [
        (0x7F80_0000, 0x47B7_C000u32, 0),
        (0xFF80_0000, 0x4BB7_C000, 0),
        (0x7FC0_0000, 0x4FB7_C000, 0),
        (0x7F80_0001, 0x4FB7_C000, Fcsr::V),
    ] {
        let mut fcsr = Fcsr::default();
        assert_eq!(mkdadj(0, operand, &mut fcsr), expected, "{operand:08x} by 0");
        assert_eq!(fcsr.fsr(), fsr);
    }
    assert_eq!(mkdadj(0x1234_5678, 0x3F80_0000, &mut Fcsr::default()), 0x2FA3_C000);
}

#[test]
fn exponents_are_added_modulo_256() {
    assert_eq!(addexp(0x1234_5678, 0x1F80_0000), 0x7234_5678);
    assert_eq!(addexp(0x3F80_0000, 0xBF80_0000), 0xBF80_0000);
    assert_eq!(addexp(0x3F80_0000, 0x7F80_0000), 0x7F80_0000);
    assert_eq!(addexp(0x7FC0_0000, 0x3F80_0000), 0x7FC0_0000);
    assert_eq!(addexpm(0x1234_5678, 0x4049_0FDB), 0xE4B4_5678);
}
