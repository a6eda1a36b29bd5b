//! Spans by address, pin, exception, sleep and time on a whole machine, to the cycle.

use cyclescope_chips::{LoadError, Machine, MemorySetting, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Pin, Stop};
use cyclescope_scope::{Edge, End, ExceptionPhase, Limits, Resolved, Sample, Session, Span};

const CODE: u32 = 0x0800_0100;
const HANDLER: u32 = CODE + 0x32;
const PA0: Pin = Pin { port: 0, number: 0 };

/// Starts SysTick with a period of 1,000 and makes PA0 an output, then loops: high, 3 NOPs, low, NOP, branch. The
/// handler is one BX.
const PROGRAM: &[u16] = &[
    0x480c, 0x2101, 0x6001, 0x480c, 0x490c, 0x6041, 0x6081, 0x2107, 0x6001, 0x480b, 0x6801, 0x2203, 0x4391, 0x2201,
    0x4311, 0x6001, 0x2101, 0x040a, 0x6181, 0x46c0, 0x46c0, 0x46c0, 0x6182, 0x46c0, 0xe7f8, 0x4770, 0x1034, 0x4002,
    0xe010, 0xe000, 0x03e7, 0x0000, 0x0000, 0x5000,
];

fn flash(stack: u32, entry: u32) -> Vec<u8> {
    let mut words = vec![HANDLER | 1; 0x40];
    (words[0], words[1]) = (stack, entry);
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(PROGRAM.iter().flat_map(|halfword| halfword.to_le_bytes()));
    bytes
}

fn machine(flash: &[u8]) -> Result<Machine, LoadError> {
    machine_of("stm32c031c6", flash)
}

fn machine_of(part: &str, flash: &[u8]) -> Result<Machine, LoadError> {
    let part = Part::find(part).expect("a part of ours");
    let settings = Settings { memory: MemorySetting::Ideal, ..Settings::default() };
    Machine::new(part, settings, [(Address::new(0x0800_0000), flash)])
}

/// Runs 20,000 cycles and returns the samples of the span between two events.
fn samples(from: Resolved, to: Resolved) -> Vec<Sample> {
    let elf = cyclescope_images::images()[0].elf().expect("a bundled image");
    let symbols = Image::parse(&elf).expect("a bundled image");
    let mut machine = machine(&flash(0x2000_3000, CODE | 1)).expect("a stack pointer at RAM's very end is valid");
    let mut session = Session::new(&mut machine, &symbols);
    let (from, to) = (session.watch(from), session.watch(to));
    let span = session.span(Span { name: "span".into(), from, to });
    let limits = Limits::until(Cycles::new(20_000), Cycles::new(700));
    assert_eq!(session.run(limits, |_| false), End::Limit);
    session.finish().swap_remove(span).expect("both events happen")
}

fn lengths(samples: &[Sample]) -> Vec<(u64, u64)> {
    let mut lengths: Vec<_> = samples.iter().map(|s| (s.cycles.get(), s.instructions.get())).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

#[test]
fn a_span_of_addresses_counts_its_first_instruction_and_not_its_last() {
    let samples = samples(Resolved::At(Address::new(CODE + 0x24)), Resolved::At(Address::new(CODE + 0x2C)));
    // The first store and three NOPs. If the tick comes between: entry 15, BX 2, return 11, and one instruction more.
    assert_eq!(lengths(&samples), [(4, 4), (4 + 15 + 2 + 11, 5)]);
}

#[test]
fn a_pin_is_high_for_as_long_as_its_stores_are_apart() {
    let samples = samples(Resolved::Pin(PA0, Edge::Rise), Resolved::Pin(PA0, Edge::Fall));
    // Three NOPs and the store on the single-cycle I/O port.
    assert_eq!(lengths(&samples), [(4, 4), (4 + 28, 5)]);
}

#[test]
fn an_exception_is_seen_pending_entered_and_returned() {
    const TICK: u16 = 15;
    let handler = samples(
        Resolved::Exception(TICK, ExceptionPhase::Entered),
        Resolved::Exception(TICK, ExceptionPhase::Returned),
    );
    assert_eq!(lengths(&handler), [(2, 1)]);
    let pended = Resolved::Exception(TICK, ExceptionPhase::Pended);
    let periods = samples(pended, pended);
    assert!(periods.len() >= 18, "{}", periods.len());
    assert!(periods.iter().all(|period| period.cycles == Cycles::new(1_000)), "{periods:?}");
}

#[test]
fn times_come_once_and_at_their_own_cycle() {
    let samples = samples(Resolved::Time(Cycles::new(5_003).into()), Resolved::Time(Cycles::new(9_001).into()));
    let [sample] = samples[..] else { panic!("{samples:?}") };
    assert_eq!((sample.start, sample.cycles), (Cycles::new(5_003), Cycles::new(3_998)));
}

#[test]
fn an_image_that_cannot_start_is_refused_with_the_reason() {
    let entry = CODE | 1;
    assert!(matches!(machine(&flash(0x2000_3004, entry)), Err(LoadError::StackPointer { .. })));
    assert!(matches!(machine(&flash(0x1FFF_FFFC, entry)), Err(LoadError::StackPointer { .. })));
    assert!(matches!(machine(&flash(u32::MAX, entry)), Err(LoadError::NoVectorTable(_))));
    assert!(matches!(machine(&flash(0x2000_3000, 0)), Err(LoadError::NoVectorTable(_))));
    assert!(matches!(machine(&flash(0x2000_3000, CODE)), Err(LoadError::ResetVector(CODE))));
    assert!(matches!(machine(&flash(0x2000_3000, 0x4000_0001)), Err(LoadError::ResetVector(_))));
    assert!(matches!(machine(&[0; 40_000]), Err(LoadError::Outside { .. })));
}

#[test]
fn a_stack_may_begin_in_any_ram() {
    // The core-coupled memory of an STM32F407 ends at 0x10010000.
    assert!(machine_of("stm32f407vg", &flash(0x1001_0000, CODE | 1)).is_ok());
    let beyond = machine_of("stm32f407vg", &flash(0x1001_0004, CODE | 1));
    assert!(matches!(beyond, Err(LoadError::StackPointer { .. })));
}

#[test]
fn a_reset_by_software_starts_anew_or_ends_the_run() {
    // LDR r0, =AIRCR; LDR r1, =key and SYSRESETREQ; STR r1, [r0]; B .
    let reset: [u16; 8] = [0x4801, 0x4902, 0x6001, 0xe7fe, 0xed0c, 0xe000, 0x0004, 0x05fa];
    let mut image = flash(0x2000_3000, CODE | 1);
    image.truncate(0x100);
    image.extend(reset.iter().flat_map(|halfword| halfword.to_le_bytes()));
    let part = Part::find("stm32c031c6").expect("a part of ours");
    for halt_on_reset in [false, true] {
        let settings = Settings { halt_on_reset, ..Settings::default() };
        let mut machine = Machine::new(part, settings, [(Address::new(0x0800_0000), &image[..])]).expect("it starts");
        let stop = machine.run_into(Cycles::new(1_000), &mut |_| {});
        assert_eq!(matches!(stop, Stop::Reset(_)), halt_on_reset, "{stop:?}");
        assert_eq!(machine.resets() > 1, !halt_on_reset);
    }
}
