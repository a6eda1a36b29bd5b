//! Tasks of Embassy on two executors, which wait in each of the usual ways: for an interrupt, for each other, for nothing, and for
//! room in a pool. For an STM32F446 at 16 MHz, without a HAL.
//!
//! With the feature `trace` the executor calls its hooks, and each stores the task that it is told of into a word of its own in
//! `HOOKS`. Without, the program is the same.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::interrupt::InterruptNumber;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{NVIC, Peripherals};
use cortex_m_rt::{entry, exception};
use embassy_executor::{Executor, InterruptExecutor, Spawner};
use embassy_futures::yield_now;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex as Mutex;
use embassy_sync::channel::Channel;
use embassy_sync::signal::Signal;
use panic_halt as _;

#[cfg(feature = "trace")]
mod hooks;

/// Cycles from tick to tick.
const TICK: u32 = 20_000;

/// EXTI0, which nothing but software makes pending.
#[derive(Clone, Copy)]
struct Urgent;

const URGENT: i16 = 6;

// SAFETY: it is the number of an interrupt of the STM32F446 (RM0390 §10.2).
unsafe impl InterruptNumber for Urgent {
    fn number(self) -> u16 {
        URGENT as u16
    }
}

static URGENT_EXECUTOR: InterruptExecutor = InterruptExecutor::new();
static TICKED: Signal<Mutex, u32> = Signal::new();
static ALARM: Signal<Mutex, u32> = Signal::new();
static JOBS: Channel<Mutex, u32, 1> = Channel::new();
static TICKS: AtomicU32 = AtomicU32::new(0);
/// The work that was done, so that none is left out.
static DONE: AtomicU32 = AtomicU32::new(0);

#[embassy_executor::task]
async fn ticks(spawner: Spawner) {
    loop {
        let tick = TICKED.wait().await;
        // The second finds no room until the worker has taken the first.
        JOBS.send(tick).await;
        JOBS.send(tick + 1).await;
        for _ in 0..tick % 3 {
            if let Ok(token) = short(tick) {
                spawner.spawn(token);
            }
        }
    }
}

#[embassy_executor::task]
async fn worker() {
    loop {
        let job = JOBS.receive().await;
        for _ in 0..job % 3 {
            yield_now().await;
        }
        if job % 3 == 1 {
            ALARM.signal(job);
        }
        DONE.fetch_add(job, Ordering::Relaxed);
    }
}

#[embassy_executor::task(pool_size = 2)]
async fn short(tick: u32) {
    yield_now().await;
    DONE.fetch_add(tick, Ordering::Relaxed);
}

#[embassy_executor::task]
async fn urgent() {
    loop {
        let job = ALARM.wait().await;
        DONE.fetch_add(job, Ordering::Relaxed);
    }
}

#[exception]
fn SysTick() {
    let tick = TICKS.fetch_add(1, Ordering::Relaxed);
    TICKED.signal(tick);
    if tick % 5 == 4 {
        ALARM.signal(tick);
    }
}

#[exception]
unsafe fn DefaultHandler(number: i16) {
    if number == URGENT {
        // SAFETY: it is the executor's interrupt.
        unsafe { URGENT_EXECUTOR.on_interrupt() };
    }
}

#[entry]
fn main() -> ! {
    let mut core = Peripherals::take().expect("nobody has taken them");
    // SAFETY: nothing runs in a critical section by priorities.
    unsafe { core.NVIC.set_priority(Urgent, 0x80) };
    URGENT_EXECUTOR.start(Urgent).spawn(urgent().expect("there is room"));
    NVIC::pend(Urgent);
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(TICK - 1);
    core.SYST.clear_current();
    core.SYST.enable_counter();
    core.SYST.enable_interrupt();
    let executor = cortex_m::singleton!(: Executor = Executor::new()).expect("it is the only one");
    executor.run(|spawner| {
        spawner.spawn(worker().expect("there is room"));
        spawner.spawn(ticks(spawner).expect("there is room"));
    })
}
