//! The RP2040: the timer tells the time, and a slice of PWM raises the pulses on GPIO6.

use rp2040_pac::{IO_BANK0, PADS_BANK0, PWM, Peripherals, RESETS, SIO};
use rtic_monotonics::rp2040::prelude::*;

rp2040_timer_monotonic!(Mono);

// The first 256 bytes of flash, which the programs in C have, too.
core::arch::global_asm!(include_str!("../../../../boards/rp2040/boot2.S"), options(raw));

const PIN: usize = 6;

/// Starts the crystal and the PLL, at 125 MHz, and the time.
pub fn start(device: Peripherals) {
    let crystal = device.XOSC;
    crystal.ctrl().write(|w| w.freq_range()._1_15mhz());
    // A millisecond, in 256 periods of 12 MHz.
    // SAFETY: so it is wherever bits are written below: the values are the data sheet's.
    crystal.startup().write(|w| unsafe { w.delay().bits(47) });
    crystal.ctrl().write(|w| w.freq_range()._1_15mhz().enable().enable());
    while crystal.status().read().stable().bit_is_clear() {}

    let (clocks, resets) = (device.CLOCKS, device.RESETS);
    clocks.clk_ref_ctrl().write(|w| w.src().xosc_clksrc());
    while clocks.clk_ref_selected().read().bits() != 1 << 2 {}
    resets.reset().modify(|_, w| w.pll_sys().clear_bit());
    while resets.reset_done().read().pll_sys().bit_is_clear() {}
    let pll = device.PLL_SYS;
    pll.fbdiv_int().write(|w| unsafe { w.bits(125) });
    pll.pwr().modify(|_, w| w.pd().clear_bit().vcopd().clear_bit());
    while pll.cs().read().lock().bit_is_clear() {}
    pll.prim().write(|w| unsafe { w.postdiv1().bits(6).postdiv2().bits(2) });
    pll.pwr().modify(|_, w| w.postdivpd().clear_bit());
    clocks.clk_sys_ctrl().write(|w| w.auxsrc().clksrc_pll_sys().src().clksrc_clk_sys_aux());
    while clocks.clk_sys_selected().read().bits() != 1 << 1 {}

    // The timer counts microseconds of this.
    device.WATCHDOG.tick().write(|w| unsafe { w.cycles().bits(12).enable().set_bit() });
    Mono::start(device.TIMER, &resets, Priority::rtic_default());
}

fn slices() -> &'static rp2040_pac::pwm::RegisterBlock {
    // SAFETY: only this module has them.
    unsafe { &*PWM::ptr() }
}

fn pins() -> &'static rp2040_pac::sio::RegisterBlock {
    // SAFETY: only this module has the pin, and its registers change no others.
    unsafe { &*SIO::ptr() }
}

/// Takes the blocks that the pulses want out of reset.
fn release() {
    // SAFETY: no other task looks at the resets any more.
    let resets = unsafe { &*RESETS::ptr() };
    resets.reset().modify(|_, w| w.pwm().clear_bit().io_bank0().clear_bit().pads_bank0().clear_bit());
    loop {
        let done = resets.reset_done().read();
        if done.pwm().bit_is_set() && done.io_bank0().bit_is_set() && done.pads_bank0().bit_is_set() {
            return;
        }
    }
}

/// Starts an interrupt every 500 µs.
pub fn start_pulses() {
    release();
    let slices = slices();
    slices.ch(0).top().write(|w| unsafe { w.bits(62_500 - 1) });
    slices.inte().write(|w| w.ch0().set_bit());
    slices.ch(0).csr().write(|w| w.en().set_bit());
}

/// Stops them.
pub fn stop_pulses() {
    slices().ch(0).csr().write(|w| w.en().clear_bit());
}

/// Toggles the pin, and takes the interrupt back.
pub fn pulse() {
    pins().gpio_out_xor().write(|w| unsafe { w.bits(1 << PIN) });
    slices().intr().write(|w| w.ch0().clear_bit_by_one());
}

/// Shows the pulses on the pin.
pub fn show_pulses() {
    // SAFETY: only this module has the pin's function and its pad.
    let (functions, pads) = unsafe { (&*IO_BANK0::ptr(), &*PADS_BANK0::ptr()) };
    pads.gpio(PIN).modify(|_, w| w.od().clear_bit());
    pins().gpio_oe_set().write(|w| unsafe { w.bits(1 << PIN) });
    functions.gpio(PIN).gpio_ctrl().write(|w| w.funcsel().sio());
}
