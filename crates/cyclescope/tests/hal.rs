//! The drivers of an async HAL (firmware/suites/hal): a program for each, on three chips, and the first of them on four more, with
//! the devices that they need. The programs check what they read themselves, and print it.

use std::path::Path;

use cyclescope::records::{RecordFile, Unit};

use crate::common::{cyclescope, folder, suite, text};

const F103: &str = "stm32f103c8";
const F446: &str = "stm32f446ze";
const C031: &str = "stm32c031c6";
const G431: &str = "stm32g431kb";
const ALL: [&str; 3] = [F103, F446, C031];
/// Those with the drivers that people try first.
const EVERYDAY: [&str; 7] = [F103, F446, C031, "stm32f411ce", "stm32g071rb", G431, "stm32l476rg"];

/// Model gaps that the HAL meets: the chip, and the gap's text.
const GAPS: [(&str, &str); 16] = [
    // It raises the clock before the wait states.
    (C031, "HCLK 48 MHz is too fast for FLASH_ACR.LATENCY=0"),
    // It writes R1MODE at bit 0 of PWR_CR5, where its register description has it; RM0440 says bit 8.
    (G431, "HCLK 170 MHz is too fast for FLASH_ACR.LATENCY=4 in range 1"),
    (G431, "PWR_CR3.UCPD1_DBDIS"),
    ("stm32g071rb", "SYSCFG_CFGR1.UCPD1_STROBE"),
    ("stm32l476rg", "PWR_CR2.IOSV"),
    // Its ADC_CCR is at a wrong address, so that the ADC's prescaler stays off.
    (C031, "ADC1_COMMON+0x10"),
    (C031, "ADC1: its clock is faster than 35 MHz"),
    (F446, "FLASH_CR.PSIZE: erasing is timed as by words"),
    (F446, "DMA1_S2CR.MBURST"),
    // It has the clocks go on in Stop mode for a debugger, unless it is told not to.
    ("", "DBGMCU_CR keeps clocks running"),
    // It leaves the oscillators out of the watchdog's reset.
    ("rp2040", "PSM_WDSEL"),
    // It sets Y while the last zero of a byte is out, by an instruction that lets the line of 1-Wire go.
    ("rp2040", ": a slot is low for 59"),
    // It selects the triggers of a sawtooth with those of the channel.
    (G431, "DAC1_STMODR.STRSTTRIGSEL0"),
    // Its workaround of erratum 241 resets the converter by a register that no manual has.
    ("nrf52840", "no peripheral at 0x40007c00"),
    // Its buffers lie in the slave of RAM that the core has its stack in.
    ("nrf52840", "SPIM3: erratum 198"),
    ("", "FLASH_SR.BSY: reads of flash are not stalled"),
];

fn elf(chip: &str, program: &str) -> String {
    suite(&format!("hal/{chip}/{program}")).to_str().expect("a path of text").to_owned()
}

/// Runs `program` to its end, which is a good one, in `folder`, and returns what it prints.
fn run_in(folder: &Path, chip: &str, program: &str, with: &[&str]) -> String {
    let elf = elf(chip, program);
    let output = cyclescope(folder, &[&["exec", &elf, "--chip", chip, "--for", "4s"], with].concat());
    let (said, printed) = (text(&output.stderr), text(&output.stdout));
    assert_eq!(output.status.code(), Some(0), "{program} on {chip}: {printed}{said}");
    assert!(printed.lines().any(|line| line == "done"), "{program} on {chip}: {printed}{said}");
    for gap in said.lines().filter(|line| line.contains("model gap")) {
        let known = |(of, known): &(&str, &str)| chip.starts_with(of) && gap.contains(known);
        assert!(GAPS.iter().any(known), "{program} on {chip}: {gap}");
    }
    printed
}

/// Runs `program` to its end, which is a good one, and returns what it prints.
pub fn run(chip: &str, program: &str, with: &[&str]) -> String {
    run_in(folder().path(), chip, program, with)
}

/// Counts, least and greatest lengths in cycles of the spans that `program` makes at its pins.
pub fn spans(chip: &str, program: &str, spans: &[&str]) -> Vec<(u64, u64, u64)> {
    spans_with(chip, program, spans, &[])
}

