//! Modes of running our core, which must give the results of single steps.

use cyclescope_engine::laws::{self, Counter, Counts};
use cyclescope_machine::{FlashTiming, Retire, Stop};

use crate::arm::ours::{BUDGET, Ours, Outcome, Stepped};
use crate::arm::stream::Batch;
use crate::hash::mix;
use crate::lockstep::{COMPILED_RUNS, COUNTED_RUNS, several};
use crate::random::Random;

/// A mode of running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// Passes every instruction to a sink.
    Sink,
    /// Runs blocks, stopped and continued at random cycles.
    Cut,
    /// Runs blocks to the end, each built when it is reached.
    Blocks,
    /// Runs blocks to the end, all built before.
    BlocksAgain,
    /// Runs blocks built before, stopped and continued at random cycles.
    CutAgain,
    /// Runs regions of blocks compiled for this host, each block's after its first run.
    Compiled,
    /// Runs regions compiled before, stopped and continued at random cycles.
    CompiledCut,
    /// Counts runs of compiled regions.
    Counted,
}

/// A mode whose result differs.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The mode.
    pub mode: RunMode,
    /// A description of the difference.
    pub why: &'static str,
    /// The state of the run.
    pub outcome: Outcome,
}

/// Runs `batch` in every mode, `compiled` or not, and compares the results with `steps`, those of single steps. Returns the first
/// difference.
pub fn first_mismatch(
    batch: &Batch,
    timing: FlashTiming,
    steps: &Stepped,
    compiled: bool,
    random: &mut Random,
) -> Option<Mismatch> {
    let check = |mode, (outcome, oddity): (Outcome, Option<&'static str>)| {
        let why = oddity.or((outcome != steps.outcome).then_some("the final states differ"))?;
        Some(Mismatch { mode, why, outcome })
    };
    let fresh = || Ours::new(batch, timing);
    let mut blocks = fresh();
    check(RunMode::Sink, into_sink(&mut fresh(), steps, batch.end))
        .or_else(|| check(RunMode::Cut, cut(&mut fresh(), steps, random)))
        .or_else(|| check(RunMode::Blocks, (blocks.run_until(BUDGET.get()), None)))
        .or_else(|| {
            blocks.rewind(batch);
            check(RunMode::BlocksAgain, (blocks.run_until(BUDGET.get()), None))
        })
        .or_else(|| {
            blocks.rewind(batch);
            check(RunMode::CutAgain, cut(&mut blocks, steps, random))
        })
        .or_else(|| {
            if !compiled {
                return None;
            }
            blocks.compile();
            COMPILED_RUNS.into_iter().find_map(|is_cut| {
                blocks.rewind(batch);
                blocks.settle();
                if is_cut {
                    check(RunMode::CompiledCut, cut(&mut blocks, steps, random))
                } else {
                    check(RunMode::Compiled, (blocks.run_until(BUDGET.get()), None))
                }
            })
        })
        .or_else(|| {
            if compiled { check(RunMode::Counted, counted(batch, &mut fresh(), &mut blocks, steps)) } else { None }
        })
}

/// Counts several runs of `compiled`, and compares the counts with those of `fresh`.
fn counted(batch: &Batch, fresh: &mut Ours, compiled: &mut Ours, steps: &Stepped) -> (Outcome, Option<&'static str>) {
    let mut each = Counts::new();
    let mut outcome = fresh.run_into(&mut |retire: Retire| laws::add(&mut each, retire));
    let mut counter = Counter::default();
    for _ in 0..COUNTED_RUNS {
        compiled.rewind(batch);
        compiled.settle();
        counter.rewind();
        outcome = compiled.run_into(&mut counter);
        if outcome != steps.outcome {
            return (outcome, None);
        }
    }
    let is_same = counter.counts() == Some(several(each, COUNTED_RUNS));
    (outcome, (!is_same).then_some("instructions are counted in another way than one by one"))
}

fn into_sink(ours: &mut Ours, steps: &Stepped, end: u32) -> (Outcome, Option<&'static str>) {
    let (mut seen, mut clock, mut whole) = (0, 0, true);
    let outcome = ours.run_into(&mut |retire: Retire| {
        // Nothing comes between instructions here: each begins when the previous one ends.
        whole &= retire.at.get() == clock;
        clock = retire.at.get() + retire.cycles.get();
        seen = mix(seen, u64::from(retire.pc.get()));
    });
    let expected = steps.retired.iter().chain([&end]).fold(0, |hash, pc| mix(hash, u64::from(*pc)));
    let oddity = if !whole || clock != outcome.cycles {
        Some("the cycles reported to the sink have gaps")
    } else if seen != expected {
        Some("the sink received other instructions")
    } else {
        None
    };
    (outcome, oddity)
}

fn cut(ours: &mut Ours, steps: &Stepped, random: &mut Random) -> (Outcome, Option<&'static str>) {
    loop {
        let until = ours.cycles() + 1 + u64::from(random.below(60));
        let outcome = ours.run_until(until);
        if outcome.stop != Stop::Horizon || outcome.cycles > BUDGET.get() {
            return (outcome, None);
        }
        let boundary = steps.starts.partition_point(|start| *start < until);
        if steps.starts.get(boundary) != Some(&outcome.cycles) {
            return (outcome, Some("it did not stop at the first boundary"));
        }
    }
}
