//! Packets of USB at full speed: their bits, and the time they take (USB 2.0, chapters 7 and 8).

use cyclescope_machine::units::Picoseconds;

/// Bits of SYNC and of the end of a packet.
const FRAME: u64 = 8 + 3;
/// Bits of a handshake.
pub const HANDSHAKE: u64 = FRAME + 8;
/// Bits from the end of one side's packet to the other side's answer: between 2 and 6.5 for a device (USB 2.0, 7.1.18).
pub const TURN: u64 = 4;
/// Bits without an answer after which the host gives up: 16 to 18 (USB 2.0, 7.1.19).
pub const TIMEOUT: u64 = 18;
/// Bits between the host's packets: at least 2 (USB 2.0, 7.1.18).
pub const GAP: u64 = 4;

/// Packet identifiers as they go over the wire.
const SETUP: u8 = 0x2D;
const OUT: u8 = 0xE1;
const IN: u8 = 0x69;
const DATA: [u8; 2] = [0xC3, 0x4B];

/// Returns the time of `bits` bits at 12 Mbit/s.
pub const fn time(bits: u64) -> Picoseconds {
    Picoseconds::new(bits * 1_000_000 / 12)
}

/// The direction of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// A request on a control endpoint.
    Setup,
    /// Data from the host.
    Out,
    /// Data for the host.
    In,
}

/// Returns the bits of a token packet, those stuffed included.
pub fn token(token: Token, address: u8, endpoint: u8) -> u64 {
    let pid = match token {
        Token::Setup => SETUP,
        Token::Out => OUT,
        Token::In => IN,
    };
    let fields = u16::from(address & 0x7F) | u16::from(endpoint & 0xF) << 7;
    let word = fields | u16::from(crc5(fields)) << 11;
    FRAME + stuffed([pid].into_iter().chain(word.to_le_bytes()))
}

/// Returns the bits of a packet of data, those stuffed included.
pub fn data(toggle: bool, bytes: &[u8]) -> u64 {
    let pid = DATA[usize::from(toggle)];
    FRAME + stuffed([pid].into_iter().chain(bytes.iter().copied()).chain(crc16(bytes).to_le_bytes()))
}

/// Returns the most bits that a packet of `length` bytes of data may have.
pub const fn most(length: u64) -> u64 {
    let bits = (length + 3) * 8;
    FRAME + bits + bits / 6
}

/// Returns the bits of `bytes` on the wire: after six ones a zero is stuffed in (USB 2.0, 7.1.9). SYNC ends in a one.
fn stuffed(bytes: impl Iterator<Item = u8>) -> u64 {
    let (mut bits, mut ones) = (0, 1);
    for byte in bytes {
        for place in 0..8 {
            bits += 1;
            ones = if byte >> place & 1 != 0 { ones + 1 } else { 0 };
            if ones == 6 {
                (bits, ones) = (bits + 1, 0);
            }
        }
    }
    bits
}

/// The check bits of a token's 11 bits (USB 2.0, 8.3.5.1), the first bit on the wire the lowest.
fn crc5(fields: u16) -> u8 {
    let mut crc = 0x1Fu8;
    for place in 0..11 {
        let bit = (fields >> place & 1) as u8;
        let feed = (crc ^ bit) & 1 != 0;
        crc = crc >> 1 ^ if feed { 0x14 } else { 0 };
    }
    !crc & 0x1F
}

/// The check bits of data (USB 2.0, 8.3.5.2), the first bit on the wire the lowest.
fn crc16(bytes: &[u8]) -> u16 {
    let mut crc = 0xFFFFu16;
    for byte in bytes {
        crc ^= u16::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 != 0 { 0xA001 } else { 0 };
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_bits_are_those_of_known_packets() {
        // As analysers show them: SETUP to 0 is 2D 00 10, the start of frame 1 is A5 01 E8.
        assert_eq!([crc5(0), crc5(1)], [0x1000 >> 11, 0xE801 >> 11].map(|crc: u32| crc as u8));
        // GET_DESCRIPTOR as many analysers show it: 80 06 00 01 00 00 40 00, then DD 94.
        assert_eq!(crc16(&[0x80, 0x06, 0x00, 0x01, 0x00, 0x00, 0x40, 0x00]).to_le_bytes(), [0xDD, 0x94]);
        assert_eq!(crc16(&[]), 0);
    }

    #[test]
    fn stuffed_bits_count() {
        assert_eq!(token(Token::In, 0, 0), 35);
        assert_eq!(data(false, &[]), 11 + 24);
        // The PID ends in two ones, and the check bits of these sixteen are ones too: 34 in a row.
        assert_eq!(data(false, &[0xFF, 0xFF]), 11 + 40 + 5);
        assert!((0..=255u8).all(|byte| data(true, &[byte; 64]) <= most(64)));
        assert_eq!(time(12).get(), 1_000_000);
    }
}
