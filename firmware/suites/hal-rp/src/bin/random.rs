//! Random bytes from the ring oscillator.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done, within};
use embassy_executor::Spawner;
use embassy_rp::clocks::RoscRng;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let _p = embassy_rp::init(Default::default());
    let mut bytes = [0; 256];
    RoscRng.fill_bytes(&mut bytes);
    let ones: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
    // Half of 2048, and four standard deviations.
    within("ones", ones, 1_024 - 91..=1_024 + 91);
    let changes: u32 = bytes.iter().map(|byte| ((byte ^ byte >> 1) & 0x7F).count_ones()).sum();
    within("neighbours that differ", changes, 896 - 85..=896 + 85);
    check("words differ", RoscRng.next_u32() != RoscRng.next_u32(), true);
    check("long words differ", RoscRng.next_u64() != RoscRng.next_u64(), true);
    done()
}
