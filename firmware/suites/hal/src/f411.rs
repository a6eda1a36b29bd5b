//! STM32F411CE: 100 MHz from its own oscillator and the PLL.

use embassy_stm32::rcc::{APBPrescaler, Pll, PllMul, PllPDiv, PllPreDiv, PllSource, Sysclk};
use embassy_stm32::{Config, bind_interrupts, dma, exti, i2c, peripherals as p};

bind_interrupts!(pub struct Irqs {
    I2C1_EV => i2c::EventInterruptHandler<p::I2C1>;
    I2C1_ER => i2c::ErrorInterruptHandler<p::I2C1>;
    DMA1_STREAM0 => dma::InterruptHandler<p::DMA1_CH0>;
    DMA1_STREAM6 => dma::InterruptHandler<p::DMA1_CH6>;
    DMA2_STREAM2 => dma::InterruptHandler<p::DMA2_CH2>;
    DMA2_STREAM3 => dma::InterruptHandler<p::DMA2_CH3>;
    DMA2_STREAM5 => dma::InterruptHandler<p::DMA2_CH5>;
    DMA2_STREAM7 => dma::InterruptHandler<p::DMA2_CH7>;
    EXTI15_10 => exti::InterruptHandler<embassy_stm32::interrupt::typelevel::EXTI15_10>;
});

/// The bytes of flash that programs leave alone: the last sector.
pub const FREE: (u32, u32) = (0x6_0000, 0x2_0000);

pub fn config() -> Config {
    let mut config = Config::default();
    config.rcc.hsi = true;
    config.rcc.pll_src = PllSource::HSI;
    // 16 MHz / 8 * 100 / 2.
    config.rcc.pll =
        Some(Pll { prediv: PllPreDiv::DIV8, mul: PllMul::MUL100, divp: Some(PllPDiv::DIV2), divq: None, divr: None });
    config.rcc.sys = Sysclk::PLL1_P;
    config.rcc.apb1_pre = APBPrescaler::DIV2;
    config
}

/// Pins and DMA channels.
pub type Scl = p::PB6;
pub type Sda = p::PB7;
pub type I2cTx = p::DMA1_CH6;
pub type I2cRx = p::DMA1_CH0;
pub type SpiTx = p::DMA2_CH3;
pub type SpiRx = p::DMA2_CH2;
pub type UartTx = p::DMA2_CH7;
pub type UartRx = p::DMA2_CH5;
pub type Button = p::PB12;
pub type ButtonLine = p::EXTI12;
