//! The primes program without a runtime.
//!
//! `plain` calls the search. `one` and `two` poll futures by hand, the least that an `await` can cost in Rust: no
//! queue, no wakers, no sleep, only a turn over a list of tasks.

#![no_std]
#![no_main]

#[cfg(not(feature = "mode-plain"))]
mod round_robin;

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m_rt::entry;
use cyclescope_boards::{Board, Clock};
use cyclescope_workload::markers::{cyclescope_start, cyclescope_stop};
use cyclescope_workload::{Findings, Report};
use panic_halt as _;

const MODES_CHOSEN: usize =
    cfg!(feature = "mode-plain") as usize + cfg!(feature = "mode-one") as usize + cfg!(feature = "mode-two") as usize;
const _: () = assert!(MODES_CHOSEN == 1, "choose exactly one mode: --features mode-plain, mode-one or mode-two");

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
    let clock = Clock::start();
    let mut findings = Findings::NONE;

    let before = clock.ticks();
    cyclescope_start();
    work(&mut findings);
    cyclescope_stop();
    let after = clock.ticks();

    board.finish(&Report {
        contender: "rust-plain",
        mode: MODE,
        findings: &findings,
        counter: COUNTER.load(Ordering::Relaxed),
        elapsed_ticks: Clock::between(before, after),
        clock_hz: Clock::HZ,
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
