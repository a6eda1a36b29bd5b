//! I2C1 of the STM32F446 on PB8 and PB9 (RM0390, "I2C registers").

use stm32_metapac::i2c::regs::Sr1;
use stm32_metapac::i2c::vals::FS;
use stm32_metapac::{GPIOB, I2C1, RCC};

use super::pins;

const PCLK_HZ: u32 = 45_000_000;
const PCLK_MHZ: u8 = (PCLK_HZ / 1_000_000) as u8;

/// Sets I2C1 up for a clock of `hz`.
pub fn init(hz: u32) {
    RCC.ahb1enr().modify(|w| w.set_gpioben(true));
    RCC.apb1enr().modify(|w| w.set_i2c1en(true));
    let _ = RCC.apb1enr().read();
    pins::open_drain(GPIOB, 8, 4);
    pins::open_drain(GPIOB, 9, 4);
    I2C1.cr2().write(|w| w.set_freq(PCLK_MHZ));
    if hz > 100_000 {
        // Low twice as long as high, rounded as embassy-stm32 does; a rise of 300 ns.
        I2C1.ccr().write(|w| {
            w.set_f_s(FS::FAST);
            w.set_ccr((PCLK_HZ / (3 * hz)) as u16);
        });
        I2C1.trise().write(|w| w.set_trise((u16::from(PCLK_MHZ) * 3 / 10 + 1) as u8));
    } else {
        I2C1.ccr().write(|w| w.set_ccr((PCLK_HZ / (2 * hz)) as u16));
        I2C1.trise().write(|w| w.set_trise(PCLK_MHZ + 1));
    }
    I2C1.cr1().write(|w| w.set_pe(true));
}

fn wait_for(flag: impl Fn(Sr1) -> bool) {
    while !flag(I2C1.sr1().read()) {}
}

fn wait_for_stop() {
    while I2C1.cr1().read().stop() {}
}

/// Writes `bytes`, and returns behind the stop.
pub fn write(address: u8, _: usize, bytes: impl Iterator<Item = u8>) {
    I2C1.cr1().write(|w| {
        w.set_pe(true);
        w.set_start(true);
    });
    wait_for(|sr1| sr1.start());
    I2C1.dr().write(|w| w.set_dr(address << 1));
    wait_for(|sr1| sr1.addr());
    let _ = I2C1.sr2().read();
    for byte in bytes {
        wait_for(|sr1| sr1.txe());
        I2C1.dr().write(|w| w.set_dr(byte));
    }
    wait_for(|sr1| sr1.btf());
    I2C1.cr1().write(|w| {
        w.set_pe(true);
        w.set_stop(true);
    });
    wait_for_stop();
}
