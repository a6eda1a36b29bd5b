//! A memory on I2C at P0.26 and P0.27, without interrupts: written, read back, and an address at which nothing is.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::twim::{Config, Error, InterruptHandler, Twim};
use embassy_nrf::{bind_interrupts, peripherals};

bind_interrupts!(struct Irqs {
    TWISPI0 => InterruptHandler<peripherals::TWISPI0>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut buffer = [0; 32];
    let mut i2c = Twim::new(p.TWISPI0, Irqs, p.P0_26, p.P0_27, Config::default(), &mut buffer);
    check("write", i2c.blocking_write(0x50, &[0x01, 0x20, 1, 2, 3, 4, 5]), Ok(()));
    embassy_time::block_for(embassy_time::Duration::from_millis(12));
    let mut read = [0; 5];
    check("read", i2c.blocking_write_read(0x50, &[0x01, 0x20], &mut read), Ok(()));
    check("bytes", read, [1, 2, 3, 4, 5]);
    check("nobody", i2c.blocking_write(0x33, &[0]), Err(Error::AddressNack));
    check("again", i2c.blocking_write_read(0x50, &[0x01, 0x22], &mut read[..2]), Ok(()));
    check("bytes", &read[..2], &[3, 4]);
    done()
}
