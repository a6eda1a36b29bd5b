//! nRF52840 DK: button 1 on P0.11, an LED wired to P1.03, pins A and B P1.01 and P1.02, UARTE0 on P0.06.

#[cfg(any(feature = "mode-interrupt", feature = "mode-bare"))]
use embassy_nrf::buffered_uarte::InterruptHandler;
use embassy_nrf::config::Config;
use embassy_nrf::gpio::{Input, Level, Output, OutputDrive, Pull};
#[cfg(not(any(feature = "mode-interrupt", feature = "mode-bare")))]
use embassy_nrf::uarte::InterruptHandler;
use embassy_nrf::{bind_interrupts, peripherals};

use crate::clock;
#[cfg(not(feature = "mode-bare"))]
use crate::probe;
use crate::serial::{self, Serial};

pub type Led = Output<'static>;
pub type Button = Input<'static>;

bind_interrupts!(
    pub struct Irqs {
        UARTE0 => InterruptHandler<peripherals::UARTE0>;
    }
);

/// Peripherals that the tasks own.
pub struct Board {
    pub led: Led,
    pub button: Button,
    pub serial: Serial,
}

impl Board {
    pub fn start() -> Self {
        let mut config = Config::default();
        clock::configure(&mut config);
        let p = embassy_nrf::init(config);
        #[cfg(not(feature = "mode-bare"))]
        {
            probe::own([
                Output::new(p.P1_01, Level::Low, OutputDrive::Standard),
                Output::new(p.P1_02, Level::Low, OutputDrive::Standard),
            ]);
            probe::surround_handler();
        }
        Self {
            led: Output::new(p.P1_03, Level::Low, OutputDrive::Standard),
            button: Input::new(p.P0_11, Pull::Up),
            serial: serial::open(p.UARTE0, p.P0_06),
        }
    }
}
