//! Black Pill: key on PA0, an LED wired to PB10, pins A and B on PB0 and PB1, USART2 on PA2.

#[macro_use]
#[path = "common.rs"]
mod common;

board! {
    led: PB10,
    probes: PB0 PB1 of GPIOB,
    button: PA0 on EXTI0, line 0, by EXTI0,
    uart: USART2, tx PA2, rx PA3,
    dma: DMA1_CH6 by DMA1_STREAM6,
}
