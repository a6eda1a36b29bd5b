//! Futures polled in turn, by hand.

use core::hint::black_box;
use core::mem::replace;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

/// A task as the list sees it.
pub type Task<'a> = Pin<&'a mut dyn Future<Output = ()>>;

/// Polls every task in turn until the first of the list is done.
///
/// The list is hidden from the compiler once, before the first turn: it must not dissolve the tasks into this loop,
/// for a runtime does not know its tasks at compile time either, and then a yield would cost nothing at all.
pub fn run_until_first_is_done(tasks: &mut [Task<'_>]) {
    let tasks = black_box(tasks);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        for (place, task) in tasks.iter_mut().enumerate() {
            if task.as_mut().poll(&mut context).is_ready() && place == 0 {
                return;
            }
        }
    }
}

/// A future that is pending once. It wakes nobody, since everybody is polled anyway.
pub fn yield_now() -> impl Future<Output = ()> {
    YieldNow { yielded: false }
}

struct YieldNow {
    yielded: bool,
}

impl Future for YieldNow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if replace(&mut self.yielded, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}
