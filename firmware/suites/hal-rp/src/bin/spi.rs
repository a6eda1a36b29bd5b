//! A memory on SPI, by polling and by DMA: its identity, and a page written and read back.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::spi::{Config, Spi};
use embassy_rp::{bind_interrupts, dma, peripherals};
use embassy_time::Timer;

bind_interrupts!(struct Irqs {
    DMA_IRQ_0 => dma::InterruptHandler<peripherals::DMA_CH0>, dma::InterruptHandler<peripherals::DMA_CH1>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut p = embassy_rp::init(Default::default());
    let mut select = Output::new(p.PIN_17, Level::High);
    let mut config = Config::default();
    config.frequency = 8_000_000;
    {
        let (sck, mosi, miso) = (p.PIN_18.reborrow(), p.PIN_19.reborrow(), p.PIN_16.reborrow());
        let mut spi = Spi::new_blocking(p.SPI0.reborrow(), sck, mosi, miso, config.clone());
        let mut answer = [0; 4];
        select.set_low();
        check("transfer", spi.blocking_transfer(&mut answer, &[0x9F, 0, 0, 0]), Ok(()));
        select.set_high();
        check("identity", &answer[1..], &[0xEF, 0x40, 0x16]);
        for command in [&[0x06][..], &[0x20, 0, 0x10, 0], &[0x06], &[0x02, 0, 0x10, 0, 7, 8, 9]] {
            select.set_low();
            check("write", spi.blocking_write(command), Ok(()));
            check("flush", spi.flush(), Ok(()));
            select.set_high();
            loop {
                select.set_low();
                check("status", spi.blocking_transfer(&mut answer[..2], &[0x05, 0]), Ok(()));
                select.set_high();
                if answer[1] & 1 == 0 {
                    break;
                }
                Timer::after_millis(5).await;
            }
        }
    }
    let mut spi = Spi::new(p.SPI0, p.PIN_18, p.PIN_19, p.PIN_16, p.DMA_CH0, p.DMA_CH1, Irqs, config);
    let mut read = [0; 7];
    select.set_low();
    check("transfer", spi.transfer(&mut read, &[0x03, 0, 0x10, 0, 0, 0, 0]).await, Ok(()));
    select.set_high();
    check("bytes", &read[4..], &[7, 8, 9]);
    done()
}
