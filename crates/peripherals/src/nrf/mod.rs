//! Blocks of Nordic's nRF52840 (4413_417, its product specification, revision 1.7).
//!
//! A peripheral has tasks, events, shortcuts and interrupts at fixed offsets ([`Signals`]). An event reaches the tasks of
//! other peripherals through the programmable interconnect ([`Ppi`]), which knows both by the addresses of their registers: a
//! block calls [`Tasked::raise`] for its events and answers [`Tasked::task`], and needs no other wiring.
//!
//! Peripherals that share a base address are one block, whose map has the registers of each.

#[allow(missing_docs)]
pub mod generated;

mod aes;
pub mod clock;
pub mod comp;
pub mod easydma;
pub mod ecb;
pub mod egu;
pub mod gpio;
pub mod gpiote;
pub mod nvmc;
pub mod power;
pub mod ppi;
pub mod pwm;
pub mod qdec;
mod registers;
pub mod rng;
pub mod rtc;
pub mod saadc;
mod select;
pub mod serial;
mod signals;
pub mod spi;
pub mod temp;
pub mod timer;
pub mod twi;
pub mod uarte;
pub mod usbd;
pub mod wdt;

use cyclescope_machine::TimingRow;

pub use clock::ClockPower;
pub use comp::Comp;
pub use ecb::Ecb;
pub use egu::Egu;
pub use gpio::Gpio;
pub use gpiote::Gpiote;
pub use nvmc::Nvmc;
pub use ppi::Ppi;
pub use pwm::Pwm;
pub use qdec::Qdec;
pub use registers::after_reset;
pub use rng::Rng;
pub use rtc::Rtc;
pub use saadc::Saadc;
pub use select::{is_interface_of, pins_of};
pub use serial::Serial;
pub use signals::{Short, Signals, Tasked, Written};
pub use temp::Temp;
pub use timer::Timer;
pub use uarte::Uarte;
pub use usbd::Usbd;
pub use wdt::Wdt;

/// The tables of timing rows that these blocks bring.
pub const ROWS: &[&[TimingRow]] = &[
    clock::ROWS,
    comp::ROWS,
    easydma::ROWS,
    ecb::ROWS,
    nvmc::ROWS,
    rng::ROWS,
    rtc::ROWS,
    saadc::ROWS,
    spi::ROWS,
    temp::ROWS,
    twi::ROWS,
    uarte::ROWS,
    usbd::ROWS,
    wdt::ROWS,
];
