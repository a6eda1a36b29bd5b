//! The period and the width of pulses at PA6, by TIM3.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, done, within};
use embassy_executor::Spawner;
use embassy_stm32::gpio::Pull;
use embassy_stm32::time::Hertz;
use embassy_stm32::timer::pwm_input::PwmInput;
use embassy_stm32::{bind_interrupts, peripherals, timer};
use embassy_time::Timer;

bind_interrupts!(struct Irqs {
    TIM3 => timer::CaptureCompareInterruptHandler<peripherals::TIM3>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let mut input = PwmInput::new_ch1(p.TIM3, p.PA6, Irqs, Pull::None, Hertz(1_000_000));
    input.enable();
    Timer::after_millis(20).await;
    within("period", input.get_period_ticks(), 4_999..=5_001);
    within("width", input.get_width_ticks(), 1_999..=2_001);
    done()
}
