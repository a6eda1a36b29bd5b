//! Programs without a HAL on the nRF52840 and the RP2040: one in C (firmware/suites/boot) by the start-up code of the experiments'
//! boards, and one on RTIC (firmware/suites/rtic). They check what they see themselves, and print it.

use crate::hal::{run, spans};

const NRF: &str = "nrf52840";
const RP: &str = "rp2040";

/// Counts and lengths in cycles of the time between the edges of a pin, all of which must be as long.
fn between_edges(chip: &str, program: &str, pin: &str) -> (u64, u64) {
    let between = spans(chip, program, &[&format!("edges=pin:{pin}:edge..pin:{pin}:edge")]);
    let [(count, least, most)] = between[..] else { panic!("{program} on {chip}: {between:?}") };
    assert_eq!(least, most, "{program} on {chip}, {pin}");
    (count, least)
}

#[test]
fn a_program_in_c_starts_an_nrf52840_and_has_pins_interrupts_wires_and_dma() {
    let printed = run(NRF, "boot", &[]);
    assert!(printed.contains("hello by EasyDMA\r\n"), "{printed}");
    // 500 µs by an interrupt that wakes the core, and 125 µs by the peripherals alone, at 64 MHz.
    assert_eq!(between_edges(NRF, "boot", "P0.13"), (9, 500 * 64));
    assert_eq!(between_edges(NRF, "boot", "P0.14"), (6, 125 * 64));
    // SysTick stands while the core sleeps: the core is awake, and ends an instruction first.
    let ticks = spans(NRF, "boot", &["ticks=pin:P0.15:edge..pin:P0.15:edge"]);
    let [(3, least, most)] = ticks[..] else { panic!("{ticks:?}") };
    assert!(least >= 64_000 - 8 && most <= 64_000 + 8, "{ticks:?}");
    // A bit is 139 cycles of 16 MHz: the 115,108 baud that the data sheet has for 115,200.
    let bits = spans(NRF, "boot", &["bits=pin:P0.06:edge..pin:P0.06:edge"]);
    assert_eq!(bits[0].1, 139 * 64 / 16);
}

#[test]
fn a_program_in_c_starts_an_rp2040_and_has_pins_interrupts_dma_and_both_cores() {
    let printed = run(RP, "boot", &[]);
    assert!(printed.contains("hello from flash\r\n"), "{printed}");
    assert!(printed.contains("clk_sys in kHz: 125000\n"), "{printed}");
    // 500 µs by the timer and 1 ms by SysTick at 125 MHz: each interrupt wakes the core.
    assert_eq!(between_edges(RP, "boot", "GPIO6"), (9, 500 * 125));
    assert_eq!(between_edges(RP, "boot", "GPIO8"), (3, 1_000 * 125));
    // A bit has 16 clocks of the divisor, which is 67 and 52 of 64.
    let bits = spans(RP, "boot", &["bits=pin:GPIO0:edge..pin:GPIO0:edge"]);
    assert_eq!(bits[0].1, 16 * (67 * 64 + 52) / 64);
}

#[test]
fn tasks_on_rtic_run_in_the_order_of_their_priorities_and_wait_as_long_as_they_say() {
    // Pulses of 500 µs, of which the first two do not reach the pin.
    for (chip, pin, megahertz) in [(NRF, "P0.13", 64), (RP, "GPIO6", 125)] {
        let printed = run(chip, "rtic", &[]);
        assert!(printed.contains("order: \"abRUcUdReEf\"\n"), "{chip}: {printed}");
        assert_eq!(printed.matches("between two pulses: 500\n").count(), 7, "{chip}: {printed}");
        assert_eq!(between_edges(chip, "rtic", pin), (7, 500 * megahertz), "{chip}");
    }
}
