//! A memory on SPI, by two instances, one of them the fast one: its identity, and a page written and read back.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::gpio::{Level, Output, OutputDrive};
use embassy_nrf::spim::{Config, Frequency, InterruptHandler, Spim};
use embassy_nrf::{bind_interrupts, peripherals};

bind_interrupts!(struct Irqs {
    TWISPI0 => InterruptHandler<peripherals::TWISPI0>;
    SPIM3 => InterruptHandler<peripherals::SPI3>;
});

/// Reads the identity, erases a sector, writes a page, waits for it and reads it back.
async fn exercise(spi: &mut Spim<'_>, select: &mut Output<'_>) {
    let mut answer = [0; 4];
    select.set_low();
    check("transfer", spi.transfer(&mut answer, &[0x9F, 0, 0, 0]).await, Ok(()));
    select.set_high();
    check("identity", &answer[1..], &[0xEF, 0x40, 0x16]);
    for command in [&[0x06][..], &[0x20, 0, 0x10, 0], &[0x06], &[0x02, 0, 0x10, 0, 7, 8, 9]] {
        select.set_low();
        check("write", spi.blocking_write(command), Ok(()));
        select.set_high();
        loop {
            select.set_low();
            check("status", spi.blocking_transfer(&mut answer[..2], &[0x05, 0]), Ok(()));
            select.set_high();
            if answer[1] & 1 == 0 {
                break;
            }
            embassy_time::Timer::after_millis(5).await;
        }
    }
    let mut read = [0; 3];
    select.set_low();
    check("address", spi.write(&[0x03, 0, 0x10, 0]).await, Ok(()));
    check("read", spi.read(&mut read).await, Ok(()));
    select.set_high();
    check("bytes", read, [7, 8, 9]);
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut p = embassy_nrf::init(Default::default());
    let mut select = Output::new(p.P0_28, Level::High, OutputDrive::Standard);
    let mut config = Config::default();
    config.frequency = Frequency::M4;
    {
        let (sck, miso, mosi) = (p.P0_29.reborrow(), p.P0_30.reborrow(), p.P0_31.reborrow());
        exercise(&mut Spim::new(p.TWISPI0.reborrow(), Irqs, sck, miso, mosi, config.clone()), &mut select).await;
    }
    config.frequency = Frequency::M16;
    exercise(&mut Spim::new(p.SPI3, Irqs, p.P0_29, p.P0_30, p.P0_31, config), &mut select).await;
    done()
}
