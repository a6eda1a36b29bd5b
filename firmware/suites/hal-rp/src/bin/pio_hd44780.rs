//! A text display of the kind HD44780 by PIO and DMA: RS, RW and E at GPIO2 to GPIO4, its four data lines at GPIO6 to GPIO9.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::done;
use embassy_executor::Spawner;
use embassy_rp::pio::{InterruptHandler, Pio};
use embassy_rp::pio_programs::hd44780::{PioHD44780, PioHD44780CommandSequenceProgram, PioHD44780CommandWordProgram};
use embassy_rp::{bind_interrupts, dma, peripherals};
use embassy_time::Timer;

bind_interrupts!(struct Irqs {
    PIO0_IRQ_0 => InterruptHandler<peripherals::PIO0>;
    DMA_IRQ_0 => dma::InterruptHandler<peripherals::DMA_CH0>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let Pio { mut common, sm0, irq0, .. } = Pio::new(p.PIO0, Irqs);
    let words = PioHD44780CommandWordProgram::new(&mut common);
    let sequences = PioHD44780CommandSequenceProgram::new(&mut common);
    let mut display = PioHD44780::new(
        &mut common, sm0, irq0, p.DMA_CH0, Irqs, p.PIN_2, p.PIN_3, p.PIN_4, p.PIN_6, p.PIN_7, p.PIN_8, p.PIN_9, &words,
        &sequences,
    )
    .await;
    display.add_line(b"cyclescope").await;
    // The DMA is done before the last characters are out.
    Timer::after_millis(2).await;
    display.add_line(b"HD44780 by PIO").await;
    Timer::after_millis(2).await;
    done()
}
