//! The card interface without a card.
#![no_std]
#![no_main]

use cyclescope_suites_hal::board::Irqs;
use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::sdmmc::Sdmmc;
use embassy_stm32::sdmmc::sd::{CmdBlock, StorageDevice};
use embassy_stm32::time::Hertz;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let mut sdmmc = Sdmmc::new_1bit(p.SDIO, p.DMA2_CH3, Irqs, p.PC12, p.PD2, p.PC8, Default::default());
    let mut block = CmdBlock::new();
    let card = StorageDevice::new_sd_card(&mut sdmmc, &mut block, Hertz(1_000_000)).await;
    check("no card", card.is_err(), true);
    done()
}
