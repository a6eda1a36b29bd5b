//! The request and the results of a measurement.

use cyclescope_chips::Machine;
use cyclescope_machine::units::{Address, Cycles, Hertz, Instructions, Picoseconds};
use cyclescope_machine::{Gap, Pin, Probe, Stop, Wait};
use cyclescope_records::Record;
use cyclescope_scope::{
    Findings, Look, PostMortem, RunEnd, Samples, SleepTime, Snapshot, Sought, SpanError, SpanText, Trace,
};
use thiserror::Error;

use crate::{Failure, Guest, Scenario};

/// A guest to measure.
#[derive(Clone, Copy, Debug)]
pub struct MeasureRequest<'a> {
    /// The image and its chip.
    pub guest: Guest<'a>,
    /// The stimuli and the length of the run.
    pub scenario: Scenario<'a>,
    /// The spans to collect.
    pub spans: &'a [SpanText],
    /// Keep a trace of what happens.
    pub trace: bool,
    /// The symbol of the word that names the running task, for the trace.
    pub task_pointer: Option<&'a str>,
    /// The cycles of the stimuli whose time is a window. With some, of each span the first occurrence counts that ends behind them.
    pub arrival: &'a [Cycles],
    /// The state that the run begins from, with empty caches; none: reset. It is of a session of the same request.
    pub start: Option<&'a Snapshot>,
}

/// A search for the arrivals that take longest.
#[derive(Clone, Copy, Debug)]
pub struct WorstRequest<'a> {
    /// The measurement, with windows among its stimuli.
    pub measure: MeasureRequest<'a>,
    /// Not each arrival is tried, but those that a search chooses.
    pub search: Option<Sought>,
    /// The number of runs at once.
    pub threads: usize,
}

/// The worst arrivals.
#[derive(Clone, Debug)]
pub struct WorstOutcome {
    /// All that was tried.
    pub findings: Findings,
    /// For each span asked for, its longest occurrence as a run from reset shows it; `None` without one.
    pub looks: Vec<Option<Look>>,
    /// The records of the spans that have numbers.
    pub records: Vec<Record>,
    /// The part's name.
    pub part: String,
    /// The part's exceptions by number and name.
    pub exceptions: Vec<(u16, &'static str)>,
    /// The number of its cores.
    pub cores: usize,
    /// The functions that the guest used and the model lacks.
    pub gaps: Vec<Gap>,
}

/// Several reasons why a measurement cannot begin, each of which is told.
#[derive(Debug, Error)]
#[error("{} names of the measurement are unknown", .0.len())]
pub struct Several(pub Vec<Failure>);

/// The end of a guest's run, and the machine at that time.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// The reason for the end.
    pub end: RunEnd,
    /// The core that stopped, of a part with several.
    pub core: Option<usize>,
    /// The address of the instruction that would have been next on it.
    pub pc: Address,
    /// The cycles since reset.
    pub cycles: Cycles,
    /// The instructions that retired.
    pub instructions: Instructions,
    /// The part's name.
    pub part: String,
    /// The time since reset.
    pub time: Picoseconds,
    /// The core's clock at the end.
    pub clock: Hertz,
    /// The functions that the guest used and the model lacks.
    pub gaps: Vec<Gap>,
    /// The machine's state with the reasons for its stop, if anything went wrong.
    pub post_mortem: Option<PostMortem>,
    /// The register that the guest polls, if it spins.
    pub wait: Option<Wait>,
}

impl RunSummary {
    /// Returns the stop of the machine, if that ended the run.
    pub fn stop(&self) -> Option<Stop> {
        match self.end {
            RunEnd::Stopped(stop) => Some(stop),
            RunEnd::Window | RunEnd::Reached | RunEnd::Interrupted | RunEnd::Spins(_) => None,
        }
    }

    /// Returns the summary of a run on `machine` that has ended; `post_mortem` is what was found then.
    pub fn of(end: RunEnd, machine: &Machine, post_mortem: Option<PostMortem>) -> Self {
        Self {
            end,
            core: Probe::core(machine),
            pc: machine.pc(),
            cycles: machine.now(),
            instructions: machine.instructions(),
            part: machine.part().name.to_string(),
            time: machine.timebase().time(machine.now()),
            clock: machine.clock(),
            gaps: machine.gaps().to_vec(),
            post_mortem,
            wait: if matches!(end, RunEnd::Spins(_)) { machine.waits_for() } else { None },
        }
    }
}

/// The results of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureOutcome {
    /// For each span asked for, its name and samples.
    pub spans: Vec<(String, Result<Samples, SpanError>)>,
    /// The records of the spans that have samples, and of the run.
    pub records: Vec<Record>,
    /// The end of the run.
    pub run: RunSummary,
    /// Its sleep.
    pub sleep: SleepTime,
    /// The number of stimuli that happened.
    pub stimuli: u64,
    /// The number of stimuli that would have come after the end of the run.
    pub stimuli_left: u64,
    /// The stimuli that put a pin to the level that it had: the pin, the level, their number.
    pub idle_stimuli: Vec<(Pin, bool, u64)>,
    /// The part's exceptions by number and name.
    pub exceptions: Vec<(u16, &'static str)>,
    /// The trace, if it was asked for.
    pub trace: Option<Trace>,
}
