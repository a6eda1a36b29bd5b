//! Register maps written by `crates/peripherals/generate-esp`; do not edit.

pub mod dport;
pub mod efuse;
pub mod gpio;
pub mod i2s;
pub mod io_mux;
pub mod rng;
pub mod rtc;
pub mod rtccntl;
pub mod slc;
pub mod spi1;
pub mod timer;
pub mod uart0;
pub mod wdt;

use crate::{Map, Modelled};

/// All maps, each with its values after reset.
pub const ALL: &[(&Map, &[Modelled])] = &[
    (&dport::MAP, dport::RESETS),
    (&efuse::MAP, efuse::RESETS),
    (&gpio::MAP, gpio::RESETS),
    (&i2s::MAP, i2s::RESETS),
    (&io_mux::MAP, io_mux::RESETS),
    (&rng::MAP, rng::RESETS),
    (&rtc::MAP, rtc::RESETS),
    (&rtccntl::MAP, rtccntl::RESETS),
    (&slc::MAP, slc::RESETS),
    (&spi1::MAP, spi1::RESETS),
    (&timer::MAP, timer::RESETS),
    (&uart0::MAP, uart0::RESETS),
    (&wdt::MAP, wdt::RESETS),
];
