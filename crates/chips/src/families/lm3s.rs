//! The blocks that a Cortex-M3 without a vendor's part has beside memory: the first serial port of the LM3S6965, so
//! that programs linked for boards with that part talk (LM3S6965 data sheet, "Memory Map").

use cyclescope_peripherals::lm3s::uart;

use crate::family::{Cost, Family, Lanes, Segment};

/// One block's page.
const fn block(from: u32) -> Segment {
    Segment { from, blocks_to: from + 0x1000, to: from + 0x1000, lanes: Lanes::Own, cost: Cost::None }
}

/// The family.
pub(crate) static LM3S: Family = Family {
    segments: &[block(0x4000_4000), block(0x4000_C000), block(0x400F_E000)],
    rows: &[uart::ROWS],
    ..Family::bare("lm3s")
};
