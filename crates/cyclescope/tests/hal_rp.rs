//! The drivers of an async HAL on the RP2040 (firmware/suites/hal-rp), with the devices that they need. The programs start by the
//! boot ROM and the second stage, check what they read themselves, and print it.

use crate::hal::{run, spans, spans_with};
use crate::hal_rp_pio::Edges;

const CHIP: &str = "rp2040";

#[test]
fn pins_are_driven_and_edges_awaited() {
    run(CHIP, "gpio", &[]);
    let presses = [
        "--stimulus",
        "every 20ms from 230ms 3 times pin GPIO15 low",
        "--stimulus",
        "every 20ms from 235ms 3 times pin GPIO15 high",
    ];
    assert_eq!(
        run(CHIP, "button", &presses).matches("microseconds held: 5").count(),
        2,
        "the first finds a cold cache"
    );
}

#[test]
fn the_timer_the_calendar_and_the_watchdog_answer() {
    run(CHIP, "timer", &[]);
    run(CHIP, "rtc", &[]);
    assert!(run(CHIP, "watchdog", &[]).contains("kept: 24301"));
}

#[test]
fn the_boot_rom_the_clocks_and_the_button_at_the_flash_answer() {
    run(CHIP, "rom", &[]);
    run(CHIP, "bootsel", &[]);
    run(CHIP, "clocks", &[]);
}

#[test]
fn the_ring_oscillator_gives_bits_that_are_the_same_in_each_run() {
    let printed = run(CHIP, "random", &[]);
    assert_eq!(printed, run(CHIP, "random", &[]));
}

#[test]
fn no_oscillator_runs_until_a_pin_wakes_the_part() {
    let presses = [300, 600].map(|at| {
        let press = |at: u64, level: &str| ["--stimulus".to_owned(), format!("at {at}ms pin GPIO15 {level}")];
        [press(at, "low"), press(at + 200, "high")].concat()
    });
    let presses: Vec<&str> = presses.iter().flatten().map(String::as_str).collect();
    run(CHIP, "dormant", &presses);
    let edges = Edges::at("ns", "dormant", &presses);
    let woken: Vec<u64> =
        edges.to(3, false).into_iter().zip([300, 600]).map(|(at, pressed)| at - pressed * 1_000_000).collect();
    // The crystal takes 6016 times 256 of its periods, then a loop locks; all is by the slow ring meanwhile.
    assert!(woken.len() == 2 && woken.iter().all(|took| (128_341_333..128_700_000).contains(took)), "{woken:?}");
    assert!(edges.to(3, true)[0] < 250_000_000, "it sleeps all the time before");
}

#[test]
fn clocks_come_out_and_one_comes_in() {
    let clock = ["--attach", "clock:frequency=1MHz@out=GPIO20"];
    run(CHIP, "clock_pins", &clock);
    let periods = [21, 23, 24, 25].map(|pin| format!("p{pin}=pin:GPIO{pin}:rise..pin:GPIO{pin}:rise"));
    let made = spans_with(CHIP, "clock_pins", &periods.each_ref().map(String::as_str), &clock);
    let bounds: Vec<_> = made.iter().map(|(_, least, most)| (*least, *most)).collect();
    // 1 MHz, 2.5 MHz, 48 kHz, 16 MHz.
    assert_eq!(bounds, [(125, 125), (50, 50), (2_604, 2_605), (7, 8)]);
    assert!(made[0].0 > 2_000 && made[3].0 > 30_000, "{made:?}");
}

#[test]
fn memory_is_copied_by_dma_and_guarded_by_a_spinlock() {
    run(CHIP, "dma", &[]);
    run(CHIP, "spinlock", &[]);
}

#[test]
fn a_target_answers_a_controller_on_i2c() {
    let host = [
        "--attach",
        "i2c-controller:name=host@sda=GPIO14,scl=GPIO15",
        "--stimulus",
        "at 230ms host write \"0x55 01 02 03\"",
        "--stimulus",
        "at 235ms host read \"0x55 3\"",
        "--stimulus",
        "at 240ms host ask \"0x55 3 10\"",
    ];
    run(CHIP, "i2c_slave", &host);
}

#[test]
fn the_programs_for_pio_that_come_with_the_hal_run() {
    let wires =
        ["--attach", "loopback:name=serial@a=GPIO10,b=GPIO11", "--attach", "loopback:name=spi@a=GPIO19,b=GPIO16"];
    run(CHIP, "pio_programs", &wires);
    let pins = ["high=pin:GPIO6:rise..pin:GPIO6:fall", "period=pin:GPIO7:rise..pin:GPIO7:rise"];
    let widths = spans_with(CHIP, "pio_programs", &pins, &wires);
    // A quarter of 100 µs, in steps of the program's loop, and 1 MHz.
    assert_eq!((widths[0].1, (widths[1].1, widths[1].2)), (3_077, (125, 125)));
}

#[test]
fn serial_ports_send_and_receive_in_each_way() {
    run(CHIP, "uart_async", &["--attach", "loopback@a=GPIO4,b=GPIO5"]);
    run(CHIP, "uart_buffered", &["--attach", "loopback@a=GPIO0,b=GPIO1"]);
    let printed = run(CHIP, "uart_blocking", &["--stimulus", "at 230ms uart 0 \"ping\""]);
    assert!(printed.contains("hello\r\n"), "{printed}");
}

#[test]
fn memories_are_written_and_read_over_i2c_spi_and_by_the_boot_rom() {
    run(CHIP, "i2c", &["--attach", "eeprom:24c32@sda=GPIO14,scl=GPIO15"]);
    run(CHIP, "spi", &["--attach", "flash:w25q32@sck=GPIO18,miso=GPIO16,mosi=GPIO19,cs=GPIO17"]);
    run(CHIP, "flash", &[]);
}

#[test]
fn voltages_are_converted_by_polling_interrupts_and_dma() {
    run(CHIP, "adc", &["--stimulus", "at 0ms pin GPIO26 1.65V", "--stimulus", "at 0ms pin GPIO27 0.825V"]);
}

#[test]
fn pulses_have_their_widths() {
    run(CHIP, "pwm", &[]);
    let widths = spans(CHIP, "pwm", &["a=pin:GPIO6:rise..pin:GPIO6:fall", "b=pin:GPIO7:rise..pin:GPIO7:fall"]);
    let bounds: Vec<_> = widths.iter().map(|(_, least, most)| (*least, *most)).collect();
    // Of the second, the longest is the one with the change: down from the old value, which holds up to the wrap, and up to the new.
    assert_eq!(bounds, [(250, 1_000), (750, 750 + 500)]);
    run(CHIP, "pio", &[]);
    let square = spans(CHIP, "pio", &["high=pin:GPIO8:rise..pin:GPIO8:fall", "period=pin:GPIO8:rise..pin:GPIO8:rise"]);
    let bounds: Vec<_> = square.iter().map(|(_, least, most)| (*least, *most)).collect();
    assert_eq!(bounds, [(10, 10), (20, 20)]);
}

#[test]
fn two_executors_on_two_cores_share_channels_and_a_lock() {
    let printed = run(CHIP, "multicore", &[]);
    assert_eq!(printed.matches("second core: 1").count(), 5, "{printed}");
    let lit = spans(CHIP, "multicore", &["lit=pin:GPIO25:rise..pin:GPIO25:fall"]);
    assert!(lit.iter().all(|(_, least, _)| *least > 125_000), "a millisecond at least: {lit:?}");
}
