//! STM32L476RG: 80 MHz from its own oscillator and the PLL.

use embassy_stm32::rcc::{Pll, PllMul, PllPreDiv, PllRDiv, PllSource, Sysclk};
use embassy_stm32::{Config, bind_interrupts, dma, exti, i2c, peripherals as p};

bind_interrupts!(pub struct Irqs {
    I2C1_EV => i2c::EventInterruptHandler<p::I2C1>;
    I2C1_ER => i2c::ErrorInterruptHandler<p::I2C1>;
    DMA1_CHANNEL2 => dma::InterruptHandler<p::DMA1_CH2>;
    DMA1_CHANNEL3 => dma::InterruptHandler<p::DMA1_CH3>;
    DMA1_CHANNEL4 => dma::InterruptHandler<p::DMA1_CH4>;
    DMA1_CHANNEL5 => dma::InterruptHandler<p::DMA1_CH5>;
    DMA1_CHANNEL6 => dma::InterruptHandler<p::DMA1_CH6>;
    DMA1_CHANNEL7 => dma::InterruptHandler<p::DMA1_CH7>;
    EXTI15_10 => exti::InterruptHandler<embassy_stm32::interrupt::typelevel::EXTI15_10>;
});

/// The bytes of flash that programs leave alone, and a page of it.
pub const FREE: (u32, u32) = (0xF_F000, 0x800);

pub fn config() -> Config {
    let mut config = Config::default();
    config.rcc.hsi = true;
    // 16 MHz * 10 / 2.
    config.rcc.pll = Some(Pll {
        source: PllSource::HSI,
        prediv: PllPreDiv::DIV1,
        mul: PllMul::MUL10,
        divp: None,
        divq: None,
        divr: Some(PllRDiv::DIV2),
    });
    config.rcc.sys = Sysclk::PLL1_R;
    config
}

/// Pins and DMA channels.
pub type Scl = p::PB6;
pub type Sda = p::PB7;
pub type I2cTx = p::DMA1_CH6;
pub type I2cRx = p::DMA1_CH7;
pub type SpiTx = p::DMA1_CH3;
pub type SpiRx = p::DMA1_CH2;
pub type UartTx = p::DMA1_CH4;
pub type UartRx = p::DMA1_CH5;
pub type DacDma = p::DMA1_CH3;
pub type Button = p::PB12;
pub type ButtonLine = p::EXTI12;
