//! Pins A and B on the RP2040. The HAL defines the handler of IO_IRQ_BANK0 itself, so that nothing can be bound beside it: the
//! vector table is copied to RAM, with a handler there that calls the HAL's.

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::SCB;
use embassy_rp::gpio::Output;
use embassy_rp::pac::{IO_BANK0, SIO};

/// Pin A's number.
const A: usize = 16;
/// Pin B's.
pub const B: usize = 17;
/// The button's.
const BUTTON: usize = 15;

const VECTORS: usize = 48;
const BANK0_VECTOR: usize = 16 + 13;

/// The vector table: its address has as many zeroes as its length asks for.
#[repr(align(256))]
struct Table([AtomicU32; VECTORS]);

static TABLE: Table = Table([const { AtomicU32::new(0) }; VECTORS]);
/// The HAL's handler.
static HANDLER: AtomicU32 = AtomicU32::new(0);

/// Keeps pins A and B as outputs: dropped, the HAL would disconnect them.
pub fn own(pins: [Output<'static>; 2]) {
    core::mem::forget(pins);
}

/// Takes the HAL's handler in between.
pub fn surround_handler() {
    let scb = SCB::PTR;
    // SAFETY: the table has as many words, which nobody writes, and the copy holds the same handlers but one.
    unsafe {
        let table = (*scb).vtor.read() as *const u32;
        for (place, word) in TABLE.0.iter().enumerate() {
            word.store(table.add(place).read(), Ordering::Relaxed);
        }
        HANDLER.store(table.add(BANK0_VECTOR).read(), Ordering::Relaxed);
        TABLE.0[BANK0_VECTOR].store(surrounded as *const () as u32, Ordering::Relaxed);
        cortex_m::asm::dmb();
        (*scb).vtor.write(TABLE.0.as_ptr() as u32);
    }
}

/// T1 before the HAL's handler, unless the interrupt is another pin's; T2 after it.
unsafe extern "C" fn surrounded() {
    if IO_BANK0.int_proc(0).ints(BUTTON / 8).read().0 >> (BUTTON % 8 * 4) & 0xF != 0 {
        raise(A);
    }
    // SAFETY: it is the address of a handler.
    let handler: unsafe extern "C" fn() = unsafe { core::mem::transmute(HANDLER.load(Ordering::Relaxed)) };
    unsafe { handler() };
    lower(A);
}

#[inline(always)]
pub fn raise(pin: usize) {
    SIO.gpio_out(0).value_set().write_value(1 << pin);
}

#[inline(always)]
pub fn lower(pin: usize) {
    SIO.gpio_out(0).value_clr().write_value(1 << pin);
}
