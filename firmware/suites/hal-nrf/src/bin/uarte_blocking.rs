//! A serial port without interrupts: text out of flash and RAM, and an answer.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::uarte::{Config, InterruptHandler, Uarte};
use embassy_nrf::{bind_interrupts, peripherals};

bind_interrupts!(struct Irqs {
    UARTE0 => InterruptHandler<peripherals::UARTE0>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut uart = Uarte::new(p.UARTE0, p.P0_08, p.P0_06, Irqs, Config::default());
    check("write", uart.blocking_write(b"hello from flash\r\n"), Ok(()));
    let ram = *b"and from RAM\r\n";
    check("write", uart.blocking_write_from_ram(&ram), Ok(()));
    let mut read = [0; 4];
    check("read", uart.blocking_read(&mut read), Ok(()));
    check("answer", &read, b"ping");
    done()
}
