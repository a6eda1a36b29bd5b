//! The same by interrupts, at 400 kHz.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::twim::{Config, Error, Frequency, InterruptHandler, Twim};
use embassy_nrf::{bind_interrupts, peripherals};
use embassy_time::Timer;

bind_interrupts!(struct Irqs {
    TWISPI1 => InterruptHandler<peripherals::TWISPI1>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut buffer = [0; 32];
    let mut config = Config::default();
    config.frequency = Frequency::K400;
    let mut i2c = Twim::new(p.TWISPI1, Irqs, p.P0_26, p.P0_27, config, &mut buffer);
    check("write", i2c.write(0x50, &[0x01, 0x20, 1, 2, 3, 4, 5]).await, Ok(()));
    Timer::after_millis(12).await;
    let mut read = [0; 5];
    check("read", i2c.write_read(0x50, &[0x01, 0x20], &mut read).await, Ok(()));
    check("bytes", read, [1, 2, 3, 4, 5]);
    check("nobody", i2c.write(0x33, &[0]).await, Err(Error::AddressNack));
    done()
}
