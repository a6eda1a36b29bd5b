//! Blocks of STM32F1 that are declared with the values they hold after reset, and have no behaviour here.

use crate::Modelled;
use crate::bank::{all, some};

/// Debug support (RM0008, "MCU debug component (DBGMCU)"). Without a debugger, which is how programs run here, silicon
/// reads both registers as 0 and takes no writes (ES0340, "Debug registers cannot be read by user software"): so the
/// device's identity cannot be read by the program, here as there.
pub const DBGMCU: &[Modelled] = &[all("IDCODE", 0), all("CR", 0)];

/// Real-time clock (RM0008, "RTC register map").
pub const RTC: &[Modelled] = &[
    some("CRL", 0x0000_0020, &[]),
    some("PRLL", 0x0000_8000, &[]),
    some("ALRH", 0x0000_FFFF, &[]),
    some("ALRL", 0x0000_FFFF, &[]),
];

/// Analog-to-digital converter (RM0008, "ADC register map").
pub const ADC: &[Modelled] = &[some("HTR", 0x0000_0FFF, &[])];

/// Universal serial bus (RM0008, "USB register map").
pub const USB: &[Modelled] = &[some("CNTR", 0x0000_0003, &[])];
