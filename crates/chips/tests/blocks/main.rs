//! Each block against the rules of RM0490, over the buses of the STM32C031C6.
#![allow(clippy::unwrap_used)]

mod bench;
mod clocks;
mod dma;
mod flash;
mod pins;
mod robustness;
mod timers;
mod usart;
mod watchdogs;
