//! The die's temperature.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{done, within};
use embassy_executor::Spawner;
use embassy_nrf::bind_interrupts;
use embassy_nrf::temp::{InterruptHandler, Temp};

bind_interrupts!(struct Irqs {
    TEMP => InterruptHandler;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut temp = Temp::new(p.TEMP, Irqs);
    let degrees: i32 = temp.read().await.to_num();
    within("degrees", degrees, 10..=60);
    done()
}
