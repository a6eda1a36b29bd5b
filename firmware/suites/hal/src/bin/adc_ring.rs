//! The ADC fills a ring by DMA.
#![no_std]
#![no_main]

use cyclescope_suites_hal::board::Irqs;
use cyclescope_suites_hal::{board, check, done, within};
use embassy_executor::Spawner;
use embassy_stm32::adc::{Adc, AdcChannel, CONTINUOUS, Exten, SampleTime};
use static_cell::StaticCell;

static RING: StaticCell<[u16; 64]> = StaticCell::new();

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    #[cfg(feature = "stm32c031c6")]
    let (adc, slow, dma) =
        (Adc::new(p.ADC1, embassy_stm32::adc::Resolution::BITS12), SampleTime::CYCLES640_5, p.DMA1_CH1);
    #[cfg(feature = "stm32f446ze")]
    let (adc, slow, dma) = (Adc::new(p.ADC1), SampleTime::CYCLES112, p.DMA2_CH0);
    let channels = [(p.PA0.degrade_adc(), slow), (p.PA1.degrade_adc(), slow)];
    let mut ring =
        adc.into_ring_buffered(dma, RING.init([0; 64]), Irqs, channels.into_iter(), CONTINUOUS, Exten::DISABLED);
    // What is printed meanwhile would let the ring run over.
    let mut read = [[0; 32]; 4];
    let mut ok = true;
    for part in &mut read {
        ok &= ring.read(part).await.is_ok();
    }
    check("read", ok, true);
    for part in read {
        within("PA0", part[0], 1_022..=1_026);
        within("PA1", part[1], 3_070..=3_074);
        within("PA0", part[30], 1_022..=1_026);
        within("PA1", part[31], 3_070..=3_074);
    }
    done()
}
