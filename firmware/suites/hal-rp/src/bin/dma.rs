//! DMA from memory to memory by two channels, of each width and both directions of need: filled, copied, dropped.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_rp::dma::{Channel, InterruptHandler};
use embassy_rp::pac::dma::vals::TreqSel;
use embassy_rp::{bind_interrupts, peripherals};

bind_interrupts!(struct Irqs {
    DMA_IRQ_0 => InterruptHandler<peripherals::DMA_CH0>, InterruptHandler<peripherals::DMA_CH1>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut first = Channel::new(p.DMA_CH0, Irqs);
    let mut second = Channel::new(p.DMA_CH1, Irqs);
    let words: [u32; 16] = core::array::from_fn(|index| 0x0101_0101 * index as u32);
    let bytes: [u8; 37] = core::array::from_fn(|index| index as u8 ^ 0x5A);
    let (mut to_words, mut to_bytes) = ([0; 16], [0; 37]);
    // SAFETY: all lie in RAM, and live until both transfers have ended.
    unsafe { join(first.copy(&words, &mut to_words), second.copy(&bytes, &mut to_bytes)).await };
    check("words", to_words == words, true);
    check("bytes", to_bytes == bytes, true);
    let mut halves = [0_u16; 8];
    let from = 0x1234_u16;
    // SAFETY: as above.
    unsafe { first.read(&from, &mut halves, TreqSel::PERMANENT, true).await };
    check("one half-word, its bytes swapped", halves, [0x3412; 8]);
    let mut last = 0_u32;
    // SAFETY: as above.
    unsafe { second.write(&words[..5], &mut last, TreqSel::PERMANENT, false).await };
    check("the last of five", last, 0x0404_0404);
    done()
}
