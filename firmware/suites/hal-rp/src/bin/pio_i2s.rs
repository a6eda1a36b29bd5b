//! Sound by PIO and DMA: a sender with data at GPIO10, bit clock at GPIO11 and frames at GPIO12, and a receiver that makes its own clocks
//! at GPIO14 and GPIO15, whose data at GPIO13 is joined to GPIO10.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done, within};
use embassy_executor::Spawner;
use embassy_futures::join::join;
use embassy_rp::pio::{InterruptHandler, Pio};
use embassy_rp::pio_programs::i2s::{PioI2sIn, PioI2sInProgram, PioI2sOut, PioI2sOutProgram};
use embassy_rp::{bind_interrupts, dma, peripherals};

bind_interrupts!(struct Irqs {
    PIO0_IRQ_0 => InterruptHandler<peripherals::PIO0>;
    DMA_IRQ_0 => dma::InterruptHandler<peripherals::DMA_CH0>, dma::InterruptHandler<peripherals::DMA_CH1>;
});

const RATE: u32 = 48_000;
const BITS: u32 = 16;
/// A frame: left in the upper half, right in the lower.
const FRAME: u32 = 0xC0DE_1234;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let Pio { mut common, sm0, sm1, .. } = Pio::new(p.PIO0, Irqs);
    let sends = PioI2sOutProgram::new(&mut common);
    let receives = PioI2sInProgram::new(&mut common);
    let mut to =
        PioI2sOut::new(&mut common, sm0, p.DMA_CH0, Irqs, p.PIN_10, p.PIN_11, p.PIN_12, RATE, BITS, &sends);
    let mut from = PioI2sIn::new(
        &mut common, sm1, p.DMA_CH1, Irqs, true, p.PIN_13, p.PIN_14, p.PIN_15, RATE, BITS, 2, &receives,
    );
    to.start();
    from.start();
    let (mut sent, mut heard) = ([FRAME; 24], [0; 16]);
    sent[0] = 0x8001_7FFE;
    join(to.write(&sent), from.read(&mut heard)).await;
    // The receiver's frames begin somewhere in those of the sender.
    let shift = (0..32).find(|shift| FRAME.rotate_left(*shift) == heard[8]);
    within("frames begin at bit", shift.unwrap_or(u32::MAX), 0..=31);
    check("frames heard", heard[4..].iter().all(|frame| *frame == heard[8]), true);
    done()
}
