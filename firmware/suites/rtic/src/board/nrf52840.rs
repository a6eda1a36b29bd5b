//! The nRF52840: TIMER0 tells the time, and TIMER1 raises the pulses on P0.13.

use nrf52840_pac::{P0, Peripherals, TIMER1};
use rtic_monotonics::nrf::timer::prelude::*;

nrf_timer0_monotonic!(Mono, 1_000_000);

const PIN: u32 = 1 << 13;

/// Starts the crystal's oscillator and the time.
pub fn start(device: Peripherals) {
    let clock = device.CLOCK;
    clock.tasks_hfclkstart.write(|w| w.tasks_hfclkstart().set_bit());
    while clock.events_hfclkstarted.read().bits() == 0 {}
    Mono::start(device.TIMER0, Priority::rtic_default());
}

fn timer() -> &'static nrf52840_pac::timer0::RegisterBlock {
    // SAFETY: only this module has the timer.
    unsafe { &*TIMER1::ptr() }
}

fn port() -> &'static nrf52840_pac::p0::RegisterBlock {
    // SAFETY: only this module has the port, and only the interrupt writes the levels.
    unsafe { &*P0::ptr() }
}

/// Starts an interrupt every 500 µs.
pub fn start_pulses() {
    let timer = timer();
    timer.bitmode.write(|w| w.bitmode()._32bit());
    timer.prescaler.write(|w| w.prescaler().variant(4));
    timer.cc[0].write(|w| w.cc().variant(500));
    timer.shorts.write(|w| w.compare0_clear().set_bit());
    timer.intenset.write(|w| w.compare0().set());
    timer.tasks_start.write(|w| w.tasks_start().set_bit());
}

/// Stops them.
pub fn stop_pulses() {
    timer().tasks_stop.write(|w| w.tasks_stop().set_bit());
}

/// Toggles the pin, and takes the interrupt back.
pub fn pulse() {
    // SAFETY: any levels will do.
    port().out.modify(|r, w| unsafe { w.bits(r.bits() ^ PIN) });
    timer().events_compare[0].reset();
    // The event is gone when the handler returns.
    timer().events_compare[0].read();
}

/// Shows the pulses on the pin.
pub fn show_pulses() {
    // SAFETY: any direction will do.
    port().dirset.write(|w| unsafe { w.bits(PIN) });
}
