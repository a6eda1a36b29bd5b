//! A serial port on one wire, which asks and hears the answer, but not itself.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done, drivers};
use embassy_executor::Spawner;
use embassy_stm32::usart::{self, Config};
use embassy_stm32::{bind_interrupts, peripherals};
use embassy_time::Timer;

bind_interrupts!(struct Vector {
    USART1 => usart::InterruptHandler<peripherals::USART1>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let mut uart = drivers::uart_half_duplex(Config::default());
    check("write", uart.write(b"who?\n").await, Ok(()));
    // `read` waits for TC before it switches the sender off, but that is set from the start on an F1 and F4: nobody clears it.
    Timer::after_millis(1).await;
    let mut read = [0; 6];
    check("read", uart.read(&mut read).await, Ok(()));
    check("bytes", &read, b"nobody");
    done()
}
