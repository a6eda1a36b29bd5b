//! Checks, and the end of a program.

use core::fmt::Debug;

use cortex_m_semihosting::debug::{EXIT_SUCCESS, exit};
use cortex_m_semihosting::hprintln;

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
