//! The button program on RTIC: hardware tasks that answer interrupts, and async tasks of three priorities.
#![no_std]
#![no_main]
// What `rtic::app` writes would be outside code, were it not for the macro around it.
#![allow(unsafe_op_in_unsafe_fn, reason = "RTIC's own code is of the edition before")]

mod part;

use core::sync::atomic::{AtomicBool, Ordering};

use cyclescope_button::{CORE_HZ, MESSAGES, Message, button as key, led as lamp, message, probe, sender};
use rtic_sync::channel::{Receiver, Sender};
use rtic_sync::{make_channel, signal::Signal};

use crate::part::*;

const MODES_CHOSEN: usize = cfg!(feature = "mode-interrupt") as usize
    + cfg!(feature = "mode-dma") as usize
    + cfg!(feature = "mode-blocking") as usize
    + cfg!(feature = "mode-bare") as usize;
const _: () = assert!(MODES_CHOSEN == 1, "choose exactly one mode");
#[cfg(not(feature = "board-nrf52840"))]
systick_monotonic!(Mono, 1_000);

/// The button has gone up or down: from its interrupt to its task.
static EDGE: Signal<()> = Signal::new();
/// The sender can go on: from its interrupt to the serial task.
#[cfg(not(feature = "mode-blocking"))]
static SENT: Signal<()> = Signal::new();
/// Whether the button is up: set by its task, read by the LED's.
static UP: AtomicBool = AtomicBool::new(true);

/// The application. RTIC takes the names of interrupts as they are written, and those differ by board and mode.
macro_rules! application {
    (edge = $edge:ident, $(sender = $sender:ident,)? dispatchers = [$($dispatcher:ident),*]) => {
        #[rtic::app(device = crate::part::device, peripherals = false, dispatchers = [$($dispatcher),*])]
        mod app {
            use super::*;

            #[shared]
            struct Shared {}

            #[local]
            struct Local {
                messages: Sender<'static, Message, MESSAGES>,
                queue: Receiver<'static, Message, MESSAGES>,
            }

            #[init]
            fn init(context: init::Context) -> (Shared, Local) {
                cyclescope_button::start();
                Mono::start(context.core.SYST, CORE_HZ);
                let (messages, queue) = make_channel!(Message, MESSAGES);
                button::spawn().expect("the task is spawned once, here");
                serial::spawn().expect("the task is spawned once, here");
                led::spawn().expect("the task is spawned once, here");
                (Shared {}, Local { messages, queue })
            }

            #[idle]
            fn idle(_: idle::Context) -> ! {
                loop {
                    rtic::export::wfi();
                }
            }

            /// The button's interrupt.
            #[task(binds = $edge, priority = 4)]
            fn edge(_: edge::Context) {
                probe::handler_begins();
                key::acknowledge();
                EDGE.writer().write(());
                probe::handler_ends();
            }

            $(
                /// The UART's interrupt, or its DMA's.
                #[task(binds = $sender, priority = 4)]
                fn sent(_: sent::Context) {
                    if sender::on_interrupt() {
                        SENT.writer().write(());
                    }
                }
            )?

            /// Says what the button does.
            #[task(priority = 3, local = [messages])]
            async fn button(context: button::Context) {
                let mut edges = EDGE.take_reader();
                let mut changes = 0_u32;
                loop {
                    edges.wait().await;
                    probe::task_runs();
                    let up = key::is_up();
                    UP.store(up, Ordering::Relaxed);
                    changes = changes.wrapping_add(1);
                    // The receiver lives as long as the program.
                    let _ = context.local.messages.send(message(up, changes)).await;
                    probe::task_waits();
                }
            }

            /// Sends what the button task says.
            #[task(priority = 2, local = [queue])]
            async fn serial(context: serial::Context) {
                #[cfg(not(feature = "mode-blocking"))]
                let mut sent = SENT.take_reader();
                while let Ok(message) = context.local.queue.recv().await {
                    #[cfg(not(feature = "mode-blocking"))]
                    sender::send(message.as_bytes(), async || sent.wait().await).await;
                    #[cfg(feature = "mode-blocking")]
                    sender::send(message.as_bytes(), async || ()).await;
                }
            }

            /// Blinks, as long as the button is up.
            #[task(priority = 1)]
            async fn led(_: led::Context) {
                let mut turn = Mono::now();
                loop {
                    if UP.load(Ordering::Relaxed) {
                        lamp::on();
                    }
                    turn += 100.millis();
                    Mono::delay_until(turn).await;
                    lamp::off();
                    turn += 100.millis();
                    Mono::delay_until(turn).await;
                }
            }
        }
    };
}

/// The application with the board's interrupts: of the edge, of the sender if it has one, and those that dispatch.
macro_rules! on_board {
    ($edge:ident, $uart:ident, $dma:ident, $free:tt) => {
        #[cfg(any(feature = "mode-interrupt", feature = "mode-bare"))]
        application!(edge = $edge, sender = $uart, dispatchers = $free);
        #[cfg(feature = "mode-dma")]
        application!(edge = $edge, sender = $dma, dispatchers = $free);
        #[cfg(feature = "mode-blocking")]
        application!(edge = $edge, dispatchers = $free);
    };
}

cyclescope_button::interrupts!(on_board);
