//! A serial port with buffers, whose TX is joined to its RX.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done, drivers};
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_stm32::usart::{self, Config};
use embassy_stm32::{bind_interrupts, peripherals};
use embedded_io_async::{Read, Write};
use static_cell::StaticCell;

static BUFFERS: StaticCell<([u8; 16], [u8; 16])> = StaticCell::new();

bind_interrupts!(struct Vector {
    USART1 => usart::BufferedInterruptHandler<peripherals::USART1>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let (tx, rx) = BUFFERS.init(([0; 16], [0; 16]));
    let (mut tx, mut rx) = drivers::uart_buffered(Config::default(), tx, rx).split();
    let mut read = [0; 40];
    let send = async {
        // A part that the buffer does not hold at once is refused.
        for part in b"more than what one of the buffers holds.".chunks(8) {
            tx.write_all(part).await.unwrap();
        }
        tx.flush().await.unwrap();
    };
    let (_, got) = join(send, rx.read_exact(&mut read)).await;
    check("read", got.is_ok(), true);
    check("bytes", &read, b"more than what one of the buffers holds.");
    done()
}
