//! Pulses of a quarter and of three quarters at P0.13 and P0.14, of 1 kHz, and then a sequence at P0.15.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::pwm::{
    Config, DutyCycle, Prescaler, SequenceConfig, SequencePwm, SimpleConfig, SimplePwm, SingleSequenceMode,
    SingleSequencer,
};
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut simple = SimplePwm::new_2ch(p.PWM0, p.P0_13, p.P0_14, &SimpleConfig::default());
    simple.set_prescaler(Prescaler::Div16);
    simple.set_max_duty(1_000);
    simple.set_all_duties([
        DutyCycle::inverted(250),
        DutyCycle::inverted(750),
        DutyCycle::normal(0),
        DutyCycle::normal(0),
    ]);
    Timer::after_millis(10).await;

    let mut config = Config::default();
    config.prescaler = Prescaler::Div16;
    config.max_duty = 100;
    let mut sequence = SequencePwm::new_1ch(p.PWM1, p.P0_15, config).ok().expect("the prescaler is one");
    let words = [20 | 0x8000, 40 | 0x8000, 60 | 0x8000, 80 | 0x8000];
    let sequencer = SingleSequencer::new(&mut sequence, &words, SequenceConfig::default());
    check("start", sequencer.start(SingleSequenceMode::Times(3)).is_ok(), true);
    Timer::after_millis(5).await;
    drop(sequencer);
    done()
}
