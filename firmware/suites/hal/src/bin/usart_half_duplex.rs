//! A serial port on one wire, which hears itself.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_stm32::usart::{self, Config};
use embassy_stm32::{bind_interrupts, peripherals};

bind_interrupts!(struct Vector {
    USART1 => usart::InterruptHandler<peripherals::USART1>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let (mut tx, mut rx) = board::uart_half_duplex(Config::default()).split();
    let mut read = [0; 8];
    let (wrote, got) = join(tx.write(b"one wire"), rx.read(&mut read)).await;
    check("write", wrote, Ok(()));
    check("read", got, Ok(()));
    check("bytes", &read, b"one wire");
    done()
}
