//! Blocks of the ATmega family: registers of one byte, scattered over the data space, around the clock clkI/O.
//!
//! A part gives each block its registers by the block's own numbering ([`Instance::registers`]), so that a block never
//! sees an address; what is declared of each register and not modelled by the block is named as a gap by the part. A
//! block does what concerns itself at once and leaves what concerns others as an [`Effect`].
//!
//! # Time
//! Blocks count clkI/O ([`Env::now`], [`Env::schedule`]), which is the core's own clock behind the system clock prescaler
//! and stands still in the deeper sleep modes: events scheduled so wait with it, and no block need know. What another
//! oscillator clocks (the watchdog, the EEPROM's timer, a PLL) counts [`Env::tick`], periods of the part's crystal since
//! power-on, which neither sleep nor CLKPR changes.

pub mod adc;
mod clock;
pub mod comparator;
mod delayed;
mod device;
pub mod eeprom;
mod env;
pub mod external;
pub mod flash;
#[allow(missing_docs)]
pub mod generated;
mod instance;
pub mod pll;
pub mod port;
pub mod prescaler;
pub mod spi;
pub mod system;
pub mod timer;
pub mod twi;
pub mod usart;
pub mod usb;
pub mod watchdog;

pub use clock::{Clock, IoClock};
pub use device::Device;
pub use env::{Avr, Change, Effect, Env, Shared, Trigger, Wires};
pub use instance::{Instance, Kind, PowerBit, Reg, Sections, pin, plain};
pub use prescaler::{ASYNCHRONOUS, Prescaler, SYNCHRONOUS};