/// The same with further arguments.
pub fn spans_with(chip: &str, program: &str, spans: &[&str], with: &[&str]) -> Vec<(u64, u64, u64)> {
    let elf = elf(chip, program);
    // The HAL gives the crystal of the RP2040 128 ms to start.
    let length = if chip == "rp2040" { "300ms" } else { "20ms" };
    let mut arguments =
        vec!["measure", &elf, "--chip", chip, "--for", length, "--guest-output", "none", "--format", "json"];
    arguments.extend(with);
    arguments.extend(spans.iter().flat_map(|span| ["--span", span]));
    let output = cyclescope(folder().path(), &arguments);
    let file = RecordFile::from_json(&text(&output.stdout));
    let records = file.unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr))).records;

    let length = |cycles: Option<i64>| u64::try_from(cycles.expect("whole cycles")).expect("it is positive");
    let spans = records.iter().filter(|record| record.mode == "span" && record.unit == Unit::Cycles);
    spans.map(|record| (record.n, length(record.min.as_integer()), length(record.max.as_integer()))).collect()
}

/// HCLK of the programs.
fn megahertz(chip: &str) -> u32 {
    match chip {
        F103 => 72,
        F446 => 180,
        C031 => 48,
        G431 => 170,
        "stm32g071rb" => 64,
        "stm32l476rg" => 80,
        _ => 100,
    }
}

#[test]
fn pins_are_read_and_driven_and_edges_awaited() {
    for chip in EVERYDAY {
        // Its small package has neither PB1 nor PB12.
        let small = chip == G431;
        if !small {
            run(chip, "gpio", &["--attach", "loopback@a=PB0,b=PB1"]);
        }
        let pin = if small { "PA8" } else { "PB12" };
        let press = [("10ms", "low"), ("15ms", "high")]
            .map(|(from, level)| format!("every 20ms from {from} 3 times pin {pin} {level}"));
        let press = ["--stimulus", &press[0], "--stimulus", &press[1]];
        assert_eq!(run(chip, "exti", &press).matches("held for 5 ms: true").count(), 3, "{chip}");
        run(chip, "uid", &[]);
        run(chip, "crc", &[]);
    }
}

#[test]
fn serial_ports_send_and_receive_in_each_way() {
    let loopback = ["--attach", "loopback@usart1"];
    for (chip, way) in EVERYDAY.iter().flat_map(|chip| ["blocking", "async", "buffered"].map(|way| (chip, way))) {
        run(chip, &format!("usart_{way}"), &loopback);
    }
    for chip in ALL {
        run(chip, "usart_ring", &loopback);
        let answer = ["--stimulus", "after uart1:sent=0x0a 2ms uart 1 \"nobody\""];
        let printed = run(chip, "usart_half_duplex", &answer);
        assert!(printed.contains("who?\n"), "{printed}");
    }
}

#[test]
fn a_serial_port_that_nobody_reads_holds_the_other_end_back() {
    let pins = ["--attach", "loopback@usart1", "--attach", "loopback:name=flow@a=PA12,b=PA11"];
    for chip in EVERYDAY {
        run(chip, "usart_flow", &pins);
        // RTS is high from the first character, or with a FIFO the eighth, until the program reads after 5 ms.
        let fifo = [C031, G431, "stm32g071rb"].contains(&chip);
        let held = spans_with(chip, "usart_flow", &["held=first pin:PA12:rise..pin:PA12:fall"], &pins);
        let longest = held[0].2 as f64 / f64::from(megahertz(chip)) / 1_000.0;
        // A character takes 10 bits of 115,200 baud, and an idle frame comes first.
        let expected = 5.0 - 10.0 / 115.2 * if fifo { 9.0 } else { 2.0 };
        assert!((longest - expected).abs() < 0.05, "{chip}: {longest} ms of {expected}");
    }
}

