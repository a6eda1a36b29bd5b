//! Actions on a machine from outside.

use crate::{Channel, Pin, Voltage};

/// An action from outside at a known cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stimulus {
    /// Applies a level to a pin, or (`None`) lets it go.
    Pin {
        /// The pin.
        pin: Pin,
        /// The level.
        high: Option<bool>,
    },
    /// Applies to a pin the opposite of the level applied last, or of its level if none was applied.
    Toggle {
        /// The pin.
        pin: Pin,
    },
    /// Sends bytes to the receiver of a serial port, one frame after the other at the port's own rate.
    Uart {
        /// The port's number: 2 for USART2.
        number: u8,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Sends bytes to a serial port over USB, through the host that has opened it.
    Usb {
        /// The port's number among those that hosts open.
        number: u8,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Puts a voltage on a pin, or (`None`) lets it go.
    Voltage {
        /// The pin.
        pin: Pin,
        /// The voltage, from now on.
        voltage: Option<Voltage>,
    },
    /// Gives a quantity that an attached device measures a value.
    Device {
        /// The device's name.
        device: String,
        /// The quantity, as the device names it.
        name: String,
        /// The value, as the device reads it.
        value: String,
    },
    /// Does a stimulus again and again, from its moment on.
    Every {
        /// The period, in cycles or picoseconds as the moment is; at least 1.
        period: u64,
        /// The stimulus, which is no `Every` itself.
        stimulus: Box<Self>,
    },
    /// The phase of the dividers of bus clocks against the core: their edges come that many cycles of HCLK later than if
    /// dividers began anew at each change of clocks. No program decides it: RM0390 (RCC_CFGR, PPRE1 and PPRE2) has a
    /// divider take effect 1 to 16 cycles after it is written. Parts without such dividers have no phase.
    Phase {
        /// Cycles of HCLK; of dividers up to 16, those below 16 are all there are.
        cycles: u8,
    },
}

impl Stimulus {
    /// Sends `bytes` to the serial port `port`; nothing for a channel that is none.
    pub fn send(port: Channel, bytes: Vec<u8>) -> Self {
        match port {
            Channel::Uart(number) => Self::Uart { number, bytes },
            Channel::Usb(number) => Self::Usb { number, bytes },
            Channel::Rtt(_) | Channel::Semihosting => Self::Uart { number: u8::MAX, bytes: Vec::new() },
        }
    }
}
