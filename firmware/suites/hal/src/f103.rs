//! STM32F103C8: 72 MHz from the crystal.

use embassy_stm32::rcc::{
    ADCPrescaler, AHBPrescaler, APBPrescaler, Hse, HseMode, Pll, PllMul, PllPreDiv, PllSource, Sysclk,
};
use embassy_stm32::time::Hertz;
use embassy_stm32::{Config, adc, bind_interrupts, can, dma, exti, i2c, peripherals as p};

bind_interrupts!(pub struct Irqs {
    ADC1_2 => adc::InterruptHandler<p::ADC1>;
    I2C1_EV => i2c::EventInterruptHandler<p::I2C1>;
    I2C1_ER => i2c::ErrorInterruptHandler<p::I2C1>;
    DMA1_CHANNEL1 => dma::InterruptHandler<p::DMA1_CH1>;
    DMA1_CHANNEL2 => dma::InterruptHandler<p::DMA1_CH2>;
    DMA1_CHANNEL3 => dma::InterruptHandler<p::DMA1_CH3>;
    DMA1_CHANNEL4 => dma::InterruptHandler<p::DMA1_CH4>;
    DMA1_CHANNEL5 => dma::InterruptHandler<p::DMA1_CH5>;
    DMA1_CHANNEL6 => dma::InterruptHandler<p::DMA1_CH6>;
    DMA1_CHANNEL7 => dma::InterruptHandler<p::DMA1_CH7>;
    EXTI15_10 => exti::InterruptHandler<embassy_stm32::interrupt::typelevel::EXTI15_10>;
    USB_HP_CAN1_TX => can::TxInterruptHandler<p::CAN>;
    USB_LP_CAN1_RX0 => can::Rx0InterruptHandler<p::CAN>;
    CAN1_RX1 => can::Rx1InterruptHandler<p::CAN>;
    CAN1_SCE => can::SceInterruptHandler<p::CAN>;
});

/// The bytes of flash that programs leave alone, and a page of it.
pub const FREE: (u32, u32) = (0xF800, 0x400);

pub fn config() -> Config {
    let mut config = Config::default();
    config.rcc.hse = Some(Hse { freq: Hertz(8_000_000), mode: HseMode::Oscillator });
    config.rcc.pll = Some(Pll { src: PllSource::HSE, prediv: PllPreDiv::DIV1, mul: PllMul::MUL9 });
    config.rcc.sys = Sysclk::PLL1_P;
    config.rcc.ahb_pre = AHBPrescaler::DIV1;
    config.rcc.apb1_pre = APBPrescaler::DIV2;
    config.rcc.apb2_pre = APBPrescaler::DIV1;
    config.rcc.adc_pre = ADCPrescaler::DIV6;
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
pub type Button = p::PB12;
pub type ButtonLine = p::EXTI12;

pub fn can() -> can::Can<'static> {
    let p = unsafe { embassy_stm32::Peripherals::steal() };
    can::Can::new(p.CAN, p.PA11, p.PA12, Irqs)
}
