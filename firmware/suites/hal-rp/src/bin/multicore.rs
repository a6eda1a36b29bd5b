//! Two executors, one on each core: the second blinks a pin on request and answers; both count under one lock.
#![no_std]
#![no_main]

use core::cell::Cell;

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Executor;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::multicore::{Stack, spawn_core1};
use embassy_sync::blocking_mutex::Mutex;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::channel::Channel;
use embassy_time::{Duration, Instant, Timer};
use static_cell::StaticCell;

static STACK: StaticCell<Stack<4096>> = StaticCell::new();
static FIRST: StaticCell<Executor> = StaticCell::new();
static SECOND: StaticCell<Executor> = StaticCell::new();
static REQUESTS: Channel<CriticalSectionRawMutex, bool, 1> = Channel::new();
static ANSWERS: Channel<CriticalSectionRawMutex, u32, 1> = Channel::new();
static COUNT: Mutex<CriticalSectionRawMutex, Cell<u32>> = Mutex::new(Cell::new(0));

/// The additions of each core to the count, while the other adds too.
const ADDITIONS: u32 = 500;

fn add() {
    for _ in 0..ADDITIONS {
        COUNT.lock(|count| count.set(count.get() + 1));
    }
}

fn core() -> u32 {
    embassy_rp::pac::SIO.cpuid().read()
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let p = embassy_rp::init(Default::default());
    let led = Output::new(p.PIN_25, Level::Low);
    spawn_core1(p.CORE1, STACK.init(Stack::new()), move || {
        SECOND.init(Executor::new()).run(|spawner| spawner.spawn(second(led).unwrap()))
    });
    FIRST.init(Executor::new()).run(|spawner| spawner.spawn(first().unwrap()))
}

#[embassy_executor::task]
async fn first() {
    check("first core", core(), 0);
    for turn in 0..4 {
        REQUESTS.send(turn % 2 == 0).await;
        check("answer", ANSWERS.receive().await, turn + 1);
        Timer::after(Duration::from_millis(1)).await;
    }
    REQUESTS.send(false).await;
    add();
    check("both are done", ANSWERS.receive().await, 5);
    check("no addition is lost", COUNT.lock(Cell::get), 2 * ADDITIONS);
    check("the timer", Instant::now().as_millis() >= 4, true);
    done()
}

#[embassy_executor::task]
async fn second(mut led: Output<'static>) {
    let mut answered = 0;
    loop {
        let on = REQUESTS.receive().await;
        led.set_level(if on { Level::High } else { Level::Low });
        answered += 1;
        if answered == 5 {
            add();
        }
        check("second core", core(), 1);
        ANSWERS.send(answered).await;
    }
}
