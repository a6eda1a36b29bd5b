//! A cooperative yield. RTIC has none of its own: its tasks wait for something, or for a time.

use core::future::poll_fn;
use core::mem::replace;
use core::task::Poll;

/// Wakes its own task and is pending once: the dispatcher polls the other tasks of this priority, then this one again.
pub fn yield_now() -> impl Future<Output = ()> {
    let mut yielded = false;
    poll_fn(move |context| {
        if replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
}
