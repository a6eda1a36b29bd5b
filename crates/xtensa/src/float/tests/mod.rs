//! The coprocessor's arithmetic against the host's, against division and square root of `crates/float`, and against
//! values measured on an ESP32 and an ESP32-S3.
//!
//! [`measured`] has what no manual says, the steps and the estimates; [`sequences`] runs the compiler's library's
//! division and square root, instruction by instruction; [`directed`] has flags, NaNs and conversions.

mod directed;
mod measured;
mod sequences;

/// Operands at which something changes, without their signs.
const SPECIAL: [u32; 28] = [
    0x0000_0000, // 0
    0x0000_0001, // the smallest subnormal
    0x0000_0003,
    0x0040_0000,
    0x007F_FFFF, // the largest subnormal
    0x0080_0000, // the smallest normal
    0x0080_0001,
    0x00FF_FFFF,
    0x0100_0000,
    0x1A00_0000,
    0x2000_0000,
    0x3E80_0000,
    0x3EFF_FFFF,
    0x3F00_0000, // ½
    0x3F7F_FFFF,
    0x3F80_0000, // 1
    0x3F80_0001,
    0x3FFF_FFFF,
    0x4000_0000, // 2
    0x4049_0FDB,
    0x4F00_0000, // 2³¹
    0x4F80_0000,
    0x7F00_0000,
    0x7F7F_FFFF, // the largest number
    0x7F80_0000, // infinity
    0x7F80_0001, // a signalling NaN
    0x7FC0_0000, // a quiet NaN
    0x7FD5_AA55,
];

/// The special operands with both signs.
fn signed() -> impl Iterator<Item = u32> + Clone {
    SPECIAL.into_iter().flat_map(|bits| [bits, bits | 1 << 31])
}

/// Numbers by a linear congruential generator.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (self.0 >> 32) as u32
    }

    /// Any bits, or a number near one, whose quotients and products stay in range.
    fn operand(&mut self) -> u32 {
        let bits = self.bits();
        match self.bits() >> 30 {
            0 | 1 => bits,
            2 => bits & 0x807F_FFFF | 0x3F80_0000,
            // Long runs of ones or zeros in the fraction.
            _ => (bits & 0xFFFF_F000) | if bits & 1 == 0 { 0xFFF } else { 0 },
        }
    }
}
