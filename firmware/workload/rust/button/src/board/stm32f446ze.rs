//! Nucleo-F446ZE: button PC13 (EXTI13), LED PB0, pin A PG0, pin B PG1, USART3 on PD8.
//!
//! Source: RM0390, "GPIO registers", "SYSCFG external interrupt configuration register 4", "EXTI registers", "USART
//! registers", "DMA1 request mapping" (stream 3, channel 4: USART3_TX); the datasheet's alternate functions (PD8: AF7).

#[cfg(feature = "dma")]
use core::sync::atomic::AtomicU8;

use cyclescope_boards::raise_clock;
#[cfg(feature = "dma")]
use stm32_metapac::DMA1;
#[cfg(feature = "probes")]
use stm32_metapac::GPIOG;
#[cfg(feature = "dma")]
use stm32_metapac::dma::vals::Dir;
use stm32_metapac::exti::regs::Lines;
use stm32_metapac::gpio::vals::{Moder, Pupdr};
use stm32_metapac::usart::regs::Cr1;
#[cfg(not(feature = "dma"))]
use stm32_metapac::usart::regs::Dr;
use stm32_metapac::{EXTI, GPIOB, GPIOC, GPIOD, RCC, SYSCFG, USART3};

use crate::pin::Output;

/// The LED, on when high.
pub const LED: Output = Output::new(GPIOB, 0);
/// Probe pin A.
#[cfg(feature = "probes")]
pub const PIN_A: Output = Output::new(GPIOG, 0);
/// Probe pin B.
#[cfg(feature = "probes")]
pub const PIN_B: Output = Output::new(GPIOG, 1);

/// The button's pin of port C, and its line.
const BUTTON: usize = 13;
/// APB1's 45 MHz over the baud rate, rounded.
const DIVISOR: u16 = ((45_000_000 + 115_200 / 2) / 115_200) as u16;
/// USART3 enabled, and its transmitter.
const CR1: u32 = 1 << 13 | 1 << 3;
/// The transmitter's interrupt.
#[cfg(feature = "interrupt")]
const TXEIE: u32 = 1 << 7;
/// The stream that serves USART3's transmitter.
#[cfg(feature = "dma")]
const STREAM: usize = 3;

/// Raises the clock, sets up pins, external interrupt and UART; call it once, and unmask their interrupts.
pub fn start() {
    raise_clock();
    RCC.ahb1enr().modify(|w| {
        w.set_gpioben(true);
        w.set_gpiocen(true);
        w.set_gpioden(true);
        #[cfg(feature = "probes")]
        w.set_gpiogen(true);
        #[cfg(feature = "dma")]
        w.set_dma1en(true);
    });
    RCC.apb1enr().modify(|w| w.set_usart3en(true));
    RCC.apb2enr().modify(|w| w.set_syscfgen(true));
    // The buses need a moment before the blocks answer; reading a register back gives it.
    let _ = RCC.apb2enr().read();

    LED.start();
    #[cfg(feature = "probes")]
    for pin in [&PIN_A, &PIN_B] {
        pin.start();
    }

    GPIOC.pupdr().modify(|w| w.set_pupdr(BUTTON, Pupdr::PULL_UP));
    // Port C is number 2.
    SYSCFG.exticr(BUTTON / 4).modify(|w| w.set_exti(BUTTON % 4, 2));
    EXTI.rtsr(0).modify(|w| w.set_line(BUTTON, true));
    EXTI.ftsr(0).modify(|w| w.set_line(BUTTON, true));
    // Pulling the pin up may have been an edge.
    acknowledge();
    EXTI.imr(0).modify(|w| w.set_line(BUTTON, true));

    GPIOD.afr(1).modify(|w| w.set_afr(0, 7));
    GPIOD.moder().modify(|w| w.set_moder(8, Moder::ALTERNATE));
    USART3.brr().write(|w| w.set_brr(DIVISOR));
    #[cfg(feature = "dma")]
    USART3.cr3().modify(|w| w.set_dmat(true));
    USART3.cr1().write_value(Cr1(CR1));
}

/// Clears the button's pending edge.
#[inline(always)]
pub fn acknowledge() {
    EXTI.pr(0).write_value(Lines(1 << BUTTON));
}

/// The button's level: high while it is up.
pub fn is_up() -> bool {
    GPIOC.idr().read().0 & 1 << BUTTON != 0
}

/// Hands a byte to the UART, which must be ready.
#[cfg(not(feature = "dma"))]
pub fn put(byte: u8) {
    USART3.dr().write_value(Dr(byte.into()));
}

/// Whether the UART can take a byte.
#[cfg(feature = "blocking")]
pub fn is_ready() -> bool {
    USART3.sr().read().txe()
}

/// Whether the UART interrupts as long as it can take a byte; one store, so that a handler may do it at any time.
#[cfg(feature = "interrupt")]
pub fn interrupt_when_ready(wanted: bool) {
    USART3.cr1().write_value(Cr1(if wanted { CR1 | TXEIE } else { CR1 }));
}

/// Starts the transfer of the first `length` bytes.
#[cfg(feature = "dma")]
pub fn transfer(bytes: &'static [AtomicU8], length: usize) {
    let stream = DMA1.st(STREAM);
    stream.par().write_value(USART3.dr().as_ptr() as u32);
    stream.m0ar().write_value(bytes.as_ptr() as u32);
    stream.ndtr().write(|w| w.set_ndt(length as u16));
    stream.cr().write(|w| {
        w.set_chsel(4);
        w.set_dir(Dir::MEMORY_TO_PERIPHERAL);
        w.set_minc(true);
        w.set_tcie(true);
        w.set_en(true);
    });
}

/// Clears the stream's flags: it does not start anew as long as one is set.
#[cfg(feature = "dma")]
pub fn acknowledge_transfer() {
    DMA1.ifcr(0).write(|w| {
        w.set_tcif(STREAM, true);
        w.set_htif(STREAM, true);
        w.set_feif(STREAM, true);
    });
}
