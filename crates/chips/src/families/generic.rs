//! A core without a vendor's parts: nothing answers but memory.

use crate::family::{Family, Unclocked};

/// The family of cores alone.
pub(crate) static GENERIC: Family = Family {
    name: "generic",
    segments: &[],
    factory: 0..0,
    rows: &[],
    flash_rows: &[],
    flash_sizes: 1024..0x0400_0001,
    unclocked: Unclocked::Unsaid,
    reads_by_byte: false,
    ram_slaves: &[],
    ram_sizes: 1024..0x0400_0001,
};
