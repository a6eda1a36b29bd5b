//! What the commands need from the simulator and the experiments.

use std::error::Error;
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::sync::Arc;

use cyclescope_machine::{FaultReport, Gap, StackOverrun, Stop};
use cyclescope_records::Record;
use cyclescope_report::Table;
use cyclescope_scope::Event;
use cyclescope_units::{Address, Cycles, Instructions};

use crate::exit::Exit;
pub use cyclescope_chips::MemorySetting;
pub use cyclescope_experiments::syscall::UserImageRequest;
pub use cyclescope_experiments::{Arrivals, BoardLog, Dump, Guest, HostOptions, Scenario, Selection};
pub use cyclescope_scope::{OutputSink, RunEnd};

pub use crate::measurement::{MeasureOutcome, MeasureRequest, RunSummary, SpanFailure};
use crate::progress::Progress;
pub use crate::tracing::{Occurrence, TraceOutcome, TraceRequest, TraceSpan};

/// An experiment that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExperimentEntry {
    /// Its name.
    pub name: String,
    /// What it asks.
    pub question: String,
    /// Its modes, in the order in which results show them.
    pub modes: Vec<String>,
    /// Whether it runs on the host, which it does only when named.
    pub host: bool,
    /// What it times, from one event to another, where it is a program that runs by itself from reset.
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
    /// What it was built with.
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

/// What there is, each list in the order in which it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// Experiments.
    pub experiments: Vec<ExperimentEntry>,
    /// Chips.
    pub chips: Vec<ChipEntry>,
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
    /// A trace is kept; there must then be one run only.
    pub trace: bool,
    /// The ELF that takes the place of the one bundled image that all else chooses.
    pub elf: Option<Arc<[u8]>>,
}

impl RunRequest {
    /// Whether a digest is asked for and not each experiment's whole table.
    pub fn digest(&self) -> bool {
        self.experiments.is_empty()
    }
}

/// What came of it, as far as it went.
#[derive(Debug, Default)]
pub struct RunOutcome {
    /// What people read: the digest, or each experiment's tables. Text without columns is a table of foot lines only.
    pub tables: Vec<Table>,
    /// What programs read, in a fixed order.
    pub records: Vec<Record>,
    /// The runs that gave no numbers, in a fixed order.
    pub failures: Vec<Failure>,
    /// What happened in the one run, if that was asked for and its output was right.
    pub dump: Option<Dump>,
}

/// A run that gave no number, or a command that could not be carried out.
#[derive(Debug, thiserror::Error)]
#[error("{subject}: {error}")]
pub struct Failure {
    /// What failed: experiment, contender, mode, chip; or the image's path.
    pub subject: String,
    /// Why, with pc, symbol and cycle where there is one.
    #[source]
    pub error: Box<dyn Error + Send + Sync>,
    /// What to do about it, where the error does not say.
    pub help: Option<String>,
    /// How the process ends for it.
    pub exit: Exit,
}

/// A guest to run.
#[derive(Clone, Copy, Debug)]
pub struct ExecRequest<'a> {
    /// The image and its chip.
    pub guest: Guest<'a>,
    /// The run ends at this cycle.
    pub max_cycles: Cycles,
    /// Where a debugger connects, if one is to have the guest in its hands from the first instruction on.
    pub debugger: Option<&'a TcpListener>,
    /// What semihosting hands the guest as its command line.
    pub command_line: Option<&'a str>,
}

/// How a debugger left before the guest had ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parting {
    /// It ended the guest.
    Killed,
    /// It vanished, or said what cannot be understood.
    Lost(String),
}

/// How a guest ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecOutcome {
    /// Why it ended; [`Stop::Horizon`] for the budget of cycles.
    pub stop: Stop,
    /// Where: the instruction that would have been next.
    pub pc: Address,
    /// The latest fault that the guest's own handler was given.
    pub handled_fault: Option<FaultReport>,
    /// Where the stack first ran into the program's variables, if it did and the part's model notices.
    pub stack_overrun: Option<StackOverrun>,
    /// When.
    pub cycles: Cycles,
    /// After how many instructions.
    pub instructions: Instructions,
    /// What the model lacks of what it touched.
    pub gaps: Vec<Gap>,
    /// How its debugger left it, if it did before the end.
    pub debugger: Option<Parting>,
}

/// Where the lines of a listing go.
pub trait Lines {
    /// Takes the first `len` of `bytes`, which follow those taken before, and gives a buffer back to be filled anew; what is
    /// in it is of no meaning.
    ///
    /// # Errors
    /// Those of writing, which may be of lines taken earlier.
    fn take(&mut self, bytes: Vec<u8>, len: usize) -> std::io::Result<Vec<u8>>;
}

/// What runs experiments and guests.
pub trait Backend {
    /// What there is.
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

    /// Measures the calls of one image for `run syscall`, handing its output to nobody. Now and then it asks `stop`; once
    /// that says so it returns what it has.
    ///
    /// # Errors
    /// A [`Failure`] where the image does not fit the chip, or lacks an event or a function; calls that fail one by one are in
    /// the outcome.
    fn user_image(&self, request: &UserImageRequest<'_>, stop: &dyn Fn() -> bool) -> Result<RunOutcome, Failure>;

    /// Checks the log of a board, called `name` in messages, for runs of bundled images, and runs the same images on the model.
    ///
    /// # Errors
    /// A [`Failure`] where the log holds no such run, or a wrong one.
    fn import(&self, name: &str, log: BoardLog<'_>) -> Result<Vec<Record>, Failure>;

    /// Runs one guest, handing its output to `sink`. Now and then it asks `stop`; once that says so it returns as at the end
    /// of the budget.
    ///
    /// # Errors
    /// A [`Failure`] where the image does not fit the chip.
    fn exec(
        &self,
        request: &ExecRequest<'_>,
        sink: &mut OutputSink<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<ExecOutcome, Failure>;

    /// Runs one guest and collects spans, handing its output to `sink`. Now and then it asks `stop`; once that says so it
    /// returns what it has.
    ///
    /// # Errors
    /// A [`Failure`] where the image does not fit the chip or a stimulus cannot be carried out; spans that fail one by one
    /// are in the outcome.
    fn measure(
        &self,
        request: &MeasureRequest<'_>,
        sink: &mut OutputSink<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<MeasureOutcome, Failure>;

    /// Runs one guest and counts whose instructions it executes, handing its output to `sink`; each instruction goes to
    /// `listing` as a line of text. Now and then it asks `stop`; once that says so it returns what it has.
    ///
    /// # Errors
    /// A [`Failure`] where the image does not fit the chip, or has no such events.
    fn trace(
        &self,
        request: &TraceRequest<'_>,
        listing: Option<&mut dyn Lines>,
        sink: &mut OutputSink<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<TraceOutcome, Failure>;
}
