//! STM32F446ZE: 180 MHz from 8 MHz at OSC_IN.

use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Hse, HseMode, Pll, PllMul, PllPDiv, PllPreDiv, PllQDiv, PllRDiv, PllSource, Sysclk,
};
use embassy_stm32::time::Hertz;
use embassy_stm32::{Config, bind_interrupts, can, dma, exti, i2c, peripherals as p, sdmmc};

bind_interrupts!(pub struct Irqs {
    I2C1_EV => i2c::EventInterruptHandler<p::I2C1>;
    I2C1_ER => i2c::ErrorInterruptHandler<p::I2C1>;
    DMA1_STREAM0 => dma::InterruptHandler<p::DMA1_CH0>;
    DMA1_STREAM2 => dma::InterruptHandler<p::DMA1_CH2>;
    DMA1_STREAM3 => dma::InterruptHandler<p::DMA1_CH3>;
    DMA1_STREAM4 => dma::InterruptHandler<p::DMA1_CH4>;
    DMA1_STREAM5 => dma::InterruptHandler<p::DMA1_CH5>;
    DMA1_STREAM6 => dma::InterruptHandler<p::DMA1_CH6>;
    DMA2_STREAM0 => dma::InterruptHandler<p::DMA2_CH0>;
    DMA2_STREAM2 => dma::InterruptHandler<p::DMA2_CH2>;
    DMA2_STREAM3 => dma::InterruptHandler<p::DMA2_CH3>;
    DMA2_STREAM5 => dma::InterruptHandler<p::DMA2_CH5>;
    DMA2_STREAM6 => dma::InterruptHandler<p::DMA2_CH6>;
    DMA2_STREAM7 => dma::InterruptHandler<p::DMA2_CH7>;
    EXTI15_10 => exti::InterruptHandler<embassy_stm32::interrupt::typelevel::EXTI15_10>;
    CAN1_TX => can::TxInterruptHandler<p::CAN1>;
    CAN1_RX0 => can::Rx0InterruptHandler<p::CAN1>;
    CAN1_RX1 => can::Rx1InterruptHandler<p::CAN1>;
    CAN1_SCE => can::SceInterruptHandler<p::CAN1>;
    SDIO => sdmmc::InterruptHandler<p::SDIO>;
});

/// The bytes of flash that programs leave alone: the last sector.
pub const FREE: (u32, u32) = (0x6_0000, 0x2_0000);

pub fn config() -> Config {
    let mut config = Config::default();
    config.rcc.hse = Some(Hse { freq: Hertz(8_000_000), mode: HseMode::Bypass });
    config.rcc.pll_src = PllSource::HSE;
    config.rcc.pll = Some(Pll {
        prediv: PllPreDiv::DIV4,
        mul: PllMul::MUL180,
        divp: Some(PllPDiv::DIV2),
        divq: Some(PllQDiv::DIV8),
        divr: None,
    });
    // 8 MHz / 4 * 96 / 2.
    config.rcc.plli2s =
        Some(Pll { prediv: PllPreDiv::DIV4, mul: PllMul::MUL96, divp: None, divq: None, divr: Some(PllRDiv::DIV2) });
    config.rcc.sys = Sysclk::PLL1_P;
    config.rcc.ahb_pre = AHBPrescaler::DIV1;
    config.rcc.apb1_pre = APBPrescaler::DIV4;
    config.rcc.apb2_pre = APBPrescaler::DIV2;
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
pub type DacDma = p::DMA1_CH5;
pub type Button = p::PB12;
pub type ButtonLine = p::EXTI12;

pub fn can() -> can::Can<'static> {
    let p = unsafe { embassy_stm32::Peripherals::steal() };
    can::Can::new(p.CAN1, p.PA11, p.PA12, Irqs)
}
