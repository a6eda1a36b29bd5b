//! Why a run gave no number.

use cyclescope_chips::{LoadError, PartError};
use cyclescope_image::{ImageError, SymbolError};
use cyclescope_images::UnpackError;
use cyclescope_machine::Stop;
use cyclescope_scope::defmt::DefmtError;
use cyclescope_scope::{EventError, SpanError};
use cyclescope_stats::StatsError;
use thiserror::Error;

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
    /// Its log cannot be decoded.
    #[error(transparent)]
    Defmt(#[from] DefmtError),
    /// The samples have no estimates.
    #[error(transparent)]
    Stats(#[from] StatsError),
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
        /// What it should have been.
        expected: String,
        /// What it was.
        found: String,
    },
    /// A figure of the result line is not what the work should have given.
    #[error("the program says {name}={found}; the work it was given makes that {expected}")]
    Figure {
        /// The figure's name.
        name: &'static str,
        /// What it should have been, in words.
        expected: String,
        /// What it was.
        found: u64,
    },
    /// The program's clock and the simulator's disagree.
    #[error(
        "the program's own clock says {own} ticks of {clock_hz} Hz, but the simulator says {simulated_ns} ns: more than a \
         tick apart"
    )]
    Clock {
        /// What the program says.
        own: u64,
        /// Its clock's rate.
        clock_hz: u64,
        /// What the simulator says.
        simulated_ns: u64,
    },
    /// The image's manifest names no channel that the probe can read.
    #[error("the image says that it talks over `{0}`, which is no known channel")]
    Channel(&'static str),
    /// The span happened more than once.
    #[error("the measured span happened {0} times instead of once")]
    Repeated(usize),
}
