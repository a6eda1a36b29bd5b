//! Runs random programs on our core and on a peer, and compares them batch by batch.

use std::fmt;

use cyclescope_engine::laws::Counts;

use crate::error::OracleError;
use crate::process::{Folder, Process, Source};
use crate::random::Random;
use crate::report::{Report, Tally};

/// The default seed.
pub const DEFAULT_SEED: u64 = 0x0001_5C09_E000_0001;

/// The runs of compiled code on one core, in their order: true for those that are cut at random cycles. Blocks are decoded in the
/// first ones, and may all be built anew behind the first return; they are compiled once they run again behind that.
pub const COMPILED_RUNS: [bool; 6] = [false, false, false, false, true, true];

/// The runs behind these that are counted, on the same core. Marked blocks are others than silent ones: they are decoded, run and compiled
/// anew.
pub const COUNTED_RUNS: u64 = 4;

/// The counts of so many runs like the one with `counts`.
pub fn several(counts: Counts, runs: u64) -> Counts {
    counts.into_iter().map(|(pc, (count, cycles))| (pc, (runs * count, runs * cycles))).collect()
}

/// An instruction set in lockstep with a peer.
pub trait World: Copy + fmt::Debug + 'static {
    /// A program with its initial state.
    type Batch;
    /// The compared state.
    type State;
    /// The result of a batch by single steps of our core.
    type Steps;
    /// The executed encodings.
    type Coverage: AsRef<Tally> + fmt::Display;
    /// The setting in which a defect shows, beside its code.
    type Setting: fmt::Debug + 'static;

    /// A limit above the instructions of any batch.
    const LIMIT: u32;
    /// The number of batches that one process of the peer runs.
    const BATCHES_A_PEER: usize;
    /// The peer's program.
    const PEER: Source;

    /// Returns the peer's model, its argument.
    fn model(self) -> &'static str;

    /// Receives what follows the peer's greeting: its version.
    fn version(process: &mut Process) -> Result<String, OracleError>;

    /// Returns the request to run at most `limit` instructions of `batch`. `trace` requests each state.
    fn request(batch: &Self::Batch, limit: u32, trace: bool) -> Vec<u8>;

    /// Receives a state, and if it is the final one the peer's remark.
    fn receive(process: &mut Process, is_final: bool) -> Result<(Self::State, u32), OracleError>;

    /// Returns the batches of `seed`, without end.
    fn batches(self, seed: u64) -> impl FnMut() -> Self::Batch;

    /// Returns empty counts.
    fn coverage(self) -> Self::Coverage;

    /// Counts the instructions of a batch and returns their number.
    fn count(coverage: &mut Self::Coverage, batch: &Self::Batch, steps: &Self::Steps) -> u64;

    /// Runs at most `limit` instructions of `batch` by single steps.
    fn stepped(batch: &Self::Batch, limit: u32) -> Self::Steps;

    /// Tells if both sides did the same.
    fn agree(answer: &Answer<Self::State>, steps: &Self::Steps) -> bool;

    /// Runs `batch` in every mode on our core alone and describes the first difference.
    fn own_difference(batch: &Self::Batch, steps: &Self::Steps, cuts: &mut Random) -> Option<String>;

    /// Describes the first instruction of `batch` at which both differ; `answer` has each state.
    fn difference(batch: &Self::Batch, answer: &Answer<Self::State>, limit: u32) -> String;

    /// Returns the known defects of the peer.
    fn defects(self) -> impl Iterator<Item = &'static PeerDefect<Self>>;

    /// Returns the code of `defect` as a batch.
    fn probe(self, defect: &PeerDefect<Self>) -> Self::Batch;
}

/// A defect of a peer, and its handling.
#[derive(Debug)]
pub struct PeerDefect<W: World> {
    /// The difference.
    pub what: &'static str,
    /// The reason why our result is right, and the handling.
    pub why: &'static str,
    /// The setting in which it shows.
    pub(crate) setting: W::Setting,
    /// Code that shows it.
    pub(crate) code: &'static [u16],
    /// Tells if the peer's answer shows it.
    pub(crate) shows: fn(&Answer<W::State>, &W::Steps) -> bool,
}

/// The peer's answer to a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<S> {
    /// 0, or the number of the error that ended the run.
    pub status: u32,
    /// The number of executed instructions and of interrupts taken.
    pub executed: u32,
    /// The hash of all states.
    pub hash: u64,
    /// The hash of the data at the end.
    pub data_hash: u64,
    /// The final state.
    pub state: S,
    /// The corrections that the peer made to its library's behaviour.
    pub remark: u32,
    /// The state at each instruction and the hash of the data, if requested.
    pub steps: Vec<(S, u64)>,
}

/// The running peer.
#[derive(Debug)]
pub struct Peer<W> {
    world: W,
    process: Process,
    folder: Folder,
    version: String,
    tracing: bool,
}

impl<W: World> Peer<W> {
    /// Compiles and starts the peer of `world`.
    ///
    /// # Errors
    /// [`OracleError::Missing`] or [`OracleError::Compile`] if the compiler or the library is not installed.
    pub fn start(world: W) -> Result<Self, OracleError> {
        let folder = Folder::temporary(world.model())?;
        W::PEER.compile(&folder)?;
        let (process, version) = Self::process(world, &folder)?;
        Ok(Self { world, process, folder, version, tracing: false })
    }

