//! Sleep in which no oscillator runs, until an edge at GPIO15 and until a level there: GPIO3 is high meanwhile.
#![no_std]
#![no_main]

use cyclescope_suites_hal_rp::{check, done, within};
use embassy_executor::Spawner;
use embassy_rp::clocks::{clk_sys_freq, dormant_sleep};
use embassy_rp::gpio::{DormantWakeConfig, Input, Level, Output, Pull};
use embassy_time::{Instant, Timer};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut button = Input::new(p.PIN_15, Pull::Up);
    let mut asleep = Output::new(p.PIN_3, Level::Low);
    for by_edge in [true, false] {
        let wake = button.dormant_wake(DormantWakeConfig {
            edge_high: false,
            edge_low: by_edge,
            level_high: false,
            level_low: !by_edge,
        });
        let begun = Instant::now();
        asleep.set_high();
        dormant_sleep();
        asleep.set_low();
        let counted = begun.elapsed().as_micros();
        drop(wake);
        // The timer stands asleep. Behind it the crystal takes 128 ms to start, in which the ring ticks, at its slowest setting a
        // twelfth of 3.25 MHz.
        within("microseconds counted", counted, 34_000..=36_000);
        check("system", clk_sys_freq(), 125_000_000);
        check("pressed", button.is_low(), true);
        button.wait_for_high().await;
        Timer::after_millis(1).await;
    }
    done()
}
