//! The second stage that the RP2040's boot ROM loads from the beginning of flash (RP-008371-DS, Flash Second Stage).

use crate::cortex_asm::*;

/// Its size, with its checksum.
pub const BYTES: u32 = 256;

/// The checksum that a second stage ends with.
pub fn crc(bytes: &[u8]) -> u32 {
    bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte) << 24, |crc, _| crc << 1 ^ if crc >> 31 != 0 { 0x04C1_1DB7 } else { 0 })
    })
}

/// A second stage that starts the program whose vectors lie at `vectors`.
pub fn starts(vectors: u32) -> Vec<u8> {
    // Of two words that are loaded, r0 has the vectors and r1 the place of VTOR.
    let code = [ldr_literal(0, 3), ldr_literal(1, 4), str(0, 1, 0), ldr(1, 0, 0), mov(13, 1), ldr(0, 0, 1), bx(0), NOP];
    let mut bytes: Vec<u8> = code.iter().flat_map(|half| half.to_le_bytes()).collect();
    bytes.extend([vectors, 0xE000_ED08].into_iter().flat_map(u32::to_le_bytes));
    bytes.resize(BYTES as usize - 4, 0);
    bytes.extend(crc(&bytes).to_le_bytes());
    bytes
}