#[test]
fn i2c_is_a_controller_and_a_target() {
    let folder = folder();
    let script = "at 20ms write 0x42 01 02 03\nat 25ms read 0x42 4\nat 30ms ask 0x42 2 07\n";
    std::fs::write(folder.path().join("script.txt"), script).expect("the folder is ours");
    for (chip, way) in EVERYDAY.iter().flat_map(|chip| [(chip, "blocking"), (chip, "async")]) {
        run(chip, &format!("i2c_{way}"), &["--attach", "eeprom:24c32@i2c1"]);
        if !ALL.contains(chip) {
            continue;
        }
        let host = ["--attach", "i2c-controller:file=script.txt,save=log.txt@i2c1"];
        run_in(folder.path(), chip, &format!("i2c_target_{way}"), &host);
        let log = std::fs::read_to_string(folder.path().join("log.txt")).expect("it was saved");
        let seen: Vec<&str> = log.lines().filter_map(|line| Some(line.split_once("ms ")?.1)).collect();
        let expected = [
            "write 0x42 01 02 03: 84+ 01+ 02+ 03+",
            "read 0x42 4: 85+ 04+ 05+ 06+ 07-",
            "ask 0x42 2 07: 84+ 07+ 85+ 08+ 09-",
        ];
        assert_eq!(seen, expected, "{way} on {chip}");
    }
}

#[test]
fn spi_and_can_exchange_frames() {
    for (chip, way) in EVERYDAY.iter().flat_map(|chip| [(chip, "spi_blocking"), (chip, "spi_async")]) {
        run(chip, way, &["--attach", "flash:w25q32@spi1,cs=PA4"]);
    }
    for chip in [F103, F446] {
        run(chip, "can", &[]);
        let printed = run(chip, "can_node", &["--attach", "can:echo@can1"]);
        assert_eq!(printed.matches("same name: true").count(), 6, "{chip}");
    }
}

#[test]
fn voltages_are_converted_in_both_directions() {
    let half = ["--stimulus", "at 0 pin PA0 1.65V"];
    let two = ["--stimulus", "at 0 pin PA0 0.825V", "--stimulus", "at 0 pin PA1 2.475V"];
    for chip in ALL {
        assert!(run(chip, "adc_blocking", &half).starts_with("PA0: 2048\n"), "{chip}");
    }
    for chip in [F446, C031] {
        run(chip, "adc_ring", &two);
    }
    assert_eq!(run(C031, "adc_dma", &two), "PA0: 1024\nPA1: 3072\nPA0: 1024\nPA1: 3072\ndone\n");
    run(F446, "dac", &[]);
    for chip in [F446, G431] {
        run(chip, "adc_injected", &two);
    }
    for chip in [F446, G431, "stm32g071rb", "stm32l476rg"] {
        run(chip, "dac_dma", &[]);
    }
}

#[test]
fn stop_mode_lets_the_clock_stand_until_a_press_or_the_rtc() {
    for chip in EVERYDAY {
        let pin = if chip == G431 { "PA8" } else { "PB12" };
        let press = format!("at 10ms pin {pin} low");
        let press = ["--stimulus", &press];
        run(chip, "stop", &press);
        // The oscillator starts again within some microseconds, and the program then raises a pin.
        let awake = format!("awake=pin:{pin}:fall..pin:PB0:rise");
        let (count, took, _) = spans_with(chip, "stop", &[&awake], &press)[0];
        assert_eq!(count, 1, "{chip}");
        assert!(took < 1_000, "{chip}: {took}");
    }
    run("stm32l476rg", "low_power", &[]);
}

#[test]
fn timers_time_edges() {
    let pulses = ["--stimulus", "every 5ms from 1ms pin PA6 high", "--stimulus", "every 5ms from 3ms pin PA6 low"];
    let slow = ["--stimulus", "every 10ms from 10ms pin PA6 high", "--stimulus", "every 10ms from 15ms pin PA6 low"];
    // A quarter of a period between the edges of the inputs.
    let turns = [("PA6", "high", 5), ("PA7", "high", 6), ("PA6", "low", 7), ("PA7", "low", 8)];
    let turns = turns.map(|(pin, level, at)| format!("every 4ms from {at}ms 5 times pin {pin} {level}"));
    let turns: Vec<&str> =
        ["at 0 pin PA6 low", "at 0 pin PA7 low"].into_iter().chain(turns.iter().map(String::as_str)).collect();
    let turns: Vec<&str> = turns.into_iter().flat_map(|turn| ["--stimulus", turn]).collect();
    for chip in ALL {
        run(chip, "input_capture", &pulses);
        run(chip, "pwm_input", &pulses);
        run(chip, "one_pulse", &slow);
        let printed = run(chip, "qei", &turns);
        assert!(printed.contains("count: 20\n"), "{printed}");
    }
}

