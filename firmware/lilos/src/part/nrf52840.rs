//! The nRF52840: its interrupts, and TIMER0 for the clock. lilos's own counts SysTick, which stands while the core sleeps; its
//! documentation (`lilos::time`) sends this part's users to another timer.

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::{NVIC, SYST};
use cyclescope_boards::register::Register;
use lilos::exec::Notify;
pub use nrf_pac::{Interrupt, interrupt};

const TASKS_START: Register<u32> = register(0x000);
const TASKS_CAPTURE_0: Register<u32> = register(0x040);
const EVENTS_COMPARE_1: Register<u32> = register(0x144);
const INTENSET: Register<u32> = register(0x304);
const BITMODE: Register<u32> = register(0x508);
const PRESCALER: Register<u32> = register(0x510);
const CC_0: Register<u32> = register(0x540);
const CC_1: Register<u32> = register(0x544);

/// The register of the timer at `offset` (4413_417, "TIMER — Timer/counter").
const fn register(offset: usize) -> Register<u32> {
    // SAFETY: the offsets are the manual's, and the timer touches no memory.
    unsafe { Register::at(0x4000_8000 + offset) }
}

/// A time in milliseconds, up to half an hour.
pub struct Millis(pub u32);

/// Times that the timer has reached what was waited for; its handler alone writes it.
static REACHED: AtomicU32 = AtomicU32::new(0);
static WAKE: Notify = Notify::new();

/// Starts the timer at 1 MHz and lets its interrupt through. SysTick stays off.
pub fn initialize_sys_tick(_: &mut SYST, _: u32) {
    const BITS_32: u32 = 3;
    BITMODE.write(BITS_32);
    PRESCALER.write(4);
    INTENSET.write(1 << 17);
    TASKS_START.write(1);
    // SAFETY: no mask-based critical section is open, and what the handler shares is atomic.
    unsafe { NVIC::unmask(Interrupt::TIMER0) };
}

/// Waits. The timer has one alarm, so that one task may wait at a time.
pub async fn sleep_for(time: Millis) {
    let before = REACHED.load(Ordering::Relaxed);
    TASKS_CAPTURE_0.write(1);
    CC_1.write(CC_0.read().wrapping_add(1000 * time.0));
    WAKE.until(|| REACHED.load(Ordering::Relaxed) != before).await;
}

/// The alarm.
#[interrupt]
fn TIMER0() {
    EVENTS_COMPARE_1.write(0);
    REACHED.store(REACHED.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    WAKE.notify();
}
