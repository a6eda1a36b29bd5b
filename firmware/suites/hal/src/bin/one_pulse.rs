//! Pulses of TIM3 that edges at PA6 set off, awaited.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, done, within};
use embassy_executor::Spawner;
use embassy_stm32::gpio::Pull;
use embassy_stm32::time::Hertz;
use embassy_stm32::timer::one_pulse::{OnePulse, TriggerPin};
use embassy_stm32::{bind_interrupts, peripherals, timer};
use embassy_time::Instant;

bind_interrupts!(struct Irqs {
    TIM3 => timer::CaptureCompareInterruptHandler<peripherals::TIM3>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let pin = TriggerPin::new(p.PA6, Pull::Down);
    let mut pulse = OnePulse::new_ch1(
        p.TIM3,
        pin,
        Irqs,
        Hertz(1_000_000),
        3_000,
        Default::default(),
        timer::low_level::InputCaptureMode::Rising,
    );
    let mut channel = pulse.ch2();
    channel.set_pulse_delay(2_000);
    // The HAL leaves the flag set, so that a second wait would end at once, here as on a board.
    channel.wait_for_pulse_start().await;
    within("started after us", Instant::now().as_micros(), 9_000..=12_100);
    done()
}
