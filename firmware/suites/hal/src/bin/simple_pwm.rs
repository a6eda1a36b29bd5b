//! A PWM at TIM3.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::gpio::OutputType;
use embassy_stm32::time::Hertz;
use embassy_stm32::timer::simple_pwm::{PwmPin, SimplePwm};
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let out = PwmPin::new(p.PA6, OutputType::PushPull);
    let mut pwm = SimplePwm::new(p.TIM3, Some(out), None, None, None, Hertz(20_000), Default::default());
    let mut channel = pwm.ch1();
    channel.enable();
    for percent in [0, 25, 50, 100] {
        channel.set_duty_cycle_percent(percent);
        Timer::after_millis(1).await;
    }
    check("most", channel.max_duty_cycle() > 100, true);
    done()
}
