//! The calendar: a leap day ends, and an alarm comes.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done};
use embassy_executor::Spawner;
use embassy_rp::rtc::{DateTime, DateTimeFilter, DayOfWeek, InterruptHandler, Rtc};
use embassy_rp::{bind_interrupts, peripherals};

bind_interrupts!(struct Irqs {
    RTC_IRQ => InterruptHandler;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut rtc: Rtc<'_, peripherals::RTC> = Rtc::new(p.RTC, Irqs);
    let eve =
        DateTime { year: 2028, month: 2, day: 28, day_of_week: DayOfWeek::Monday, hour: 23, minute: 59, second: 58 };
    check("set", rtc.set_datetime(eve).is_ok(), true);
    rtc.schedule_alarm(DateTimeFilter::default().second(1));
    rtc.wait_for_alarm().await;
    let now = rtc.now().unwrap();
    check("day", (now.month, now.day, now.hour, now.minute, now.second), (2, 29, 0, 0, 1));
    done()
}
