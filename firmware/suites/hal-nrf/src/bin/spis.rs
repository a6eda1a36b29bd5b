//! A target on SPI: buffers that a controller exchanges, too short ones and too long ones.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::spis::{Config, InterruptHandler, Spis};
use embassy_nrf::{bind_interrupts, peripherals};

bind_interrupts!(struct Irqs {
    SPI2 => InterruptHandler<peripherals::SPI2>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut config = Config::default();
    config.orc = 0xEE;
    let mut spi = Spis::new(p.SPI2, Irqs, p.P0_28, p.P0_29, p.P0_30, p.P0_31, config);
    let mut read = [0; 4];
    check("transfer", spi.transfer(&mut read, &[1, 2, 3, 4]).await, Ok((4, 4)));
    check("received", read, [0x9F, 5, 6, 7]);
    check("from flash", spi.blocking_transfer(&mut read, b"ab"), Ok((3, 2)));
    check("received", &read[..3], &[0x10, 0x11, 0x12]);
    check("beyond what was to be sent", spi.is_overread(), true);
    let mut short = [0; 2];
    check("read", spi.read(&mut short).await, Ok(2));
    check("received", short, [0x20, 0x21]);
    check("beyond what had room", spi.is_overflow(), true);
    done()
}
