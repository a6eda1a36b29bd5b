//! Tasks of three priorities on RTIC: interrupts, async tasks that wait for times and messages, and a resource that all lock. What
//! they see is kept, and checked when all is over.
#![no_std]
#![no_main]
// What `rtic::app` writes would be outside code, were it not for the macro around it.
#![allow(unsafe_op_in_unsafe_fn, reason = "RTIC's own code is of the edition before")]

#[cfg_attr(feature = "nrf52840", path = "board/nrf52840.rs")]
#[cfg_attr(feature = "rp2040", path = "board/rp2040.rs")]
mod board;
#[path = "../../hal/src/checks.rs"]
mod checks;

use core::future::pending;

use board::Mono;
use checks::{check, done, within};
use panic_semihosting as _;
use portable_atomic as _;
use rtic_monotonics::Timebase as _;
use rtic_monotonics::fugit::ExtU64;
use rtic_sync::channel::{Receiver, Sender};
use rtic_sync::make_channel;

/// Interrupts of the board's pulse in a run, one every 500 µs.
const PULSES: usize = 10;
/// The first of them, which find a cold cache and come late.
const COLD: usize = 2;

/// Times of pulses, in microseconds.
type Times = [u64; PULSES];

/// Letters in the order in which tasks write them.
#[derive(Default)]
pub struct Order {
    letters: [u8; 16],
    count: usize,
}

impl Order {
    fn write(&mut self, letter: u8) {
        self.letters[self.count] = letter;
        self.count += 1;
    }

    fn text(&self) -> &str {
        core::str::from_utf8(&self.letters[..self.count]).expect("they are letters")
    }
}

/// Microseconds since the start.
fn now() -> u64 {
    Mono::now().as_ticks()
}

