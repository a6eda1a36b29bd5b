//! Compares AVR's core with simavr's: random programs with interrupts at random cycles. Registers, SREG, SP, pc and
//! cycles are compared after each instruction and each interrupt, the data space at the end of each batch. Blocks,
//! single steps, cut and cloned runs of our core are compared too.

mod defects;
mod ours;
pub mod part;
mod peer;
mod state;
pub mod stream;

use std::fmt;

use cyclescope_avr::decode::{self, ROWS};

pub use defects::{DEFECTS, PeerDefect};
pub use peer::{Answer, Peer};
pub use state::State;

use crate::error::OracleError;
use crate::random::Random;
use ours::Stepped;
use stream::{Batch, EXCUSED, Generator};

/// A limit above the instructions of any batch.
const LIMIT: u32 = 100_000;

/// The most instructions of a whole program that are searched one by one for a difference.
const MOST_TRACED: u32 = 2_000_000;

/// The number of instructions shown before a difference.
const SHOWN: usize = 16;

/// A difference.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The batch's index in the run.
    pub batch: usize,
    /// A description.
    pub what: String,
    /// The last instructions up to the difference: address, words, name.
    pub trail: Vec<(u32, [u16; 2], &'static str)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "difference in batch {}: {}", self.batch, self.what)?;
        for (pc, [first, second], name) in &self.trail {
            writeln!(f, "  {pc:04x}  {first:04x} {second:04x}  {name}")?;
        }
        Ok(())
    }
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// Instructions compared with the peer.
    pub instructions: u64,
    /// The number of batches.
    pub batches: usize,
    /// The executions of each row of [`ROWS`].
    pub executed: Vec<u64>,
    /// The first difference.
    pub difference: Option<Difference>,
    /// PeerDefect defects of the peer that it no longer shows.
    pub fixed: Vec<&'static PeerDefect>,
}

impl Report {
    /// Returns the rows that were neither executed nor excused.
    pub fn missing(&self) -> Vec<&'static str> {
        self.rows(|name, count| count == 0 && excuse(name).is_none())
    }

    /// Returns the excused rows that were executed.
    pub fn idle_excuses(&self) -> Vec<&'static str> {
        self.rows(|name, count| count > 0 && excuse(name).is_some())
    }

    /// Lists each row with its executions, or the reason for none.
    pub fn coverage(&self) -> String {
        let line = |(row, count): (&decode::Row, &u64)| match excuse(row.name) {
            Some(why) => format!("{:<12} left out: {why}\n", row.name),
            None => format!("{:<12} {count:>10}\n", row.name),
        };
        ROWS.iter().zip(&self.executed).map(line).collect()
    }

    /// Tells if the run found no difference, executed every row, and needed every exception.
    pub fn passed(&self) -> bool {
        self.difference.is_none()
            && self.fixed.is_empty()
            && self.missing().is_empty()
            && self.idle_excuses().is_empty()
    }

    fn rows(&self, which: impl Fn(&str, u64) -> bool) -> Vec<&'static str> {
        let rows = ROWS.iter().zip(&self.executed);
        rows.filter(|(row, count)| which(row.name, **count)).map(|(row, _)| row.name).collect()
    }
}

fn excuse(name: &str) -> Option<&'static str> {
    EXCUSED.iter().find(|(row, _)| *row == name).map(|(_, why)| *why)
}

/// Compares at least `count` instructions of the streams of `seed`, or up to the first difference. `progress` receives
/// the number of instructions compared so far, once for each batch.
///
/// # Errors
/// The peer has ended.
pub fn run(peer: &mut Peer, seed: u64, count: u64, mut progress: impl FnMut(u64)) -> Result<Report, OracleError> {
    let mut generator = Generator::new(seed);
    // Cuts have their own generator, so streams do not depend on the length of runs.
    let mut cuts = Random::new(!seed);
    let fixed = defects::fixed(peer)?;
    let mut report = Report { instructions: 0, batches: 0, executed: vec![0; ROWS.len()], difference: None, fixed };
    while report.instructions < count && report.difference.is_none() {
        let batch = generator.batch();
        peer.submit(&batch, LIMIT, false)?;
        // Both sides work at the same time.
        let steps = ours::stepped(&batch, LIMIT, false);
        let own = own_difference(report.batches, &batch, &steps, &mut cuts);
        let answer = peer.answer()?;
        report.difference =
            if agree(&answer, &steps) { own } else { Some(from_peer(peer, report.batches, &batch, LIMIT)?) };
        for pc in steps.pcs.iter().filter(|pc| **pc != ours::TAKEN) {
            if let Some(index) = row_index(word(&batch, *pc)) {
                report.executed[index] += 1;
            }
        }
        report.instructions += steps.pcs.len() as u64;
        report.batches += 1;
        progress(report.instructions);
    }
    Ok(report)
}

