//! Edges at PA6, captured by TIM3.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done, within};
use embassy_executor::Spawner;
use embassy_stm32::gpio::Pull;
use embassy_stm32::time::Hertz;
use embassy_stm32::timer::Channel;
use embassy_stm32::timer::input_capture::{CapturePin, InputCapture};
use embassy_stm32::{bind_interrupts, peripherals, timer};

bind_interrupts!(struct Irqs {
    TIM3 => timer::CaptureCompareInterruptHandler<peripherals::TIM3>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(board::config());
    let pin = CapturePin::new(p.PA6, Pull::Down);
    let mut capture =
        InputCapture::new(p.TIM3, Some(pin), None, None, None, Irqs, Hertz(1_000_000), Default::default());
    let first = capture.wait_for_rising_edge(Channel::Ch1).await as u16;
    let second = capture.wait_for_falling_edge(Channel::Ch1).await as u16;
    let third = capture.wait_for_rising_edge(Channel::Ch1).await as u16;
    within("high for", second.wrapping_sub(first), 1_999..=2_001);
    within("period", third.wrapping_sub(first), 4_999..=5_001);
    check("enabled", capture.is_enabled(Channel::Ch1), true);
    done()
}
