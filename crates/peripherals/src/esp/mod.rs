//! Blocks of Espressif's ESP8266 and ESP32.
//!
//! The ESP8266 has no manual of its registers. What its blocks do follows the headers and drivers of the vendor's
//! ESP8266_RTOS_SDK and its ESP8266 Technical Reference 1.7, which tells of UARTs, SPI, I2S and pins alone: whatever these leave
//! open is marked as assumed. The ESP32 has a Technical Reference Manual (version 5.2, called TRM here).
//!
//! Interrupts of the ESP8266 are wired to the core's numbers. Those of the ESP32 are sources of a matrix ([`Matrix`]), which its
//! program connects.

#[allow(missing_docs)]
pub mod generated32;
#[allow(missing_docs)]
pub mod generated8266;

pub mod dport32;
pub mod dport8266;
pub mod frc;
pub mod gpio;
mod matrix;
mod pads;
mod pins;
mod registers;
pub mod rng;
pub mod rtc32;
pub mod rtc8266;
mod stages;
pub mod system;
pub mod timg;
pub mod uart;
pub mod wdt;

use cyclescope_machine::TimingRow;

use crate::Source;

pub use dport32::Dport32;
pub use dport8266::Dport8266;
pub use frc::Frc;
pub use gpio::Gpio;
pub use matrix::Matrix;
pub use pads::{PADS_32, PADS_8266, Pads};
pub use pins::pins_of;
pub use registers::after_reset;
pub use rng::Rng;
pub use rtc32::Rtc32;
pub use rtc8266::Rtc8266;
pub use system::ApbControl;
pub use timg::Timg;
pub use uart::Uart;
pub use wdt::Wdt;

/// The ESP32's tick of a microsecond (REF_TICK) in the clock tree.
pub const REF_TICK: Source = Source::Timer;

/// The tables of timing rows that these blocks bring.
pub const ROWS: &[&[TimingRow]] = &[frc::ROWS, gpio::ROWS, timg::ROWS, uart::ROWS, wdt::ROWS];

/// A message from one block to the one whom it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// A pad has these settings: for the port.
    Pad {
        /// The pin.
        pin: u8,
        /// Its function.
        function: u8,
        /// A resistor pulls it up.
        pulls_up: bool,
        /// Its input is on.
        input: bool,
    },
    /// GPIO16 of the ESP8266, which the real-time clock's block drives: for the port.
    RtcPin {
        /// The level, or `None` where it is not driven.
        level: Option<bool>,
    },
    /// DPORT passes edges of interrupts on, one bit a source: for timers and watchdog.
    Edges {
        /// As in EDGE_INT_ENABLE.
        enabled: u32,
    },
    /// The core's clock has this source, as in RTC_CNTL_CLK_CONF.SOC_CLK_SEL: for DPORT.
    SocClock {
        /// The source.
        source: u8,
    },
    /// Periods of each source in one of REF_TICK, and the divider of the crystal: for DPORT.
    Ticks {
        /// Of the crystal, the PLL and the internal oscillator.
        of: [u8; 3],
        /// The divider, less 1.
        divider: u16,
    },
}
