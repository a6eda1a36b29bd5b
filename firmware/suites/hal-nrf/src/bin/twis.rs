//! A target on I2C with two addresses: it is written to, read from, and both by one transfer.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::twis::{Command, Config, InterruptHandler, Twis};
use embassy_nrf::{bind_interrupts, peripherals};

bind_interrupts!(struct Irqs {
    TWISPI0 => InterruptHandler<peripherals::TWISPI0>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut config = Config::default();
    config.address0 = 0x55;
    config.address1 = Some(0x66);
    config.sda_pullup = true;
    config.scl_pullup = true;
    let mut twi = Twis::new(p.TWISPI0, Irqs, p.P0_26, p.P0_27, config);
    let mut buffer = [0; 8];
    check("listen", twi.listen(&mut buffer).await, Ok(Command::Write(3)));
    check("received", &buffer[..3], &[1, 2, 3]);
    check("address", twi.address_match(), 0x55);
    check("listen", twi.listen(&mut buffer).await, Ok(Command::Read));
    check("address", twi.address_match(), 0x66);
    check("respond", twi.respond_to_read(&[7, 8, 9]).await, Ok(3));
    check("listen", twi.listen(&mut buffer).await, Ok(Command::WriteRead(1)));
    check("register", buffer[0], 0x10);
    check("respond", twi.respond_to_read(&[0xAB, 0xCD]).await, Ok(2));
    done()
}