/// Lets what is pending run before the next instruction.
fn let_through() {
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

/// The application. RTIC takes the names of interrupts as they are written, and those differ by chip.
macro_rules! application {
    (device = $device:ident, pulse = $pulse:ident, request = $request:ident, dispatchers = $dispatchers:tt) => {
        #[rtic::app(device = $device, peripherals = true, dispatchers = $dispatchers)]
        mod app {
            use super::*;

            #[shared]
            struct Shared {
                order: Order,
                pulses: usize,
            }

            #[local]
            struct Local {
                pulse_times: Sender<'static, u64, 2>,
                arriving: Receiver<'static, u64, 2>,
                collected: Sender<'static, Times, 1>,
                results: Receiver<'static, Times, 1>,
            }

            #[init]
            fn init(context: init::Context) -> (Shared, Local) {
                board::start(context.device);
                let (pulse_times, arriving) = make_channel!(u64, 2);
                let (collected, results) = make_channel!(Times, 1);
                run::spawn().expect("the task is spawned once, here");
                collect::spawn().expect("the task is spawned once, here");
                let shared = Shared { order: Order::default(), pulses: 0 };
                (shared, Local { pulse_times, arriving, collected, results })
            }

            #[idle]
            fn idle(_: idle::Context) -> ! {
                loop {
                    rtic::export::wfi();
                }
            }

            /// The board's pulse: says when it was.
            #[task(binds = $pulse, priority = 3, shared = [pulses], local = [pulse_times])]
            fn pulse(mut context: pulse::Context) {
                board::pulse();
                context.shared.pulses.lock(|pulses| *pulses += 1);
                // The task that receives is more urgent than all that could keep it.
                context.local.pulse_times.try_send(now()).ok().expect("there is room");
            }

            /// An interrupt that a task asks for.
            #[task(binds = $request, priority = 3, shared = [order])]
            fn request(mut context: request::Context) {
                context.shared.order.lock(|order| order.write(b'R'));
            }

            /// Collects the times of pulses.
            #[task(priority = 2, local = [arriving, collected])]
            async fn collect(context: collect::Context) {
                let mut times = Times::default();
                for time in &mut times {
                    *time = context.local.arriving.recv().await.ok().expect("the sender stays");
                }
                context.local.collected.send(times).await.ok().expect("the receiver stays");
            }

            /// A task that is more urgent than the one that spawns it.
            #[task(priority = 2, shared = [order])]
            async fn urgent(mut context: urgent::Context) {
                context.shared.order.lock(|order| order.write(b'U'));
            }

            /// A task that is as urgent as the one that spawns it.
            #[task(priority = 1, shared = [order])]
            async fn equal(mut context: equal::Context) {
                context.shared.order.lock(|order| order.write(b'E'));
            }

            /// Goes through all of it.
            #[task(priority = 1, shared = [order, pulses], local = [results])]
            async fn run(mut context: run::Context) {
                let mut waits = [(100, 0), (1_000, 0), (5_000, 0)];
                for (wait, took) in &mut waits {
                    let begun = now();
                    Mono::delay(wait.micros()).await;
                    *took = now() - begun;
                }

                let begun = Mono::now();
                let mut turn = begun;
                for _ in 0..5 {
                    turn += 300.micros::<1, 1_000_000>();
                    Mono::delay_until(turn).await;
                }
                let five_turns = (Mono::now() - begun).as_ticks();

                let begun = now();
                let in_vain = Mono::timeout_after(700.micros(), pending::<()>()).await.is_err();
                let waited_in_vain = now() - begun;

                let begun = Mono::now();
                board::start_pulses();
                // Halfway between two pulses.
                Mono::delay_until(begun + (COLD as u64 * 500 + 250).micros::<1, 1_000_000>()).await;
                board::show_pulses();
                let pulses_cold = context.shared.pulses.lock(|pulses| *pulses);
                Mono::delay_until(begun + (PULSES as u64 * 500 + 250).micros::<1, 1_000_000>()).await;
                board::stop_pulses();
                let times = context.local.results.recv().await.ok().expect("the sender stays");
                let pulses = context.shared.pulses.lock(|pulses| *pulses);

                context.shared.order.lock(|order| {
                    order.write(b'a');
                    rtic::pend($device::Interrupt::$request);
                    urgent::spawn().expect("it has not been spawned");
                    let_through();
                    // Whoever wants the resource waits until it is free.
                    order.write(b'b');
                });
                let_through();
                context.shared.order.lock(|order| order.write(b'c'));
                urgent::spawn().expect("it has ended");
                let_through();
                context.shared.order.lock(|order| order.write(b'd'));
                rtic::pend($device::Interrupt::$request);
                let_through();
                equal::spawn().expect("it has not been spawned");
                let_through();
                context.shared.order.lock(|order| order.write(b'e'));
                Mono::delay(100.micros()).await;
                context.shared.order.lock(|order| order.write(b'f'));

                for (wait, took) in waits {
                    within("a wait", took, wait..=wait + 30);
                }
                within("five turns of 300 microseconds", five_turns, 1_500..=1_530);
                check("nothing came", in_vain, true);
                within("waited for nothing", waited_in_vain, 700..=730);
                check("pulses at first", pulses_cold, COLD);
                check("pulses", pulses, PULSES);
                for pair in times[COLD..].windows(2) {
                    within("between two pulses", pair[1] - pair[0], 499..=501);
                }
                let order = context.shared.order.lock(|order| Order { letters: order.letters, count: order.count });
                check("order", order.text(), "abRUcUdReEf");
                done()
            }
        }
    };
}

#[cfg(feature = "nrf52840")]
application!(device = nrf52840_pac, pulse = TIMER1, request = SWI1_EGU1, dispatchers = [SWI0_EGU0, SWI2_EGU2]);
#[cfg(feature = "rp2040")]
application!(device = rp2040_pac, pulse = PWM_IRQ_WRAP, request = SW1_IRQ, dispatchers = [SW0_IRQ, SW2_IRQ]);
