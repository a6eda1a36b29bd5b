//! The switch program on Embassy: two tasks on its thread-mode executor, `embassy_futures::yield_now` between them.

#![no_std]
#![no_main]

#[cfg_attr(feature = "board-mk20dx256", path = "board/mk20dx256.rs")]
#[cfg_attr(feature = "stm32", path = "board/stm32.rs")]
#[cfg_attr(feature = "board-rp2040", path = "board/rp2040.rs")]
#[cfg_attr(feature = "board-nrf52840", path = "board/nrf52840.rs")]
mod board;
#[cfg(not(any(feature = "board-mk20dx256", feature = "board-rp2040")))]
#[cfg_attr(feature = "board-nrf52840", path = "../clock/nrf52840.rs")]
#[cfg_attr(feature = "board-stm32c031c6", path = "../clock/stm32c031c6.rs")]
#[cfg_attr(feature = "board-stm32f103c8", path = "../clock/stm32f103c8.rs")]
#[cfg_attr(feature = "board-stm32f446ze", path = "../clock/stm32f446ze.rs")]
#[cfg_attr(feature = "board-stm32g071rb", path = "../clock/stm32g071rb.rs")]
#[cfg_attr(feature = "board-stm32g431kb", path = "../clock/stm32g431kb.rs")]
#[cfg_attr(feature = "board-stm32l476rg", path = "../clock/stm32l476rg.rs")]
#[cfg_attr(feature = "board-stm32f411ce", path = "../clock/stm32f411ce.rs")]
mod clock;

use core::mem::size_of;

use cyclescope_switch::{Report, Row, Span, TURNS, add_one};
use embassy_executor::raw::TaskStorage;
use embassy_executor::{Executor, Spawner};
use embassy_futures::yield_now;
use embassy_sync::blocking_mutex::raw::ThreadModeRawMutex;
use embassy_sync::channel::Channel;
use embassy_sync::signal::Signal;

use crate::board::Board;

#[cfg(not(feature = "mode-plain"))]
compile_error!("the switch program has the mode plain: --features mode-plain");

/// Tells the main task that the others are done.
static DONE: Signal<ThreadModeRawMutex, ()> = Signal::new();

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let board = Board::start();
    let ticks = || board.ticks();

    let [empty, direct] = Row::without_scheduler(ticks, add_in_turn);
    for _ in 0..2 {
        spawner.spawn(task().expect("the pool holds two tasks, and both are spawned here"));
    }
    let span = Span::open(ticks);
    DONE.wait().await;
    let scheduled = span.close(ticks);

    board.finish(&Report {
        contender: "embassy",
        clock_hz: Board::CLOCK_HZ,
        rows: &[("EmptyLoop", empty), ("DirectScheduling", direct), ("CoroutineScheduling", scheduled)],
        sizes: &[
            ("task", storage_of(add_in_turn)),
            ("scheduler", size_of::<Executor>()),
            ("channel", size_of::<Channel<ThreadModeRawMutex, u32, 1>>()),
        ],
    })
}

/// Both tasks. When one is done the other has added as often.
#[embassy_executor::task(pool_size = 2)]
async fn task() {
    for _ in 0..TURNS {
        add_one();
        yield_now().await;
        add_one();
        yield_now().await;
    }
    DONE.signal(());
}

/// What is polled by hand, in the place of both.
async fn add_in_turn() {
    for _ in 0..TURNS {
        add_one();
        yield_now().await;
        add_one();
        yield_now().await;
    }
}

/// Bytes that the executor keeps for a task of this future: a header and the future.
const fn storage_of<Task: Future + 'static>(_: fn() -> Task) -> usize {
    size_of::<TaskStorage<Task>>()
}
