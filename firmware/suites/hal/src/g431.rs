//! STM32G431KB: 170 MHz from its own oscillator and the PLL, with the boost mode of the regulator.

use embassy_stm32::rcc::{Pll, PllMul, PllPreDiv, PllRDiv, PllSource, Sysclk};
use embassy_stm32::{Config, bind_interrupts, dma, exti, i2c, peripherals as p};

bind_interrupts!(pub struct Irqs {
    I2C1_EV => i2c::EventInterruptHandler<p::I2C1>;
    I2C1_ER => i2c::ErrorInterruptHandler<p::I2C1>;
    DMA1_CHANNEL1 => dma::InterruptHandler<p::DMA1_CH1>;
    DMA1_CHANNEL2 => dma::InterruptHandler<p::DMA1_CH2>;
    EXTI9_5 => exti::InterruptHandler<embassy_stm32::interrupt::typelevel::EXTI9_5>;
});

/// The bytes of flash that programs leave alone, and a page of it.
pub const FREE: (u32, u32) = (0x1_F000, 0x800);

pub fn config() -> Config {
    let mut config = Config::default();
    config.rcc.hsi = true;
    // 16 MHz / 4 * 85 / 2.
    config.rcc.pll = Some(Pll {
        source: PllSource::HSI,
        prediv: PllPreDiv::DIV4,
        mul: PllMul::MUL85,
        divp: None,
        divq: None,
        divr: Some(PllRDiv::DIV2),
    });
    config.rcc.sys = Sysclk::PLL1_R;
    config.rcc.boost = true;
    config
}

/// Pins and DMA channels.
pub type Scl = p::PA15;
pub type Sda = p::PB7;
pub type I2cTx = p::DMA1_CH1;
pub type I2cRx = p::DMA1_CH2;
pub type SpiTx = p::DMA1_CH1;
pub type SpiRx = p::DMA1_CH2;
pub type UartTx = p::DMA1_CH1;
pub type UartRx = p::DMA1_CH2;
pub type DacDma = p::DMA1_CH1;
pub type Button = p::PA8;
pub type ButtonLine = p::EXTI8;
