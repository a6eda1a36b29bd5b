//! What the programs share: the end of a program, and the drivers on each board's pins.
#![no_std]

#[cfg_attr(feature = "stm32c031c6", path = "c031.rs")]
#[cfg_attr(feature = "stm32f103c8", path = "f103.rs")]
#[cfg_attr(feature = "stm32f411ce", path = "f411.rs")]
#[cfg_attr(feature = "stm32f446ze", path = "f446.rs")]
#[cfg_attr(feature = "stm32g071rb", path = "g071.rs")]
#[cfg_attr(feature = "stm32g431kb", path = "g431.rs")]
#[cfg_attr(feature = "stm32l476rg", path = "l476.rs")]
pub mod board;
pub mod drivers;

use core::fmt::Debug;

use cortex_m_semihosting::debug::{EXIT_SUCCESS, exit};
use cortex_m_semihosting::hprintln;
use embassy_stm32::interrupt::typelevel::{Binding, USART1};
use embassy_stm32::{peripherals, usart};
use panic_semihosting as _;

// The vector of USART1 is the program's, because a driver with buffers has a handler of its own.
unsafe impl Binding<USART1, usart::InterruptHandler<peripherals::USART1>> for board::Irqs {}
unsafe impl Binding<USART1, usart::BufferedInterruptHandler<peripherals::USART1>> for board::Irqs {}

/// Says that `name` is `value`, which must be `expected`.
pub fn check<T: Debug + PartialEq>(name: &str, value: T, expected: T) {
    hprintln!("{}: {:?}", name, value);
    assert_eq!(value, expected);
}

/// Says that `name` is `value`, which must lie within `range`.
pub fn within<T: Debug + PartialOrd>(name: &str, value: T, range: core::ops::RangeInclusive<T>) {
    hprintln!("{}: {:?}", name, value);
    assert!(range.contains(&value));
}

/// Ends the program with success.
pub fn done() -> ! {
    hprintln!("done");
    exit(EXIT_SUCCESS);
    loop {
        cortex_m::asm::nop();
    }
}