#[test]
fn timers_make_edges() {
    for (chip, megahertz) in [(F103, 72), (F446, 180), (C031, 48)] {
        // 10 kHz; the dead time of 48 cycles goes off the time high.
        let period = megahertz * 100;
        let edges = [
            "period=pin:PA8:rise..pin:PA8:rise",
            "high=pin:PA8:rise..pin:PA8:fall",
            "behind=first pin:PA8:fall..pin:PB13:rise",
            "before=first pin:PB13:fall..pin:PA8:rise",
        ];
        let expected = [(39, period, period), (39, period / 4 - 48, period / 2 - 48), (39, 48, 48), (40, 48, 48)];
        assert_eq!(spans(chip, "pwm", &edges), expected, "{chip}");
        // 20 kHz with a quarter and a half, then always high.
        let edges = ["period=pin:PA6:rise..pin:PA6:rise", "high=pin:PA6:rise..pin:PA6:fall"];
        let period = megahertz * 50;
        let expected = [(40, period, period), (40, period / 4, period / 2)];
        assert_eq!(spans(chip, "simple_pwm", &edges), expected, "{chip}");
        // Three times eight bits of 10 us each.
        let period = megahertz * 10;
        let made = spans(chip, "waveform", &edges);
        assert_eq!((made[0].0, made[0].1, made[1]), (23, period, (24, period / 3, period / 3 * 2)), "{chip}");
    }
}

#[test]
fn clocks_come_out_and_tell_the_time() {
    let edges = ["period=pin:PA8:rise..pin:PA8:rise"];
    // HSE of 8 MHz at 72 MHz, HSI of 16 MHz at 180 MHz, HSI of 48 MHz.
    for (chip, least, most) in [(F103, 9, 9), (F446, 11, 12), (C031, 1, 1)] {
        let made = spans(chip, "mco", &edges)[0];
        assert!(made.0 > 8_000 && (made.1, made.2) == (least, most), "{chip}: {made:?}");
    }
    for chip in [F446, C031] {
        let printed = run(chip, "rtc", &[]);
        assert!(printed.contains("date: (2024, 2, 29)\ntime: (0, 0, 1)\n"), "{printed}");
    }
    for chip in ALL {
        let output = cyclescope(folder().path(), &["exec", &elf(chip, "wdg"), "--chip", chip, "--resets", "1"]);
        let (said, printed) = (text(&output.stderr), text(&output.stdout));
        assert_eq!((output.status.code(), printed.matches("pet: 4\n").count()), (Some(86), 2), "{said}");
        assert!(said.contains("the guest was reset by IWDG"), "{said}");
    }
}

#[test]
fn flash_is_written_sound_goes_out_and_there_is_no_card() {
    for chip in ALL {
        run(chip, "flash", &[]);
    }
    for program in ["flash_async", "i2s"] {
        run(F446, program, &[]);
    }
    run(F446, "i2s_receive", &["--attach", "loopback@a=PB12,b=PB15"]);
    assert_eq!(run(F446, "sdmmc", &[]), "no card: true\ndone\n");
    // 96 MHz by 8 are 256 times the rate of frames, and a frame has 32 bits.
    let [_, (_, least, most)] =
        spans(F446, "i2s", &["frame=pin:PB12:rise..pin:PB12:rise", "bit=pin:PB13:rise..pin:PB13:rise"])[..]
    else {
        panic!("two spans");
    };
    assert_eq!((least, most), (8 * 256 / 32 * 180 / 96, 8 * 256 / 32 * 180 / 96));
}
