//! Nucleo-C031C6: button on PC13, LED on PA5, pins A and B on PA0 and PA1, USART2 on PA2.

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

pub type Uart = peripherals::USART2;
pub type Tx = peripherals::PA2;
pub type Rx = peripherals::PA3;
pub type TxDma = peripherals::DMA1_CH1;
pub type ButtonInterrupt = interrupt::typelevel::EXTI4_15;

bind_interrupts!(
    pub struct Irqs {
        EXTI4_15 =>
            #[cfg(not(feature = "mode-bare"))] probe::RaiseA,
            exti::InterruptHandler<ButtonInterrupt>,
            #[cfg(not(feature = "mode-bare"))] probe::LowerA;
        #[cfg(any(feature = "mode-interrupt", feature = "mode-bare"))]
        USART2 => usart::BufferedInterruptHandler<Uart>;
        #[cfg(feature = "mode-dma")]
        DMA1_CHANNEL1 => dma::InterruptHandler<TxDma>;
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
        probe::own([Output::new(p.PA0, Level::Low, Speed::VeryHigh), Output::new(p.PA1, Level::Low, Speed::VeryHigh)]);
        Self {
            led: Output::new(p.PA5, Level::Low, Speed::Low),
            button: ExtiInput::new(p.PC13, p.EXTI13, Pull::Up, Irqs),
            serial: serial::open(p.USART2, p.PA2, p.PA3, p.DMA1_CH1),
        }
    }
}

/// The port of the probe pins, and which EXTI lines are pending.
#[cfg(not(feature = "mode-bare"))]
pub mod registers {
    use embassy_stm32::pac::exti::regs::Lines;
    use embassy_stm32::pac::{EXTI, GPIOA, gpio};

    pub const PROBES: gpio::Gpio = GPIOA;

    #[inline(always)]
    pub fn pending_lines() -> Lines {
        Lines(EXTI.rpr(0).read().0 | EXTI.fpr(0).read().0)
    }
}
