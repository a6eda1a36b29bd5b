//! The drivers of an async HAL on the nRF52840 (firmware/suites/hal-nrf), with the devices that they need. The programs check what
//! they read themselves, and print it.

use crate::hal::{run, spans};

const CHIP: &str = "nrf52840";

/// Three presses of the board's first button, of 5 ms each.
const PRESSES: [&str; 4] = [
    "--stimulus",
    "every 20ms from 10ms 3 times pin P0.11 low",
    "--stimulus",
    "every 20ms from 15ms 3 times pin P0.11 high",
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
fn events_of_software_are_counted_and_real_time_has_a_second_counter() {
    run(CHIP, "egu", &[]);
    run(CHIP, "rtc", &[]);
}

#[test]
fn a_pin_wakes_the_part_that_has_switched_itself_off() {
    let printed = run(CHIP, "power", &["--stimulus", "at 50ms pin P0.11 low"]);
    assert_eq!(printed, "off: true\nwoken by the pin: true\ndone\n");
}

#[test]
fn targets_answer_controllers_on_i2c_and_spi() {
    let spi = [
        "--attach",
        "spi-controller:name=host,clock=500kHz@sck=P0.29,miso=P0.30,mosi=P0.31,cs=P0.28",
        "--stimulus",
        "at 5ms host send \"9f 05 06 07\"",
        "--stimulus",
        "at 10ms host send \"10 11 12\"",
        "--stimulus",
        "at 15ms host send \"20 21 22\"",
    ];
    run(CHIP, "spis", &spi);
    let i2c = [
        "--attach",
        "i2c-controller:name=host@sda=P0.26,scl=P0.27",
        "--stimulus",
        "at 5ms host write \"0x55 01 02 03\"",
        "--stimulus",
        "at 10ms host read \"0x66 3\"",
        "--stimulus",
        "at 15ms host ask \"0x55 2 10\"",
    ];
    run(CHIP, "twis", &i2c);
}

#[test]
fn timers_numbers_the_temperature_flash_and_the_watchdog_answer() {
    for program in ["timer", "rng", "temp", "nvmc"] {
        run(CHIP, program, &[]);
    }
    assert_eq!(run(CHIP, "wdt", &[]).matches("the other waits: false").count(), 5);
}

#[test]
fn serial_ports_send_and_receive_in_each_way() {
    let joined = ["--attach", "loopback@a=P0.06,b=P0.08"];
    // The console shows what is sent.
    for program in ["uarte_async", "uarte_buffered", "uarte_idle"] {
        run(CHIP, program, &joined);
    }
    let printed = run(CHIP, "uarte_blocking", &["--stimulus", "at 20ms uart 0 \"ping\""]);
    assert!(printed.contains("hello from flash\r\n") && printed.contains("and from RAM\r\n"), "{printed}");
}

#[test]
fn memories_are_written_and_read_over_i2c_and_spi() {
    for program in ["twim_blocking", "twim_async"] {
        run(CHIP, program, &["--attach", "eeprom:24c32@sda=P0.26,scl=P0.27"]);
    }
    run(CHIP, "spim", &["--attach", "flash:w25q32@sck=P0.29,miso=P0.30,mosi=P0.31,cs=P0.28"]);
}

#[test]
fn voltages_are_converted_once_and_by_a_timer() {
    run(CHIP, "saadc", &["--stimulus", "at 0ms pin P0.02 1.2V", "--stimulus", "at 0ms pin P0.03 0.6V"]);
}

#[test]
fn pulses_have_their_widths() {
    run(CHIP, "pwm", &[]);
    // 1 MHz, a period of 1,000; then one of 100, of which a sequence of 20, 40, 60 and 80 goes three times and leaves the last.
    let pin = |name: u8| format!("p{name}=pin:P0.{name}:rise..pin:P0.{name}:fall");
    let widths = spans(CHIP, "pwm", &[&pin(13), &pin(14), &pin(15), "period=pin:P0.13:rise..pin:P0.13:rise"]);
    let bounds: Vec<_> = widths.iter().map(|(_, least, most)| (least / 64, most / 64)).collect();
    assert_eq!(bounds, [(250, 250), (750, 750), (20, 80), (1_000, 1_000)]);
}

#[test]
fn an_encoder_counts_its_steps() {
    let phase = |pin: u8, high: u8, low: u8| {
        [
            format!("at 0ms pin P0.{pin} low"),
            format!("every 8ms from {high}ms 3 times pin P0.{pin} high"),
            format!("every 8ms from {low}ms 3 times pin P0.{pin} low"),
        ]
    };
    let turn = [phase(30, 21, 25), phase(31, 23, 27)].concat();
    let turn: Vec<&str> = turn.iter().flat_map(|stimulus| ["--stimulus", stimulus.as_str()]).collect();
    run(CHIP, "qdec", &turn);
}
