//! The interface of the commands to the simulator and the experiments.

use std::num::NonZeroUsize;
use std::sync::Arc;

use cyclescope_records::Record;
use cyclescope_report::Table;
use cyclescope_scope::Event;

pub use cyclescope_chips::{MemorySetting, ProductLine};
pub use cyclescope_experiments::syscall::UserImageRequest;
pub use cyclescope_experiments::{Arrivals, BoardLog, Devices, Dump, Guest, HostOptions, Luck, Scenario, Selection};
pub use cyclescope_guest::{Debugger, ExecOutcome, ExecRequest, Failure, HostFolder, Parting};
pub use cyclescope_scope::{Desk, DeskEnd, Next, OutputSink, Pulse, RunEnd};

pub use crate::luck::{LuckOutcome, LuckRequest};
pub use crate::measurement::{MeasureOutcome, MeasureRequest, RunSummary, Several, WorstOutcome, WorstRequest};
use crate::progress::Progress;
pub use crate::tasking::{TasksOutcome, TasksRequest};
pub use crate::tracing::{Occurrence, TraceOutcome, TraceRequest, TraceSpan};

/// An experiment that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExperimentEntry {
    /// Its name.
    pub name: String,
    /// The question.
    pub question: String,
    /// Its modes, in the order in which results show them.
    pub modes: Vec<String>,
    /// True if the experiment runs on the host, which it does only when it is named.
    pub host: bool,
    /// The first and the last event of the timed span, for a program that runs by itself from reset.
    pub span: Option<(Event, Event)>,
}

/// A chip model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChipEntry {
    /// Its part number.
    pub name: String,
    /// Core, clock, memory, in a few words.
    pub description: String,
}

/// A runtime under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContenderEntry {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The compiler.
    pub compiler: String,
}

/// A bundled image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageEntry {
    /// Its name.
    pub name: String,
    /// The contender it contains.
    pub contender: String,
    /// The experiment's mode it is built for.
    pub mode: String,
    /// The chip or board it is built for.
    pub chip: String,
    /// The optimisation level.
    pub opt: String,
    /// The SHA-256 of its ELF file.
    pub sha256: String,
}

/// Everything that can be chosen, each list in the order in which it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// Experiments.
    pub experiments: Vec<ExperimentEntry>,
    /// The chips of which something is shown.
    pub chips: Vec<ChipEntry>,
    /// The product lines of all chips that are described by data alone.
    pub lines: Vec<ProductLine>,
    /// Contenders.
    pub contenders: Vec<ContenderEntry>,
    /// Images.
    pub images: Vec<ImageEntry>,
}

/// A choice of experiments and runs. Every name has been checked against the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRequest {
    /// The experiments; empty: all chip experiments, shown as a digest.
    pub experiments: Vec<String>,
    /// The runs of each.
    pub selection: Selection,
    /// The number of runs that may go on at once.
    pub jobs: NonZeroUsize,
    /// The contender that differences refer to.
    pub base: Option<String>,
    /// Tables also say what the figures rest on.
    pub details: bool,
    /// A trace is kept; there must then be one run only.
    pub trace: bool,
    /// The ELF that takes the place of the one bundled image that all else chooses.
    pub elf: Option<Arc<[u8]>>,
    /// Other layouts in which each program runs as well.
    pub luck: Option<Luck>,
}

impl RunRequest {
    /// Tells if the request is for a digest, and not for each experiment's whole table.
    pub fn digest(&self) -> bool {
        self.experiments.is_empty()
    }
}

/// The results of a run, as far as it went.
#[derive(Debug, Default)]
pub struct RunOutcome {
    /// The tables for people: the digest, or each experiment's tables. Text without columns is a table of foot lines only.
    pub tables: Vec<Table>,
    /// The records for programs, in a fixed order.
    pub records: Vec<Record>,
    /// The runs that gave no numbers, in a fixed order.
    pub failures: Vec<Failure>,
    /// The trace of the one run, if it was asked for and the program's output was right.
    pub dump: Option<Dump>,
}

/// The destination of a listing's lines.
pub trait Lines {
    /// Takes the first `len` of `bytes`, which follow those taken before, and gives a buffer back to be filled anew; what is
    /// in it is of no meaning.
    ///
    /// # Errors
    /// Those of writing, which may be of lines taken earlier.
    fn take(&mut self, bytes: Vec<u8>, len: usize) -> std::io::Result<Vec<u8>>;
}

