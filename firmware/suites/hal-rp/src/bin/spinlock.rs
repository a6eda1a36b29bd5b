//! A mutex by one of the processors' spinlocks: what it guards, from a task and from the second core.
#![no_std]
#![no_main]

use core::cell::Cell;

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::multicore::{Stack, spawn_core1};
use embassy_rp::spinlock_mutex::SpinlockRawMutex;
use embassy_sync::blocking_mutex::Mutex;
use static_cell::StaticCell;

static STACK: StaticCell<Stack<1024>> = StaticCell::new();
static COUNT: Mutex<SpinlockRawMutex<5>, Cell<u32>> = Mutex::new(Cell::new(0));

fn add(count: u32) {
    for _ in 0..count {
        COUNT.lock(|cell| cell.set(cell.get() + 1));
    }
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    spawn_core1(p.CORE1, STACK.init(Stack::new()), || {
        add(500);
        loop {
            cortex_m::asm::wfe();
        }
    });
    add(300);
    while COUNT.lock(Cell::get) < 800 {
        embassy_time::Timer::after_micros(10).await;
    }
    check("added by both", COUNT.lock(Cell::get), 800);
    done()
}
