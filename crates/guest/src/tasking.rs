//! The request and the results of an X-ray of tasks.

use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_records::Model;
use cyclescope_scope::{Samples, SpanError, SpanText, TaskReport, Trace};

use crate::measurement::RunSummary;
use crate::{Guest, Scenario};

/// A guest whose tasks are to be seen.
#[derive(Clone, Copy, Debug)]
pub struct TasksRequest<'a> {
    /// The image and its chip.
    pub guest: Guest<'a>,
    /// The stimuli and the length of the run.
    pub scenario: Scenario<'a>,
    /// The symbol of the word that points to the running thread, if the runtime is to be found by that.
    pub task_pointer: Option<&'a str>,
    /// The spans of the timeline.
    pub spans: &'a [SpanText],
    /// Keep the first so many events, and as many of a trace of what happens beside them.
    pub timeline: Option<usize>,
}

/// The tasks of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct TasksOutcome {
    /// The tasks.
    pub report: TaskReport,
    /// The pins, transfers, exceptions and sleep, if they were asked for.
    pub trace: Option<Trace>,
    /// The occurrences of each span, by its name.
    pub spans: Vec<(String, Result<Samples, SpanError>)>,
    /// The part's exceptions by number and name.
    pub exceptions: Vec<(u16, &'static str)>,
    /// The time asleep, of all cores together.
    pub asleep: Cycles,
    /// The time since reset of the run's end.
    pub time: Picoseconds,
    /// The end of the run.
    pub run: RunSummary,
    /// The model, with the timing rows that the run used.
    pub model: Model,
    /// The flash settings that the firmware had written, in words, for a part with a flash interface.
    pub flash_written: Option<String>,
}
