//! The switch program without a runtime: what giving way costs at the least, with a list of tasks for a scheduler.

#![no_std]
#![no_main]

mod round_robin;

use core::mem::size_of_val;
use core::pin::pin;

use cortex_m::Peripherals;
use cortex_m_rt::entry;
use cyclescope_switch::{Board, Clock, Report, Row, Span, TURNS, add_one, systick};
use panic_halt as _;

use crate::round_robin::{Task, run_until_first_is_done, yield_now};

#[cfg(not(feature = "mode-plain"))]
compile_error!("the switch program has the mode plain: --features mode-plain");

#[entry]
fn main() -> ! {
    let board = Board::start();
    let core = Peripherals::take().expect("the peripherals are taken once, here");
    let clock = Clock::start(core.SYST);
    let ticks = || clock.ticks();

    let [empty, direct] = Row::without_scheduler(ticks, add_in_turn);
    let first = pin!(add_in_turn());
    let second = pin!(add_in_turn());
    let bytes = size_of_val(&*first);
    let mut tasks: [Task<'_>; 2] = [first, second];
    let span = Span::open(ticks);
    run_until_first_is_done(&mut tasks);
    let scheduled = span.close(ticks);

    board.finish(&Report {
        contender: "rust-plain",
        clock_hz: systick::HZ,
        rows: &[("EmptyLoop", empty), ("DirectScheduling", direct), ("CoroutineScheduling", scheduled)],
        sizes: &[("task", bytes), ("scheduler", size_of_val(&tasks))],
    })
}

/// One of the two tasks.
async fn add_in_turn() {
    for _ in 0..TURNS {
        add_one();
        yield_now().await;
        add_one();
        yield_now().await;
    }
}
