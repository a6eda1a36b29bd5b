//! Real time through changes of the core's clock, against sums made by hand.

use crate::common;

use common::{image, machine, plan};
use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_machine::{Moment, Pin, SignalKind, Stop};
use cyclescope_scope::{Edge, End, Limits, Resolved, Session, Span};

/// An input pulled down from reset on: the debugger's clock.
const PA14: Pin = Pin { port: 0, number: 14 };

/// The cycles that the tests run.
const LENGTH: u64 = 40_000;

/// Divides HSI48 by 8, 16, 32, 64, 128, 1, 2, 4 and again, for some hundred cycles each.
///
/// ```text
///         ldr  r0, =RCC_CR
///         ldr  r1, =HSION | HSIRDY
///         movs r2, #2
/// loop:   adds r2, #1
///         movs r3, #7
///         ands r3, r2
///         lsls r3, r3, #11        @ HSIDIV
///         orrs r3, r1
///         str  r3, [r0]
///         movs r4, #30
/// delay:  subs r4, #1
///         bne  delay
///         b    loop
/// ```
const PROGRAM: &[u16] = &[
    0x4806, 0x4907, 0x2202, 0x3201, 0x2307, 0x4013, 0x02db, 0x430b, 0x6003, 0x241e, 0x3c01, 0xd1fd, 0xe7f5, 0x46c0,
    0x1000, 0x4002, 0x0500, 0x0000,
];

/// The cycles at which the clock changes, and the divider of 48 MHz from there on; the divider is 4 after reset.
fn changes() -> Vec<(u64, u64)> {
    let mut machine = machine(PROGRAM);
    machine.shared().signals.want(SignalKind::Clock);
    let mut changes = vec![(0, 4)];
    while machine.now().get() < LENGTH {
        if machine.run(Cycles::new(LENGTH)) == Stop::Signal {
            let at = machine.shared().signals.clock_changes()[0].since().get();
            changes.push((at, 1 << ((changes.len() + 2) & 7)));
            machine.shared().signals.drain();
        }
    }
    changes
}

/// The time at which the cycle `at` begins, in periods of 48 MHz.
fn periods(changes: &[(u64, u64)], at: u64) -> u64 {
    let ends = changes[1..].iter().map(|(end, _)| *end).chain([u64::MAX]);
    changes.iter().zip(ends).map(|((from, divider), end)| at.min(end).saturating_sub(*from) * divider).sum()
}

/// The first cycle that begins at or after `time`, in picoseconds.
fn first_cycle(changes: &[(u64, u64)], time: u64) -> u64 {
    let from = (time * 48).div_ceil(1_000_000);
    let (mut low, mut high) = (0, 2 * LENGTH);
    while low < high {
        let middle = (low + high) / 2;
        if periods(changes, middle) < from { low = middle + 1 } else { high = middle }
    }
    low
}

/// Times within the run, spread over all clocks.
fn times(changes: &[(u64, u64)]) -> Vec<u64> {
    let end = periods(changes, LENGTH) * 1_000_000 / 48;
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((u128::from(state) * u128::from(end)) >> 64) as u64
    };
    let mut times: Vec<u64> = (0..60).map(|_| next()).collect();
    // Some that cycles begin at, right behind a change too.
    times.extend(
        changes.iter().map(|(at, _)| periods(changes, *at)).filter(|at| at % 48 == 0).map(|at| at / 48 * 1_000_000),
    );
    times.sort_unstable();
    times.dedup();
    times.retain(|time| *time < end);
    times
}

/// The cycles at which PA14 changes under the stimuli `texts`.
fn edges(texts: &[String]) -> Vec<u64> {
    let (image, mut machine) = (image(), machine(PROGRAM));
    let mut session = Session::new(&mut machine, &image);
    session.apply(&plan(&image, texts)).expect("the part has them all");
    let edge = session.watch(Resolved::Pin(PA14, Edge::Any));
    session.record(edge);
    assert_eq!(session.run(Limits::until(Cycles::new(LENGTH), Cycles::new(700)), |_| false), End::Limit);
    session.recorded(edge).expect("there is room").iter().map(|at| at.get()).collect()
}

