//! A stream of the DMA whose streams serve eight channels each: STM32F4.
//!
//! Source: RM0390 and RM0383, "DMA registers".

use core::sync::atomic::AtomicU8;

use stm32_metapac::DMA1;
use stm32_metapac::dma::vals::Dir;

use crate::board::{DMA_CHANNEL, DMA_STREAM};
use crate::uart;

/// Starts the transfer of the first `length` bytes.
pub fn transfer(bytes: &'static [AtomicU8], length: usize) {
    let stream = DMA1.st(DMA_STREAM);
    stream.par().write_value(uart::data());
    stream.m0ar().write_value(bytes.as_ptr() as u32);
    stream.ndtr().write(|w| w.set_ndt(length as u16));
    stream.cr().write(|w| {
        w.set_chsel(DMA_CHANNEL);
        w.set_dir(Dir::MEMORY_TO_PERIPHERAL);
        w.set_minc(true);
        w.set_tcie(true);
        w.set_en(true);
    });
}

/// Clears the stream's flags: it does not start anew as long as one is set.
pub fn acknowledge_transfer() {
    DMA1.ifcr(DMA_STREAM / 4).write(|w| {
        w.set_tcif(DMA_STREAM % 4, true);
        w.set_htif(DMA_STREAM % 4, true);
        w.set_feif(DMA_STREAM % 4, true);
    });
}
