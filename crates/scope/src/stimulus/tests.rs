use cyclescope_image::Image;
use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_machine::{Moment, Pin};

use super::*;
use crate::event::Names;

const PC13: Pin = Pin { port: 2, number: 13 };

fn plan_of(texts: &[&str]) -> Result<Plan, StimulusError> {
    let elf = cyclescope_images::images()[0].elf().expect("a bundled image");
    let image = Image::parse(&elf).expect("a bundled image");
    let rules = texts.iter().map(|text| text.parse()).collect::<Result<Vec<Rule>, _>>()?;
    let names: Names<'_> = &[(15, "SysTick"), (21, "EXTI0_1")];
    Plan::resolve(&rules, &image, names)
}

fn plan(text: &str) -> Result<Plan, StimulusError> {
    plan_of(&[text])
}

/// Returns the number of cycles or picoseconds.
fn number(at: Moment) -> u64 {
    match at {
        Moment::Cycle(at) => at.get(),
        Moment::Time(at) => at.get(),
    }
}

/// Returns the moments and levels of a plan for PC13.
fn levels(text: &str) -> Vec<(u64, bool)> {
    plan(text).expect(text).levels(PC13).map(|(at, high)| (number(at), high)).collect()
}

#[test]
fn rules_read_back_as_they_are_written() {
    for text in [
        "at 1ms pin PC13 low",
        "at 4800cy uart 2 \"a \\\"b\\\" \\\\\\n\\r\\t\\x00\\xff\"",
        "after pin:PG0:rise pin PC13 high",
        "after exception:SysTick:entered 20us 3 times pin PA0 toggle",
        "after \"symbol:<app::Task as core::Future>::poll\" 7cy pin PA0 released",
        "every 10ms from 3ms uart 1 \"x\"",
        "every 10ms from 0s 5 times pin PA0 toggle",
        "random 100 times from 1ms gap 1us..3ms seed 9 uart 3 \"?\"",
        "after \"symbol:a\\\"b c\" pin PA0 low",
        "after symbol:a:left:entered pin PA0 low",
        "presses 1000 of PC13 low from 10ms gap 50ms..250ms seed 1",
        "presses 5 of PC13 high from 10ms gap 50ms..250ms bounce 6 within 1ms seed 18446744073709551615",
        "at 5ms pin PA0 1.2V",
        "at 5ms pin PA0 -0.000001V",
        "at 5ms pin PA0 ramp 0V 3.3V over 10ms",
        "after sleep 2 times pin PA0 sine 1.65V 0.5V period 20ms",
        "at 0s pin PA0 samples x/y.csv every 1ms",
        "at 0s pin PA0 samples \"a b\\\"c.csv\" every 1ms repeat",
        "at 5ms bme280 temperature 21.5",
        "every 1ms from 0s 3 times clock time \"2026-01-01 10:00\"",
        "phase 15",
        "phase seed 7",
    ] {
        let rule: Rule = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(rule.to_string(), text);
    }
    let once: Rule = "after sleep once pin PA0 low".parse().unwrap();
    assert_eq!(once.to_string(), "after sleep 1 times pin PA0 low");
    let spaced: Rule = "  at\t1ms   pin  pc13 low ".parse().unwrap();
    assert_eq!(spaced.to_string(), "at 1ms pin PC13 low");
}

