//! SPI without interrupts: asks a flash memory for its name.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done, drivers};
use embassy_executor::Spawner;
use embassy_stm32::gpio::{Level, Output, Speed};
use embassy_stm32::spi::Config;
use embassy_stm32::time::Hertz;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let mut config = Config::default();
    config.frequency = Hertz(1_000_000);
    let mut select = Output::new(p.PA4, Level::High, Speed::VeryHigh);
    let mut spi = drivers::spi_blocking(config);
    let mut name = [0x9F_u8, 0, 0, 0];
    select.set_low();
    check("transfer", spi.blocking_transfer_in_place(&mut name), Ok(()));
    select.set_high();
    check("name", [name[1], name[2], name[3]], [0xEF, 0x40, 0x16]);
    let mut first = [0_u8; 3];
    select.set_low();
    check("write", spi.blocking_write(&[0x03_u8, 0, 0, 0]), Ok(()));
    check("read", spi.blocking_read(&mut first), Ok(()));
    select.set_high();
    check("first bytes", first, [0xFF; 3]);
    done()
}
