//! Stop mode until a button is pressed: the core's clock stands, and its internal oscillator is back first.
#![no_std]
#![no_main]

use core::pin::pin;

use cortex_m::peripheral::syst::SystClkSource;
use cyclescope_suites_hal::{board, check, done, drivers};
use embassy_executor::Spawner;
use embassy_futures::poll_once;
use embassy_stm32::gpio::{Level, Output, Speed};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let mut core = unsafe { cortex_m::Peripherals::steal() };
    let mut light = Output::new(p.PB0, Level::Low, Speed::Low);
    let mut button = drivers::button();
    let mut press = pin!(button.wait_for_falling_edge());
    assert!(poll_once(press.as_mut()).is_pending());
    // Stop mode is what the parts with LPMS have after reset; the others enter it with PDDS = 0.
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(0xFF_FFFF);
    core.SYST.clear_current();
    core.SYST.enable_counter();
    let before = cortex_m::peripheral::SYST::get_current();
    core.SCB.set_sleepdeep();
    cortex_m::asm::wfi();
    light.set_high();
    core.SCB.clear_sleepdeep();
    let counted = before.wrapping_sub(cortex_m::peripheral::SYST::get_current()) & 0xFF_FFFF;
    press.await;
    // The press comes after 10 ms, hundreds of thousands of cycles.
    check("clock stood", counted < 10_000, true);
    done()
}
