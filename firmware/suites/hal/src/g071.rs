//! STM32G071RB: 64 MHz from its own oscillator and the PLL.

use embassy_stm32::rcc::{Hsi, HsiSysDiv, Pll, PllMul, PllPreDiv, PllRDiv, PllSource, Sysclk};
use embassy_stm32::{Config, bind_interrupts, dma, exti, i2c, peripherals as p};

bind_interrupts!(pub struct Irqs {
    I2C1 => i2c::EventInterruptHandler<p::I2C1>, i2c::ErrorInterruptHandler<p::I2C1>;
    DMA1_CHANNEL1 => dma::InterruptHandler<p::DMA1_CH1>;
    DMA1_CHANNEL2_3 => dma::InterruptHandler<p::DMA1_CH2>, dma::InterruptHandler<p::DMA1_CH3>;
    EXTI4_15 => exti::InterruptHandler<embassy_stm32::interrupt::typelevel::EXTI4_15>;
});

/// The bytes of flash that programs leave alone, and a page of it.
pub const FREE: (u32, u32) = (0x1_F000, 0x800);

pub fn config() -> Config {
    let mut config = Config::default();
    config.rcc.hsi = Some(Hsi { sys_div: HsiSysDiv::DIV1 });
    // 16 MHz * 8 / 2.
    config.rcc.pll = Some(Pll {
        source: PllSource::HSI,
        prediv: PllPreDiv::DIV1,
        mul: PllMul::MUL8,
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
pub type I2cTx = p::DMA1_CH1;
pub type I2cRx = p::DMA1_CH2;
pub type SpiTx = p::DMA1_CH1;
pub type SpiRx = p::DMA1_CH2;
pub type UartTx = p::DMA1_CH1;
pub type UartRx = p::DMA1_CH2;
pub type DacDma = p::DMA1_CH1;
pub type Button = p::PB12;
pub type ButtonLine = p::EXTI12;
