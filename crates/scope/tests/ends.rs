//! Runs that end where nothing can happen any more: what was seen by then is what a whole run sees.

use crate::common::{CODE, image, machine, plan};
use cyclescope_chips::Machine;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Spin, Stop};
use cyclescope_scope::{Observer, Pace, RunEnd, Session, run_guest};

/// Notes up to which cycle the session has the machine run: RTT is read at these.
#[derive(Default)]
struct Notes(Vec<Cycles>);

impl Observer for Notes {
    fn step(&mut self, target: &mut Machine, until: Cycles) -> Stop {
        self.0.push(until);
        target.run(until)
    }
}

/// Runs `program` with stimuli: the end with its cycle, and the cycles at which RTT was read.
fn run(program: &[u16], stimuli: &[&str], whole: bool, until: u64) -> (RunEnd, u64, Vec<Cycles>) {
    let (mut machine, image) = (machine(program), image());
    let mut session = Session::new(&mut machine, &image);
    session.apply(&plan(&image, stimuli)).expect("the part has the pins");
    let pace = Pace { whole, ..Pace::until(Cycles::new(until)) };
    let mut notes = Notes::default();
    let end = run_guest(&mut session, pace, &mut notes, &mut |_, _| true, &|_, _| false);
    (end, machine.now().get(), notes.0)
}

/// Counts down from 0x00A0_0000 in three cycles a turn, and then is in a loop for ever.
const LATE: [u16; 6] = [0x20A0, 0x0400, 0x3801, 0xD1FD, 0xE7FE, 0xBF00];

#[test]
fn a_run_that_ends_early_has_read_rtt_at_the_same_cycles() {
    let window = 60_000_000;
    let (end, whole, all) = run(&LATE, &[], true, window);
    assert_eq!((end, whole >= window), (RunEnd::Window, true));
    let (end, at, read) = run(&LATE, &[], false, window);
    assert_eq!(end, RunEnd::Spins(Spin::Idle));
    assert!((3 * 0xA0_0000..3 * 0xA0_0000 + 11_000_000).contains(&at), "soon after its last turn: {at}");
    assert!(read.len() > 600 && all.starts_with(&read), "{} of {}", read.len(), all.len());
}

#[test]
fn a_run_goes_on_to_the_loop_in_which_it_ends() {
    // It gets there between the first look and the end of what that foresees.
    let (mut machine, image) = (machine(&[0x204E, 0x0200, 0x3801, 0xD1FD, 0xE7FE]), image());
    let mut session = Session::new(&mut machine, &image);
    let pace = Pace { whole: false, ..Pace::until(Cycles::new(20_000_000)) };
    let end = run_guest(&mut session, pace, &mut Notes::default(), &mut |_, _| true, &|_, _| false);
    assert_eq!((end, machine.pc().get()), (RunEnd::Spins(Spin::Idle), CODE + 8));
}

#[test]
fn a_stimulus_ahead_keeps_a_run_going() {
    let (end, at, _) = run(&[0xE7FE], &["at 5000000cy pin PA0 high"], false, 20_000_000);
    assert_eq!((end, at > 5_000_000), (RunEnd::Spins(Spin::Idle), true));
    let (end, ..) = run(&[0xE7FE], &["every 1000000cy from 0cy pin PA0 toggle"], false, 20_000_000);
    assert_eq!(end, RunEnd::Window);
}
