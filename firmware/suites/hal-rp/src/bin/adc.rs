//! Voltages by polling, by interrupts and by DMA: 1.65 V at GPIO26, 0.825 V at GPIO27, and the sensor of the die.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done, within};
use embassy_executor::Spawner;
use embassy_rp::adc::{Adc, Channel, Config, InterruptHandler};
use embassy_rp::gpio::Pull;
use embassy_rp::{bind_interrupts, dma, peripherals};

bind_interrupts!(struct Irqs {
    ADC_IRQ_FIFO => InterruptHandler;
    DMA_IRQ_0 => dma::InterruptHandler<peripherals::DMA_CH0>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut adc = Adc::new(p.ADC, Irqs, Config::default());
    let mut dma = dma::Channel::new(p.DMA_CH0, Irqs);
    let mut first = Channel::new_pin(p.PIN_26, Pull::None);
    let mut second = Channel::new_pin(p.PIN_27, Pull::None);
    let mut sensor = Channel::new_temp_sensor(p.ADC_TEMP_SENSOR);
    within("polled", adc.blocking_read(&mut first).unwrap(), 2_040..=2_056);
    within("awaited", adc.read(&mut second).await.unwrap(), 1_016..=1_032);
    within("sensor", adc.read(&mut sensor).await.unwrap(), 800..=960);
    let mut many = [0_u16; 10];
    check("many", adc.read_many(&mut first, &mut many, 479, &mut dma).await.is_ok(), true);
    many.iter().for_each(|value| within("one of ten", *value, 2_040..=2_056));
    done()
}
