//! The primes program on RTIC: async software tasks of one priority. RTIC takes the names of device and dispatcher as written.

#![no_std]
#![no_main]

#[cfg(any(feature = "board-microbit", feature = "board-mps2-an386"))]
mod device;
#[cfg(not(feature = "mode-plain"))]
mod yielding;

use core::sync::atomic::{AtomicU32, Ordering};

use cyclescope_boards::{Board, CORE_HZ};
use cyclescope_workload::markers::{cyclescope_start, cyclescope_stop};
use cyclescope_workload::{Findings, Report};
use panic_halt as _;
use rtic_monotonics::systick::prelude::*;

#[cfg(not(feature = "mode-plain"))]
use crate::yielding::yield_now;

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

/// Rate of the monotonic, in hertz: its default, which the macro below wants as a bare number.
const CLOCK_HZ: u32 = 1000;

systick_monotonic!(Mono, 1_000);

/// What the second task of mode `two` counts up.
static COUNTER: AtomicU32 = AtomicU32::new(0);
#[cfg_attr(feature = "board-rp2040", rtic::app(device = rp_pac, peripherals = false, dispatchers = [SWI_IRQ_0]))]
#[cfg_attr(feature = "board-nrf52840", rtic::app(device = nrf_pac, peripherals = false, dispatchers = [EGU0_SWI0]))]
#[cfg_attr(
    stm32,
    rtic::app(device = stm32_metapac, peripherals = false, dispatchers = [SPI1])
)]
#[cfg_attr(
    feature = "board-lm3s6965evb",
    rtic::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0])
)]
#[cfg_attr(
    any(feature = "board-microbit", feature = "board-mps2-an386"),
    rtic::app(device = crate::device, peripherals = false, dispatchers = [SWI0])
)]
mod app {
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
        search::spawn().expect("the task is spawned once, here");
        #[cfg(feature = "mode-two")]
        count::spawn().expect("the task is spawned once, here");
        (Shared {}, Local { board: Some(board) })
    }

    /// The first task, which ends the program.
    #[task(priority = 1, local = [board])]
    async fn search(context: search::Context) {
        let mut findings = Findings::NONE;
        let before = Mono::now();
        cyclescope_start();
        #[cfg(feature = "mode-plain")]
        cyclescope_workload::search(&mut findings);
        #[cfg(not(feature = "mode-plain"))]
        cyclescope_workload::search_yielding(&mut findings, yield_now).await;
        cyclescope_stop();
        let after = Mono::now();

        let board = context.local.board.take().expect("the task runs once");
        board.finish(&Report {
            contender: "rtic",
            mode: MODE,
            findings: &findings,
            counter: COUNTER.load(Ordering::Relaxed),
            elapsed_ticks: (after - before).as_ticks(),
            clock_hz: CLOCK_HZ,
        })
    }

    /// The second task: adds 1 and yields, for ever. It is the counter's only writer, so load and store are enough.
    #[cfg(feature = "mode-two")]
    #[task(priority = 1)]
    async fn count(_: count::Context) {
        loop {
            COUNTER.store(COUNTER.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
            yield_now().await;
        }
    }
}
