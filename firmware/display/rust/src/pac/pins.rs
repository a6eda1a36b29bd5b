//! Pins of a peripheral.

#[cfg(feature = "mode-spi")]
use stm32_metapac::GPIOA;
use stm32_metapac::gpio::Gpio;
use stm32_metapac::gpio::vals::{Moder, Ospeedr};
#[cfg(not(feature = "mode-spi"))]
use stm32_metapac::gpio::vals::Ot;

/// Gives pin `pin` to its alternate function `function`.
pub fn alternate(port: Gpio, pin: usize, function: u8) {
    port.ospeedr().modify(|w| w.set_ospeedr(pin, Ospeedr::VERY_HIGH_SPEED));
    port.afr(pin / 8).modify(|w| w.set_afr(pin % 8, function));
    port.moder().modify(|w| w.set_moder(pin, Moder::ALTERNATE));
}

/// The same with an open drain.
#[cfg(not(feature = "mode-spi"))]
pub fn open_drain(port: Gpio, pin: usize, function: u8) {
    port.otyper().modify(|w| w.set_ot(pin, Ot::OPEN_DRAIN));
    alternate(port, pin, function);
}

/// Makes a pin of port A an output, high.
#[cfg(feature = "mode-spi")]
pub fn output(pin: usize) {
    set(pin, true);
    GPIOA.moder().modify(|w| w.set_moder(pin, Moder::OUTPUT));
}

/// Sets an output of port A.
#[cfg(feature = "mode-spi")]
pub fn set(pin: usize, high: bool) {
    GPIOA.bsrr().write(|w| if high { w.set_bs(pin, true) } else { w.set_br(pin, true) });
}
