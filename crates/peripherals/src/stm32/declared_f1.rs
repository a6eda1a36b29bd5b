//! Blocks of STM32F1 that are declared with the values they hold after reset, and have no behaviour here.

use crate::Modelled;
use crate::bank::all;

/// Debug support (RM0008, "MCU debug component (DBGMCU)"). Without a debugger, which is how programs run here, silicon
/// reads both registers as 0 and takes no writes (ES0340, "Debug registers cannot be read by user software"): so the
/// device's identity cannot be read by the program, here as there.
pub const DBGMCU: &[Modelled] = &[all("IDCODE", 0), all("CR", 0)];
