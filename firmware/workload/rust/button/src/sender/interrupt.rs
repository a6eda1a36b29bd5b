//! Sending by interrupts: a ring of bytes that the UART's interrupt empties.

use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use crate::uart::{interrupt_when_ready, put};

/// Room in the ring, a power of two that takes a whole message.
const ROOM: usize = 32;

static RING: [AtomicU8; ROOM] = [const { AtomicU8::new(0) }; ROOM];
/// Bytes ever put in, by [`send`] alone.
static PUT: AtomicUsize = AtomicUsize::new(0);
/// Bytes ever taken out, by [`on_interrupt`] alone.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// Hands `text` over. Where the ring is full, `drained` waits until [`on_interrupt`] has said that it is empty.
pub async fn send(text: &[u8], mut drained: impl AsyncFnMut()) {
    for &byte in text {
        let put = PUT.load(Ordering::Relaxed);
        while put.wrapping_sub(TAKEN.load(Ordering::Acquire)) == ROOM {
            interrupt_when_ready(true);
            drained().await;
        }
        RING[put % ROOM].store(byte, Ordering::Relaxed);
        PUT.store(put.wrapping_add(1), Ordering::Release);
    }
    interrupt_when_ready(true);
}

/// The UART's interrupt, which comes when it can take a byte; returns whether that was the ring's last.
pub fn on_interrupt() -> bool {
    let taken = TAKEN.load(Ordering::Relaxed);
    if taken != PUT.load(Ordering::Acquire) {
        put(RING[taken % ROOM].load(Ordering::Relaxed));
        TAKEN.store(taken.wrapping_add(1), Ordering::Release);
    }
    let drained = is_done();
    if drained {
        interrupt_when_ready(false);
    }
    drained
}

/// Whether the ring is empty.
pub fn is_done() -> bool {
    TAKEN.load(Ordering::Acquire) == PUT.load(Ordering::Acquire)
}
