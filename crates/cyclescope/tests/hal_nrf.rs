//! The drivers of an async HAL on the nRF52840 (firmware/suites/hal-nrf), with the devices that they need. The programs check what
//! they read themselves, and print it.

use crate::hal::{run, spans};

const CHIP: &str = "nrf52840";

/// Three presses of the board's first button, of 5 ms each, once the crystal for the clock of `embassy-time` has started.
const PRESSES: [&str; 4] = [
    "--stimulus",
    "every 20ms from 300ms 3 times pin P0.11 low",
    "--stimulus",
    "every 20ms from 305ms 3 times pin P0.11 high",
];

#[test]
fn pins_are_driven_and_edges_awaited() {
    run(CHIP, "gpio", &["--attach", "loopback@a=P0.13,b=P0.14"]);
    assert_eq!(run(CHIP, "button", &PRESSES).matches("held for 5 ms: true").count(), 3);
    assert_eq!(run(CHIP, "channel", &PRESSES).matches("the button is up: false").count(), 3);
}

#[test]
fn a_timer_toggles_a_pin_and_counts_without_the_processor() {
    run(CHIP, "ppi", &[]);
    // 500 µs at 64 MHz, each; ten edges in the first 5 ms, one later before the channel is off.
    let between = spans(CHIP, "ppi", &["half=pin:P0.13:rise..pin:P0.13:fall"]);
    assert_eq!((between[0].1, between[0].2), (32_000, 32_000));
    assert_eq!(between[0].0, 5);
}

#[test]
fn timers_numbers_the_temperature_flash_and_the_watchdog_answer() {
    for program in ["timer", "rng", "temp", "nvmc"] {
        run(CHIP, program, &[]);
    }
    assert_eq!(run(CHIP, "wdt", &[]).matches("the other waits: false").count(), 5);
}
