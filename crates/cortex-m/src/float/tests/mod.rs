//! FPv4-SP against other formulations of it, and against cases read from the manual.
//!
//! [`reference`] says what each operation gives, over `rustc_apfloat` (arbitrary precision, all rounding modes) and exact
//! integers; [`agreement`] compares on pairs and triples of special operands and on random ones, under all rounding modes,
//! with and without flush-to-zero and default NaN; [`host`] compares results to nearest with the host's own arithmetic.

mod agreement;
mod directed;
mod host;
mod reference;

use super::Fpscr;

/// Operands at which something changes, without their signs.
const SPECIAL: [u32; 44] = [
    0x0000_0000, // 0
    0x0000_0001, // the smallest subnormal
    0x0000_0003,
    0x0040_0000,
    0x007F_FFFF, // the largest subnormal
    0x0080_0000, // the smallest normal
    0x0080_0001,
    0x00FF_FFFF,
    0x0100_0000,
    0x1A00_0000, // whose square is near the smallest normal
    0x1FFF_FFFF,
    0x2000_0000,
    0x3280_0000, // 2⁻²⁶, half a unit in the last place of ½
    0x3300_0000, // half of the smallest half precision subnormal
    0x3300_0001,
    0x3380_0000, // the smallest half precision subnormal
    0x33C0_0000,
    0x387F_DFFF, // about the smallest half precision normal
    0x387F_F000,
    0x3880_0000,
    0x3F00_0000, // ½
    0x3F7F_FFFF,
    0x3F80_0000, // 1
    0x3F80_0001,
    0x3FC0_0000, // 1½
    0x4000_0000, // 2
    0x4040_0000, // 3
    0x46FF_FF00, // about 2¹⁵
    0x4700_0000,
    0x477F_E000, // the largest half precision number, and what rounds to it
    0x477F_EFFF,
    0x477F_F000,
    0x47FF_E000, // the same for the alternative format
    0x47FF_F000,
    0x4EFF_FFFF, // about 2³¹
    0x4F00_0000,
    0x4F7F_FFFF, // about 2³²
    0x4F80_0000,
    0x7F00_0000, // 2¹²⁷
    0x7F7F_FFFF, // the largest number
    0x7F80_0000, // infinity
    0x7F80_0001, // a signalling NaN
    0x7FA1_2345,
    0x7FC5_4321, // a quiet NaN
];

/// A generator whose numbers lie where additions cancel, products go under and quotients round, more often than chance
/// would have them.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32
    }

    fn operand(&mut self) -> u32 {
        let bits = self.bits();
        let kind = self.bits();
        let fraction = match kind >> 4 & 3 {
            0 => bits & 0x007F_F000,
            1 => (bits & 0x3F) * 0x0002_0000,
            _ => bits & 0x007F_FFFF,
        };
        let exponent = match kind & 0xF {
            0..6 => 120 + (bits >> 8 & 0xF),
            6..8 => 100 + (bits >> 8 & 0x3F),
            8 => 60 + (bits >> 8 & 0xF),
            9 => bits >> 8 & 3,
            10 => 180 + (bits >> 8 & 0x1F),
            11 => 252 + (bits >> 8 & 3),
            12 => return SPECIAL[kind as usize / 64 % SPECIAL.len()] | bits & 1 << 31,
            _ => return bits,
        };
        bits & 1 << 31 | exponent << 23 | fraction
    }

    /// Any register value, all flags included.
    fn fpscr(&mut self) -> u32 {
        Fpscr::from_bits(self.bits()).bits()
    }
}
