//! The button program on Embassy: three tasks on its thread-mode executor, a channel and an atomic boolean between them.

#![no_std]
#![no_main]

#[cfg_attr(any(feature = "board-stm32c031c6", feature = "board-stm32g071rb"), path = "board/stm32c0_g0.rs")]
#[cfg_attr(feature = "board-stm32f446ze", path = "board/stm32f446ze.rs")]
#[cfg_attr(feature = "board-stm32l476rg", path = "board/stm32l476rg.rs")]
#[cfg_attr(feature = "board-stm32f411ce", path = "board/stm32f411ce.rs")]
#[cfg_attr(feature = "board-nrf52840", path = "board/nrf52840.rs")]
#[cfg_attr(feature = "board-rp2040", path = "board/rp2040.rs")]
mod board;
#[cfg(not(feature = "board-rp2040"))]
#[cfg_attr(feature = "board-stm32c031c6", path = "../clock/stm32c031c6.rs")]
#[cfg_attr(feature = "board-stm32f446ze", path = "../clock/stm32f446ze.rs")]
#[cfg_attr(feature = "board-stm32g071rb", path = "../clock/stm32g071rb.rs")]
#[cfg_attr(feature = "board-stm32l476rg", path = "../clock/stm32l476rg.rs")]
#[cfg_attr(feature = "board-stm32f411ce", path = "../clock/stm32f411ce.rs")]
#[cfg_attr(feature = "board-nrf52840", path = "../clock/nrf52840.rs")]
mod clock;
mod probe;
mod quiet;
#[cfg_attr(feature = "board-nrf52840", path = "serial/nrf52840.rs")]
#[cfg_attr(feature = "board-rp2040", path = "serial/rp2040.rs")]
mod serial;

use core::fmt::Write;
use core::sync::atomic::{AtomicBool, Ordering};

use embassy_executor::Spawner;
use embassy_sync::blocking_mutex::raw::ThreadModeRawMutex;
use embassy_sync::channel::Channel;
use embassy_time::Timer;
use heapless::String;

use crate::board::{Board, Button, Led};
use crate::serial::Serial;

const MODES_CHOSEN: usize = cfg!(feature = "mode-interrupt") as usize
    + cfg!(feature = "mode-dma") as usize
    + cfg!(feature = "mode-blocking") as usize
    + cfg!(feature = "mode-bare") as usize;
const _: () = assert!(MODES_CHOSEN == 1, "choose exactly one mode, such as --features mode-interrupt");

#[cfg(any(not(any(feature = "stm32", feature = "board-nrf52840", feature = "board-rp2040")), feature = "board-stm32f103c8", feature = "board-stm32g431kb"))]
compile_error!("the button program knows the boards that `board/` has");

/// A line for the serial port; holds counts of nine digits.
type Message = String<24>;

/// Whether the button is down, as the button task last saw it.
static DOWN: AtomicBool = AtomicBool::new(false);
/// What the serial task is to send.
static MESSAGES: Channel<ThreadModeRawMutex, Message, 8> = Channel::new();

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let Board { led, button, serial } = Board::start();
    // The executor polls first what was spawned last, so that the LED comes on before anything waits.
    spawner.spawn(send(serial).expect("the task is spawned once, here"));
    spawner.spawn(report(button).expect("the task is spawned once, here"));
    spawner.spawn(blink(led).expect("the task is spawned once, here"));
}

/// The LED task: on for 100 ms, unless the button is down, then off for 100 ms.
#[embassy_executor::task]
async fn blink(mut led: Led) {
    loop {
        if !DOWN.load(Ordering::Relaxed) {
            led.set_high();
        }
        Timer::after_millis(100).await;
        led.set_low();
        Timer::after_millis(100).await;
    }
}

/// The button task: a message for each edge.
#[embassy_executor::task]
async fn report(mut button: Button) {
    let mut changes = 0_u32;
    loop {
        button.wait_for_any_edge().await;
        probe::runs();

        let down = button.is_low();
        DOWN.store(down, Ordering::Relaxed);
        changes += 1;
        let mut message = Message::new();
        writeln!(message, "Button is {} ({changes})", u8::from(!down)).expect("a message has room for nine digits");
        MESSAGES.send(message).await;
        // Waiting begins with arming the edge.
        probe::waits();
    }
}

/// The serial task: messages in the order they came.
#[embassy_executor::task]
async fn send(mut serial: Serial) {
    loop {
        let message = MESSAGES.receive().await;
        serial::send(&mut serial, message.as_bytes()).await;
    }
}
