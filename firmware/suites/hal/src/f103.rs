//! STM32F103C8: 72 MHz from the crystal.

use embassy_stm32::gpio::Pull;
use embassy_stm32::i2c::{self, I2c, Master};
use embassy_stm32::mode::{Async, Blocking};
use embassy_stm32::rcc::{
    ADCPrescaler, AHBPrescaler, APBPrescaler, Hse, HseMode, Pll, PllMul, PllPreDiv, PllSource, Sysclk,
};
use embassy_stm32::spi::{self, Spi};
use embassy_stm32::time::Hertz;
use embassy_stm32::usart::{self, BufferedUart, Uart};
use embassy_stm32::{Config, Peripherals, adc, bind_interrupts, can, dma, exti, peripherals as p};

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

/// The peripherals, of which each program uses each one once.
fn p() -> Peripherals {
    unsafe { Peripherals::steal() }
}

pub fn i2c(config: i2c::Config) -> I2c<'static, Async, Master> {
    let p = p();
    I2c::new(p.I2C1, p.PB6, p.PB7, p.DMA1_CH6, p.DMA1_CH7, Irqs, config)
}

pub fn i2c_blocking(config: i2c::Config) -> I2c<'static, Blocking, Master> {
    let p = p();
    I2c::new_blocking(p.I2C1, p.PB6, p.PB7, config)
}

/// SCK, MOSI and MISO at PA5, PA7 and PA6; a chip select at PA4 is the program's own.
pub fn spi(config: spi::Config) -> Spi<'static, Async, spi::mode::Master> {
    let p = p();
    Spi::new(p.SPI1, p.PA5, p.PA7, p.PA6, p.DMA1_CH3, p.DMA1_CH2, Irqs, config)
}

pub fn spi_blocking(config: spi::Config) -> Spi<'static, Blocking, spi::mode::Master> {
    let p = p();
    Spi::new_blocking(p.SPI1, p.PA5, p.PA7, p.PA6, config)
}

/// RX and TX at PA10 and PA9.
pub fn uart(config: usart::Config) -> Uart<'static, Async> {
    let p = p();
    Uart::new(p.USART1, p.PA10, p.PA9, p.DMA1_CH4, p.DMA1_CH5, Irqs, config).unwrap()
}

pub fn uart_blocking(config: usart::Config) -> Uart<'static, Blocking> {
    let p = p();
    Uart::new_blocking(p.USART1, p.PA10, p.PA9, config).unwrap()
}

pub fn uart_buffered(config: usart::Config, tx: &'static mut [u8], rx: &'static mut [u8]) -> BufferedUart<'static> {
    let p = p();
    BufferedUart::new(p.USART1, p.PA10, p.PA9, tx, rx, Irqs, config).unwrap()
}

/// TX and RX at PA9.
pub fn uart_half_duplex(config: usart::Config) -> Uart<'static, Async> {
    let p = p();
    let readback = usart::HalfDuplexReadback::NoReadback;
    Uart::new_half_duplex(p.USART1, p.PA9, p.DMA1_CH4, p.DMA1_CH5, Irqs, config, readback).unwrap()
}

/// An input at PB12 whose edges interrupt.
pub fn button() -> embassy_stm32::exti::ExtiInput<'static, Async> {
    let p = p();
    embassy_stm32::exti::ExtiInput::new(p.PB12, p.EXTI12, Pull::Up, Irqs)
}

pub fn can() -> can::Can<'static> {
    let p = p();
    can::Can::new(p.CAN, p.PA11, p.PA12, Irqs)
}
