//! The switch program on Embassy's executor for AVR: two tasks, `embassy_futures::yield_now` between them.

#![no_std]
#![no_main]
#![feature(abi_avr_interrupt, asm_experimental_arch)]

mod board;
mod report;
mod row;

use core::mem::size_of;

use embassy_executor::raw::TaskStorage;
use embassy_executor::{Executor, Spawner};
use embassy_futures::yield_now;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::channel::Channel;
use embassy_sync::signal::Signal;
use panic_halt as _;

use crate::board::Board;
use crate::row::{Span, TURNS, add_one, empty_loop, resume_in_turn};

#[cfg(not(feature = "mode-plain"))]
compile_error!("the switch program has the mode plain: --features mode-plain");

/// Tells the main task that the others are done.
static DONE: Signal<CriticalSectionRawMutex, ()> = Signal::new();

#[embassy_executor::main(entry = "avr_device::entry")]
async fn main(spawner: Spawner) {
    let board = Board::start();

    let span = Span::open();
    empty_loop();
    let empty = span.close();
    let span = Span::open();
    resume_in_turn(add_in_turn(), add_in_turn());
    let direct = span.close();

    for _ in 0..2 {
        spawner.spawn(task().expect("the pool holds two tasks, and both are spawned here"));
    }
    let span = Span::open();
    DONE.wait().await;
    let scheduled = span.close();

    report::print(
        &board,
        &[("EmptyLoop", empty), ("DirectScheduling", direct), ("CoroutineScheduling", scheduled)],
        &[
            ("task", storage_of(add_in_turn) as u16),
            ("scheduler", size_of::<Executor>() as u16),
            ("channel", size_of::<Channel<CriticalSectionRawMutex, u32, 1>>() as u16),
        ],
    );
    board.finish()
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
