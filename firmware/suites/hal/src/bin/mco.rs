//! A clock at PA8.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, done};
use embassy_executor::Spawner;
use embassy_stm32::rcc::{Mco, McoConfig};
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let config = McoConfig::default();
    #[cfg(feature = "stm32f103c8")]
    let _mco = Mco::new(p.MCO, p.PA8, embassy_stm32::rcc::McoSource::HSE, config);
    #[cfg(feature = "stm32f446ze")]
    let _mco = Mco::new(p.MCO1, p.PA8, embassy_stm32::rcc::Mco1Source::HSI, config);
    #[cfg(feature = "stm32c031c6")]
    let _mco = Mco::new(p.MCO1, p.PA8, embassy_stm32::rcc::McoSource::HSI, config);
    Timer::after_millis(1).await;
    done()
}
