//! Arrivals that go on from a copy of the run before them.

use cyclescope_chips::MemorySetting;
use cyclescope_guest::measure::{measure, measure_arriving};
use cyclescope_guest::{Guest, MeasureOutcome, MeasureRequest, Scenario};
use cyclescope_image::Image;
use cyclescope_machine::Stop;
use cyclescope_machine::units::Cycles;
use cyclescope_scope::{Rule, RunEnd, SpanText};

/// Measures the bundled image `name` as [`check_elf`] does.
fn check(name: &str, pin: &str, spans: &[&str], window: &str, arrivals: &[u64]) -> Vec<MeasureOutcome> {
    let bundled = cyclescope_images::images().iter().find(|image| image.name == name).expect("it is bundled");
    check_elf(&bundled.elf().expect("it unpacks"), bundled.chip, (pin, spans), window, arrivals)
}

/// Measures `elf` at each of `arrivals`: alone from reset, and from copies, and compares all that is said of them.
fn check_elf(
    elf: &[u8],
    chip: &str,
    (pin, spans): (&str, &[&str]),
    window: &str,
    arrivals: &[u64],
) -> Vec<MeasureOutcome> {
    let image = Image::parse(elf).expect("an image");
    let guest = Guest::new(&image, "fw.elf", chip, MemorySetting::Shipped);
    let rules: Vec<Rule> = [format!("at 1ms..2ms pin {pin}"), "phase 3".to_owned()]
        .iter()
        .map(|rule| rule.parse().expect("a stimulus"))
        .collect();
    let spans: Vec<SpanText> = spans.iter().map(|span| span.parse().expect("a span")).collect();
    let scenario = Scenario { rules: &rules, window: window.parse().expect("a time"), until: None, whole: false };
    let mut arriving = None;
    let each = arrivals.iter().map(|at| {
        let arrival = [Cycles::new(*at)];
        let request = MeasureRequest {
            guest,
            scenario,
            spans: &spans,
            trace: false,
            task_pointer: None,
            arrival: &arrival,
            start: None,
        };
        let alone = measure(&request, &mut |_, _| true, &|_, _| false).expect("it runs");
        let from_copy = measure_arriving(&request, &mut arriving, &mut |_, _| true, &|_, _| false).expect("it runs");
        assert!(alone == from_copy, "{at} on {chip}: {:?}\n{:?}", alone.run, from_copy.run);
        alone
    });
    each.collect()
}

/// Cycles in order, back, nearer to each other than a copy is made, early and behind the end of the run.
const CYCLES: [u64; 10] = [240_000, 240_007, 240_500, 300_000, 299_990, 250_000, 700_123, 1_000_000_000, 50, 410_001];

/// The first addresses of an STM32's flash, and of that of an RP2040.
const FLASH: u32 = 0x0800_0000;
const XIP: u32 = 0x1000_0000;

/// The bytes of `program`.
fn bytes(program: &[u16]) -> Vec<u8> {
    program.iter().flat_map(|half| half.to_le_bytes()).collect()
}

/// `program` behind the two vectors that a core of an STM32 starts by.
fn behind_vectors(program: &[u16]) -> Vec<u8> {
    [[0x2000_1000_u32, FLASH + 9].map(u32::to_le_bytes).concat(), bytes(program)].concat()
}

/// `program` as the second stage that the boot ROM of an RP2040 looks for: 252 bytes, and their CRC-32, the highest bit first. Behind it
/// are vectors of a program that does nothing.
fn second_stage(program: &[u16]) -> Vec<u8> {
    let mut stage = bytes(program);
    stage.resize(252, 0);
    let step = |crc: u32, _| crc << 1 ^ if crc >> 31 != 0 { 0x04C1_1DB7 } else { 0 };
    let crc = stage.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte) << 24, step));
    stage.extend([crc, 0x2000_1000, XIP + 0x109, 0xE7FE].iter().flat_map(|word| word.to_le_bytes()));
    stage
}

