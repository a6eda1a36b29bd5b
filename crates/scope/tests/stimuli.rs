//! Applies plans to a whole machine: stimuli come at their own cycle.

use crate::common;

use common::{image, machine, plan};
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Pin, Stop};
use cyclescope_scope::{Edge, End, Limits, Resolved, Session, Span, StimulusError};

const PA0: Pin = Pin { port: 0, number: 0 };
/// An input pulled down from reset on: the debugger's clock.
const PA14: Pin = Pin { port: 0, number: 14 };
const PG0: Pin = Pin { port: 6, number: 0 };

/// Makes PA0 an output, then loops for ever: high, 3 NOPs, low, NOP, branch; 8 cycles.
const PROGRAM: &[u16] = &[
    0x4809, 0x2101, 0x6001, 0x4809, 0x6801, 0x2203, 0x4391, 0x2201, 0x4311, 0x6001, 0x2101, 0x040a, 0x6181, 0x46c0,
    0x46c0, 0x46c0, 0x6182, 0x46c0, 0xe7f8, 0x46c0, 0x1034, 0x4002, 0x0000, 0x5000,
];

/// Sleeps for ever.
const SLEEPER: &[u16] = &[0xbf30, 0xe7fd];

fn limits() -> Limits {
    Limits::until(Cycles::new(20_000), Cycles::new(700))
}

/// Returns the edges of PA14 in 20,000 cycles of the program that toggles PA0.
fn edges(texts: &[&str]) -> Vec<u64> {
    let (image, mut machine) = (image(), machine(PROGRAM));
    let mut session = Session::new(&mut machine, &image);
    session.apply(&plan(&image, texts)).expect("the part has them all");
    let edge = session.watch(Resolved::Pin(PA14, Edge::Any));
    session.record(edge);
    assert_eq!(session.run(limits(), |_| false), End::Limit);
    session.recorded(edge).expect("there is room").iter().map(|at| at.get()).collect()
}

#[test]
fn levels_come_at_their_own_cycle_wherever_the_program_is() {
    let all: Vec<String> = (3_000..3_040).map(|at| format!("at {at}cy pin PA14 toggle")).collect();
    let texts: Vec<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(edges(&texts), (3_000..3_040).collect::<Vec<_>>());
    assert_eq!(edges(&["every 1000cy from 500cy 4 times pin PA14 toggle"]), [500, 1_500, 2_500, 3_500]);
    // A second `high` is no edge; a released pin falls to its pull.
    assert_eq!(edges(&["at 50cy pin PA14 high", "at 60cy pin PA14 high", "at 99cy pin PA14 released"]), [50, 99]);
}

#[test]
fn of_several_at_one_cycle_the_one_given_first_comes_first() {
    let (image, mut machine) = (image(), machine(PROGRAM));
    let mut session = Session::new(&mut machine, &image);
    for text in
        [["at 100cy pin PA14 high", "at 300cy pin PA14 low"], ["at 100cy pin PA14 low", "at 200cy pin PA14 low"]]
    {
        session.apply(&plan(&image, &text)).expect("the part has it");
    }
    let edge = session.watch(Resolved::Pin(PA14, Edge::Any));
    session.record(edge);
    session.run(limits(), |_| false);
    // The pin goes up and down in one cycle and is low from then on.
    assert_eq!(session.recorded(edge).expect("there is room"), [Cycles::new(100), Cycles::new(100)]);
}

#[test]
fn what_an_event_sets_off_comes_so_much_later_each_time() {
    let (image, mut machine) = (image(), machine(PROGRAM));
    let mut session = Session::new(&mut machine, &image);
    session.apply(&plan(&image, &["after pin:PA0:rise 7cy 5 times pin PA14 toggle"])).expect("the part has them");
    let (rise, edge) = (session.watch(Resolved::Pin(PA0, Edge::Rise)), session.watch(Resolved::Pin(PA14, Edge::Any)));
    session.record(rise);
    session.record(edge);
    let span = session.span(Span { name: "delay".into(), from: rise, to: edge });
    assert_eq!(session.stimuli(), (0, 0));
    session.run(limits(), |_| false);
    assert_eq!(session.stimuli(), (5, 0));
    assert!(session.recorded(rise).expect("there is room").len() > 1_000);
    let later: Vec<Cycles> =
        session.recorded(rise).expect("there is room")[..5].iter().map(|at| *at + Cycles::new(7)).collect();
    assert_eq!(session.recorded(edge).expect("there is room"), later);
    // After the fifth press there are rises without an edge, which the span reports.
    let error = session.finish().swap_remove(span).expect_err("it began again");
    assert!(error.to_string().contains("began again"), "{error}");
    let all = edges(&["after pin:PA0:rise 7cy pin PA14 toggle"]);
    assert!(all.windows(2).all(|pair| pair[1] - pair[0] == 8), "{:?}", &all[..20]);
    let none = edges(&["after pin:PA0:rise 7cy 0 times pin PA14 toggle"]);
    assert!(none.is_empty(), "{none:?}");
}

