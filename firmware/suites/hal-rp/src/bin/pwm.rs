//! Pulses at GPIO6 and GPIO7 of a quarter and three quarters of 1,000 cycles, then centred ones of half of 2,000.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::done;
use embassy_executor::Spawner;
use embassy_rp::pwm::{Config, Pwm};
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut config = Config::default();
    config.top = 999;
    config.compare_a = 250;
    config.compare_b = 750;
    let mut pwm = Pwm::new_output_ab(p.PWM_SLICE3, p.PIN_6, p.PIN_7, config.clone());
    Timer::after_micros(100).await;
    pwm.wait_for_wrap();
    config.phase_correct = true;
    config.compare_a = 500;
    config.compare_b = 500;
    pwm.set_config(&config);
    Timer::after_micros(100).await;
    done()
}
