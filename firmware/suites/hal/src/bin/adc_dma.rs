//! The ADC reads a sequence by DMA.
#![no_std]
#![no_main]

use cyclescope_suites_hal::board::Irqs;
use cyclescope_suites_hal::{board, done, within};
use embassy_executor::Spawner;
use embassy_stm32::adc::{Adc, AdcChannel, Resolution, SampleTime};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let (mut adc, slow, mut dma) = (Adc::new(p.ADC1, Resolution::BITS12), SampleTime::CYCLES640_5, p.DMA1_CH1);
    let (mut first, mut second) = (p.PA0.degrade_adc(), p.PA1.degrade_adc());
    for _ in 0..2 {
        let mut read = [0; 2];
        let sequence = [(&mut first, slow), (&mut second, slow)].into_iter();
        adc.read(dma.reborrow(), Irqs, sequence, &mut read).await;
        within("PA0", read[0], 1_022..=1_026);
        within("PA1", read[1], 3_070..=3_074);
    }
    done()
}
