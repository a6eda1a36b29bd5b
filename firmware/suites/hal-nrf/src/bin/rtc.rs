//! The counter of real time that the time driver leaves: ticks of 8 Hz, a comparison and its event.
#![no_std]
#![no_main]

use cyclescope_suites_hal_nrf::{check, done, within};
use embassy_executor::Spawner;
use embassy_nrf::rtc::{CompareChannel, Interrupt, Rtc};
use embassy_time::{Instant, Timer};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut rtc = Rtc::new_for_freq(p.RTC0, 8).unwrap();
    check("compare", rtc.set_compare(CompareChannel::_0, 3), Ok(()));
    rtc.enable_event(Interrupt::Compare0);
    rtc.clear();
    rtc.enable();
    let begun = Instant::now();
    while !rtc.is_event_triggered(Interrupt::Compare0) {
        Timer::after_millis(1).await;
    }
    // Three ticks of an eighth of a second, the first of which has begun before.
    within("milliseconds", begun.elapsed().as_millis(), 370..=380);
    check("count", rtc.read(), 3);
    rtc.reset_event(Interrupt::Compare0);
    check("cleared", rtc.is_event_triggered(Interrupt::Compare0), false);
    rtc.disable();
    Timer::after_millis(300).await;
    check("stopped", rtc.read(), 3);
    done()
}
