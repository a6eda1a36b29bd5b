//! The counter that the tasks share, and what each row runs and comes to.

use core::pin::pin;
use core::sync::atomic::{AtomicU32, Ordering};
use core::task::{Context, Waker};

use cyclescope_workload::markers::{cyclescope_start, cyclescope_stop};

/// Iterations of a row, each one addition and one switch.
pub const ITERATIONS: u32 = 30_000;

/// Turns of the loop in each of the two tasks: a turn adds and gives way twice.
pub const TURNS: u32 = ITERATIONS / 4;

const _: () = assert!(ITERATIONS.is_multiple_of(4));

/// What the tasks count up, in turn.
static COUNTER: AtomicU32 = AtomicU32::new(0);

/// Adds 1 to the counter. Only one task runs at a time, so load and store are enough; atomic, they can neither be
/// merged with the next addition nor leave the span.
#[inline(always)]
pub fn add_one() {
    COUNTER.store(COUNTER.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

/// The counter.
pub fn count() -> u32 {
    COUNTER.load(Ordering::Relaxed)
}

/// What runs in `EmptyLoop`: the same additions, and nothing else.
#[inline(always)]
pub fn empty_loop() {
    for _ in 0..ITERATIONS {
        add_one();
    }
}

/// What runs in `DirectScheduling`: the two tasks' futures, polled in turn until the first is done.
///
/// Nobody is woken, since both are polled anyway.
#[inline(always)]
pub fn resume_in_turn(first: impl Future<Output = ()>, second: impl Future<Output = ()>) {
    let (mut first, mut second) = (pin!(first), pin!(second));
    let mut context = Context::from_waker(Waker::noop());
    while first.as_mut().poll(&mut context).is_pending() {
        let _ = second.as_mut().poll(&mut context);
    }
}

/// A row that is running.
pub struct Span {
    before: u32,
}

impl Span {
    /// Clears the counter, reads the clock and opens the measured span.
    #[inline(always)]
    pub fn open(ticks: impl Fn() -> u32) -> Self {
        COUNTER.store(0, Ordering::Relaxed);
        let before = ticks();
        cyclescope_start();
        Self { before }
    }

    /// Closes the measured span and reads the clock again.
    #[inline(always)]
    pub fn close(self, ticks: impl Fn() -> u32) -> Row {
        cyclescope_stop();
        let after = ticks();
        Row { counter: count(), elapsed_ticks: after.wrapping_sub(self.before) }
    }
}

/// What a row came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The counter at its end.
    pub counter: u32,
    /// How long it took, in ticks of the program's own clock.
    pub elapsed_ticks: u32,
}

impl Row {
    /// The rows `EmptyLoop` and `DirectScheduling`, which need no scheduler. `task` makes the future of a task that
    /// adds and gives way twice in each of its [`TURNS`].
    ///
    /// Always inlined, so that the additions of `EmptyLoop` stand in the function that times them.
    #[inline(always)]
    pub fn without_scheduler<Task>(ticks: impl Fn() -> u32, task: impl Fn() -> Task) -> [Self; 2]
    where
        Task: Future<Output = ()>,
    {
        let span = Span::open(&ticks);
        empty_loop();
        let empty = span.close(&ticks);
        let span = Span::open(&ticks);
        resume_in_turn(task(), task());
        [empty, span.close(&ticks)]
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use core::future::poll_fn;
    use core::task::Poll;
    use std::cell::{Cell, RefCell};
    use std::vec::Vec;

    use super::*;

    fn yield_now() -> impl Future<Output = ()> {
        let mut yielded = false;
        poll_fn(move |_| if core::mem::replace(&mut yielded, true) { Poll::Ready(()) } else { Poll::Pending })
    }

    async fn task() {
        for _ in 0..TURNS {
            add_one();
            yield_now().await;
            add_one();
            yield_now().await;
        }
    }

    #[test]
    fn both_rows_add_once_an_iteration_on_a_fresh_counter() {
        let clock = Cell::new(5);
        let ticks = || clock.replace(clock.get() + 7);
        assert_eq!(Row::without_scheduler(ticks, task), [Row { counter: ITERATIONS, elapsed_ticks: 7 }; 2]);
    }

    #[test]
    fn tasks_are_resumed_in_turn() {
        let order = RefCell::new(Vec::new());
        let noting = |name: char| {
            let order = &order;
            async move {
                for _ in 0..2 {
                    order.borrow_mut().push(name);
                    yield_now().await;
                }
            }
        };
        resume_in_turn(noting('a'), noting('b'));
        assert_eq!(order.into_inner(), ['a', 'b', 'a', 'b']);
    }
}
