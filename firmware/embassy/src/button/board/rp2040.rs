//! Raspberry Pi Pico: a button wired from GPIO15 to ground, the LED on GPIO25, pins A and B GPIO16 and GPIO17, UART0 on GPIO0.

use embassy_rp::bind_interrupts;
#[cfg(feature = "mode-dma")]
use embassy_rp::dma;
use embassy_rp::gpio::{Input, Level, Output, Pull};
#[cfg(not(feature = "mode-blocking"))]
use embassy_rp::peripherals;
#[cfg(any(feature = "mode-interrupt", feature = "mode-bare"))]
use embassy_rp::uart::BufferedInterruptHandler;

#[cfg(not(feature = "mode-bare"))]
use crate::probe;
use crate::serial::{self, Serial};

pub type Led = Output<'static>;
pub type Button = Input<'static>;

bind_interrupts!(
    pub struct Irqs {
        #[cfg(any(feature = "mode-interrupt", feature = "mode-bare"))]
        UART0_IRQ => BufferedInterruptHandler<peripherals::UART0>;
        #[cfg(feature = "mode-dma")]
        DMA_IRQ_0 => dma::InterruptHandler<peripherals::DMA_CH0>;
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
        let p = embassy_rp::init(Default::default());
        #[cfg(not(feature = "mode-bare"))]
        {
            probe::own([Output::new(p.PIN_16, Level::Low), Output::new(p.PIN_17, Level::Low)]);
            probe::surround_handler();
        }
        Self {
            led: Output::new(p.PIN_25, Level::Low),
            button: Input::new(p.PIN_15, Pull::Up),
            serial: serial::open(p.UART0, p.PIN_0, p.DMA_CH0),
        }
    }
}
