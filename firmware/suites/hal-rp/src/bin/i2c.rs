//! A memory on I2C, by polling at 100 kHz and by interrupts at 400: bytes written and read back, and an address of nobody.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::i2c::{AbortReason, Config, Error, I2c, InterruptHandler};
use embassy_rp::{bind_interrupts, peripherals};
use embassy_time::Timer;

bind_interrupts!(struct Irqs {
    I2C1_IRQ => InterruptHandler<peripherals::I2C1>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut p = embassy_rp::init(Default::default());
    {
        let (scl, sda) = (p.PIN_15.reborrow(), p.PIN_14.reborrow());
        let mut i2c = I2c::new_blocking(p.I2C1.reborrow(), scl, sda, Config::default());
        check("write", i2c.blocking_write(0x50_u16, &[0x01, 0x20, 1, 2, 3]), Ok(()));
        Timer::after_millis(12).await;
        let mut read = [0; 3];
        check("read", i2c.blocking_write_read(0x50_u16, &[0x01, 0x20], &mut read), Ok(()));
        check("bytes", read, [1, 2, 3]);
        check("nobody", i2c.blocking_write(0x33_u16, &[0]), Err(Error::Abort(AbortReason::NoAcknowledge)));
    }
    let mut config = Config::default();
    config.frequency = 400_000;
    let mut i2c = I2c::new_async(p.I2C1, p.PIN_15, p.PIN_14, Irqs, config);
    check("write", i2c.write_async(0x50_u16, [0x01, 0x40, 4, 5, 6, 7]).await, Ok(()));
    Timer::after_millis(12).await;
    let mut read = [0; 4];
    check("read", i2c.write_read_async(0x50_u16, [0x01, 0x40], &mut read).await, Ok(()));
    check("bytes", read, [4, 5, 6, 7]);
    check("nobody", i2c.write_async(0x33_u16, [0]).await, Err(Error::Abort(AbortReason::NoAcknowledge)));
    done()
}
