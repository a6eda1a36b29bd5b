//! Outputs that are set by one store.

use stm32_metapac::gpio::Gpio;
use stm32_metapac::gpio::regs::Bsrr;
use stm32_metapac::gpio::vals::Moder;

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