/// Compares the first `count` instructions of a whole program, given as a flat image of flash. It has no devices, so
/// only code that waits for none can be compared.
///
/// # Errors
/// The peer has ended.
pub fn program(peer: &mut Peer, binary: &[u8], count: u32) -> Result<Option<Difference>, OracleError> {
    let batch = stream::image(binary);
    peer.submit(&batch, count, false)?;
    let steps = ours::stepped(&batch, count, false);
    if agree(&peer.answer()?, &steps) {
        return Ok(None);
    }
    from_peer(peer, 0, &batch, count.min(MOST_TRACED)).map(Some)
}

fn agree(answer: &Answer, steps: &Stepped) -> bool {
    let ours = &steps.outcome;
    steps.stop.is_none()
        && !answer.crashed
        && (answer.executed, answer.hash, answer.data_hash) == (ours.executed, steps.hash, ours.data_hash)
        && answer.state == ours.state
}

fn word(batch: &Batch, at: u32) -> u16 {
    let byte = |at: u32| batch.flash.get(at as usize).copied().unwrap_or(0xFF);
    u16::from_le_bytes([byte(at), byte(at + 1)])
}

fn row_index(word: u16) -> Option<usize> {
    let row = decode::row(word)?;
    ROWS.iter().position(|other| other.name == row.name)
}

/// Runs `batch` in every mode on our core alone and returns the first difference.
fn own_difference(number: usize, batch: &Batch, steps: &Stepped, cuts: &mut Random) -> Option<Difference> {
    let (mode, outcome) = ours::first_mismatch(batch, &steps.outcome, cuts)?;
    let differing = steps.outcome.state.differing(&outcome.state);
    let what = format!("run as {mode:?} against single steps:{differing} ({} instructions)", outcome.executed);
    Some(Difference { batch: number, what, trail: Vec::new() })
}

/// Runs `batch` again on both sides and finds the first instruction after which they differ.
fn from_peer(peer: &mut Peer, number: usize, batch: &Batch, limit: u32) -> Result<Difference, OracleError> {
    peer.submit(batch, limit, true)?;
    let answer = peer.answer()?;
    let steps = ours::stepped(batch, limit, true);
    let same = steps.steps.iter().zip(&answer.steps).take_while(|(ours, theirs)| ours == theirs).count();
    let shown = steps.pcs.get(same.saturating_sub(SHOWN - 1)..(same + 1).min(steps.pcs.len())).unwrap_or(&[]);
    let line = |pc: &u32| {
        if *pc == ours::TAKEN {
            return (0, [0, 0], "takes an interrupt");
        }
        let first = word(batch, *pc);
        (*pc, [first, word(batch, pc + 2)], decode::row(first).map_or("reserved", |row| row.name))
    };
    let what = match (steps.steps.get(same), answer.steps.get(same)) {
        (Some((ours, our_data)), Some((theirs, their_data))) => {
            let data = if our_data == their_data { "" } else { " data space" };
            format!("ours/simavr's:{}{data}", ours.differing(theirs))
        }
        (None, None) if steps.pcs.len() == limit as usize => format!("not within the first {limit} instructions"),
        (None, _) => format!("ours stopped: {:?}", steps.stop),
        (_, None) => format!("simavr stopped{}", if answer.crashed { ": it says the program crashed" } else { "" }),
    };
    Ok(Difference { batch: number, what, trail: shown.iter().map(line).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_core_does_the_same_however_it_is_run_and_streams_reach_every_row() {
        let mut generator = Generator::new(crate::lockstep::DEFAULT_SEED);
        let mut cuts = Random::new(1);
        let mut report =
            Report { instructions: 0, batches: 0, executed: vec![0; ROWS.len()], difference: None, fixed: Vec::new() };
        let mut interrupts = 0;
        for number in 0..60 {
            let batch = generator.batch();
            let steps = ours::stepped(&batch, LIMIT, false);
            assert_eq!((steps.stop, steps.outcome.state.pc), (None, batch.end), "batch {number} comes to its end");
            let difference = own_difference(number, &batch, &steps, &mut cuts);
            assert!(difference.is_none(), "{}", difference.unwrap());
            interrupts += steps.pcs.iter().filter(|pc| **pc == ours::TAKEN).count();
            for pc in steps.pcs.iter().filter(|pc| **pc != ours::TAKEN) {
                report.executed[row_index(word(&batch, *pc)).unwrap()] += 1;
            }
        }
        assert!(interrupts > 500, "{interrupts}");
        assert_eq!(report.missing(), Vec::<&str>::new());
        assert_eq!(report.idle_excuses(), Vec::<&str>::new());
    }

    #[test]
    fn every_excuse_names_a_row() {
        for (name, _) in EXCUSED {
            assert!(ROWS.iter().any(|row| row.name == *name), "{name}");
        }
    }
}
