//! A channel of the DMA whose requests are chosen elsewhere: STM32C0, G0 and L4.
//!
//! Source: RM0490, RM0444 and RM0351, "DMA registers".

use core::sync::atomic::AtomicU8;

use stm32_metapac::DMA1;
use stm32_metapac::bdma::vals::Dir;

use crate::board::DMA_CHANNEL;
use crate::uart;

/// Starts the transfer of the first `length` bytes.
pub fn transfer(bytes: &'static [AtomicU8], length: usize) {
    let channel = DMA1.ch(DMA_CHANNEL);
    channel.par().write_value(uart::data());
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
pub fn acknowledge_transfer() {
    DMA1.ch(DMA_CHANNEL).cr().modify(|w| w.set_en(false));
    DMA1.ifcr().write(|w| w.set_gif(DMA_CHANNEL, true));
}
