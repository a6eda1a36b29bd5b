//! The button program's hardware and text, for contenders whose runtime brings no HAL (`firmware/README.md`): [`start`] sets all up,
//! [`button`], [`led`] and [`sender`] are what handlers and tasks do with it, [`probe`] marks T1 to T4, [`interrupts`] names what to
//! bind. `board/` is a board's own, `edge/`, `uart/`, `dma/` the blocks by version, `nrf52840/` and `rp2040/` those parts'.
#![no_std]
mod chosen;
#[cfg_attr(any(feature = "stm32c031c6", feature = "stm32g071rb"), path = "board/stm32c0_g0.rs")]
#[cfg_attr(feature = "stm32f446ze", path = "board/stm32f446ze.rs")]
#[cfg_attr(feature = "stm32l476rg", path = "board/stm32l476rg.rs")]
#[cfg_attr(feature = "stm32f411ce", path = "board/stm32f411ce.rs")]
#[cfg_attr(feature = "nrf52840", path = "nrf52840/board.rs")]
#[cfg_attr(feature = "rp2040", path = "rp2040/board.rs")]
mod board;
#[cfg(feature = "dma")]
#[cfg_attr(any(feature = "stm32f446ze", feature = "stm32f411ce"), path = "dma/stream.rs")]
#[cfg_attr(any(feature = "stm32c031c6", feature = "stm32g071rb", feature = "stm32l476rg"), path = "dma/channel.rs")]
#[cfg_attr(feature = "nrf52840", path = "nrf52840/dma.rs")]
#[cfg_attr(feature = "rp2040", path = "rp2040/dma.rs")]
mod dma;
#[cfg_attr(any(feature = "stm32c031c6", feature = "stm32g071rb"), path = "edge/apart.rs")]
#[cfg_attr(any(feature = "stm32f446ze", feature = "stm32f411ce", feature = "stm32l476rg"), path = "edge/together.rs")]
#[cfg_attr(feature = "nrf52840", path = "nrf52840/edge.rs")]
#[cfg_attr(feature = "rp2040", path = "rp2040/edge.rs")]
mod edge;
mod message;
#[cfg_attr(feature = "nrf52840", path = "nrf52840/pin.rs")]
#[cfg_attr(feature = "rp2040", path = "rp2040/pin.rs")]
mod pin;
pub mod probe;
#[cfg_attr(feature = "interrupt", path = "sender/interrupt.rs")]
#[cfg_attr(feature = "dma", path = "sender/dma.rs")]
#[cfg_attr(feature = "blocking", path = "sender/blocking.rs")]
pub mod sender;
#[cfg_attr(any(feature = "stm32f446ze", feature = "stm32f411ce"), path = "uart/sr_dr.rs")]
#[cfg_attr(any(feature = "stm32c031c6", feature = "stm32g071rb", feature = "stm32l476rg"), path = "uart/isr_tdr.rs")]
#[cfg_attr(feature = "nrf52840", path = "nrf52840/uart.rs")]
#[cfg_attr(feature = "rp2040", path = "rp2040/uart.rs")]
mod uart;

pub use cyclescope_boards::CORE_HZ;
pub use crate::message::{MESSAGES, Message, message};

/// Raises the clock, sets up pins, external interrupt and UART; call it once, and unmask their interrupts.
pub fn start() {
    cyclescope_boards::raise_clock();
    board::enable_clocks();

    board::LED.start();
    #[cfg(feature = "probes")]
    for pin in [&board::PIN_A, &board::PIN_B] {
        pin.start();
    }

    board::BUTTON.start();
    edge::start();
    board::TX.start();
    uart::set_rate();
    #[cfg(feature = "dma")]
    {
        uart::ask_dma();
        board::route_dma();
    }
    uart::enable();
}

/// The button and its external interrupt.
pub mod button {
    use crate::board::BUTTON;
    pub use crate::edge::acknowledge;

    /// The button's level: high while it is up.
    pub fn is_up() -> bool {
        BUTTON.is_high()
    }
}

/// The LED.
pub mod led {
    use crate::board::LED;

    /// Switches it on.
    pub fn on() {
        LED.rise();
    }

    /// Switches it off.
    pub fn off() {
        LED.fall();
    }
}
