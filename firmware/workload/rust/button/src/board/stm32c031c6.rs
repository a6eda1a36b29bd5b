//! Nucleo-C031C6: button PC13 (EXTI13), LED PA5, pin A PA0, pin B PA1, USART2 on PA2.
//!
//! Source: RM0490, "GPIO registers", "EXTI registers", "USART registers", "DMA registers", "DMAMUX: assignment of
//! multiplexer inputs to resources" (53: USART2_TX); the datasheet's alternate functions (PA2: AF1).

#[cfg(feature = "dma")]
use core::sync::atomic::AtomicU8;

use cyclescope_boards::{CORE_HZ, raise_clock};
#[cfg(feature = "dma")]
use stm32_metapac::bdma::vals::Dir;
use stm32_metapac::exti::regs::Lines;
use stm32_metapac::gpio::vals::{Moder, Pupdr};
use stm32_metapac::usart::regs::Cr1;
#[cfg(not(feature = "dma"))]
use stm32_metapac::usart::regs::Dr;
#[cfg(feature = "dma")]
use stm32_metapac::{DMA1, DMAMUX1};
use stm32_metapac::{EXTI, GPIOA, GPIOC, RCC, USART2};

use crate::pin::Output;

/// The LED, on when high.
pub const LED: Output = Output::new(GPIOA, 5);
/// Probe pin A.
#[cfg(feature = "probes")]
pub const PIN_A: Output = Output::new(GPIOA, 0);
/// Probe pin B.
#[cfg(feature = "probes")]
pub const PIN_B: Output = Output::new(GPIOA, 1);

/// The button's pin of port C, and its line.
const BUTTON: usize = 13;
/// The processor clock over the baud rate, rounded.
const DIVISOR: u16 = ((CORE_HZ + 115_200 / 2) / 115_200) as u16;
/// USART2 enabled, and its transmitter.
const CR1: u32 = 1 << 0 | 1 << 3;
/// The transmitter's interrupt.
#[cfg(feature = "interrupt")]
const TXEIE: u32 = 1 << 7;
/// The DMA's first channel.
#[cfg(feature = "dma")]
const CHANNEL: usize = 0;

/// Raises the clock, sets up pins, external interrupt and UART; call it once, and unmask their interrupts.
pub fn start() {
    raise_clock();
    RCC.gpioenr().modify(|w| {
        w.set_gpioaen(true);
        w.set_gpiocen(true);
    });
    #[cfg(feature = "dma")]
    RCC.ahbenr().modify(|w| w.set_dma1en(true));
    RCC.apbenr1().modify(|w| w.set_usart2en(true));
    // The bus needs a moment before the UART answers; reading the register back gives it.
    let _ = RCC.apbenr1().read();

    LED.start();
    #[cfg(feature = "probes")]
    for pin in [&PIN_A, &PIN_B] {
        pin.start();
    }

    GPIOC.pupdr().modify(|w| w.set_pupdr(BUTTON, Pupdr::PULL_UP));
    // Pins start as analogue ones.
    GPIOC.moder().modify(|w| w.set_moder(BUTTON, Moder::INPUT));
    // Port C is number 2.
    EXTI.exticr(BUTTON / 4).modify(|w| w.set_exti(BUTTON % 4, 2));
    EXTI.rtsr(0).modify(|w| w.set_line(BUTTON, true));
    EXTI.ftsr(0).modify(|w| w.set_line(BUTTON, true));
    // Pulling the pin up may have been an edge.
    acknowledge();
    EXTI.imr(0).modify(|w| w.set_line(BUTTON, true));

    GPIOA.afr(0).modify(|w| w.set_afr(2, 1));
    GPIOA.moder().modify(|w| w.set_moder(2, Moder::ALTERNATE));
    USART2.brr().write(|w| w.set_brr(DIVISOR));
    #[cfg(feature = "dma")]
    {
        USART2.cr3().modify(|w| w.set_dmat(true));
        DMAMUX1.ccr(CHANNEL).write(|w| w.set_dmareq_id(53));
    }
    USART2.cr1().write_value(Cr1(CR1));
}

/// Clears the button's pending edge, of either way.
#[inline(always)]
pub fn acknowledge() {
    EXTI.rpr(0).write_value(Lines(1 << BUTTON));
    EXTI.fpr(0).write_value(Lines(1 << BUTTON));
}

/// The button's level: high while it is up.
pub fn is_up() -> bool {
    GPIOC.idr().read().0 & 1 << BUTTON != 0
}

/// Hands a byte to the UART, which must be ready.
#[cfg(not(feature = "dma"))]
pub fn put(byte: u8) {
    USART2.tdr().write_value(Dr(byte.into()));
}

/// Whether the UART can take a byte.
#[cfg(feature = "blocking")]
pub fn is_ready() -> bool {
    USART2.isr().read().txe()
}

/// Whether the UART interrupts as long as it can take a byte; one store, so that a handler may do it at any time.
#[cfg(feature = "interrupt")]
pub fn interrupt_when_ready(wanted: bool) {
    USART2.cr1().write_value(Cr1(if wanted { CR1 | TXEIE } else { CR1 }));
}

/// Starts the transfer of the first `length` bytes.
#[cfg(feature = "dma")]
pub fn transfer(bytes: &'static [AtomicU8], length: usize) {
    let channel = DMA1.ch(CHANNEL);
    channel.par().write_value(USART2.tdr().as_ptr() as u32);
    channel.mar().write_value(bytes.as_ptr() as u32);
    channel.ndtr().write(|w| w.set_ndt(length as u16));
    channel.cr().write(|w| {
        w.set_dir(Dir::FROM_MEMORY);
        w.set_minc(true);
        w.set_tcie(true);
        w.set_en(true);
    });
}

/// Stops the channel, which keeps its registers locked while it is enabled, and clears its flags.
#[cfg(feature = "dma")]
pub fn acknowledge_transfer() {
    DMA1.ch(CHANNEL).cr().modify(|w| w.set_en(false));
    DMA1.ifcr().write(|w| w.set_gif(CHANNEL, true));
}
