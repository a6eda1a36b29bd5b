//! I2C1 of the STM32C031 on PB8 and PB9 (RM0490, "I2C registers").

use stm32_metapac::i2c::regs::{Isr, Timingr};
use stm32_metapac::i2c::vals::{Autoend, Reload};
use stm32_metapac::{GPIOB, I2C1, RCC};

use super::pins;

/// The most bytes that one setting of NBYTES is for.
const MOST: usize = 255;

/// Sets I2C1 up for a clock of `hz`, as embassy-stm32 computes it from 48 MHz: all ways have one clock on the wire.
pub fn init(hz: u32) {
    RCC.gpioenr().modify(|w| w.set_gpioben(true));
    RCC.apbenr1().modify(|w| w.set_i2c1en(true));
    let _ = RCC.apbenr1().read();
    pins::open_drain(GPIOB, 8, 6);
    pins::open_drain(GPIOB, 9, 6);
    I2C1.timingr().write_value(Timingr(if hz > 100_000 { 0x007C_274F } else { 0x00F8_EFEF }));
    I2C1.cr1().write(|w| w.set_pe(true));
}

fn wait_for(flag: impl Fn(Isr) -> bool) {
    while !flag(I2C1.isr().read()) {}
}

/// Settles the next bytes of `left`.
fn portion(address: u8, left: usize, start: bool) {
    I2C1.cr2().write(|w| {
        w.set_sadd(u16::from(address) << 1);
        w.set_nbytes(left.min(MOST) as u8);
        if left > MOST {
            w.set_reload(Reload::NOT_COMPLETED);
        } else {
            w.set_autoend(Autoend::AUTOMATIC);
        }
        w.set_start(start);
    });
}

/// Writes `bytes`, which are `length`, and returns behind the stop.
pub fn write(address: u8, length: usize, bytes: impl Iterator<Item = u8>) {
    let (mut left, mut count) = (length, 0);
    portion(address, left, true);
    for byte in bytes {
        if count == MOST {
            wait_for(|isr| isr.tcr());
            left -= MOST;
            count = 0;
            portion(address, left, false);
        }
        wait_for(|isr| isr.txis());
        I2C1.txdr().write(|w| w.set_txdata(byte));
        count += 1;
    }
    wait_for(|isr| isr.stopf());
    I2C1.icr().write(|w| w.set_stopcf(true));
}
