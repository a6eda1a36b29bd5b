//! The primes program on Embassy: tasks on its thread-mode executor, `embassy_futures::yield_now` between them.

#![no_std]
#![no_main]

#[cfg(any(
    all(feature = "mode-plain", feature = "mode-one"),
    all(feature = "mode-plain", feature = "mode-two"),
    all(feature = "mode-one", feature = "mode-two"),
    not(any(feature = "mode-plain", feature = "mode-one", feature = "mode-two")),
))]
compile_error!("choose exactly one mode: --features mode-plain, mode-one or mode-two");

#[cfg(any(
    all(feature = "board-stm32c031c6", feature = "board-microbit"),
    not(any(feature = "board-stm32c031c6", feature = "board-microbit")),
))]
compile_error!("choose exactly one board: --features board-stm32c031c6 or board-microbit");

#[cfg(feature = "board-microbit")]
#[path = "board/microbit.rs"]
mod board;
#[cfg(all(feature = "board-stm32c031c6", not(feature = "board-microbit")))]
#[path = "board/stm32c031c6.rs"]
mod board;

use core::sync::atomic::{AtomicU32, Ordering};

use cyclescope_workload::markers::{cyclescope_start, cyclescope_stop};
use cyclescope_workload::{Findings, Report};
use embassy_executor::Spawner;
#[cfg(not(feature = "mode-plain"))]
use embassy_futures::yield_now;

use crate::board::Board;

const MODE: &str = if cfg!(feature = "mode-plain") {
    "plain"
} else if cfg!(feature = "mode-one") {
    "one"
} else {
    "two"
};

/// What the second task of mode `two` counts up.
static COUNTER: AtomicU32 = AtomicU32::new(0);

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let board = Board::start();
    #[cfg(feature = "mode-two")]
    _spawner.spawn(count().expect("the task is spawned once, here"));

    let mut findings = Findings::NONE;
    let before = board.ticks();
    cyclescope_start();
    #[cfg(feature = "mode-plain")]
    cyclescope_workload::search(&mut findings);
    #[cfg(not(feature = "mode-plain"))]
    cyclescope_workload::search_yielding(&mut findings, yield_now).await;
    cyclescope_stop();
    let after = board.ticks();

    board.finish(&Report {
        contender: "embassy",
        mode: MODE,
        findings: &findings,
        counter: COUNTER.load(Ordering::Relaxed),
        elapsed_ticks: after.wrapping_sub(before),
        clock_hz: Board::CLOCK_HZ,
    })
}

/// The second task: adds 1 and yields, for ever. It is the counter's only writer, so load and store are enough.
#[cfg(feature = "mode-two")]
#[embassy_executor::task]
async fn count() {
    loop {
        COUNTER.store(COUNTER.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        yield_now().await;
    }
}
