//! A serial port by polling: it greets, waits for four characters from outside and answers with them.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::uart::{Config, Uart};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut uart = Uart::new_blocking(p.UART0, p.PIN_0, p.PIN_1, Config::default());
    check("write", uart.blocking_write(b"hello\r\n"), Ok(()));
    let mut read = [0; 4];
    check("read", uart.blocking_read(&mut read), Ok(()));
    check("bytes", &read, b"ping");
    check("answer", uart.blocking_write(&read), Ok(()));
    check("flush", uart.blocking_flush(), Ok(()));
    done()
}
