//! Why a run gave no number.

use cyclescope_chips::{LoadError, PartError};
use cyclescope_host::HostError;
use cyclescope_image::{ImageError, SymbolError};
use cyclescope_images::UnpackError;
use cyclescope_layout::{LayoutError, UnitsError};
use cyclescope_machine::Stop;
use cyclescope_machine::figures::integer;
use cyclescope_machine::units::{Bytes, Cycles, Hertz};
use cyclescope_records::stats::StatsError;
use cyclescope_scope::defmt::DefmtError;
use cyclescope_scope::{ArrivalsError, EventError, RecordError, SpanError, StimulusError};
use thiserror::Error;

use crate::syscall::CallError;

/// Why a run gave no number.
#[derive(Debug, Error)]
pub enum RunError {
    /// The bundled image is damaged.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// The ELF cannot be used.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// Its chip is unknown.
    #[error(transparent)]
    Part(#[from] PartError),
    /// It does not fit its chip.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It lacks a symbol that the experiment watches.
    #[error(transparent)]
    Symbol(#[from] SymbolError),
    /// An event of the experiment cannot be found in it.
    #[error(transparent)]
    Event(#[from] EventError),
    /// The span did not happen as described.
    #[error(transparent)]
    Span(#[from] SpanError),
    /// Its events happened too often.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Its log cannot be decoded.
    #[error(transparent)]
    Defmt(#[from] DefmtError),
    /// The samples have no estimates.
    #[error(transparent)]
    Stats(#[from] StatsError),
    /// Its code and constants cannot be told apart.
    #[error(transparent)]
    Units(#[from] UnitsError),
    /// There is no room for another layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// It did not give its numbers in another layout.
    #[error("in layout {number}: {error}")]
    InLayout {
        /// The layout's number, from 1.
        number: u64,
        /// Why.
        error: Box<RunError>,
    },
    /// The guest ended before its result line.
    #[error("the program ended without its result line: {1}")]
    Ended(Stop, String),
    /// The guest used up its cycles.
    #[error("the program did not end within {0} cycles; it was at {1}")]
    Budget(u64, String),
    /// A line of output is not what the work should have given.
    #[error("line {line} of the program's output is wrong: expected `{expected}`, found `{found}`")]
    Output {
        /// Counted from 1.
        line: usize,
        /// The expected output.
        expected: String,
        /// The output.
        found: String,
    },
    /// A figure of the result line is not what the work should have given.
    #[error("the program says {name}={found}, but its work should give {expected}")]
    Figure {
        /// The figure's name.
        name: &'static str,
        /// The expected figure, in words.
        expected: String,
        /// The figure.
        found: u64,
    },
    /// The program's clock and the simulator's disagree.
    #[error(
        "the program's own clock says {own} ticks of {clock_hz} Hz, but the simulator says {simulated_ns} ns: more than a \
         tick apart"
    )]
    Clock {
        /// The program's figure.
        own: u64,
        /// Its clock's rate.
        clock_hz: u64,
        /// The simulator's figure.
        simulated_ns: u64,
    },
    /// The firmware changed the core's clock inside the part of the run that is measured.
    #[error("the firmware changed the core's clock at cycle {}, inside the part of the run that is measured", .0.grouped())]
    ClockChanged(Cycles),
    /// A row's counter is not what its iterations make it.
    #[error("the counter of {row} is {found}, but its {expected} iterations make it {expected}")]
    Counter {
        /// The row.
        row: String,
        /// The iterations.
        expected: u64,
        /// The program's count.
        found: u64,
    },
    /// The program's clock and the simulator's disagree on a row.
    #[error(
        "the program's own clock says {own} ticks of {clock} for {row}, but the simulator says {cycles} of {core}: they are \
         further apart than its resolution of {resolution} ticks and what reading it takes",
        own = integer((*.own).into()), clock = Hertz::new(*.clock_hz), cycles = Cycles::new(*.cycles),
        core = Hertz::new(*.core_hz)
    )]
    RowClock {
        /// The row.
        row: String,
        /// The program's figure.
        own: u64,
        /// Its clock's rate.
        clock_hz: u64,
        /// The number of ticks that it moves at once.
        resolution: u64,
        /// The simulator's figure.
        cycles: u64,
        /// The core's clock.
        core_hz: u64,
    },
    /// The markers were not passed once a row.
    #[error("the program passed its markers {found} times, but it has {expected} rows")]
    Rows {
        /// The rows.
        expected: usize,
        /// The number of times that the span happened.
        found: usize,
    },
    /// More exceptions and edges than can be looked at.
    #[error("the program caused {0} exceptions, edges and sleeps, which are too many to keep and time")]
    Flooded(u64),
    /// The image's manifest names no channel that the probe can read.
    #[error("the image's manifest names the channel `{0}`, which the probe cannot read")]
    Channel(&'static str),
    /// A stimulus cannot be carried out.
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    /// The experiment does not know where this chip's programs have what it looks at.
    #[error("the experiment has no pins of button and probes for `{0}`")]
    NoPlaces(&'static str),
    /// The experiment has no such mode.
    #[error("the experiment has no mode `{0}`")]
    NoMode(String),
    /// A span did not happen once an edge.
    #[error("span `{span}` happened {found} times for {edges} edges of the button")]
    Samples {
        /// The span.
        span: String,
        /// The number of edges.
        edges: usize,
        /// The number of times that it happened.
        found: usize,
    },
    /// A stack was too small.
    #[error("the stack `{stack}` overflowed: it has {size}, and the program used {used}")]
    StackOverflow {
        /// Its symbol.
        stack: String,
        /// Its size.
        size: Bytes,
        /// The bytes that were used.
        used: Bytes,
    },
    /// The LED did what it should not.
    #[error("the LED {what}, at cycle {}", integer((*.at).into()))]
    Led {
        /// When.
        at: u64,
        /// The LED's behaviour.
        what: &'static str,
    },
    /// The chip has no such interrupt.
    #[error("the chip has no interrupt `{0}`, which the experiment expects from the button")]
    NoInterrupt(String),
    /// The window of arrivals cannot be gone through.
    #[error(transparent)]
    Arrivals(#[from] ArrivalsError),
    /// An arrival did not have the effects it should have.
    #[error("the edge at cycle {}: {what} within the time limit of one edge", integer((*.at).into()))]
    Arrival {
        /// The edge's cycle after reset.
        at: u64,
        /// The defect.
        what: &'static str,
    },
    /// The output after an arrival is wrong.
    #[error("the edge at cycle {}: {wrong}", integer((*.at).into()))]
    ArrivalOutput {
        /// The edge's cycle after reset.
        at: u64,
        /// The line that is wrong.
        #[source]
        wrong: Box<RunError>,
    },
    /// The window of arrivals begins before the program waits for an edge, or reaches too far.
    #[error(
        "the window goes from cycle {} to {}; the program waits for another edge only after cycle {}, and arrivals are \
         tried up to cycle {}",
        integer((*.first).into()), integer((*.last).into()), integer((*.from).into()), integer((*.to).into())
    )]
    Window {
        /// The window's first cycle.
        first: u64,
        /// Its last.
        last: u64,
        /// After which there may be arrivals.
        from: u64,
        /// Up to which.
        to: u64,
    },
    /// The window of arrivals is empty.
    #[error("the window of arrivals is empty; give it one cycle at least")]
    EmptyWindow,
    /// A contender on the host gave no number.
    #[error(transparent)]
    Host(#[from] HostError),
    /// Nothing was complete when the run was asked to end.
    #[error("interrupted before anything was complete")]
    Interrupted,
    /// An experiment on the host cannot be set up so.
    #[error("{0}")]
    Setup(String),
    /// A run on a chip was given to an experiment on the host, or the other way round.
    #[error("this job is not for this experiment: one runs on a chip, the other on the host")]
    OtherPlace,
    /// A call did not go its way.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A display or another device does not fit the part.
    #[error(transparent)]
    Device(#[from] cyclescope_attached::AttachError),
    /// A device cannot be attached.
    #[error(transparent)]
    Attach(#[from] cyclescope_chips::AttachError),
    /// The display has not shown each frame once.
    #[error("the display has shown {found} frames, but the program draws {expected}")]
    Frames {
        /// The frames that the program draws.
        expected: usize,
        /// The frames that the display has shown.
        found: u64,
    },
    /// The display has shown another picture.
    #[error(
        "frame {frame} on the display differs from the picture that embedded-graphics draws, in {pixels} pixels; the first \
         is {x} from the left, {y} from above"
    )]
    Picture {
        /// The frame, from 0.
        frame: usize,
        /// The pixels that differ.
        pixels: u32,
        /// The first of them, from the left.
        x: u32,
        /// The same, from above.
        y: usize,
    },
    /// The span happened more than once.
    #[error("the measured span happened {0} times instead of once")]
    Repeated(usize),
}

impl RunError {
    /// Tells if the run ended because it was asked to.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Self::Interrupted | Self::Arrivals(ArrivalsError::Stopped { .. }))
    }
}