#[test]
fn what_is_wrong_is_said_with_its_word() {
    for (text, expect) in [
        ("", "expected at, after, every, random, presses or phase, found the end of the text"),
        (
            "evry 1ms from 0 pin PA0 low",
            "expected at, after, every, random, presses or phase, found `evry`; did you mean `every`?",
        ),
        ("at 1min pin PA0 low", "expected a time like 1.5ms, or like 100cy in cycles, found `1min`"),
        ("at 1.5cy pin PA0 low", "`1.5cy` is not a whole number of cycles"),
        ("at 999d pin PA0 low", "expected a time like"),
        ("at 1e12s pin PA0 low", "`1e12s` is too long"),
        ("every 9999ps from 0 pin PA0 low", "without a number of times the period is at least 10ns"),
        ("every 1ms from 5cy pin PA0 low", "some of its times are in cycles and some in real time"),
        ("after time:5cy 1ms pin PA0 low", "some of its times are in cycles and some in real time"),
        (
            "at 1ms pim PA0 low",
            "expected an action (pin, uart, usb or an attached device), found `pim`; did you mean `pin`?",
        ),
        ("at 1ms pin XA0 low", "expected a pin like PC13, P0.11 or GPIO15, found `XA0`"),
        (
            "at 1ms pin PA0 lwo",
            "expected a level (low, high, released or toggle) or a voltage (1.2V, ramp, sine or samples), found `lwo`; did you mean `low`?",
        ),
        ("phase 16", "expected a phase from 0 to 15, or `seed`, found `16`"),
        ("phase", "expected a phase from 0 to 15, or `seed`, found the end of the text"),
        ("phase seed", "expected a seed, found the end of the text"),
        ("at 1ms pin PA0 ramp 0V", "expected a voltage like 1.2V or 300mV, up to 1000V, found the end of the text"),
        ("at 1ms pin PA0 ramp 0V 1 over 1ms", "expected a voltage like 1.2V or 300mV, up to 1000V, found `1`"),
        ("at 1ms pin PA0 ramp 0V 1V 1ms", "expected `over`, found `1ms`"),
        ("at 1ms pin PA0 sine 0V 1V period 10cy", "expected a real time like 1.5ms, found `10cy`"),
        ("at 1ms pin PA0 sine 0V 1V period 0s", "the period has no length"),
        ("at 1ms bme280 temperature", "expected the value of the quantity, found the end of the text"),
        ("at 1ms utar 2 \"x\"", "found `utar`; did you mean `uart`?"),
        (
            "at 1ms pin PA0",
            "expected a level (low, high, released or toggle) or a voltage (1.2V, ramp, sine or samples), found the end of the text",
        ),
        ("at 1ms pin PA0 low high", "expected the end of the stimulus, found `high`"),
        ("at 1ms uart 2 hello", "expected text in double quotes, found `hello`"),
        ("at 1ms uart 300 \"a\"", "expected a serial port's number, found `300`"),
        ("at 1ms uart 2 \"abc", "expected a closing double quote, found the end of the text"),
        (r#"at 1ms uart 2 "\q""#, r#"expected one of the escapes \n \r \t \0 \\ \" \xHH, found `\q`"#),
        (
            r#"at 1ms uart 2 "\x4""#,
            r#"expected one of the escapes \n \r \t \0 \\ \" \xHH, found `\x` without two digits"#,
        ),
        ("after pin:PA0:up pin PA0 low", "`pin:PA0:up` is not an event"),
        ("after symbol:no_such_function pin PA0 low", "no_such_function"),
        ("after exception:SysTik:entered pin PA0 low", "the part has no exception `SysTik`; the nearest are SysTick"),
        ("every 1ms pin PA0 low", "expected `from`, found `pin`"),
        ("every 0 from 0 pin PA0 low", "the period has no length"),
        ("every 1cy from 0 1000001 times pin PA0 low", "more than 1,000,000 stimuli"),
        ("random 1 times from 0 gap 0..9cy seed 1 pin PA0 low", "the gap has no length"),
        ("random 1 times from 0 gap 9cy..8cy seed 1 pin PA0 low", "the greatest gap is less than the least"),
        ("random 1 times from 0 gap 9 seed 1 pin PA0 low", "expected a gap like 20ms..220ms, found `9`"),
        ("random 1 times from 0 gap 1cy..9cy bounce 2 within 1cy seed 1 pin PA0 low", "only `presses` can bounce"),
        ("presses 1 of PA0 low from 0 gap 10cy..20cy bounce 3 within 5cy seed 1", "an odd number of bounces"),
        (
            "presses 1 of PA0 low from 0 gap 10cy..20cy bounce 4 within 3cy seed 1",
            "4 bounces do not fit within 3cy; give them more time, but less than the shortest gap, 10cy",
        ),
        (
            "presses 1 of PA0 low from 0 gap 10cy..20cy bounce 4 within 10cy seed 1",
            "4 bounces do not fit within 10cy; give them more time, but less than the shortest gap, 10cy",
        ),
        ("presses 600_000 of PA0 low from 0 gap 1cy..1cy seed 1", "more than 1,000,000 stimuli"),
    ] {
        let error = plan(text).expect_err(text).to_string();
        assert!(error.contains(expect), "{text}: {error}");
    }
}

#[test]
fn bounces_are_counted_before_they_are_drawn() {
    let beside = |before: u32, bounces: u64| {
        let before = format!("every 1cy from 0 {before} times pin PA0 high");
        let presses =
            format!("presses 1 of PC13 low from 0 gap 100000s..100001s bounce {bounces} within 90000s seed 1");
        plan_of(&[&before, &presses]).map(|plan| plan.fixed().len())
    };
    assert_eq!(beside(999_994, 2), Ok(1_000_000), "all that there may be");
    // If drawn before the check, the last of these would fill the host's memory.
    for (before, bounces) in [(999_995, 2), (0, 4_000_000_000)] {
        let error = beside(before, bounces).expect_err("there are too many").to_string();
        assert!(error.contains("more than 1,000,000 stimuli"), "{error}");
    }
}

#[test]
fn text_of_the_greatest_length_reads_back_with_other_escapes() {
    let text = |bytes| format!("at 1cy uart 2 \"{}\"", "\u{1}".repeat(bytes));
    let rule: Rule = text(65_536).parse().unwrap();
    let printed = rule.to_string();
    assert!(printed.len() > 2 * 65_536, "each byte is an escape");
    assert_eq!(printed.parse::<Rule>().unwrap(), rule);
    let error = text(65_537).parse::<Rule>().unwrap_err().to_string();
    assert!(error.contains("65537 bytes") && error.contains("at most 65,536 bytes"), "{error}");
    assert!(format!("at 1cy pin {}", "x".repeat(4097)).parse::<Rule>().unwrap_err().to_string().contains("4,096"));
}

#[test]
fn hostile_text_is_an_error_and_no_panic() {
    let long = format!("at 1cy uart 2 \"{}\"", "é".repeat(40_000));
    for text in [
        &long[..],
        "\"",
        "\\",
        "at 1cy uart 2 \"\\x\u{e9}\u{e9}\"",
        "at 1cy uart 2 \"\\xé",
        "after \"\" pin",
        "presses",
    ] {
        assert!(text.parse::<Rule>().is_err());
    }
}

#[test]
fn fixed_stimuli_come_in_order_of_time_and_then_as_written() {
    let rules = [
        "every 1ms from 2ms 3 times pin PC13 high",
        "at 3ms pin PC13 low",
        "at 1ms pin PC13 high",
        "at 3ms pin PC13 high",
    ];
    let four = plan_of(&rules).expect("four rules");
    let seen: Vec<_> = four.levels(PC13).map(|(at, high)| (number(at) / 1_000_000_000, high)).collect();
    assert_eq!(seen, [(1, true), (2, true), (3, true), (3, false), (3, true), (4, true)]);
    let endless = plan("every 1ms from 500us pin PC13 high").expect("a rule");
    let &[Endless { from, period, action: _ }] = endless.endless() else { panic!("one comes to the end of the run") };
    assert_eq!((number(from), period), (500_000_000, 1_000_000_000));
    let after = plan("after time:2ms 1ms pin PC13 low").expect("a time is known beforehand");
    assert_eq!(after.levels(PC13).next(), Some((Moment::Time(Picoseconds::new(3_000_000_000)), false)));
}

/// The expected numbers come from an independent program, written from RFC 8439 and [`Plan`]'s documentation.
#[test]
fn a_seed_gives_the_same_edges_for_ever() {
    let real = levels("presses 2 of PC13 low from 1ms gap 20ms..220ms seed 42");
    let expect = [152_356_371_000, 340_426_674_295, 442_017_072_996, 509_552_104_866];
    assert_eq!(real.iter().map(|(at, _)| *at).collect::<Vec<_>>(), expect);
    let edges = levels("presses 2 of PC13 low from 48000cy gap 960000cy..10560000cy seed 42");
    assert_eq!(edges, [(8_746_441, false), (10_187_779, true), (19_642_871, false), (25_936_902, true)]);
    let bounced = levels("presses 2 of PC13 low from 48000cy gap 960000cy..10560000cy bounce 4 within 48000cy seed 42");
    let mut expect = Vec::new();
    for ((at, high), bounces) in edges.iter().zip([
        [6_292, 16_985, 31_552, 42_949],
        [21_674, 22_134, 22_269, 27_242],
        [2_599, 5_391, 5_915, 29_194],
        [217, 22_503, 32_707, 40_393],
    ]) {
        expect.push((*at, *high));
        expect.extend(bounces.iter().zip([!high, *high, !high, *high]).map(|(after, high)| (at + after, high)));
    }
    assert_eq!(bounced, expect);
    assert_ne!(levels("presses 2 of PC13 low from 1ms gap 20ms..220ms seed 43"), real);
}

#[test]
fn presses_alternate_and_their_gaps_fill_their_range() {
    let edges = levels("presses 1000 of PC13 high from 100cy gap 1000cy..1009cy seed 7");
    assert_eq!(edges.len(), 2_000);
    assert!(edges.iter().zip([true, false].iter().cycle()).all(|((_, high), expect)| high == expect));
    let mut counts = [0; 10];
    let mut before = 100;
    for (at, _) in edges {
        counts[(at - before) as usize - 1_000] += 1;
        before = at;
    }
    // Six deviations of a binomial with p = 1/10.
    assert!(counts.iter().all(|count| (120..=280).contains(count)), "{counts:?}");
}

#[test]
fn a_phase_is_there_from_reset_on_and_each_is_drawn() {
    let phase = |text: &str| plan(text).expect(text).fixed().to_vec();
    assert_eq!(phase("phase 5"), [(Moment::Cycle(Cycles::ZERO), Action::Phase(5))]);
    let drawn: std::collections::BTreeSet<u8> = (0..200).map(|seed| Phase::Seed(seed).cycles()).collect();
    assert_eq!(drawn.into_iter().collect::<Vec<_>>(), (0..16).collect::<Vec<_>>());
    // The presses of a seed are the same with and without it.
    let presses = "presses 3 of PC13 low from 0 gap 5cy..9cy seed 4";
    let both = plan_of(&[presses, "phase seed 4"]).expect("both");
    assert_eq!(both.levels(PC13).collect::<Vec<_>>(), plan(presses).expect(presses).levels(PC13).collect::<Vec<_>>());
}

#[test]
fn the_bytes_of_a_plan_are_bounded() {
    let text = |times| format!("every 1us from 0s {times} times uart 2 \"{}\"", "x".repeat(1 << 15));
    assert!(plan(&text(512)).is_ok());
    let error = plan(&text(513)).expect_err("16 MiB and more");
    assert!(error.to_string().contains("more than 16,777,216 bytes are sent to serial ports"), "{error}");
}
