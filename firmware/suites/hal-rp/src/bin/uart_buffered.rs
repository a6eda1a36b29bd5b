//! A serial port with buffers, whose TX GPIO0 is joined to its RX GPIO1.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::uart::{BufferedInterruptHandler, BufferedUart, Config};
use embassy_rp::{bind_interrupts, peripherals};
use embedded_io_async::{Read, Write};

bind_interrupts!(struct Irqs {
    UART0_IRQ => BufferedInterruptHandler<peripherals::UART0>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let (mut tx, mut rx) = ([0; 64], [0; 64]);
    let mut uart = BufferedUart::new(p.UART0, p.PIN_0, p.PIN_1, Irqs, &mut tx, &mut rx, Config::default());
    let text = b"a line that is longer than the FIFO of 32";
    check("write", uart.write_all(text).await, Ok(()));
    let mut read = [0; 41];
    check("read", uart.read_exact(&mut read).await.is_ok(), true);
    check("bytes", &read, text);
    done()
}
