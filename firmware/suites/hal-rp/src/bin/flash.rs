//! The serial flash that the program runs from: its identities, and a sector erased and written, by the boot ROM's functions.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::flash::{Blocking, Flash};
use embassy_rp::peripherals;

const PLACE: u32 = 0x10_0000;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut flash = Flash::<peripherals::FLASH, Blocking, { 2048 << 10 }>::new_blocking(p.FLASH);
    check("identity", flash.blocking_jedec_id(), Ok(0xEF4015));
    let mut unique = [0; 8];
    check("unique", flash.blocking_unique_id(&mut unique), Ok(()));
    check("is one", unique[0], 0xE4);
    let mut read = [0; 4];
    check("erase", flash.blocking_erase(PLACE, PLACE + 4096), Ok(()));
    check("read", flash.blocking_read(PLACE, &mut read), Ok(()));
    check("erased", read, [0xFF; 4]);
    check("write", flash.blocking_write(PLACE + 254, &[1, 2, 3, 4]), Ok(()));
    check("read", flash.blocking_read(PLACE + 254, &mut read), Ok(()));
    check("bytes", read, [1, 2, 3, 4]);
    done()
}
