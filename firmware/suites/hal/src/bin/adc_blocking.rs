//! The ADC without interrupts: a voltage at PA0, the reference and the temperature.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, done, within};
use embassy_executor::Spawner;
use embassy_stm32::adc::{Adc, SampleTime};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut p = embassy_stm32::init(board::config());
    #[cfg(feature = "stm32c031c6")]
    let (mut adc, slow) = (Adc::new(p.ADC1, embassy_stm32::adc::Resolution::BITS12), SampleTime::CYCLES640_5);
    #[cfg(feature = "stm32f103c8")]
    let (adc, slow) = (Adc::new(p.ADC1), SampleTime::CYCLES239_5);
    #[cfg(feature = "stm32f446ze")]
    let (mut adc, slow) = (Adc::new(p.ADC1), SampleTime::CYCLES480);
    #[cfg(feature = "stm32f103c8")]
    let mut adc = adc;
    #[cfg(not(feature = "stm32f103c8"))]
    {
        within("PA0", adc.blocking_read(&mut p.PA0, slow), 2046..=2050);
    }
    // The HAL has ADC_CCR of the C031 at a wrong address, so that it cannot switch these channels on.
    #[cfg(feature = "stm32f446ze")]
    {
        let mut reference = adc.enable_vrefint();
        within("reference", adc.blocking_read(&mut reference, slow), 1400..=1600);
        let mut temperature = adc.enable_temperature();
        within("temperature", adc.blocking_read(&mut temperature, slow), 800..=1200);
    }
    #[cfg(feature = "stm32f103c8")]
    {
        within("PA0", adc.read(&mut p.PA0, slow).await, 2046..=2050);
        let mut reference = adc.enable_vref();
        within("reference", adc.read(&mut reference, slow).await, 1400..=1600);
        let mut temperature = adc.enable_temperature();
        within("temperature", adc.read(&mut temperature, slow).await, 1500..=2000);
    }
    done()
}
