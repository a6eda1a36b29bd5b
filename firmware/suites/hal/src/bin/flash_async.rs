//! The flash, erased and written by interrupts.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::flash::Flash;
use embassy_stm32::{bind_interrupts, flash};

bind_interrupts!(struct Irqs {
    FLASH => flash::InterruptHandler;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let mut flash = Flash::new(p.FLASH, Irqs);
    let (from, length) = board::FREE;
    check("erase", flash.erase(from, from + length).await, Ok(()));
    let bytes = *b"sixteen letters.";
    check("write", flash.write(from + 16, &bytes).await, Ok(()));
    let mut read = [0; 16];
    check("read", flash.blocking_read(from + 16, &mut read), Ok(()));
    check("written", read, bytes);
    done()
}
