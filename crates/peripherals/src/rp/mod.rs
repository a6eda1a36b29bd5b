//! Blocks of Raspberry Pi's RP2040 (RP-008371-DS, its data sheet).
//!
//! A write reaches a register as it is, or through one of three further addresses that invert, set or clear bits: such a
//! [`Write`](crate::Write) covers the bits that the program names ([`aliased`]), and [`ones`] gives them for flags that writing
//! clears, whichever way. Narrow writes cover the whole word.

#[allow(missing_docs)]
pub mod generated;

pub mod adc;
pub mod bus_control;
pub mod clocks;
mod divider;
pub mod dma;
pub mod i2c;
mod interpolator;
pub mod io;
mod nor;
pub mod oscillators;
pub mod pads;
pub mod pio;
pub mod pwm;
mod registers;
pub mod resets;
pub mod rtc;
pub mod sio;
pub mod small;
pub mod spi;
pub mod ssi;
pub mod timer;
pub mod uart;
pub mod usb;
pub mod watchdog;
pub mod xip;

use cyclescope_machine::TimingRow;

use crate::Span;

pub use adc::Adc;
pub use bus_control::BusControl;
pub use clocks::ClockGenerators;
pub use dma::Dma;
pub use i2c::I2c;
pub use io::IoBank;
pub use oscillators::Oscillator;
pub use pads::Pads;
pub use pio::Pio;
pub use pwm::Pwm;
pub use registers::{after_reset, aliased, ones};
pub use resets::Resets;
pub use rtc::Rtc;
pub use sio::Sio;
pub use spi::Spi;
pub use ssi::Ssi;
pub use timer::Timer;
pub use usb::Usb;
pub use watchdog::Watchdog;
pub use xip::{IoQspi, Xip};

/// The tables of timing rows that these blocks bring.
pub const ROWS: &[&[TimingRow]] = &[
    adc::ROWS,
    bus_control::ROWS,
    divider::ROWS,
    dma::ROWS,
    i2c::ROWS,
    io::ROWS,
    nor::ROWS,
    oscillators::ROWS,
    pio::ROWS,
    pwm::ROWS,
    rtc::ROWS,
    spi::ROWS,
    ssi::ROWS,
    uart::ROWS,
    usb::ROWS,
    xip::ROWS,
];

/// A message from one block to the one whom it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// An oscillator or a loop makes another clock, or none: for the clock generators.
    Oscillator {
        /// The oscillator.
        made: oscillators::Made,
        /// The clock that it makes.
        output: Option<oscillators::Output>,
    },
    /// An oscillator is to stop until something wakes it: for the clock generators, and for the port.
    Dormant {
        /// The oscillator.
        made: oscillators::Made,
    },
    /// Something wakes dormant oscillators: for these.
    DormantWake,
    /// The system's clock stands with its oscillator: for the part, and for the oscillator.
    Stands {
        /// The oscillator.
        made: oscillators::Made,
    },
    /// Its oscillator runs again: for the part.
    Runs {
        /// In this time.
        after: Span,
    },
    /// Ticks have this period, zero for none: for the timer.
    Tick {
        /// The period.
        period: Span,
    },
    /// A pad has these settings: for the port.
    Pad {
        /// The pin.
        pin: u8,
        /// The register.
        value: u32,
    },
    /// The processors drive pins: for the port.
    SioOutputs {
        /// The levels.
        out: u32,
        /// The pins that are driven.
        enabled: u32,
    },
    /// A block has room or data for so many transfers that need not wait for each other: for the DMA.
    Credit {
        /// The request.
        number: u8,
        /// The transfers.
        count: u8,
    },
    /// Pins have these levels: for the processors' and the programmable I/O.
    SioInputs {
        /// The levels.
        levels: u32,
    },
    /// A read through the XIP window takes so many cycles; `None`: none is set up. For the cache.
    XipRead {
        /// The cycles.
        cycles: Option<u32>,
    },
    /// The power-on state machine holds these off, one bit each: for the processors' I/O.
    ForceOff {
        /// As in PSM_FRCE_OFF.
        off: u32,
    },
    /// The override of the flash's select line holds it low (`true`), high, or not: for the serial interface.
    FlashSelect {
        /// Low.
        low: Option<bool>,
    },
}