    fn process(world: W, folder: &Folder) -> Result<(Process, String), OracleError> {
        let mut process = Process::start(&folder.path().join("peer"), &[world.model()], W::PEER.magic)?;
        let version = W::version(&mut process)?;
        Ok((process, version))
    }

    /// Returns the name and the version of the peer.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Sends a batch, of which at most `limit` instructions are to run. `trace` requests each state.
    fn submit(&mut self, batch: &W::Batch, limit: u32, trace: bool) -> Result<(), OracleError> {
        self.tracing = trace;
        self.process.send(&W::request(batch, limit, trace))?;
        self.process.flush()
    }

    /// Returns the answer to the last batch.
    fn answer(&mut self) -> Result<Answer<W::State>, OracleError> {
        let process = &mut self.process;
        let [status, executed] = process.words()?;
        let [hash, data_hash] = [process.long()?, process.long()?];
        let (state, remark) = W::receive(process, true)?;
        let mut steps = Vec::new();
        for _ in 0..if self.tracing { executed } else { 0 } {
            steps.push((W::receive(process, false)?.0, process.long()?));
        }
        Ok(Answer { status, executed, hash, data_hash, state, remark, steps })
    }

    /// Describes the first difference in `batch`, which both run again.
    fn difference(&mut self, batch: &W::Batch, limit: u32) -> Result<String, OracleError> {
        self.submit(batch, limit, true)?;
        Ok(W::difference(batch, &self.answer()?, limit))
    }

    /// Returns the known defects that the peer no longer shows.
    fn fixed(&mut self) -> Result<Vec<&'static str>, OracleError> {
        let mut fixed = Vec::new();
        for defect in self.world.defects() {
            let batch = self.world.probe(defect);
            self.submit(&batch, 100, false)?;
            if !(defect.shows)(&self.answer()?, &W::stepped(&batch, 100)) {
                fixed.push(defect.what);
            }
        }
        Ok(fixed)
    }

    /// Compares the first `count` instructions of `batch`, searching the first `traced` one by one for a difference.
    pub(crate) fn compare(&mut self, batch: &W::Batch, count: u32, traced: u32) -> Result<Option<String>, OracleError> {
        self.submit(batch, count, false)?;
        // Both sides work at the same time.
        let steps = W::stepped(batch, count);
        if W::agree(&self.answer()?, &steps) {
            return Ok(None);
        }
        self.difference(batch, count.min(traced)).map(Some)
    }
}

/// Compares at least `count` instructions of the streams of `seed`, or up to the first difference. `progress` receives
/// the number of instructions compared so far, once for each batch.
///
/// # Errors
/// The peer has ended.
pub fn run<W: World>(
    peer: &mut Peer<W>,
    seed: u64,
    count: u64,
    mut progress: impl FnMut(u64),
) -> Result<Report<W::Coverage>, OracleError> {
    let world = peer.world;
    let mut batches = world.batches(seed);
    // Cuts have their own generator, so streams do not depend on the length of runs.
    let mut cuts = Random::new(!seed);
    let known = world.defects().map(|defect| (defect.what, defect.why)).collect();
    let mut report = Report::new(world.coverage(), known);
    report.fixed = peer.fixed()?;
    while report.goes_on(count) {
        if report.programs % W::BATCHES_A_PEER == W::BATCHES_A_PEER - 1 {
            // libunicorn 2.0.1 does not free the memory of discarded code, and crashes when it is used up.
            (peer.process, _) = Peer::process(world, &peer.folder)?;
        }
        let batch = batches();
        peer.submit(&batch, W::LIMIT, false)?;
        // Both sides work at the same time.
        let steps = W::stepped(&batch, W::LIMIT);
        let own = W::own_difference(&batch, &steps, &mut cuts);
        let found = if W::agree(&peer.answer()?, &steps) { own } else { Some(peer.difference(&batch, W::LIMIT)?) };
        report.difference = found.map(|what| format!("difference in batch {}: {what}", report.programs));
        report.instructions += W::count(&mut report.coverage, &batch, &steps);
        report.programs += 1;
        progress(report.instructions);
    }
    Ok(report)
}

/// Runs `batches` batches on our core alone, in all modes, and checks that they reach every row.
#[cfg(test)]
pub(crate) fn runs_the_same<W: World>(world: W, batches: usize, check: impl Fn(&W::Batch, &W::Steps)) {
    let (mut next, mut cuts, mut coverage) = (world.batches(DEFAULT_SEED), Random::new(1), world.coverage());
    for number in 0..batches {
        let batch = next();
        let steps = W::stepped(&batch, W::LIMIT);
        check(&batch, &steps);
        assert_eq!(W::own_difference(&batch, &steps, &mut cuts), None, "batch {number}");
        W::count(&mut coverage, &batch, &steps);
    }
    assert_eq!(coverage.as_ref().missing(), Vec::<&str>::new());
    assert_eq!(coverage.as_ref().idle_excuses(), Vec::<&str>::new());
}
