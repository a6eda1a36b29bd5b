//! SPI1 of the STM32C031 on PA5 and PA7, with chip select PA4 and D/C PA3 (RM0490, "SPI registers").

use stm32_metapac::spi::vals::{Bidimode, Bidioe, Br, Ds, Mstr};
use stm32_metapac::{GPIOA, RCC, SPI1};

use super::pins;

/// Sets SPI1 up: 48 MHz / 8, as the display takes 10 MHz at most.
pub fn init() {
    RCC.gpioenr().modify(|w| w.set_gpioaen(true));
    RCC.apbenr2().modify(|w| w.set_spi1en(true));
    let _ = RCC.apbenr2().read();
    pins::output(4);
    pins::output(3);
    pins::alternate(GPIOA, 5, 0);
    pins::alternate(GPIOA, 7, 0);
    SPI1.cr1().write(|w| {
        w.set_bidimode(Bidimode::BIDIRECTIONAL);
        w.set_bidioe(Bidioe::TRANSMIT);
        w.set_ssm(true);
        w.set_ssi(true);
        w.set_br(Br::DIV8);
        w.set_mstr(Mstr::MASTER);
    });
    SPI1.cr2().write(|w| w.set_ds(Ds::BITS8));
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
    while {
        let sr = SPI1.sr().read();
        sr.ftlvl().to_bits() != 0 || sr.bsy()
    } {}
}

/// Writes `bytes`, and returns when they have left.
pub fn write(bytes: &[u8]) {
    for byte in bytes {
        wait_until_empty();
        // A byte, not two: the width of the access decides.
        SPI1.dr8().write_value(*byte);
    }
    wait_until_idle();
}
