//! Events that software makes: a timer counts them through the interconnect, and one of them starts another.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done};
use embassy_executor::Spawner;
use embassy_nrf::egu::{Egu, TriggerNumber};
use embassy_nrf::ppi::Ppi;
use embassy_nrf::timer::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let counter = Timer::new_counter(p.TIMER1);
    counter.clear();
    counter.start();
    let mut egu = Egu::new(p.EGU0);
    let (first, second) = (egu.trigger(TriggerNumber::Trigger3), egu.trigger(TriggerNumber::Trigger15));
    let mut chained = Ppi::new_one_to_one(p.PPI_CH0, first.event(), second.task());
    let mut counted = Ppi::new_one_to_one(p.PPI_CH1, second.event(), counter.task_count());
    chained.enable();
    counted.enable();
    let (mut task, mut event) = (first.task(), second.event());
    for count in 1..=3 {
        event.clear();
        check("before", event.is_triggered(), false);
        task.trigger();
        embassy_time::Timer::after_micros(100).await;
        check("after", event.is_triggered(), true);
        check("counted", counter.cc(0).capture(), count);
    }
    done()
}
