//! What is asked of a measurement, and what comes of it.

use cyclescope_image::Image;
use cyclescope_machine::{Gap, Stop};
use cyclescope_records::Record;
use cyclescope_scope::{Event, EventError, Rule, Sample, SleepTime, SpanError, SpanText, Time, Trace};
use cyclescope_units::{Address, Cycles, Hertz, Instructions};
use thiserror::Error;

use crate::backend::MemorySetting;

/// A guest to measure.
#[derive(Clone, Copy, Debug)]
pub struct MeasureRequest<'a> {
    /// The image.
    pub image: &'a Image,
    /// What records call it.
    pub name: &'a str,
    /// The chip's name, as in the catalogue, or the path of a TOML file that describes one.
    pub chip: &'a str,
    /// The flash settings.
    pub memory: MemorySetting,
    /// The spans to collect.
    pub spans: &'a [SpanText],
    /// What the outside does.
    pub rules: &'a [Rule],
    /// How long the run goes on after reset.
    pub window: Time,
    /// The event that ends it before.
    pub until: Option<&'a Event>,
    /// The run ends when the guest has written more bytes than this.
    pub max_output: usize,
    /// A fault runs the guest's own handler instead of ending the run.
    pub guest_handles_faults: bool,
    /// Keep a trace of what happens.
    pub trace: bool,
    /// The symbol of the word that names the running task, for the trace.
    pub task_pointer: Option<&'a str>,
}

/// Why a span has no samples.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpanFailure {
    /// An event of it is not in the image or the part.
    #[error("span `{0}`: {1}")]
    Event(String, #[source] EventError),
    /// It did not happen as it was described.
    #[error(transparent)]
    Span(#[from] SpanError),
}

/// How a measurement's run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasureEnd {
    /// Its time was over.
    Window,
    /// The event that should end it happened.
    Reached,
    /// The guest ended it.
    Stopped(Stop),
    /// The caller did.
    Interrupted,
}

/// What came of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureOutcome {
    /// For each span asked for, its name and samples.
    pub spans: Vec<(String, Result<Vec<Sample>, SpanFailure>)>,
    /// The records of the spans that have samples, and of the run.
    pub records: Vec<Record>,
    /// How the run ended.
    pub end: MeasureEnd,
    /// Where: the instruction that would have been next.
    pub pc: Address,
    /// When.
    pub cycles: Cycles,
    /// After how many instructions.
    pub instructions: Instructions,
    /// Its sleep.
    pub sleep: SleepTime,
    /// How many stimuli happened.
    pub stimuli: u64,
    /// How many would have come after the end of the run.
    pub stimuli_left: u64,
    /// The part's name.
    pub part: String,
    /// The clock that times of the request are counted with.
    pub nominal_clock: Hertz,
    /// The clock at the end.
    pub clock: Hertz,
    /// The part's exceptions by number and name.
    pub exceptions: Vec<(u16, &'static str)>,
    /// The trace, if it was asked for.
    pub trace: Option<Trace>,
    /// What the model lacks of what the guest touched.
    pub gaps: Vec<Gap>,
}
