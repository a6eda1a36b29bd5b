//! The variants: what a core was generated with, and the cycles of its units.

/// A core as it was generated, over memories of one speed.
#[derive(Debug)]
pub struct Variant {
    /// Lines of 32 bytes of the instruction cache.
    pub fetch_lines: usize,
    /// True if the shifter moves a bit a cycle; otherwise it gives its result in the memory stage.
    pub light_shifter: bool,
    /// True if multiplications are those of the iterative unit.
    pub iterative_multiplier: bool,
    /// True if WFI waits.
    pub waits: bool,
    /// Cycles from the one in which a fetch misses the cache to the one in which the last word of its line comes.
    pub fill: u32,
    /// The row of those.
    pub fill_row: usize,
    /// Cycles from the one in which a load leaves the execute stage to the one in which the bus answers it.
    pub answer: u32,
    /// Cycles from the one in which a load or store leaves the execute stage to the first in which the next one may.
    pub bus: u32,
    /// Cycles of a multiplication in the memory stage beyond the first.
    pub multiply: u32,
    /// Cycles of a division in the memory stage beyond the first.
    pub divide: u32,
}
