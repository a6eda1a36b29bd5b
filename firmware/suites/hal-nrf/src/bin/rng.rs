//! Random bytes, with and without a bias correction, blocking and not.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{done, within};
use embassy_executor::Spawner;
use embassy_nrf::rng::{InterruptHandler, Rng};
use embassy_nrf::{bind_interrupts, peripherals};

bind_interrupts!(struct Irqs {
    RNG => InterruptHandler<peripherals::RNG>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut rng = Rng::new(p.RNG, Irqs);
    let mut bytes = [0; 256];
    for corrected in [false, true] {
        rng.set_bias_correction(corrected);
        rng.fill_bytes(&mut bytes).await;
        let ones: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
        within("ones of 2,048 bits", ones, 850..=1_200);
    }
    rng.blocking_fill_bytes(&mut bytes);
    let ones: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
    within("ones of 2,048 bits", ones, 850..=1_200);
    done()
}
