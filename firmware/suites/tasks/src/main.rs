//! Three tasks whose awaits are trees: of `select`, of `join`, and of both inside each other.
//!
//! A tick of SysTick gives one of four signals a value, one after the other. The test of `cyclescope tasks` looks for the lines with
//! `// await NAME` behind them.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_futures::select::{Either, select, select_array};
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::signal::Signal;
use panic_halt as _;

type Ticks = Signal<CriticalSectionRawMutex, u32>;

/// Of each task four signals. A tick gives one of each four a value.
static CHOICE: [Ticks; 4] = [const { Signal::new() }; 4];
static UNION: [Ticks; 4] = [const { Signal::new() }; 4];
static TREE: [Ticks; 4] = [const { Signal::new() }; 4];

/// What the tasks have got, read by the test: how often each of the `select` has won, and how often all of the `join` have come.
#[unsafe(no_mangle)]
static COUNTS: [AtomicU32; 4] = [const { AtomicU32::new(0) }; 4];

fn count(place: usize) {
    COUNTS[place].store(COUNTS[place].load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// Awaits a signal below one more function, and holds a buffer meanwhile.
async fn outer(signal: &Ticks) -> u32 {
    let mut kept = [0_u8; 64];
    kept[0] = core::hint::black_box(1);
    let tick = inner(signal).await; // await outer
    tick + u32::from(core::hint::black_box(kept)[0])
}

async fn inner(signal: &Ticks) -> u32 {
    signal.wait().await // await inner
}

/// The first or the second signal.
#[embassy_executor::task]
async fn choice() {
    loop {
        match select(outer(&CHOICE[0]), inner(&CHOICE[1])).await { // await choice
            Either::First(_) => count(0),
            Either::Second(_) => count(1),
        }
    }
}

/// The first and the second signal.
#[embassy_executor::task]
async fn union() {
    loop {
        join(outer(&UNION[0]), inner(&UNION[1])).await; // await union
        count(2);
    }
}

/// The first and the second, or one of the other two.
#[embassy_executor::task]
async fn tree() {
    loop {
        let both = join(inner(&TREE[0]), outer(&TREE[1]));
        let any = select_array([inner(&TREE[2]), inner(&TREE[3])]);
        select(both, any).await; // await tree
        count(3);
    }
}

/// Ticks 0, 1, 2, 3 and so on give the signals 0, 1, 2, 3, 0, 1 and so on a value.
#[exception]
fn SysTick() {
    static mut TICK: u32 = 0;
    let signal = (*TICK % 4) as usize;
    for signals in [&CHOICE, &UNION, &TREE] {
        signals[signal].signal(*TICK);
    }
    *TICK += 1;
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let mut core = cortex_m::Peripherals::take().expect("they are taken once");
    spawner.spawn(choice().expect("it is spawned once"));
    spawner.spawn(union().expect("it is spawned once"));
    spawner.spawn(tree().expect("it is spawned once"));
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(9_999);
    core.SYST.clear_current();
    core.SYST.enable_counter();
    core.SYST.enable_interrupt();
}
