//! The flash, erased, written and read.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::flash::Flash;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let mut flash = Flash::new_blocking(p.FLASH);
    let (from, length) = board::FREE;
    check("erase", flash.blocking_erase(from, from + length), Ok(()));
    let mut read = [0; 16];
    check("read", flash.blocking_read(from, &mut read), Ok(()));
    check("erased", read, [0xFF; 16]);
    let bytes = *b"sixteen letters.";
    check("write", flash.blocking_write(from + 16, &bytes), Ok(()));
    check("read", flash.blocking_read(from + 16, &mut read), Ok(()));
    check("written", read, bytes);
    done()
}
