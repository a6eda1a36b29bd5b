//! Both boards: 16 MHz by a crystal, `micros()` of Timer 0, and a USART that is polled.

use core::cell::Cell;

#[cfg(feature = "board-atmega32u4")]
use avr_device::atmega32u4 as part;
#[cfg(feature = "board-atmega328p")]
use avr_device::atmega328p as part;
use avr_device::interrupt::{self, Mutex};

use part::Peripherals;

#[cfg(feature = "board-atmega328p")]
mod names {
    pub use super::part::USART0 as Usart;

    /// The registers of the USART that the board prints on, under names without its number.
    macro_rules! usart {
        ($usart:expr, ubrr) => {
            $usart.ubrr0()
        };
        ($usart:expr, ucsra) => {
            $usart.ucsr0a()
        };
        ($usart:expr, ucsrb) => {
            $usart.ucsr0b()
        };
        ($usart:expr, ucsrc) => {
            $usart.ucsr0c()
        };
        ($usart:expr, udr) => {
            $usart.udr0()
        };
    }
    pub(super) use usart;
}
#[cfg(feature = "board-atmega32u4")]
mod names {
    pub use super::part::USART1 as Usart;

    /// The registers of the USART that the board prints on, under names without its number.
    macro_rules! usart {
        ($usart:expr, ubrr) => {
            $usart.ubrr1()
        };
        ($usart:expr, ucsra) => {
            $usart.ucsr1a()
        };
        ($usart:expr, ucsrb) => {
            $usart.ucsr1b()
        };
        ($usart:expr, ucsrc) => {
            $usart.ucsr1c()
        };
        ($usart:expr, udr) => {
            $usart.udr1()
        };
    }
    pub(super) use usart;
}
use names::{Usart, usart};

/// Ticks a second of [`micros`].
pub const CLOCK_HZ: u32 = 1_000_000;
/// The ticks that it moves at once: Timer 0 counts a 64th of 16 MHz.
pub const RESOLUTION: u32 = 4;

/// Bits of UCSRnA: the clock doubled, the data register empty, all sent.
const U2X: u8 = 1 << 1;
const UDRE: u8 = 1 << 5;
const TXC: u8 = 1 << 6;
/// The transmitter's switch in UCSRnB, and 8 bits without parity in UCSRnC.
const TXEN: u8 = 1 << 3;
const EIGHT_BITS: u8 = 0b11 << 1;
/// 115200 baud of 16 MHz with the clock doubled, 2.1 % fast.
const UBRR: u16 = 16;
/// Timer 0's flag and interrupt of an overflow.
const TOV0: u8 = 1 << 0;

/// How often Timer 0 has begun anew.
static OVERFLOWS: Mutex<Cell<u32>> = Mutex::new(Cell::new(0));

/// The board, started.
pub struct Board {
    usart: Usart,
    cpu: part::CPU,
}

impl Board {
    /// Sets the USART up (115200 baud, 8N1), starts the clock at 0 and lets interrupts in.
    pub fn start() -> Self {
        let parts = Peripherals::take().expect("the peripherals are taken once, here");
        #[cfg(feature = "board-atmega328p")]
        let usart = parts.USART0;
        #[cfg(feature = "board-atmega32u4")]
        let usart = parts.USART1;
        // SAFETY: values that the datasheets give for these registers.
        unsafe {
            usart!(usart, ubrr).write(|w| w.bits(UBRR));
            usart!(usart, ucsra).write(|w| w.bits(U2X));
            usart!(usart, ucsrc).write(|w| w.bits(EIGHT_BITS));
            usart!(usart, ucsrb).write(|w| w.bits(TXEN));

            parts.TC0.tcnt0().write(|w| w.bits(0));
            parts.TC0.tifr0().write(|w| w.bits(TOV0));
            parts.TC0.timsk0().write(|w| w.bits(TOV0));
            parts.TC0.tccr0b().write(|w| w.bits(0b011)); // clk/64
            interrupt::enable();
        }
        Self { usart, cpu: parts.CPU }
    }

    /// Sends a byte once there is room for it.
    pub fn send(&self, byte: u8) {
        while usart!(self.usart, ucsra).read().bits() & UDRE == 0 {}
        // SAFETY: any byte can be sent. What the flag says of frames before this one is cleared.
        unsafe {
            usart!(self.usart, udr).write(|w| w.bits(byte));
            usart!(self.usart, ucsra).write(|w| w.bits(U2X | TXC));
        }
    }

    /// Sends a text.
    pub fn write(&self, text: &str) {
        text.bytes().for_each(|byte| self.send(byte));
    }

    /// Waits until all is sent, masks interrupts and sleeps for ever. Something must have been sent.
    pub fn finish(self) -> ! {
        while usart!(self.usart, ucsra).read().bits() & TXC == 0 {}
        interrupt::disable();
        // SAFETY: power-down, and the switch that lets the instruction sleep.
        unsafe { self.cpu.smcr().write(|w| w.bits(0b010 << 1 | 1)) };
        loop {
            avr_device::asm::sleep();
        }
    }
}

#[cfg_attr(feature = "board-atmega328p", avr_device::interrupt(atmega328p))]
#[cfg_attr(feature = "board-atmega32u4", avr_device::interrupt(atmega32u4))]
fn TIMER0_OVF() {
    interrupt::free(|masked| {
        let overflows = OVERFLOWS.borrow(masked);
        overflows.set(overflows.get().wrapping_add(1));
    });
}

/// Microseconds since the board was started, in steps of [`RESOLUTION`], as Arduino's `micros()` gives them.
pub fn micros() -> u32 {
    interrupt::free(|masked| {
        // SAFETY: these registers are only read here.
        let timer = unsafe { part::TC0::steal() };
        let mut high = OVERFLOWS.borrow(masked).get();
        let low = timer.tcnt0().read().bits();
        // An overflow whose interrupt waits: unless the counter was read just before it, it counts.
        if timer.tifr0().read().bits() & TOV0 != 0 && low != 255 {
            high = high.wrapping_add(1);
        }
        (high << 8 | u32::from(low)).wrapping_mul(RESOLUTION)
    })
}
