//! The primes program without a runtime.
//!
//! `plain` calls the search. `one` and `two` poll futures by hand, the least that an `await` can cost in Rust: no
//! queue, no wakers, no sleep, only a turn over a list of tasks.

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
#[cfg(not(feature = "mode-plain"))]
mod round_robin;

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m_rt::entry;
use cyclescope_workload::markers::{cyclescope_start, cyclescope_stop};
use cyclescope_workload::{Findings, Report};
use panic_halt as _;

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

#[entry]
fn main() -> ! {
    let board = Board::start();
    let mut findings = Findings::NONE;

    let before = board.ticks();
    cyclescope_start();
    work(&mut findings);
    cyclescope_stop();
    let after = board.ticks();

    board.finish(&Report {
        contender: "rust-plain",
        mode: MODE,
        findings: &findings,
        counter: COUNTER.load(Ordering::Relaxed),
        elapsed_ticks: Board::between(before, after),
        clock_hz: Board::CLOCK_HZ,
    })
}

#[cfg(feature = "mode-plain")]
fn work(findings: &mut Findings) {
    cyclescope_workload::search(findings);
}

#[cfg(all(feature = "mode-one", not(feature = "mode-plain")))]
fn work(findings: &mut Findings) {
    use core::pin::pin;

    let search = pin!(cyclescope_workload::search_yielding(findings, round_robin::yield_now));
    round_robin::run_until_first_is_done(&mut [search]);
}

#[cfg(not(any(feature = "mode-plain", feature = "mode-one")))]
fn work(findings: &mut Findings) {
    use core::pin::pin;

    let search = pin!(cyclescope_workload::search_yielding(findings, round_robin::yield_now));
    let count = pin!(count());
    round_robin::run_until_first_is_done(&mut [search, count]);
}

/// The second task: adds 1 and yields, for ever. It is the counter's only writer, so load and store are enough.
#[cfg(feature = "mode-two")]
async fn count() {
    loop {
        COUNTER.store(COUNTER.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        round_robin::yield_now().await;
    }
}
