//! The calendar, set and read two seconds later.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done};
use embassy_executor::Spawner;
use embassy_stm32::rtc::{DateTime, DayOfWeek, Rtc, RtcConfig};
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let (mut rtc, time) = Rtc::new(p.RTC, RtcConfig::default());
    let eve = DateTime::from(2024, 2, 28, DayOfWeek::Wednesday, 23, 59, 59, 0).unwrap();
    check("set", rtc.set_datetime(eve).is_ok(), true);
    Timer::after_millis(2_100).await;
    let now = time.now().unwrap();
    check("date", (now.year(), now.month(), now.day()), (2024, 2, 29));
    check("time", (now.hour(), now.minute(), now.second()), (0, 0, 1));
    done()
}
