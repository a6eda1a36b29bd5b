//! A PWM at TIM3 whose duty cycles come by DMA.
#![no_std]
#![no_main]

use cyclescope_suites_hal::board::Irqs;
use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::gpio::OutputType;
use embassy_stm32::time::Hertz;
use embassy_stm32::timer::Channel;
use embassy_stm32::timer::simple_pwm::{PwmPin, SimplePwm};
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let out = PwmPin::new(p.PA6, OutputType::PushPull);
    let mut pwm = SimplePwm::new(p.TIM3, Some(out), None, None, None, Hertz(100_000), Default::default());
    let most = pwm.max_duty_cycle() as u16;
    #[cfg(feature = "stm32c031c6")]
    let mut dma = p.DMA1_CH1;
    #[cfg(feature = "stm32f103c8")]
    let mut dma = p.DMA1_CH3;
    #[cfg(feature = "stm32f446ze")]
    let mut dma = p.DMA1_CH2;
    // Eight bits as an addressable LED takes them: a third is 0, two thirds are 1; then none.
    let bits: [u16; 9] =
        core::array::from_fn(|at| if at == 8 { 0 } else { most / 3 * (1 + (0xA5_u16 >> (7 - at) & 1)) });
    for _ in 0..3 {
        pwm.waveform_up(dma.reborrow(), Irqs, Channel::Ch1, &bits).await;
        Timer::after_micros(300).await;
    }
    check("most", most > 100, true);
    done()
}
