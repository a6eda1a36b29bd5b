//! Sending by DMA, whose end is told by an interrupt.

use core::sync::atomic::{AtomicBool, AtomicU8, Ordering, fence};

use crate::dma::{acknowledge_transfer, transfer};

/// What the DMA reads; as long as the longest message.
static BUFFER: [AtomicU8; 24] = [const { AtomicU8::new(0) }; 24];
/// Whether no transfer is under way.
static DONE: AtomicBool = AtomicBool::new(true);

/// Hands `text` over; `done` waits until [`on_interrupt`] has come.
pub async fn send(text: &[u8], mut done: impl AsyncFnMut()) {
    for part in text.chunks(BUFFER.len()) {
        for (place, &byte) in BUFFER.iter().zip(part) {
            place.store(byte, Ordering::Relaxed);
        }
        DONE.store(false, Ordering::Relaxed);
        // The DMA sees memory as it is when it starts.
        fence(Ordering::Release);
        transfer(&BUFFER, part.len());
        while !is_done() {
            done().await;
        }
    }
}

/// The DMA's interrupt, which comes when it has handed over the last byte; returns true, as it ends each transfer.
pub fn on_interrupt() -> bool {
    acknowledge_transfer();
    DONE.store(true, Ordering::Release);
    true
}

/// Whether the last transfer has ended.
pub fn is_done() -> bool {
    DONE.load(Ordering::Acquire)
}
