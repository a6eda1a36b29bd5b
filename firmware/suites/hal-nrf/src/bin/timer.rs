//! A timer at two frequencies, and its stop at a compare.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done, within};
use embassy_executor::Spawner;
use embassy_nrf::timer::{Frequency, Timer};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let timer = Timer::new(p.TIMER3);
    for (frequency, count) in [(Frequency::F16MHz, 16_000), (Frequency::F125kHz, 125)] {
        timer.set_frequency(frequency);
        timer.clear();
        timer.start();
        let before = timer.cc(0).capture();
        embassy_time::block_for(embassy_time::Duration::from_millis(10));
        let counted = timer.cc(0).capture() - before;
        timer.stop();
        // RTC1 has ticks of 30.5 µs.
        within("counted", counted, 10 * count - 1..=10 * count + count / 15);
    }
    timer.clear();
    timer.cc(1).write(50);
    timer.cc(1).short_compare_stop();
    timer.start();
    embassy_time::Timer::after_millis(2).await;
    check("stopped", timer.cc(0).capture(), 50);
    done()
}
