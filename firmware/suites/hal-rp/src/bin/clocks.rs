//! Frequencies as the HAL knows them, of the clocks that a crystal of 12 MHz and its usual settings make, and of others.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done, within};
use embassy_executor::Spawner;
use embassy_rp::clocks::{self, ClockConfig};
use embassy_rp::config::Config;
use embassy_time::{Instant, Timer};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let clocks = ClockConfig::system_freq(48_000_000).unwrap();
    let _p = embassy_rp::init(Config::new(clocks));
    check("system", clocks::clk_sys_freq(), 48_000_000);
    check("reference", clocks::clk_ref_freq(), 12_000_000);
    check("peripherals", clocks::clk_peri_freq(), 48_000_000);
    check("USB", clocks::clk_usb_freq(), 48_000_000);
    check("crystal", clocks::xosc_freq(), 12_000_000);
    // The timer still counts microseconds.
    let begun = Instant::now();
    Timer::after_millis(3).await;
    within("microseconds", begun.elapsed().as_micros(), 3_000..=3_200);
    done()
}
