//! The pins by what they do: outputs that are set by one store, the button's input, the UART's output.

use stm32_metapac::gpio::Gpio;
use stm32_metapac::gpio::regs::Bsrr;
use stm32_metapac::gpio::vals::{Moder, Pupdr};

/// A pin of a port as an output.
pub struct Output {
    port: Gpio,
    number: usize,
}

impl Output {
    /// Pin `number`, 0 to 15, of `port`.
    pub const fn new(port: Gpio, number: usize) -> Self {
        Self { port, number }
    }

    /// Makes it an output, low; the port's clock must be on.
    pub fn start(&self) {
        self.fall();
        self.port.moder().modify(|w| w.set_moder(self.number, Moder::OUTPUT));
    }

    /// Sets it high.
    #[inline(always)]
    pub fn rise(&self) {
        self.port.bsrr().write_value(Bsrr(1 << self.number));
    }

    /// Sets it low.
    #[inline(always)]
    pub fn fall(&self) {
        self.port.bsrr().write_value(Bsrr(1 << (self.number + 16)));
    }
}

/// A pin of a port as an input that is pulled up.
pub struct Input {
    port: Gpio,
    number: usize,
    analogue: bool,
}

impl Input {
    /// Pin `number`, 0 to 15, of `port`, which reset leaves an input.
    #[cfg(any(feature = "stm32f446ze", feature = "stm32f411ce"))]
    pub const fn new(port: Gpio, number: usize) -> Self {
        Self { port, number, analogue: false }
    }

    /// Pin `number`, 0 to 15, of `port`, which reset leaves an analogue pin.
    #[cfg(not(any(feature = "stm32f446ze", feature = "stm32f411ce")))]
    pub const fn analogue_at_reset(port: Gpio, number: usize) -> Self {
        Self { port, number, analogue: true }
    }

    /// Pulls it up and makes it an input; the port's clock must be on.
    #[inline(always)]
    pub fn start(&self) {
        self.port.pupdr().modify(|w| w.set_pupdr(self.number, Pupdr::PULL_UP));
        if self.analogue {
            self.port.moder().modify(|w| w.set_moder(self.number, Moder::INPUT));
        }
    }

    /// Its number, which is its line's.
    pub const fn number(&self) -> usize {
        self.number
    }

    /// Returns true if it is high.
    #[inline(always)]
    pub fn is_high(&self) -> bool {
        self.port.idr().read().0 & 1 << self.number != 0
    }
}

/// A pin of a port that a peripheral drives.
pub struct Alternate {
    port: Gpio,
    number: usize,
    function: u8,
}

impl Alternate {
    /// Pin `number`, 0 to 15, of `port`, by its alternate function `function`.
    pub const fn new(port: Gpio, number: usize, function: u8) -> Self {
        Self { port, number, function }
    }

    /// Gives it to the peripheral; the port's clock must be on.
    #[inline(always)]
    pub fn start(&self) {
        self.port.afr(self.number / 8).modify(|w| w.set_afr(self.number % 8, self.function));
        self.port.moder().modify(|w| w.set_moder(self.number, Moder::ALTERNATE));
    }
}
