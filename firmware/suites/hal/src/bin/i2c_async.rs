//! I2C with DMA: writes and reads an EEPROM, and meets nobody at another address.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done, drivers};
use embassy_executor::Spawner;
use embassy_stm32::i2c::{Config, Error};
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let mut i2c = drivers::i2c(Config::default());
    check("write", i2c.write(0x50, &[0, 32, 9, 8, 7, 6, 5]).await, Ok(()));
    Timer::after_millis(11).await;
    let mut read = [0; 5];
    check("read", i2c.write_read(0x50, &[0, 32], &mut read).await, Ok(()));
    check("bytes", read, [9, 8, 7, 6, 5]);
    check("nobody", i2c.write(0x22, &[0, 1]).await, Err(Error::Nack));
    check("again", i2c.read(0x50, &mut read[..1]).await, Ok(()));
    done()
}