/// An ELF with `code` at the address `base`, and nothing else.
fn elf(base: u32, code: &[u8]) -> Vec<u8> {
    let mut elf = b"\x7fELF\x01\x01\x01".to_vec();
    elf.resize(16, 0);
    elf.extend([2_u16, 40].iter().flat_map(|half| half.to_le_bytes()));
    elf.extend([1, base + 9, 52, 0, 0x0500_0000].iter().flat_map(|word: &u32| word.to_le_bytes()));
    elf.extend([52_u16, 32, 1, 40, 0, 0].iter().flat_map(|half| half.to_le_bytes()));
    let length = code.len() as u32;
    elf.extend([1, 84, base, base, length, length, 5, 4].iter().flat_map(|word: &u32| word.to_le_bytes()));
    [&elf, code].concat()
}

#[test]
fn all_that_is_said_of_an_arrival_is_that_of_the_arrival_alone() {
    let spans = ["answer=pin:PC13:edge..symbol:cyclescope_button_runs", "tick=exception:SysTick:entered..wake"];
    for (name, pin, window, later) in [
        ("button-freertos-interrupt-s-stm32c031c6", "PC13 low", "20ms", 0),
        ("button-freertos-interrupt-s-stm32f446ze", "PC13 high", "50ms", 4_000_000),
    ] {
        let cycles = CYCLES.map(|at| at + later);
        let outcomes = check(name, pin, &spans[..1], window, &cycles);
        let answers = |outcome: &MeasureOutcome| outcome.spans[0].1.as_ref().is_ok_and(|all| all.first.len() == 1);
        assert!(outcomes.iter().filter(|outcome| answers(outcome)).count() > 3, "{name}: {:?}", outcomes[0].spans);
        assert!(outcomes.iter().any(|outcome| outcome.run.end == RunEnd::Reached), "{name}");
        // Of these the second ends with an error, or never.
        check(name, pin, &spans, window, &cycles);
    }
}

#[test]
fn programs_that_end_sleep_spin_or_have_two_cores_are_the_same_too() {
    let span = ["a=pin:PA0:fall..pin:PA0:rise"];
    let stops = |outcomes: &[MeasureOutcome], what: fn(&RunEnd) -> bool| {
        assert!(outcomes.iter().any(|outcome| what(&outcome.run.end)), "{:?}", outcomes[0].run);
    };
    // It ends before some of them: it sleeps for ever from cycle 682,573 on.
    let sleeps = check("display-c-registers-spi-3-stm32c031c6", "PA0 low", &span, "1s", &CYCLES);
    stops(&sleeps, |end| matches!(end, RunEnd::Stopped(Stop::Deadlock(_))));
    // It counts down from 0x4E00 in three cycles a turn, and then is in a loop for ever.
    let spins = elf(FLASH, &behind_vectors(&[0x204E, 0x0200, 0x3801, 0xD1FD, 0xE7FE, 0xBF00]));
    let arrivals = [10_000, 70_000, 65_000, 500_000, 400_000, 10_500];
    let spins = check_elf(&spins, "stm32c031c6", ("PA0 low", &span), "1s", &arrivals);
    stops(&spins, |end| matches!(end, RunEnd::Spins(_)));
    check("button-embassy-interrupt-s-rp2040", "GP2 low", &["a=pin:GP2:edge..wake"], "20ms", &CYCLES);
}

/// A read of FLUSH takes until the XIP cache of the RP2040 is flushed: no boundary of an instruction lies shortly before an arrival in
/// the midst of it.
#[test]
fn an_arrival_within_a_long_instruction_leaves_no_trace_in_the_next_one() {
    // FLUSH is written and read again and again.
    let flushes = elf(XIP, &second_stage(&[0x4802, 0x2101, 0x6001, 0x6802, 0xE7FC, 0xBF00, 0x0004, 0x1400]));
    let arrivals = [20_000, 400_000, 100_300, 500_000, 450_600];
    // The pin changes once: the second edge would be that of the arrival before.
    let span = ["a=pin:GP2:edge..pin:GP2:edge"];
    let outcomes = check_elf(&flushes, "rp2040", ("GP2 toggle", &span), "60ms", &arrivals);
    assert!(outcomes.iter().all(|outcome| outcome.spans[0].1.is_err()), "{:?}", outcomes[0].spans);
    assert!(outcomes.iter().all(|outcome| outcome.run.end == RunEnd::Window), "{:?}", outcomes[0].run);
}
