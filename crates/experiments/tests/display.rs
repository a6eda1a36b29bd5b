//! The times of the display experiment, beside what follows from the bytes and the registers by hand.

use std::collections::BTreeMap;

use cyclescope_chips::MemorySetting;
use cyclescope_experiments::{Job, Selection, Watch, all};
use cyclescope_records::Record;
use cyclescope_records::stats::Number;

/// Clocks on I2C of `transfers` with `bytes` in all, addresses and control bytes counted: nine a byte, and SCL's rise before
/// each stop.
const fn i2c(transfers: u64, bytes: u64) -> u64 {
    9 * bytes + transfers
}

/// The picture's bytes, and those of the window's two commands.
const PICTURE: u64 = 1024;
const WINDOW: u64 = 6;

/// Of our own: the window and the picture, each after an address and a control byte.
const OWN: u64 = i2c(2, (2 + WINDOW) + (2 + PICTURE));

/// Of `ssd1306` and `display-interface-i2c`: a transfer for each of the window's commands, and for each 16 bytes.
const CRATES: u64 = i2c(2 + PICTURE / 16, (2 * 2 + WINDOW) + PICTURE / 16 * (2 + 16));

/// On SPI, eight a byte.
const SPI: u64 = 8 * (WINDOW + PICTURE);

/// A build: the chip, the mode, the way; clocks of a frame, and cycles of the core from one to the next.
struct Build {
    chip: &'static str,
    mode: &'static str,
    way: &'static str,
    clocks: u64,
    period: u64,
}

const fn build(chip: &'static str, mode: &'static str, way: &'static str, clocks: u64, period: u64) -> Build {
    Build { chip, mode, way, clocks, period }
}

/// RM0490, "I2C timings": SCLL + 1 and SCLH + 1 periods of 48 MHz, and in tSYNC1 and tSYNC2 each the analog filter's 50 ns (3
/// periods) and 2 more. `embassy-stm32` writes 0xEF, 0xEF for 100 kHz and 0x4F, 0x27 for 400 kHz.
const C031_100: u64 = 240 + 240 + 2 * 5;
const C031_400: u64 = 80 + 40 + 2 * 5;

/// RM0390, "I2C_CCR": CCR twice (standard mode) or three times (fast mode, DUTY 0) a period of PCLK1, 4 cycles of the core at 180
/// MHz. 45 MHz over 200 kHz are 225, over 1.2 MHz 37.5, of which `embassy-stm32` takes 37.
const F446_100: u64 = 225 * 2 * 4;
const F446_400: u64 = 37 * 3 * 4;

#[rustfmt::skip]
const BUILDS: [Build; 16] = [
    build("stm32c031c6", "i2c-100", "c-registers", OWN, C031_100),
    build("stm32c031c6", "i2c-400", "c-registers", OWN, C031_400),
    build("stm32c031c6", "i2c-100", "crates-embassy", CRATES, C031_100),
    build("stm32c031c6", "i2c-400", "crates-embassy", CRATES, C031_400),
    build("stm32c031c6", "i2c-400", "crates-embassy-dma", CRATES, C031_400),
    // 48 MHz over 8.
    build("stm32c031c6", "spi", "c-registers", SPI, 8),
    build("stm32c031c6", "spi", "crates-embassy-dma", SPI, 8),
    build("stm32f446ze", "i2c-400", "rust-registers", OWN, F446_400),
    build("stm32f446ze", "i2c-400", "crates-pac", CRATES, F446_400),
    build("stm32f446ze", "i2c-100", "crates-embassy", CRATES, F446_100),
    build("stm32f446ze", "i2c-400", "crates-embassy", CRATES, F446_400),
    // APB2 at 90 MHz, over 16.
    build("stm32f446ze", "spi", "crates-pac", SPI, 2 * 16),
    build("stm32f446ze", "spi", "crates-embassy", SPI, 2 * 16),
    // ATmega328P data sheet, "Bit rate generator unit": 16 + 2 TWBR; F_CPU over 2 on SPI.
    build("atmega328p", "i2c-100", "c-registers", OWN, 160),
    build("atmega328p", "i2c-400", "c-registers", OWN, 40),
    build("atmega328p", "spi", "c-registers", SPI, 2),
];

fn run(build: &Build) -> Vec<Record> {
    let display = all().into_iter().find(|one| one.name() == "display").expect("it is an experiment");
    let one = |name: &str| vec![name.to_owned()];
    let selection = Selection {
        chips: one(build.chip),
        contenders: one(build.way),
        modes: one(build.mode),
        opts: one("3"),
        memory: vec![MemorySetting::Equal],
        ..Selection::default()
    };
    let jobs: Vec<Job> = display.jobs(&selection);
    let [job] = &jobs[..] else { panic!("{} jobs", jobs.len()) };
    display.run(job, Watch::NOBODY).unwrap_or_else(|error| panic!("{error}"))
}

/// A frame takes what its bytes take on the wire, and its parts are the whole.
fn check(chip: &str) {
    let mut hal: BTreeMap<&str, f64> = BTreeMap::new();
    for build in BUILDS.iter().filter(|build| build.chip == chip) {
        let records = run(build);
        let name = format!("{} {} {}", build.chip, build.mode, build.way);
        let mean = |metric: &str| -> Number {
            let record = records.iter().find(|record| record.metric == metric);
            record.unwrap_or_else(|| panic!("{name}: no {metric}")).mean
        };
        let cycles = |metric: &str| mean(metric).as_f64();
        assert_eq!(mean("wire.clocks").as_integer(), Some(build.clocks as i64), "{name}");
        assert_eq!(mean("wire.period").as_integer(), Some(build.period as i64), "{name}");
        let wire = (build.clocks * build.period) as f64;
        assert_eq!(cycles("wire"), wire, "{name}");
        assert!(cycles("frame") > wire, "{name}: a frame of {} cycles", cycles("frame"));
        let parts: f64 =
            records.iter().filter(|one| one.metric.starts_with("part.")).map(|one| one.mean.as_f64()).sum();
        assert!((parts - cycles("frame")).abs() < 0.01, "{name}: {parts} of {} cycles", cycles("frame"));
        assert!((cycles("left") * cycles("frame") - cycles("part.asleep")).abs() < 0.01, "{name}");
        // Whoever waits for each byte waits about as long as the bytes take, and is asked for little besides.
        if build.way != "crates-embassy-dma" && build.mode != "spi" {
            let waits = cycles("part.waiting") / wire;
            assert!((0.95..1.05).contains(&waits), "{name}: {waits} of the wire's time is waited for");
            assert_eq!(cycles("part.asleep"), 0.0, "{name}");
            // Its code does not depend on the wire's rate, but loops that wait do. The compiler mixes few of their instructions
            // with others.
            let first = *hal.entry(build.way).or_insert(cycles("part.hal"));
            let more = (cycles("part.hal") - first).abs() / wire;
            assert!(more < 0.01, "{name}: {more} of the wire's time is the HAL's at one rate and not at the other");
        }
    }
}

#[test]
fn frames_of_the_c031_take_what_their_bytes_take() {
    check("stm32c031c6");
}

#[test]
fn frames_of_the_f446_take_what_their_bytes_take() {
    check("stm32f446ze");
}

#[test]
fn frames_of_the_atmega328p_take_what_their_bytes_take() {
    check("atmega328p");
}
