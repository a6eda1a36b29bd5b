//! A target on I2C: it is written to, read from, and both by one transfer; more is asked for than it has.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::i2c::InterruptHandler;
use embassy_rp::i2c_slave::{Command, Config, I2cSlave, ReadStatus};
use embassy_rp::{bind_interrupts, peripherals};

bind_interrupts!(struct Irqs {
    I2C1_IRQ => InterruptHandler<peripherals::I2C1>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut i2c = I2cSlave::new(p.I2C1, p.PIN_15, p.PIN_14, Irqs, Config::default());
    let mut buffer = [0; 8];
    check("listen", i2c.listen(&mut buffer).await, Ok(Command::Write(3)));
    check("received", &buffer[..3], &[1, 2, 3]);
    check("listen", i2c.listen(&mut buffer).await, Ok(Command::Read));
    check("respond", i2c.respond_to_read(&[7, 8, 9]).await, Ok(ReadStatus::Done));
    check("listen", i2c.listen(&mut buffer).await, Ok(Command::WriteRead(1)));
    check("register", buffer[0], 0x10);
    check("respond", i2c.respond_and_fill(&[0xAB], 0xEE).await, Ok(ReadStatus::Done));
    done()
}
