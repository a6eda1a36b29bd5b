//! Nucleo-F446ZE: button on PC13, LED on PB0, pins A and B on PG0 and PG1, USART3 on PD8.

#[macro_use]
#[path = "common.rs"]
mod common;

board! {
    led: PB0,
    probes: PG0 PG1 of GPIOG,
    button: PC13 on EXTI13, line 13, by EXTI15_10,
    uart: USART3, tx PD8, rx PD9,
    dma: DMA1_CH3 by DMA1_STREAM3,
}
