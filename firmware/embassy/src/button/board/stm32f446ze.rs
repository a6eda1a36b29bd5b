//! Nucleo-F446ZE: button on PC13, LED on PB0, pins A and B on PG0 and PG1, USART3 on PD8.

#[cfg(feature = "mode-dma")]
use embassy_stm32::dma;
use embassy_stm32::exti::{self, ExtiInput};
use embassy_stm32::gpio::{Level, Output, Pull, Speed};
use embassy_stm32::mode::Async;
#[cfg(any(feature = "mode-interrupt", feature = "mode-bare"))]
use embassy_stm32::usart;
use embassy_stm32::{Config, bind_interrupts, interrupt, peripherals};

use crate::clock;
#[cfg(not(feature = "mode-bare"))]
use crate::probe;
use crate::serial::{self, Serial};

pub type Uart = peripherals::USART3;
pub type Tx = peripherals::PD8;
pub type Rx = peripherals::PD9;
pub type TxDma = peripherals::DMA1_CH3;
pub type ButtonInterrupt = interrupt::typelevel::EXTI15_10;

bind_interrupts!(
    pub struct Irqs {
        EXTI15_10 =>
            #[cfg(not(feature = "mode-bare"))] probe::RaiseA,
            exti::InterruptHandler<ButtonInterrupt>,
            #[cfg(not(feature = "mode-bare"))] probe::LowerA;
        #[cfg(any(feature = "mode-interrupt", feature = "mode-bare"))]
        USART3 => usart::BufferedInterruptHandler<Uart>;
        #[cfg(feature = "mode-dma")]
        DMA1_STREAM3 => dma::InterruptHandler<TxDma>;
    }
);

/// What the tasks own.
pub struct Board {
    pub led: Output<'static>,
    pub button: ExtiInput<'static, Async>,
    pub serial: Serial,
}

impl Board {
    pub fn start() -> Self {
        let mut config = Config::default();
        clock::configure(&mut config.rcc);
        let p = embassy_stm32::init(config);
        #[cfg(not(feature = "mode-bare"))]
        probe::own([Output::new(p.PG0, Level::Low, Speed::VeryHigh), Output::new(p.PG1, Level::Low, Speed::VeryHigh)]);
        Self {
            led: Output::new(p.PB0, Level::Low, Speed::Low),
            button: ExtiInput::new(p.PC13, p.EXTI13, Pull::Up, Irqs),
            serial: serial::open(p.USART3, p.PD8, p.PD9, p.DMA1_CH3),
        }
    }
}

/// The port of the probe pins, and which EXTI lines are pending.
#[cfg(not(feature = "mode-bare"))]
pub mod registers {
    use embassy_stm32::pac::exti::regs::Lines;
    use embassy_stm32::pac::{EXTI, GPIOG, gpio};

    pub const PROBES: gpio::Gpio = GPIOG;

    #[inline(always)]
    pub fn pending_lines() -> Lines {
        EXTI.pr(0).read()
    }
}
