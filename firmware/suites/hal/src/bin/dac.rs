//! The DAC at PA4, seen by the ADC at the same pin.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, done, within};
use embassy_executor::Spawner;
use embassy_stm32::Peripherals;
use embassy_stm32::adc::{Adc, SampleTime};
use embassy_stm32::dac::{Ch1, DacChannel, Value};
use embassy_stm32::mode::Blocking;
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let mut dac = DacChannel::<Blocking>::new_blocking::<_, Ch1>(p.DAC1, p.PA4);
    let mut adc = Adc::new(p.ADC1);
    let mut pin = unsafe { Peripherals::steal() }.PA4;
    for value in [0_u16, 1_000, 2_048, 4_095] {
        dac.set(Value::Bit12Right(value));
        Timer::after_micros(100).await;
        let read = adc.blocking_read(&mut pin, SampleTime::CYCLES56);
        // The buffer, which is on, stays 0.2 V away from its supplies.
        let value = value.clamp(248, 3_847);
        within("PA4", read, value - 2..=value + 2);
    }
    done()
}
