//! A PWM and its complement with dead time at TIM1.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::gpio::OutputType;
use embassy_stm32::time::Hertz;
use embassy_stm32::timer::Channel;
use embassy_stm32::timer::complementary_pwm::{ComplementaryPwm, ComplementaryPwmPin};
use embassy_stm32::timer::simple_pwm::PwmPin;
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let out = PwmPin::new(p.PA8, OutputType::PushPull);
    let complement = ComplementaryPwmPin::new(p.PB13, OutputType::PushPull);
    let mut pwm = ComplementaryPwm::new(
        p.TIM1,
        Some(out),
        Some(complement),
        None,
        None,
        None,
        None,
        None,
        None,
        Hertz(10_000),
        Default::default(),
    );
    let most = pwm.get_max_duty();
    pwm.set_dead_time(48);
    pwm.set_duty(Channel::Ch1, most / 4);
    pwm.enable(Channel::Ch1);
    Timer::after_millis(2).await;
    pwm.set_duty(Channel::Ch1, most / 2);
    Timer::after_millis(2).await;
    check("most", most > 1_000, true);
    done()
}
