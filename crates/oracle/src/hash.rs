//! The hash of states and memory, with the same function as the peers.

/// Mixes `value` into `hash`.
pub(crate) const fn mix(hash: u64, value: u64) -> u64 {
    let hash = (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^ hash >> 29
}

/// Returns the hash of bytes, eight at a time, with zeros behind the last.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(hash, u64::from_le_bytes(word))
    })
}
