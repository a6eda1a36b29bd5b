//! Compares the RP2040's state machines with rp2040-pio-emulator, a Python package, instruction by instruction with their cycles.
//!
//! The peer knows one machine of seven of the nine instructions. `stream` makes programs of what it has; [`DEFECTS`] lists what it
//! does otherwise, and its rows with an excuse what it has not. Pins are seen here as the peer sees them, without a synchroniser.

mod defects;
mod ours;
mod peer;
mod stream;

pub use defects::DEFECTS;
pub use peer::Peer;
pub use stream::Setup;

use crate::error::OracleError;
use crate::random::Random;
use crate::report::{Report, Tally};

/// Iterations that a program is followed for: instructions, or cycles in which one stalls.
const ITERATIONS: usize = 200;

/// The state behind an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State(pub [u32; 13]);

impl State {
    const NAMES: [&'static str; 13] = [
        "clock",
        "pc",
        "pins",
        "pindirs",
        "x",
        "y",
        "isr",
        "isr count",
        "osr",
        "osr count",
        "tx level",
        "rx level",
        "newest word of rx",
    ];

    /// Returns the parts in which the two differ, in words.
    fn difference(&self, peer: &Self) -> Option<String> {
        let parts = Self::NAMES.iter().zip(self.0.iter().zip(peer.0));
        let differ: Vec<String> = parts
            .filter(|(_, (ours, theirs))| **ours != *theirs)
            .map(|(name, (ours, theirs))| format!("{name} {ours:#x} here, {theirs:#x} there"))
            .collect();
        (!differ.is_empty()).then(|| differ.join("; "))
    }
}

/// Runs `setup` on both; returns the number of iterations compared and a description of the first difference.
fn compare(peer: &mut Peer, setup: &Setup, tally: &mut Tally) -> Result<(usize, Option<String>), OracleError> {
    let theirs = peer.run(setup, ITERATIONS)?;
    let mut machine = ours::Ours::new(setup);
    for (index, their) in theirs.iter().enumerate() {
        let word = machine.next_word();
        if let Some(row) = stream::row(word) {
            tally.add(row);
        }
        let our = machine.iterate();
        // Levels that the outside drives are no state of the machine.
        let mask = if setup.reads_input { our.0[3] } else { u32::MAX };
        let (our_masked, their_masked) = (masked(our, mask), masked(*their, mask));
        if let Some(difference) = our_masked.difference(&their_masked) {
            let text = format!("iteration {index}, instruction {word:#06x}: {difference}\n{setup:?}\n");
            return Ok((index, Some(text)));
        }
        machine.attend();
    }
    let missing = (theirs.len() < ITERATIONS).then(|| format!("the peer knows no instruction at {}", theirs.len()));
    Ok((theirs.len(), missing))
}

fn masked(mut state: State, pins: u32) -> State {
    state.0[2] &= pins;
    state
}

/// Compares random programs until `count` iterations have been, and shows that each defect of the peer is still there.
///
/// # Errors
/// The peer could not be started, or has ended.
pub fn run(peer: &mut Peer, seed: u64, count: u64, progress: &mut dyn FnMut(u64)) -> Result<Report, OracleError> {
    let known = DEFECTS.iter().map(|defect| (defect.what, defect.why)).collect();
    let mut report = Report::new(Tally::new(stream::ROWS.iter().copied(), stream::EXCUSES), known);
    for defect in DEFECTS {
        let mut setup = Setup::plain();
        (defect.set)(&mut setup);
        let mut unused = Tally::new(stream::ROWS.iter().copied(), stream::EXCUSES);
        if compare(peer, &setup, &mut unused)?.1.is_none() {
            report.fixed.push(defect.what);
        }
    }
    let mut random = Random::new(seed);
    while report.goes_on(count) {
        let setup = stream::random(&mut random);
        let (iterations, difference) = compare(peer, &setup, &mut report.coverage)?;
        report.instructions += iterations as u64;
        report.programs += 1;
        report.difference = difference;
        progress(report.instructions);
    }
    Ok(report)
}
