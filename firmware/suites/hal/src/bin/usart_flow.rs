//! A serial port whose RTS holds its own CTS: nothing is lost while nobody reads.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done, drivers};
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_stm32::usart::{self, Config};
use embassy_stm32::{bind_interrupts, peripherals};
use embassy_time::Timer;

bind_interrupts!(struct Vector {
    USART1 => usart::InterruptHandler<peripherals::USART1>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let (mut tx, mut rx) = drivers::uart_flow(Config::default()).split();
    let mut read = [0; 24];
    let late = async {
        Timer::after_millis(5).await;
        // A read by DMA would begin with the loss of what is there.
        rx.blocking_read(&mut read)
    };
    let (wrote, got) = join(tx.write(b"more than it takes first"), late).await;
    check("write", wrote, Ok(()));
    check("read", got, Ok(()));
    check("bytes", &read, b"more than it takes first");
    done()
}
