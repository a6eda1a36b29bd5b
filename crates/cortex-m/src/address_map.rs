//! The default address map (DDI 0403E §B3.1).

/// Tells whether the core itself answers on the private peripheral bus (DDI 0403E §B3.1). It answers in all of the inner part. In
/// the outer part it answers for the trace units and the ROM table; the other pages there are the vendor's.
pub(crate) const fn is_private(address: u32) -> bool {
    address >> 18 == 0x3800 || matches!(address >> 12, 0xE_0040 | 0xE_0041 | 0xE_00FF)
}

/// Tells whether `address` lies in the region of RAM (DDI 0403E table B3-1).
pub(crate) const fn is_sram(address: u32) -> bool {
    address >> 29 == 1
}

/// Tells whether the default memory map lets code run at `address` (DDI 0403E table B3-1).
pub(crate) const fn executable(address: u32) -> bool {
    matches!(address >> 29, 0 | 1 | 3 | 4)
}
