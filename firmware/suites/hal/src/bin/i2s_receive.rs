//! Sound comes in by I2S: SD is joined to WS, which changes a bit before each half-word ends.
#![no_std]
#![no_main]

use cyclescope_suites_hal::board::Irqs;
use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::i2s::{Config, I2S};
use embassy_stm32::time::Hertz;
use static_cell::StaticCell;

static RING: StaticCell<[u16; 128]> = StaticCell::new();

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let mut config = Config::default();
    config.frequency = Hertz(48_000);
    config.master_clock = false;
    let ring = RING.init([0; 128]);
    let mut i2s = I2S::new_rxonly_nomck(p.SPI2, p.PB15, p.PB12, p.PB13, p.DMA1_CH3, ring, Irqs, config);
    i2s.start();
    let mut read = [[0_u16; 32]; 4];
    let mut ok = true;
    for part in &mut read {
        ok &= i2s.read(part).await.is_ok();
    }
    check("read", ok, true);
    for part in read {
        check("left and right", [part[0], part[1], part[30], part[31]], [0x0001, 0xFFFE, 0x0001, 0xFFFE]);
    }
    done()
}
