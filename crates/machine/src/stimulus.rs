//! What the outside does to a machine.

use crate::Pin;

/// One thing that the outside does at a known cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stimulus {
    /// Applies a level to a pin, or (`None`) lets it go.
    Pin {
        /// Which pin.
        pin: Pin,
        /// The level.
        high: Option<bool>,
    },
    /// Sends bytes to the receiver of a serial port, one frame after the other at the port's own rate.
    Uart {
        /// The port's number: 2 for USART2.
        number: u8,
        /// The bytes.
        bytes: Vec<u8>,
    },
}
