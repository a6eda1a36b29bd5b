//! Each block against the rules of RM0490, over the buses of the STM32C031C6.
#![allow(clippy::unwrap_used)]

mod bench;
mod can;
mod clocks;
mod dma;
mod f103_clocks;
mod f103_flash;
mod f103_pins;
mod f446_clocks;
mod f446_dma;
mod f446_flash;
mod f446_io;
mod f446_memories;
mod flash;
mod i2c;
mod k20_clocks;
mod k20_pins;
mod k20_uart;
mod lm3s;
mod others;
mod outside;
mod pins;
mod restore;
mod robustness;
mod sdio;
mod spi;
mod timers;
mod usart;
mod watchdogs;