/// The runner of experiments and guests.
pub trait Backend {
    /// Returns everything that can be chosen.
    fn catalogue(&self) -> Catalogue;

    /// Runs experiments. Between runs, and within long ones, it asks `stop`; once that says so it returns what is finished.
    ///
    /// # Errors
    /// A [`Failure`] where nothing could be run at all; runs that fail one by one are in the outcome.
    fn run(
        &self,
        request: &RunRequest,
        progress: &dyn Progress,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<RunOutcome, Failure>;

    /// Measures the calls of one image for `run syscall`, handing its output to nobody. Now and then it calls `pulse`; once
    /// that says so it returns what it has.
    ///
    /// # Errors
    /// A [`Failure`] where the image does not fit the chip, or lacks an event or a function; calls that fail one by one are in
    /// the outcome.
    fn user_image(&self, request: &UserImageRequest<'_>, pulse: &Pulse<'_>) -> Result<RunOutcome, Failure>;

    /// Checks the log of a board, called `name` in messages, for runs of bundled images, and runs the same images on the model.
    ///
    /// # Errors
    /// A [`Failure`] where the log holds no such run, or a wrong one.
    fn import(&self, name: &str, log: BoardLog<'_>) -> Result<Vec<Record>, Failure>;

    /// Runs one guest at `desk`, which takes its output and has its input. Now and then it asks `stop`; once that says so it
    /// returns as at the end of the budget.
    ///
    /// # Errors
    /// A [`Failure`] where the image does not fit the chip, or a stimulus, an event or a port not the part.
    fn exec(
        &self,
        request: &ExecRequest<'_>,
        desk: &mut dyn Desk,
        stop: &dyn Fn() -> bool,
    ) -> Result<ExecOutcome, Failure>;

    /// Runs one guest and collects spans, handing its output to `sink`. Now and then it calls `pulse`; once that says so it
    /// returns what it has.
    ///
    /// # Errors
    /// A [`Failure`] where the image does not fit the chip or a stimulus cannot be carried out; spans that fail one by one
    /// are in the outcome.
    fn measure(
        &self,
        request: &MeasureRequest<'_>,
        sink: &mut OutputSink<'_>,
        pulse: &Pulse<'_>,
    ) -> Result<MeasureOutcome, Failure>;

    /// Runs one guest as it was linked, handing its output to `sink` and calling `pulse`, and then in other layouts. Between them it
    /// asks `stop`, once that says so it returns what it has, and tells `progress` how many are done.
    ///
    /// # Errors
    /// A [`Failure`] where the image does not fit the chip, where nothing tells what in it can move, where a stimulus cannot be
    /// carried out, or where a span fails in the image as it was linked.
    fn luck(
        &self,
        request: &LuckRequest<'_>,
        sink: &mut OutputSink<'_>,
        pulse: &Pulse<'_>,
        stop: &(dyn Fn() -> bool + Sync),
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<LuckOutcome, Failure>;

    /// Runs one guest once for each arrival of a stimulus that is tried. `progress` is told the numbers of arrivals done and to do, and
    /// `stop` is asked, from any thread; once that says so it returns what it has.
    ///
    /// # Errors
    /// As for [`Backend::measure`]; arrivals that give no number are in the outcome.
    fn worst(
        &self,
        request: &WorstRequest<'_>,
        progress: &(dyn Fn(u64, u64) + Sync),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<WorstOutcome, Failure>;

    /// Runs one guest and counts whose instructions it executes, handing its output to `sink`; each instruction goes to
    /// `listing` as a line of text. Now and then it calls `pulse`; once that says so it returns what it has.
    ///
    /// # Errors
    /// A [`Failure`] where the image does not fit the chip, or has no such events.
    fn trace(
        &self,
        request: &TraceRequest<'_>,
        listing: Option<&mut dyn Lines>,
        sink: &mut OutputSink<'_>,
        pulse: &Pulse<'_>,
    ) -> Result<TraceOutcome, Failure>;

    /// Runs one guest and watches its tasks, handing its output to `sink`. Now and then it calls `pulse`; once that says so it
    /// returns what it has.
    ///
    /// # Errors
    /// A [`Failure`] where the image does not fit the chip, has no types in its debug information, or no runtime that is known.
    fn tasks(
        &self,
        request: &TasksRequest<'_>,
        sink: &mut OutputSink<'_>,
        pulse: &Pulse<'_>,
    ) -> Result<TasksOutcome, Failure>;
}