#[test]
fn stimuli_come_at_their_time_whatever_the_clock_does() {
    let changes = changes();
    assert!(changes.len() > 100, "{}", changes.len());
    let times = times(&changes);
    let texts: Vec<String> = times.iter().map(|time| format!("at {time}ps pin PA14 toggle")).collect();
    let mut expect: Vec<u64> = times.iter().map(|time| first_cycle(&changes, *time)).collect();
    // Two in one cycle leave the level as it was, and two edges behind.
    expect.sort_unstable();
    assert_eq!(edges(&texts), expect);
    // Cycles and times together; of one cycle in the order in which they were written.
    let last = *expect.last().expect("some");
    let both = [format!("at {}cy pin PA14 high", last + 10), format!("at {}ps pin PA14 high", times[0])];
    assert_eq!(edges(&both), [expect[0]], "the second changes nothing");
}

#[test]
fn a_period_is_of_real_time_or_of_cycles() {
    let changes = changes();
    let expect: Vec<u64> =
        (0..).map(|n| first_cycle(&changes, 3_000_000 + n * 37_000_000)).take_while(|at| *at < LENGTH).collect();
    assert_eq!(edges(&["every 37us from 3us pin PA14 toggle".to_owned()]), expect);
    let expect: Vec<u64> = (5..LENGTH).step_by(777).collect();
    assert_eq!(edges(&["every 777cy from 5cy pin PA14 toggle".to_owned()]), expect);
}

#[test]
fn stimuli_without_an_end_are_counted_as_they_come() {
    let (image, mut machine) = (image(), machine(PROGRAM));
    let mut session = Session::new(&mut machine, &image);
    let texts = ["every 100cy from 50cy pin PA14 toggle", "every 1s from 1s pin PA14 low", "at 7ms pin PA14 low"];
    session.apply(&plan(&image, &texts)).expect("the part has them all");
    session.run(Limits::until(Cycles::new(1_000), Cycles::new(700)), |_| false);
    assert_eq!(session.stimuli(), (10, 2), "from cycle 50 to 950; two that have not begun");
}

#[test]
fn a_delay_after_an_event_is_of_real_time() {
    let changes = changes();
    let texts =
        ["every 211us from 10us pin PA14 high".to_owned(), "after pin:PA14:rise 55500ns pin PA14 low".to_owned()];
    let seen = edges(&texts);
    assert!(seen.len() > 20);
    for edges in seen.chunks_exact(2) {
        // An event's time is rounded down to a picosecond.
        let rose = periods(&changes, edges[0]) * 1_000_000 / 48;
        assert_eq!(edges[1], first_cycle(&changes, rose + 55_500_000));
    }
}

#[test]
fn times_end_runs_and_begin_spans() {
    let changes = changes();
    let image = image();
    let picoseconds = |at: u64| periods(&changes, at) * 1_000_000 / 48;
    let times = times(&changes);
    let mut machine = machine(PROGRAM);
    let mut session = Session::new(&mut machine, &image);
    session.trace(usize::MAX, None);
    let events: Vec<usize> =
        times.iter().map(|time| session.watch(Resolved::Time(Moment::Time(Picoseconds::new(*time))))).collect();
    events.iter().for_each(|event| session.record(*event));
    let spans: Vec<usize> =
        events.windows(2).map(|pair| session.span(Span { name: "s".to_owned(), from: pair[0], to: pair[1] })).collect();
    let most = Picoseconds::new(picoseconds(LENGTH));
    assert_eq!(session.run(Limits::until(most, Cycles::new(700)), |_| false), End::Limit);
    let now = session.target().now().get();
    // The run ends with the instruction under way.
    assert!((LENGTH..LENGTH + 4).contains(&now), "{now}");
    assert_eq!(session.time().get(), picoseconds(now));
    for (time, event) in times.iter().zip(&events) {
        assert_eq!(
            session.recorded(*event).expect("there is room"),
            [Cycles::new(first_cycle(&changes, *time))],
            "{time} ps"
        );
    }
    for (span, pair) in spans.iter().zip(times.windows(2)) {
        let [from, to] = [pair[0], pair[1]].map(|time| first_cycle(&changes, time));
        let samples = session.samples(*span).expect("it happened");
        assert_eq!(samples[0].time.get(), picoseconds(to) - picoseconds(from));
        assert_eq!((samples.len(), samples[0].cycles.get()), (1, to - from));
    }
    let trace = session.take_trace().expect("it was asked for");
    for at in (0..LENGTH).step_by(13) {
        assert_eq!(trace.time(Cycles::new(at)).get(), picoseconds(at), "cycle {at}");
    }
}
