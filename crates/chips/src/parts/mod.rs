//! The parts, one file each.

mod cortex_m0plus;
mod stm32c031c6;

use crate::Part;

/// All of them, in the order in which they are listed.
pub(crate) const ALL: &[&Part] = &[&cortex_m0plus::PART, &stm32c031c6::PART];