#[test]
fn the_past_and_what_the_part_lacks_are_refused_and_nothing_is_done() {
    let (image, mut machine) = (image(), machine(PROGRAM));
    let mut session = Session::new(&mut machine, &image);
    session.run(Limits::until(Cycles::new(1_000), Cycles::new(1_000)), |_| false);
    let refused = |session: &mut Session<'_>, text: &str| -> StimulusError {
        session.apply(&plan(&image, &["at 5000cy pin PA14 high", text])).expect_err(text)
    };
    let past = refused(&mut session, "at 900cy pin PA14 low").to_string();
    assert!(past.starts_with("stimulus `pin PA14 low`: 900cy is in the past, the run is at cycle 1,00"), "{past}");
    let pin = refused(&mut session, "at 9000cy pin PG0 low").to_string();
    assert!(pin.starts_with("stimulus `pin PG0 low`: the part has no pin PG0; the nearest are P"), "{pin}");
    let uart = refused(&mut session, "at 9000cy uart 7 \"x\"").to_string();
    assert_eq!(uart, "stimulus `uart 7 \"x\"`: the part has no serial port 7; it has 1, 2");
    let event = refused(&mut session, "after pin:PG0:rise pin PA14 low").to_string();
    assert!(event.contains("the part has no pin PG0; the nearest are P"), "{event}");
    assert!(
        session.check(Resolved::Pin(PG0, Edge::Any)).is_err() && session.check(Resolved::Pin(PA0, Edge::Any)).is_ok()
    );
    assert_eq!(session.stimuli(), (0, 0));
}

#[test]
fn a_run_ends_at_the_event_it_waits_for() {
    let (image, mut machine) = (image(), machine(PROGRAM));
    let mut session = Session::new(&mut machine, &image);
    session.apply(&plan(&image, &["at 5000cy pin PA14 high"])).expect("the part has it");
    let edge = session.watch(Resolved::Pin(PA14, Edge::Rise));
    session.end_at(edge);
    assert_eq!(session.run(limits(), |_| false), End::Satisfied);
    let now = session.target().now();
    assert!((5_000..5_010).contains(&now.get()), "{now}");
    assert_eq!(session.run(limits(), |_| false), End::Limit, "it happens once");
}

#[test]
fn sleep_is_counted_to_the_end_of_the_run() {
    let (image, mut machine) = (image(), machine(SLEEPER));
    let mut session = Session::new(&mut machine, &image);
    session.count_sleep();
    session.apply(&plan(&image, &["at 19000cy pin PA14 high"])).expect("the part has it");
    let end = session.run(Limits::until(Cycles::new(10_000), Cycles::new(700)), |_| false);
    assert_eq!(end, End::Limit);
    assert_eq!(session.stimuli(), (0, 1), "it is yet to come");
    let sleep = session.sleep_time();
    assert_eq!((sleep.sleeps, sleep.wakes), (1, 0));
    assert!((9_950..10_000).contains(&sleep.asleep.get()), "{sleep:?}");
    let end = session.run(limits(), |_| false);
    assert!(matches!(end, End::Stopped(Stop::Deadlock(_))), "{end:?}");
}

/// Returns the names of the gaps of a run of `cycles` of the program that toggles PA0, and its stimuli.
fn lost(text: &str, cycles: u64) -> (Vec<String>, (u64, u64)) {
    let (image, mut machine) = (image(), machine(PROGRAM));
    let mut session = Session::new(&mut machine, &image);
    session.apply(&plan(&image, &[text])).expect("the part has them");
    session.run(Limits::until(Cycles::new(cycles), Cycles::new(100_000)), |_| false);
    let stimuli = session.stimuli();
    drop(session);
    (machine.shared().gaps.all().iter().map(|gap| gap.name.clone()).collect(), stimuli)
}

#[test]
fn stimuli_that_wait_for_their_delay_are_bounded() {
    let few = "after pin:PA0:rise 100ms pin PA14 toggle";
    let (gaps, (_, later)) = lost(few, 8 * 65_000);
    assert!(gaps.is_empty() && later > 64_000, "{gaps:?}, {later}");
    let (gaps, (_, later)) = lost(few, 8 * 66_000);
    assert_eq!(later, 65_536);
    assert!(gaps.len() == 1 && gaps[0].starts_with("more than 65,536 stimuli"), "{gaps:?}");
    // Those that are past make room.
    let (gaps, (due, later)) = lost("after pin:PA0:rise 8000cy pin PA14 toggle", 8 * 70_000);
    assert!(gaps.is_empty() && due > 68_000 && later <= 1_000, "{gaps:?}, {due}, {later}");
}

#[test]
fn bytes_that_wait_for_their_delay_are_bounded() {
    let text = "x".repeat(60_000);
    let said = |text: &str| -> Vec<String> {
        lost(text, 20_000).0.into_iter().filter(|gap| gap.contains("these are lost")).collect()
    };
    let gaps = said(&format!("after pin:PA0:rise 1s uart 2 \"{text}\""));
    assert!(gaps.len() == 1 && gaps[0].contains("or 16 MiB of them"), "{gaps:?}");
}

#[test]
fn events_beyond_the_room_for_records_are_an_error() {
    let (image, mut machine) = (image(), machine(PROGRAM));
    let mut session = Session::new(&mut machine, &image);
    let edge = session.watch(Resolved::Pin(PA0, Edge::Any));
    session.record(edge);
    session.keep_at_most(10);
    session.run(limits(), |_| false);
    let error = session.recorded(edge).expect_err("there are thousands");
    assert!(error.to_string().contains("more often than the 4,000,000 times"), "{error}");
}
