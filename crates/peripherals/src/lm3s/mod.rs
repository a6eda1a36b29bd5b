//! Blocks of the LM3S6965 (Luminary Micro, TI). Registers, reset values and behaviour stand by hand beside each block and
//! name the section of the data sheet.

pub mod declared;
pub mod uart;
