//! The checksum over a channel's data (RP-008371-DS, DMA, "CRC Calculation").

use cyclescope_machine::Width;

/// SNIFF_CTRL.
const EN: u32 = 1 << 0;
const BSWAP: u32 = 1 << 9;
const OUT_REV: u32 = 1 << 10;
const OUT_INV: u32 = 1 << 11;

/// Polynomials of IEEE 802.3 and of CCITT, without their highest bit.
const CRC32: u32 = 0x04C1_1DB7;
const CRC16: u32 = 0x1021;

/// Returns `value`, which is of `width`, with its bytes in reverse order.
pub const fn swapped(value: u32, width: Width) -> u32 {
    match width {
        Width::Byte => value,
        Width::Half => value >> 8 & 0xFF | (value & 0xFF) << 8,
        Width::Word => value.swap_bytes(),
    }
}

/// Tells if `ctrl`, SNIFF_CTRL, has the hardware look at `channel`.
pub const fn looks_at(ctrl: u32, channel: u8) -> bool {
    ctrl & EN != 0 && ctrl >> 1 & 15 == channel as u32
}

/// Returns the accumulator `sum` after `value`, which a channel has read in `width`.
pub fn advanced(sum: u32, ctrl: u32, value: u32, width: Width) -> u32 {
    let bits = 8 * width.bytes();
    let value = if ctrl & BSWAP != 0 { swapped(value, width) } else { value } & width.mask();
    let reversed = value.reverse_bits() >> (32 - bits);
    match ctrl >> 5 & 15 {
        0 => crc(sum, value, bits, CRC32, 32),
        1 => crc(sum, reversed, bits, CRC32, 32),
        2 => crc(sum, value, bits, CRC16, 16),
        3 => crc(sum, reversed, bits, CRC16, 16),
        0xE => sum & !1 | (sum ^ value.count_ones()) & 1,
        0xF => sum.wrapping_add(value),
        // Reserved.
        _ => sum,
    }
}

/// The CRC of `degree` bits after the `bits` bits of `value`, the highest first.
fn crc(sum: u32, value: u32, bits: u32, polynomial: u32, degree: u32) -> u32 {
    let mask = u32::MAX >> (32 - degree);
    (0..bits).rev().fold(sum & mask, |sum, bit| {
        let out = (sum >> (degree - 1) ^ value >> bit) & 1;
        (sum << 1 & mask) ^ if out != 0 { polynomial } else { 0 }
    })
}

/// Returns SNIFF_DATA as it reads.
pub const fn shown(sum: u32, ctrl: u32) -> u32 {
    let turned = if ctrl & OUT_REV != 0 { sum.reverse_bits() } else { sum };
    if ctrl & OUT_INV != 0 { !turned } else { turned }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8; 9] = b"123456789";

    fn bytes(ctrl: u32, seed: u32) -> u32 {
        TEXT.iter().fold(seed, |sum, byte| advanced(sum, ctrl, u32::from(*byte), Width::Byte))
    }

    #[test]
    fn known_checksums_of_the_digits() {
        // CRC-32, CRC-32/BZIP2 and CRC-16/CCITT-FALSE have these checks in the catalogues of CRCs.
        let reversed = 1 << 5 | OUT_REV | OUT_INV;
        assert_eq!(shown(bytes(reversed, u32::MAX), reversed), 0xCBF4_3926);
        assert_eq!(shown(bytes(OUT_INV, u32::MAX), OUT_INV), 0xFC89_1918);
        assert_eq!(bytes(2 << 5, 0xFFFF), 0x29B1);
        // CRC-16/MCRF4XX: bits of data and result in reverse order.
        assert_eq!(shown(bytes(3 << 5 | OUT_REV, 0xFFFF), OUT_REV) >> 16, 0x6F91);
        assert_eq!(bytes(0xF << 5, 1), 1 + TEXT.iter().map(|byte| u32::from(*byte)).sum::<u32>());
        let ones: u32 = TEXT.iter().map(|byte| byte.count_ones()).sum();
        assert_eq!(bytes(0xE << 5, 0), ones & 1);
    }

    #[test]
    fn a_word_is_its_bytes_where_the_lowest_bit_goes_first() {
        let ctrl = 1 << 5;
        let words = advanced(7, ctrl, u32::from_le_bytes(*b"1234"), Width::Word);
        assert_eq!(words, b"1234".iter().fold(7, |sum, byte| advanced(sum, ctrl, u32::from(*byte), Width::Byte)));
        // With the highest bit first it is so behind a swap.
        let swap = advanced(7, BSWAP, u32::from_le_bytes(*b"1234"), Width::Word);
        assert_eq!(swap, b"1234".iter().fold(7, |sum, byte| advanced(sum, 0, u32::from(*byte), Width::Byte)));
    }
}
