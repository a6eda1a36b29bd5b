//! The button program on lilos: three futures on its executor, woken by handlers through `Notify`.
#![no_std]
#![no_main]

#[cfg_attr(feature = "board-nrf52840", path = "part/nrf52840.rs")]
mod part;

use core::convert::Infallible;
use core::mem::MaybeUninit;
use core::pin::pin;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cortex_m::{Peripherals, peripheral::NVIC};
use cortex_m_rt::entry;
use cyclescope_button::{CORE_HZ, MESSAGES, Message, button as key, led as lamp, message, probe, sender};
use lilos::exec::{ALL_TASKS, Notify, run_tasks};
use lilos::spsc::{Popper, Pusher, Queue};
use panic_halt as _;

use crate::part::{Interrupt, Millis, initialize_sys_tick, interrupt, sleep_for};
const MODES_CHOSEN: usize = cfg!(feature = "mode-interrupt") as usize
    + cfg!(feature = "mode-dma") as usize
    + cfg!(feature = "mode-blocking") as usize
    + cfg!(feature = "mode-bare") as usize;
const _: () = assert!(MODES_CHOSEN == 1, "choose exactly one mode");

/// Edges of the button, counted by its handler alone, so load and store are enough.
static EDGES: AtomicU32 = AtomicU32::new(0);
/// The button has gone up or down.
static EDGE: Notify = Notify::new();
/// The sender can go on.
#[cfg(not(feature = "mode-blocking"))]
static SENT: Notify = Notify::new();
/// Whether the button is up: set by its task, read by the LED's.
static UP: AtomicBool = AtomicBool::new(true);

#[entry]
fn main() -> ! {
    cyclescope_button::start();
    let mut core = Peripherals::take().expect("the peripherals are taken once, here");
    initialize_sys_tick(&mut core.SYST, CORE_HZ);

    // One place of the queue's storage always stays free.
    let mut storage = [const { MaybeUninit::uninit() }; MESSAGES + 1];
    let mut queue = Queue::new(&mut storage);
    let (messages, queue) = queue.split();
    unmask();
    run_tasks(&mut [pin!(button(messages)), pin!(serial(queue)), pin!(led())], ALL_TASKS)
}

/// Says what the button does.
async fn button(mut messages: Pusher<'_, Message>) -> Infallible {
    let mut seen = 0;
    let mut changes = 0_u32;
    loop {
        EDGE.until(|| EDGES.load(Ordering::Relaxed) != seen).await;
        probe::task_runs();
        seen = EDGES.load(Ordering::Relaxed);
        let up = key::is_up();
        UP.store(up, Ordering::Relaxed);
        changes = changes.wrapping_add(1);
        messages.reserve().await.push(message(up, changes));
        probe::task_waits();
    }
}

/// Sends what the button task says.
async fn serial(mut queue: Popper<'_, Message>) -> Infallible {
    loop {
        let message = queue.pop().await;
        #[cfg(not(feature = "mode-blocking"))]
        sender::send(message.as_bytes(), async || SENT.until(sender::is_done).await).await;
        // Interrupts wait while a task runs: a whole message would be longer than a tick.
        #[cfg(feature = "mode-blocking")]
        sender::send(message.as_bytes(), async || lilos::exec::yield_cpu().await).await;
    }
}

/// Blinks, as long as the button is up.
async fn led() -> Infallible {
    loop {
        if UP.load(Ordering::Relaxed) {
            lamp::on();
        }
        sleep_for(Millis(100)).await;
        lamp::off();
        sleep_for(Millis(100)).await;
    }
}

/// The button's interrupt.
fn edge() {
    probe::handler_begins();
    key::acknowledge();
    EDGES.store(EDGES.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    EDGE.notify();
    probe::handler_ends();
}

/// The UART's interrupt, or its DMA's.
#[cfg(not(feature = "mode-blocking"))]
fn sent() {
    if sender::on_interrupt() {
        SENT.notify();
    }
}

/// Gives the handlers the names of a board's vectors.
macro_rules! handlers {
    ($edge:ident $(, $sender:ident)?) => {
        #[interrupt]
        fn $edge() {
            edge();
        }
        $(
            #[interrupt]
            fn $sender() {
                sent();
            }
        )?

        /// Lets the interrupts through, all of one priority.
        fn unmask() {
            // SAFETY: no mask-based critical section is open, and what the handlers share is atomic.
            unsafe {
                NVIC::unmask(Interrupt::$edge);
                $(NVIC::unmask(Interrupt::$sender);)?
            }
        }
    };
}

/// The handlers by the board's interrupts: of the edge, and of the sender if it has one.
macro_rules! on_board {
    ($edge:ident, $uart:ident, $dma:ident, $free:tt) => {
        #[cfg(any(feature = "mode-interrupt", feature = "mode-bare"))]
        handlers!($edge, $uart);
        #[cfg(feature = "mode-dma")]
        handlers!($edge, $dma);
        #[cfg(feature = "mode-blocking")]
        handlers!($edge);
    };
}

cyclescope_button::interrupts!(on_board);
