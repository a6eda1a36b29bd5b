//! A wire between two pins: a serial port's TX and RX, MOSI and MISO, I2C1 and I2C2, or any output and any input.

use std::any::Any;

use cyclescope_machine::Attached;

use crate::{AttachError, Kind, Options};

/// The kind.
pub const KIND: Kind = Kind {
    name: "loopback",
    summary: "wire between two pins of the chip: TX to RX, MOSI to MISO",
    options: &[],
    places: &["usart1", "a=PA9,b=PA10"],
    make,
};

/// The wire.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loopback;

// All kinds are made alike.
#[allow(clippy::unnecessary_wraps)]
fn make(_: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    Ok(Box::new(Loopback))
}

impl Attached for Loopback {
    fn pins(&self) -> &'static [&'static str] {
        &["a", "b"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(*self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn joins(&self) -> &'static [(usize, usize)] {
        &[(0, 1)]
    }
}
