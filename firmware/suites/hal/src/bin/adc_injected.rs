//! The ADC's injected sequence, started by software and by a timer.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, done, within};
use embassy_executor::Spawner;
use embassy_stm32::adc::{Adc, AdcChannel, Exten, SampleTime};
use embassy_stm32::pac::timer::vals::Mms;
use embassy_stm32::time::Hertz;
use embassy_stm32::timer::low_level::{RoundTo, Timer as Counter};
use embassy_stm32::triggers::TIM1_TRGO;
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    #[allow(unused_mut)]
    let mut config = board::config();
    #[cfg(feature = "stm32g431kb")]
    {
        config.rcc.mux.adc12sel = embassy_stm32::rcc::mux::Adcsel::SYS;
    }
    let p = embassy_stm32::init(config);
    #[cfg(feature = "stm32f446ze")]
    let (adc, slow) = (Adc::new(p.ADC1), SampleTime::CYCLES112);
    #[cfg(feature = "stm32g431kb")]
    let (adc, slow) = (Adc::new(p.ADC1, Default::default()), SampleTime::CYCLES92_5);
    let timer = Counter::new(p.TIM1);
    timer.set_frequency(Hertz(1_000), RoundTo::Slower);
    timer.regs_basic().cr2().modify(|w| w.set_mms(Mms::UPDATE));
    let sequence = [(p.PA1.degrade_adc(), slow), (p.PA0.degrade_adc(), slow)];
    let mut injected = adc.setup_injected_conversions(sequence, TIM1_TRGO, Exten::RISING_EDGE, false);
    timer.start();
    for _ in 0..3 {
        Timer::after_millis(2).await;
        let [first, second] = injected.read_injected_samples();
        within("PA1", first, 3_070..=3_074);
        within("PA0", second, 1_022..=1_026);
    }
    done()
}
