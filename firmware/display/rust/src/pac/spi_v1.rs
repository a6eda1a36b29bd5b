//! SPI1 of the STM32F446 on PA5 and PA7, with chip select PA4 and D/C PA3 (RM0390, "SPI registers").

use stm32_metapac::spi::vals::{Bidimode, Bidioe, Br, Mstr};
use stm32_metapac::{GPIOA, RCC, SPI1};

use super::pins;

/// Sets SPI1 up: 90 MHz / 16, as the display takes 10 MHz at most.
pub fn init() {
    RCC.ahb1enr().modify(|w| w.set_gpioaen(true));
    RCC.apb2enr().modify(|w| w.set_spi1en(true));
    let _ = RCC.apb2enr().read();
    pins::output(4);
    pins::output(3);
    pins::alternate(GPIOA, 5, 5);
    pins::alternate(GPIOA, 7, 5);
    SPI1.cr1().write(|w| {
        w.set_bidimode(Bidimode::BIDIRECTIONAL);
        w.set_bidioe(Bidioe::TRANSMIT);
        w.set_ssm(true);
        w.set_ssi(true);
        w.set_br(Br::DIV16);
        w.set_mstr(Mstr::MASTER);
    });
    SPI1.cr1().modify(|w| w.set_spe(true));
}

/// Sets the display's chip select, which is low when it is selected.
pub fn select(selected: bool) {
    pins::set(4, !selected);
}

/// Sets D/C: data (`true`) or commands.
pub fn data(data: bool) {
    pins::set(3, data);
}

fn wait_until_empty() {
    while !SPI1.sr().read().txe() {}
}

fn wait_until_idle() {
    while SPI1.sr().read().bsy() {}
}

/// Writes `bytes`, and returns when they have left.
pub fn write(bytes: &[u8]) {
    for byte in bytes {
        wait_until_empty();
        SPI1.dr().write(|w| w.set_dr(u16::from(*byte)));
    }
    wait_until_empty();
    wait_until_idle();
}
