//! Code that the programs share: their checks and their end.
#![no_std]

#[path = "../../hal/src/checks.rs"]
mod checks;

pub use checks::{check, done, within};
use panic_semihosting as _;
