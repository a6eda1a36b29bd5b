//! The primes program on lilos: futures on its executor, `lilos::exec::yield_cpu` between them.

#![no_std]
#![no_main]

use core::convert::Infallible;
use core::pin::{Pin, pin};
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::Peripherals;
use cortex_m_rt::entry;
use cyclescope_boards::{Board, CORE_HZ};
use cyclescope_workload::markers::{cyclescope_start, cyclescope_stop};
use cyclescope_workload::{Findings, Report};
use lilos::exec;
#[cfg(not(feature = "mode-plain"))]
use lilos::exec::yield_cpu;
use lilos::time::{TickTime, initialize_sys_tick};
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

/// Rate of lilos's clock, in hertz; it knows no other.
const CLOCK_HZ: u32 = 1000;

/// What the second task of mode `two` counts up.
static COUNTER: AtomicU32 = AtomicU32::new(0);

#[entry]
fn main() -> ! {
    let board = Board::start();
    let mut core = Peripherals::take().expect("the peripherals are taken once, here");
    initialize_sys_tick(&mut core.SYST, CORE_HZ);

    let search = pin!(search(board));
    #[cfg(not(feature = "mode-two"))]
    run(&mut [search]);
    #[cfg(feature = "mode-two")]
    run(&mut [search, pin!(count())]);
}

/// The usual way: interrupts wait while a task runs, and get their turn between two turns of the executor.
#[cfg(not(feature = "mode-plain"))]
fn run(tasks: &mut [Pin<&mut dyn Future<Output = Infallible>>]) -> ! {
    exec::run_tasks(tasks, exec::ALL_TASKS)
}

/// A task that runs for seconds without yielding would lose ticks: lilos's remedy is to mask only what is less urgent
/// than SysTick, which has priority 0.
#[cfg(all(feature = "mode-plain", basepri))]
fn run(tasks: &mut [Pin<&mut dyn Future<Output = Infallible>>]) -> ! {
    // SAFETY: SysTick is the only interrupt, and lilos's handler of it is made for this.
    unsafe { exec::run_tasks_with_preemption(tasks, exec::ALL_TASKS, exec::Interrupts::Filtered(0x80)) }
}

/// Armv6-M has no BASEPRI: the task itself lets the ticks through.
#[cfg(all(feature = "mode-plain", not(basepri)))]
fn run(tasks: &mut [Pin<&mut dyn Future<Output = Infallible>>]) -> ! {
    exec::run_tasks(tasks, exec::ALL_TASKS)
}

/// The first task, which ends the program.
async fn search(board: Board) -> Infallible {
    #[cfg(all(feature = "mode-plain", not(basepri)))]
    // SAFETY: as above; no other interrupt is enabled, and the executor masks and unmasks anew at each of its turns.
    unsafe {
        cortex_m::interrupt::enable();
    }

    let mut findings = Findings::NONE;
    let before = ticks();
    cyclescope_start();
    #[cfg(feature = "mode-plain")]
    cyclescope_workload::search(&mut findings);
    #[cfg(not(feature = "mode-plain"))]
    cyclescope_workload::search_yielding(&mut findings, yield_cpu).await;
    cyclescope_stop();
    let after = ticks();

    board.finish(&Report {
        contender: "lilos",
        mode: MODE,
        findings: &findings,
        counter: COUNTER.load(Ordering::Relaxed),
        elapsed_ticks: after.wrapping_sub(before),
        clock_hz: CLOCK_HZ,
    })
}

/// lilos's clock, in its ticks; it wraps after 49 days.
fn ticks() -> u32 {
    u64::from(TickTime::now()) as u32
}

/// The second task: adds 1 and yields, for ever. It is the counter's only writer, so load and store are enough.
#[cfg(feature = "mode-two")]
async fn count() -> Infallible {
    loop {
        COUNTER.store(COUNTER.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        yield_cpu().await;
    }
}
