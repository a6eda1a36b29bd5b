//! The unique identifier of the part.
#![no_std]
#![no_main]

use cortex_m_semihosting::hprintln;
use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let id = embassy_stm32::uid::uid();
    hprintln!("{:?}", id);
    check("not erased", id != [0xFF; 12] && id != [0; 12], true);
    done()
}
