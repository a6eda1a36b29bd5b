//! A timer that toggles P0.13 every 500 µs and counts on another timer, without the processor.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::gpio::{Level, OutputDrive};
use embassy_nrf::gpiote::{OutputChannel, OutputChannelPolarity};
use embassy_nrf::ppi::{Ppi, PpiGroup};
use embassy_nrf::timer::{Frequency, Timer};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let led =
        OutputChannel::new(p.GPIOTE_CH0, p.P0_13, Level::Low, OutputDrive::Standard, OutputChannelPolarity::Toggle);
    let ticks = Timer::new(p.TIMER1);
    ticks.set_frequency(Frequency::F1MHz);
    ticks.cc(0).write(500);
    ticks.cc(0).short_compare_clear();
    let counter = Timer::new_counter(p.TIMER2);
    counter.clear();
    counter.start();

    let mut channel = Ppi::new_one_to_two(p.PPI_CH0, ticks.cc(0).event_compare(), led.task_out(), counter.task_count());
    channel.enable();
    ticks.start();
    embassy_time::Timer::after_micros(5_250).await;
    check("counted", counter.cc(0).capture(), 10);

    let mut group = PpiGroup::new(p.PPI_GROUP0);
    group.add_channel(&channel);
    group.disable_all();
    embassy_time::Timer::after_micros(2_000).await;
    check("counted, the channel off", counter.cc(0).capture(), 10);
    done()
}
