//! The display program: eight frames on an SSD1306, by one of four ways (features `registers`, `pac`, `embassy`,
//! `embassy-dma`) over one of three wires (features `mode-…`).

#![no_std]
#![no_main]

use panic_halt as _;

#[cfg(feature = "embassy")]
mod board;
#[cfg(any(feature = "registers", feature = "pac"))]
mod pac;
#[cfg(feature = "crates")]
mod scene;

#[cfg(all(feature = "embassy", not(feature = "embassy-dma")))]
#[path = "embassy.rs"]
mod way;
#[cfg(feature = "embassy-dma")]
#[path = "embassy_dma.rs"]
mod way;
#[cfg(feature = "pac")]
#[path = "over_pac.rs"]
mod way;
#[cfg(feature = "registers")]
#[path = "registers/mod.rs"]
mod way;

/// The frames that are drawn.
const FRAMES: u8 = 8;

/// The title of each frame.
const TITLES: [&str; FRAMES as usize] =
    ["frame 0", "frame 1", "frame 2", "frame 3", "frame 4", "frame 5", "frame 6", "frame 7"];

/// The clock of I2C, in hertz.
#[cfg(not(feature = "mode-spi"))]
const I2C_HZ: u32 = if cfg!(feature = "mode-i2c-100") { 100_000 } else { 400_000 };

/// Words of interrupts that the chip has.
const INTERRUPT_WORDS: usize = if cfg!(feature = "board-stm32c031c6") { 1 } else { 4 };

/// Ends the program where the display does not answer, without the text of the error: what formats it would take flash.
#[cfg(feature = "crates")]
fn answered<Error>(result: Result<(), Error>) {
    if result.is_err() {
        finish();
    }
}

/// Masks interrupts and sleeps for ever.
fn finish() -> ! {
    cortex_m::interrupt::disable();
    // A clock's interrupts go on becoming pending, and WFI falls through a pending interrupt that is enabled.
    for word in 0..INTERRUPT_WORDS {
        // SAFETY: ICER is write-one-to-clear and nothing runs any more that would want an interrupt.
        unsafe { (*cortex_m::peripheral::NVIC::PTR).icer[word].write(u32::MAX) };
    }
    loop {
        cortex_m::asm::wfi();
    }
}
