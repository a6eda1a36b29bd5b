//! A serial port without interrupts, whose TX is joined to its RX.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done, drivers};
use embassy_executor::Spawner;
use embassy_stm32::usart::Config;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let mut uart = drivers::uart_blocking(Config::default());
    for byte in *b"round" {
        check("write", uart.blocking_write(&[byte]), Ok(()));
        let mut read = [0];
        check("read", uart.blocking_read(&mut read), Ok(()));
        check("byte", read[0], byte);
    }
    done()
}
