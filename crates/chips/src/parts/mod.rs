//! The parts, one file each; cores alone share one.

mod generic;
mod stm32c031c6;

use crate::Part;

/// All of them, in the order in which they are listed.
pub(crate) static ALL: &[&Part] =
    &[&generic::CORTEX_M0PLUS, &generic::CORTEX_M3, &generic::CORTEX_M4, &stm32c031c6::PART];
