//! Sound by I2S: frames go out by DMA.
#![no_std]
#![no_main]

use cyclescope_suites_hal::board::Irqs;
use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::i2s::{Config, I2S};
use embassy_stm32::time::Hertz;
use static_cell::StaticCell;

static RING: StaticCell<[u16; 64]> = StaticCell::new();

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let mut config = Config::default();
    config.frequency = Hertz(48_000);
    let ring = RING.init([0; 64]);
    let mut i2s = I2S::new_txonly_nomck(p.SPI2, p.PB15, p.PB12, p.PB13, p.DMA1_CH4, ring, Irqs, config);
    i2s.start();
    for round in 0..8_u16 {
        let frame: [u16; 32] = core::array::from_fn(|at| round * 32 + at as u16);
        check("write", i2s.write(&frame).await.is_ok(), true);
    }
    done()
}
