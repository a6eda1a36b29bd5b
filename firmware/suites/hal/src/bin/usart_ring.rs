//! A serial port whose receiver fills a ring by DMA; its TX is joined to its RX.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done, drivers};
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_stm32::usart::{self, Config};
use embassy_stm32::{bind_interrupts, peripherals};
use static_cell::StaticCell;

static RING: StaticCell<[u8; 16]> = StaticCell::new();

bind_interrupts!(struct Vector {
    USART1 => usart::InterruptHandler<peripherals::USART1>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let (mut tx, rx) = drivers::uart(Config::default()).split();
    let mut rx = rx.into_ring_buffered(RING.init([0; 16]));
    let mut read = [0; 40];
    let take = async {
        let mut at = 0;
        while at < read.len() {
            at += rx.read(&mut read[at..]).await.unwrap();
        }
    };
    let (got, _) = join(tx.write(b"more than what one of the buffers holds."), take).await;
    check("write", got, Ok(()));
    check("bytes", &read, b"more than what one of the buffers holds.");
    done()
}
