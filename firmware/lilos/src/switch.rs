//! The switch program on lilos: two futures on its executor, `lilos::exec::yield_cpu` between them.

#![no_std]
#![no_main]

use core::convert::Infallible;
use core::mem::{MaybeUninit, size_of, size_of_val};
use core::pin::pin;
use core::sync::atomic::AtomicUsize;

use cortex_m::Peripherals;
use cortex_m_rt::entry;
use cyclescope_switch::{Board, CORE_HZ, Report, Row, Span, TURNS, add_one, systick};
use lilos::exec::{self, yield_cpu};
use lilos::spsc::Queue;
use lilos::time::{TickTime, initialize_sys_tick};
use panic_halt as _;

#[cfg(not(feature = "mode-plain"))]
compile_error!("the switch program has the mode plain: --features mode-plain");

/// The executor's statics without its clock's: a bit for each task, and where a debugger finds the tasks.
const SCHEDULER: usize = size_of::<AtomicUsize>() + size_of::<Option<*mut [usize]>>();

/// A queue for one value: one of its places always stays free.
const CHANNEL: usize = size_of::<Queue<'_, u32>>() + size_of::<[MaybeUninit<u32>; 2]>();

#[entry]
fn main() -> ! {
    let board = Board::start();
    let mut core = Peripherals::take().expect("the peripherals are taken once, here");
    initialize_sys_tick(&mut core.SYST, CORE_HZ);

    // Before the executor starts, which masks interrupts while a task runs: these rows take longer than a tick.
    let rows = Row::without_scheduler(ticks, add_in_turn);
    let second = pin!(second());
    let first = pin!(first(board, rows, size_of_val(&*second)));
    exec::run_tasks(&mut [first, second], exec::ALL_TASKS)
}

/// The first task, which ends the program.
async fn first(board: Board, [empty, direct]: [Row; 2], task: usize) -> Infallible {
    let span = Span::open(ticks);
    for _ in 0..TURNS {
        add_one();
        yield_cpu().await;
        add_one();
        yield_cpu().await;
    }
    let scheduled = span.close(ticks);

    board.finish(&Report {
        contender: "lilos",
        clock_hz: systick::HZ,
        rows: &[("EmptyLoop", empty), ("DirectScheduling", direct), ("CoroutineScheduling", scheduled)],
        sizes: &[("task", task), ("scheduler", SCHEDULER), ("channel", CHANNEL)],
    })
}

/// The second task.
async fn second() -> Infallible {
    loop {
        add_one();
        yield_cpu().await;
        add_one();
        yield_cpu().await;
    }
}

/// What is polled by hand, in the place of both.
async fn add_in_turn() {
    for _ in 0..TURNS {
        add_one();
        yield_cpu().await;
        add_one();
        yield_cpu().await;
    }
}

/// lilos's clock and SysTick's counter between two of its ticks, in microseconds.
fn ticks() -> u32 {
    systick::microseconds(|| (u64::from(TickTime::now()) as u32).wrapping_add(systick::unserved()))
}
