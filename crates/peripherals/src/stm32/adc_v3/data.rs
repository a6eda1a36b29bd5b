//! The way from a raw result to the data register (RM0351, RM0440, "Data register, data alignment and offset", "Gain
//! compensation").

/// The result after the gain: a product with 4096 for one.
pub(super) fn gained(value: u32, coefficient: u32) -> u32 {
    (value.wrapping_mul(coefficient & 0x3FFF) >> 12).min(0xFFFF)
}

/// The data of a `value` of `bits` bits, minus an offset of twelve, if `offset` is a register with one (`signs`: whose sign and
/// saturation count).
pub(super) fn data(value: u32, bits: u8, offset: Option<u32>, signs: bool, left: bool) -> u16 {
    let Some(register) = offset else {
        // Left-aligned six bits stay in the low byte.
        let shift = if bits == 6 { 2 } else { 16 - bits };
        return if left { value << shift } else { value } as u16;
    };
    let offset = ((register & 0xFFF) >> (12 - bits)) as i32;
    let offset = if signs && register & 1 << 24 != 0 { -offset } else { offset };
    let mut value = value as i32 - offset;
    if signs && register & 1 << 25 != 0 {
        value = value.clamp(0, (1 << bits) - 1);
    }
    let shift = if bits == 6 { 1 } else { 15 - bits };
    (if left { value << shift } else { value }) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_make_signed_data() {
        assert_eq!(data(0x123, 12, None, true, false), 0x123);
        assert_eq!(data(0x123, 12, None, true, true), 0x1230);
        assert_eq!(data(0x2A, 6, None, true, true), 0xA8);
        assert_eq!(data(0x100, 12, Some(1 << 31 | 0x101), true, false), 0xFFFF);
        assert_eq!(data(0x100, 12, Some(1 << 31 | 0x101), true, true), 0xFFF8);
        assert_eq!(data(0x10, 8, Some(1 << 31 | 0x010), true, false), 0x0F, "the upper eight bits of the offset");
        assert_eq!(data(0x100, 12, Some(1 << 31 | 1 << 24 | 0x101), true, false), 0x201);
        assert_eq!(data(0x100, 12, Some(1 << 31 | 1 << 24 | 0x101), false, false), 0xFFFF);
        assert_eq!(data(0x100, 12, Some(1 << 31 | 1 << 25 | 0x101), true, false), 0);
        assert_eq!(data(0xFF0, 12, Some(1 << 31 | 3 << 24 | 0x101), true, false), 0xFFF);
    }

    #[test]
    fn a_gain_is_a_fraction_of_4096() {
        assert_eq!([4_096, 2_048, 8_192, 0].map(|gain| gained(1_000, gain)), [1_000, 500, 2_000, 0]);
        assert_eq!(gained(u32::from(u16::MAX), 0x3FFF), 0xFFFF);
    }
}
