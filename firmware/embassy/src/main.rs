//! The primes program on Embassy: tasks on its thread-mode executor, `embassy_futures::yield_now` between them.

#![no_std]
#![no_main]

#[cfg_attr(feature = "qemu", path = "board/qemu.rs")]
#[cfg_attr(feature = "stm32", path = "board/stm32.rs")]
#[cfg_attr(feature = "board-rp2040", path = "board/rp2040.rs")]
#[cfg_attr(feature = "board-nrf52840", path = "board/nrf52840.rs")]
mod board;
#[cfg(not(any(feature = "qemu", feature = "board-rp2040")))]
#[cfg_attr(feature = "board-nrf52840", path = "clock/nrf52840.rs")]
#[cfg_attr(feature = "board-stm32c031c6", path = "clock/stm32c031c6.rs")]
#[cfg_attr(feature = "board-stm32f103c8", path = "clock/stm32f103c8.rs")]
#[cfg_attr(feature = "board-stm32f446ze", path = "clock/stm32f446ze.rs")]
#[cfg_attr(feature = "board-stm32g071rb", path = "clock/stm32g071rb.rs")]
#[cfg_attr(feature = "board-stm32g431kb", path = "clock/stm32g431kb.rs")]
#[cfg_attr(feature = "board-stm32l476rg", path = "clock/stm32l476rg.rs")]
#[cfg_attr(feature = "board-stm32f411ce", path = "clock/stm32f411ce.rs")]
mod clock;

use core::sync::atomic::{AtomicU32, Ordering};

use cyclescope_workload::markers::{cyclescope_start, cyclescope_stop};
use cyclescope_workload::{Findings, Report};
use embassy_executor::Spawner;
#[cfg(not(feature = "mode-plain"))]
use embassy_futures::yield_now;

use crate::board::Board;

const MODES_CHOSEN: usize =
    cfg!(feature = "mode-plain") as usize + cfg!(feature = "mode-one") as usize + SECOND_TASK as usize;
const _: () = assert!(MODES_CHOSEN == 1, "choose exactly one mode: --features mode-plain, mode-one or mode-two");

const MODE: &str = if cfg!(feature = "mode-plain") {
    "plain"
} else if cfg!(feature = "mode-one") {
    "one"
} else {
    TWO
};

/// What the second task counts up.
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
#[cfg(any(feature = "mode-two", feature = "mode-other-core"))]
#[embassy_executor::task]
async fn count() {
    loop {
        COUNTER.store(COUNTER.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        yield_now().await;
    }
}

/// There is a second task. In mode `other-core` the board of a part with two cores starts it on the other one.
const SECOND_TASK: bool = cfg!(any(feature = "mode-two", feature = "mode-other-core"));

const TWO: &str = if cfg!(feature = "mode-two") { "two" } else { "other-core" };
