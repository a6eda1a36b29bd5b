//! Nucleo-L476RG: button on PC13, LED on PA5, pins A and B on PA0 and PA1, USART2 on PA2.

#[macro_use]
#[path = "common.rs"]
mod common;

board! {
    led: PA5,
    probes: PA0 PA1 of GPIOA,
    button: PC13 on EXTI13, line 13, by EXTI15_10,
    uart: USART2, tx PA2, rx PA3,
    dma: DMA1_CH7 by DMA1_CHANNEL7,
}
