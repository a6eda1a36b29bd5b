//! A page of flash that is erased and written.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::nvmc::{FLASH_SIZE, Nvmc};
use embedded_storage::nor_flash::{NorFlash, ReadNorFlash};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut flash = Nvmc::new(p.NVMC);
    let page = FLASH_SIZE as u32 - 4096;
    check("erase", flash.erase(page, page + 4096), Ok(()));
    check("write", flash.write(page + 8, b"eight or sixteen"), Ok(()));
    let mut read = [0; 24];
    check("read", flash.read(page, &mut read), Ok(()));
    check("before", &read[..8], &[0xFF; 8]);
    check("written", &read[8..], b"eight or sixteen");
    check("erase", flash.erase(page, page + 4096), Ok(()));
    check("read", flash.read(page, &mut read), Ok(()));
    check("erased", read, [0xFF; 24]);
    done()
}
