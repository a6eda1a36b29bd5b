//! Code that the programs share: the end of a program, the drivers on each board's pins, and settings of each board's clocks.
#![no_std]

#[cfg_attr(feature = "stm32c031c6", path = "c031.rs")]
#[cfg_attr(feature = "stm32f103c8", path = "f103.rs")]
#[cfg_attr(feature = "stm32f411ce", path = "f411.rs")]
#[cfg_attr(feature = "stm32f446ze", path = "f446.rs")]
#[cfg_attr(feature = "stm32g071rb", path = "g071.rs")]
#[cfg_attr(feature = "stm32g431kb", path = "g431.rs")]
#[cfg_attr(feature = "stm32l476rg", path = "l476.rs")]
#[cfg(not(feature = "clocks_only"))]
pub mod board;
#[cfg(not(feature = "clocks_only"))]
pub mod drivers;
#[cfg_attr(feature = "stm32c031c6", path = "settings/c031.rs")]
#[cfg_attr(feature = "stm32f103c8", path = "settings/f103.rs")]
#[cfg_attr(feature = "stm32f107vc", path = "settings/f107.rs")]
#[cfg_attr(feature = "stm32f411ce", path = "settings/f411.rs")]
#[cfg_attr(feature = "stm32f446ze", path = "settings/f446.rs")]
#[cfg_attr(feature = "stm32g071rb", path = "settings/g071.rs")]
#[cfg_attr(feature = "stm32g431kb", path = "settings/g431.rs")]
#[cfg_attr(any(feature = "stm32l476rg", feature = "stm32l4r5zi"), path = "settings/l4.rs")]
pub mod settings;

mod checks;

pub use checks::{check, done, within};
use panic_semihosting as _;
