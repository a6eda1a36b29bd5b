//! A serial port with DMA, whose TX is joined to its RX.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done, drivers};
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
    let (mut tx, mut rx) = drivers::uart(Config::default()).split();
    let mut read = [0; 12];
    let (wrote, got) = join(tx.write(b"twelve bytes"), rx.read(&mut read)).await;
    check("write", wrote, Ok(()));
    check("read", got, Ok(()));
    check("bytes", &read, b"twelve bytes");
    let mut idle = [0; 32];
    let (wrote, got) = join(tx.write(b"until idle"), rx.read_until_idle(&mut idle)).await;
    check("write", wrote, Ok(()));
    check("until idle", got, Ok(10));
    done()
}
