//! Runs random streams on both sides and compares them batch by batch.

use cyclescope_machine::FlashTiming;

use crate::coverage::Coverage;
use crate::defects::{self, PeerDefect};
use crate::difference::{self, Difference};
use crate::error::OracleError;
use crate::ours::{self, Stepped};
use crate::peer::{Answer, Peer};
use crate::random::Random;
use crate::run_modes;
use crate::stream::{Batch, Generator};

/// A limit above the instructions of any batch.
const LIMIT: u32 = 20_000;

/// The number of batches that one process of the peer runs.
const BATCHES_A_PEER: usize = 2048;

/// The default seed.
pub const DEFAULT_SEED: u64 = 0x0001_5C09_E000_0001;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// Instructions compared with the peer.
    pub instructions: u64,
    /// The number of batches.
    pub batches: usize,
    /// The executed encodings.
    pub coverage: Coverage,
    /// The first difference.
    pub difference: Option<Difference>,
    /// PeerDefect defects of the peer that it no longer shows.
    pub fixed: Vec<&'static PeerDefect>,
}

impl Report {
    /// Tells if the run found no difference, executed every row, and needed every exception.
    pub fn passed(&self) -> bool {
        self.difference.is_none()
            && self.fixed.is_empty()
            && self.coverage.missing().is_empty()
            && self.coverage.idle_excuses().is_empty()
    }
}

/// Compares at least `count` instructions of the streams of `seed`, or up to the first difference. `progress` receives
/// the number of instructions compared so far, once for each batch.
///
/// # Errors
/// The peer cannot be built or has ended.
pub fn run(peer: &mut Peer, seed: u64, count: u64, mut progress: impl FnMut(u64)) -> Result<Report, OracleError> {
    let architecture = peer.architecture();
    let mut generator = Generator::new(architecture, seed);
    // Cuts have their own generator, so streams do not depend on the length of runs.
    let mut cuts = Random::new(!seed);
    let fixed = defects::fixed(peer)?;
    let mut report =
        Report { instructions: 0, batches: 0, coverage: Coverage::new(architecture), difference: None, fixed };
    while report.instructions < count && report.difference.is_none() {
        if report.batches % BATCHES_A_PEER == BATCHES_A_PEER - 1 {
            peer.renew()?;
        }
        let batch = generator.batch();
        peer.submit(&batch, LIMIT, false)?;
        // Both sides work at the same time.
        let steps = ours::stepped(&batch, FlashTiming::IDEAL, LIMIT as usize);
        let own = own_difference(report.batches, &batch, &steps, &mut cuts);
        let answer = peer.answer()?;
        report.difference = if agree(&answer, &steps) {
            own
        } else {
            Some(difference::from_peer(peer, report.batches, &batch, LIMIT)?)
        };
        report.coverage.add(&batch.image, &steps.pcs);
        report.instructions += steps.pcs.len() as u64;
        report.batches += 1;
        progress(report.instructions);
    }
    Ok(report)
}

fn agree(answer: &Answer, steps: &Stepped) -> bool {
    answer.status == 0
        && answer.executed as usize == steps.pcs.len()
        && answer.state == steps.state
        && answer.hash == steps.hash
        && answer.data_hash == steps.data_hash
}

/// Runs `batch` in every mode on our core alone and returns the first difference.
fn own_difference(number: usize, batch: &Batch, ideal: &Stepped, cuts: &mut Random) -> Option<Difference> {
    for &timing in ours::flash_timings(batch.architecture) {
        let again;
        let steps = if timing == FlashTiming::IDEAL {
            ideal
        } else {
            again = ours::stepped(batch, timing, LIMIT as usize);
            &again
        };
        // Flash settings may only change the time.
        if (steps.hash, steps.outcome.ram_hash) != (ideal.hash, ideal.outcome.ram_hash) {
            let why = "flash settings changed more than time";
            return Some(difference::from_mode(number, batch, timing, why, &ideal.outcome, &steps.outcome));
        }
        if let Some(mismatch) = run_modes::first_mismatch(batch, timing, steps, cuts) {
            let why = format!("run as {:?} against single steps: {}", mismatch.mode, mismatch.why);
            return Some(difference::from_mode(number, batch, timing, &why, &steps.outcome, &mismatch.outcome));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use cyclescope_cortex_m::decode::Architecture;

    use super::*;

    /// Runs enough batches on our core alone to reach every row.
    fn runs_the_same(architecture: Architecture, batches: usize) {
        let mut generator = Generator::new(architecture, DEFAULT_SEED);
        let mut cuts = Random::new(1);
        let mut coverage = Coverage::new(architecture);
        for number in 0..batches {
            let batch = generator.batch();
            let steps = ours::stepped(&batch, FlashTiming::IDEAL, LIMIT as usize);
            assert_eq!(steps.state.0[crate::state::PC], batch.end, "batch {number} comes to its end");
            let difference = own_difference(number, &batch, &steps, &mut cuts);
            assert!(difference.is_none(), "{}", difference.unwrap());
            coverage.add(&batch.image, &steps.pcs);
        }
        assert_eq!(coverage.missing(), Vec::<&str>::new());
        assert_eq!(coverage.idle_excuses(), Vec::<&str>::new());
    }

    #[test]
    fn armv6m_does_the_same_however_it_is_run_and_streams_reach_every_row() {
        runs_the_same(Architecture::Armv6M, 60);
    }

    #[test]
    fn armv7m_does_the_same_however_it_is_run_and_streams_reach_every_row() {
        runs_the_same(Architecture::Armv7M, 80);
    }

    #[test]
    fn armv7em_does_the_same_however_it_is_run_and_streams_reach_every_row() {
        runs_the_same(Architecture::Armv7EM, 80);
    }

    #[test]
    fn armv7emf_does_the_same_however_it_is_run_and_streams_reach_every_row() {
        runs_the_same(Architecture::Armv7EMF, 100);
    }
}
