//! I2C without interrupts: writes and reads an EEPROM, and meets nobody at another address.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done, drivers};
use embassy_executor::Spawner;
use embassy_stm32::i2c::{Config, Error};
use embassy_stm32::time::Hertz;
use embassy_time::Duration;
use embassy_time::block_for;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let mut config = Config::default();
    config.frequency = Hertz(400_000);
    let mut i2c = drivers::i2c_blocking(config);
    check("write", i2c.blocking_write(0x50, &[0, 8, 1, 2, 3, 4]), Ok(()));
    block_for(Duration::from_millis(11));
    let mut read = [0; 4];
    check("read", i2c.blocking_write_read(0x50, &[0, 8], &mut read), Ok(()));
    check("bytes", read, [1, 2, 3, 4]);
    check("nobody", i2c.blocking_write(0x22, &[0]), Err(Error::Nack));
    check("again", i2c.blocking_read(0x50, &mut read), Ok(()));
    done()
}
