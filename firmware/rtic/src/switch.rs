//! The switch program on RTIC: two async software tasks of one priority. What is timed begins and ends in the idle task.

#![no_std]
#![no_main]

#[cfg(feature = "board-mk20dx256")]
#[path = "device/mk20dx256.rs"]
mod device;
mod yielding;

use cyclescope_switch::{Board, CORE_HZ, Report, Row, Span, TURNS, add_one, systick};
use panic_halt as _;
use rtic_monotonics::systick::prelude::*;
use rtic_sync::channel::Channel;

use crate::yielding::yield_now;

#[cfg(not(feature = "mode-plain"))]
compile_error!("the switch program has the mode plain: --features mode-plain");

systick_monotonic!(Mono, 1_000);

/// The monotonic and SysTick's counter between two of its ticks, in microseconds.
fn ticks() -> u32 {
    systick::microseconds(|| Mono::now().as_ticks())
}

/// What is polled by hand, in the place of both tasks.
async fn add_in_turn() {
    for _ in 0..TURNS {
        add_one();
        yield_now().await;
        add_one();
        yield_now().await;
    }
}
#[cfg_attr(feature = "board-rp2040", rtic::app(device = rp_pac, peripherals = false, dispatchers = [SWI_IRQ_0]))]
#[cfg_attr(feature = "board-nrf52840", rtic::app(device = nrf_pac, peripherals = false, dispatchers = [EGU0_SWI0]))]
#[cfg_attr(
    stm32,
    rtic::app(device = stm32_metapac, peripherals = false, dispatchers = [SPI1])
)]
#[cfg_attr(
    feature = "board-mk20dx256",
    rtic::app(device = crate::device, peripherals = false, dispatchers = [SPI1])
)]
mod app {
    use core::mem::size_of;

    use super::*;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        board: Option<Board>,
    }

    #[init]
    fn init(context: init::Context) -> (Shared, Local) {
        let board = Board::start();
        Mono::start(context.core.SYST, CORE_HZ);
        (Shared {}, Local { board: Some(board) })
    }

    #[idle(local = [board])]
    fn idle(context: idle::Context) -> ! {
        let [empty, direct] = Row::without_scheduler(ticks, add_in_turn);
        // The tasks are more urgent than this one: they begin when interrupts are let through, both, and have ended
        // when the next instruction is executed.
        let span = cortex_m::interrupt::free(|_| {
            first::spawn().expect("the task is spawned once, here");
            second::spawn().expect("the task is spawned once, here");
            Span::open(ticks)
        });
        cortex_m::asm::isb();
        let scheduled = span.close(ticks);

        let board = context.local.board.take().expect("the idle task runs once");
        board.finish(&Report {
            contender: "rtic",
            clock_hz: systick::HZ,
            rows: &[("EmptyLoop", empty), ("DirectScheduling", direct), ("CoroutineScheduling", scheduled)],
            sizes: &[
                ("task", rtic::export::executor::exec_size(first)),
                // Priorities are the NVIC's, and what is known of a task lies with it.
                ("scheduler", 0),
                ("channel", size_of::<Channel<u32, 1>>()),
            ],
        })
    }

    /// The first task.
    #[task(priority = 1)]
    async fn first(_: first::Context) {
        for _ in 0..TURNS {
            add_one();
            yield_now().await;
            add_one();
            yield_now().await;
        }
    }

    /// The second task.
    #[task(priority = 1)]
    async fn second(_: second::Context) {
        for _ in 0..TURNS {
            add_one();
            yield_now().await;
            add_one();
            yield_now().await;
        }
    }
}
