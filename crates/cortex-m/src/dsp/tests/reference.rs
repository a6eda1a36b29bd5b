//! Bit fields as integers without bounds.

/// `value<high:low>`.
pub fn field(value: u64, high: u32, low: u32) -> u64 {
    value >> low & ((1u128 << (high - low + 1)) - 1) as u64
}

/// UInt() of a field.
pub fn uint(value: u32, high: u32, low: u32) -> i128 {
    i128::from(field(u64::from(value), high, low))
}

/// SInt() of a field.
pub fn sint(value: u32, high: u32, low: u32) -> i128 {
    let unsigned = uint(value, high, low);
    if unsigned >> (high - low) & 1 != 0 { unsigned - (1 << (high - low + 1)) } else { unsigned }
}

/// `result<bits-1:0>`, as bits.
pub fn cut(result: i128, bits: u32) -> u64 {
    result.rem_euclid(1 << bits) as u64
}

/// SignedSatQ().
pub fn signed_sat(value: i128, bits: u32) -> (i128, bool) {
    let limit = 1i128 << (bits - 1);
    if value > limit - 1 {
        (limit - 1, true)
    } else if value < -limit {
        (-limit, true)
    } else {
        (value, false)
    }
}

/// UnsignedSatQ().
pub fn unsigned_sat(value: i128, bits: u32) -> (i128, bool) {
    let limit = 1i128 << bits;
    if value > limit - 1 {
        (limit - 1, true)
    } else if value < 0 {
        (0, true)
    } else {
        (value, false)
    }
}
