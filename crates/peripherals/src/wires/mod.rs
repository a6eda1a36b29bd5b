//! The wires between a part and what hangs on its pins, below any vendor's registers.
//!
//! A peripheral hands whole transfers to [`Outside`], which has the attached devices. A program that moves pins by hand
//! reaches the same devices edge by edge ([`i2c`], [`spi`]). The edges that a peripheral's transfer makes on its pins are a
//! [`Wave`], which is played only where somebody looks.

pub mod can;
mod die;
mod env;
pub mod i2c;
mod outside;
pub mod spi;
mod square;
mod usb;
mod voltages;
mod wave;

pub use die::Die;
pub use i2c::Answer;
pub use outside::{Outside, Route};
pub use square::{Square, Squares};
pub use wave::{Edge, WAVE, Wave, Waves};
