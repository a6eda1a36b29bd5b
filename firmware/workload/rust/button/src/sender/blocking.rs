//! Sending by waiting for each byte.

use crate::uart::{is_ready, put};

/// Hands `text` over; `between` is awaited after each byte.
pub async fn send(text: &[u8], mut between: impl AsyncFnMut()) {
    for &byte in text {
        while !is_ready() {}
        put(byte);
        between().await;
    }
}
