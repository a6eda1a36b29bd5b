//! Errors between a test and its board.

use std::path::PathBuf;

use cyclescope_chips::{LoadError, LoadPartError, PinError};
use cyclescope_image::{ImageError, SymbolError};
use cyclescope_machine::Stop;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_scope::defmt::DefmtError;
use cyclescope_scope::{EventError, SpanError, SpanTextError, StimulusError, Time, TimeError, WorstError};
use thiserror::Error;

use cyclescope_attached::DeviceFileError;

/// Why a board could not do what it was asked; the text says what happened and where the firmware was.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BoardError {
    /// The firmware's file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: std::io::Error,
    },
    /// The firmware is no image.
    #[error("{name}: {error}")]
    Image {
        /// Its name or path.
        name: String,
        /// The defect.
        #[source]
        error: ImageError,
    },
    /// Neither a known chip nor the description of one.
    #[error(transparent)]
    Chip(#[from] LoadPartError),
    /// The chip cannot start this firmware.
    #[error("{firmware}: {error}")]
    Load {
        /// The firmware's name.
        firmware: String,
        /// Why.
        #[source]
        error: LoadError,
    },
    /// Not an event, or one that neither the firmware nor the chip has.
    #[error(transparent)]
    Event(#[from] EventError),
    /// Not a span.
    #[error(transparent)]
    SpanText(#[from] SpanTextError),
    /// A span that did not happen as it was described.
    #[error("{error}; {place}")]
    Span {
        /// The defect.
        #[source]
        error: SpanError,
        /// The place and the time of the firmware.
        place: String,
    },
    /// Not a stimulus, or one that cannot be carried out.
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    /// Not a device that can be attached.
    #[error(transparent)]
    Device(#[from] cyclescope_attached::AttachError),
    /// A file of a device's bytes that does not serve.
    #[error(transparent)]
    DeviceFile(#[from] DeviceFileError),
    /// A device that the chip has no wires for.
    #[error(transparent)]
    Attach(#[from] cyclescope_chips::AttachError),
    /// Not a time.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// The chip has no such pin.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// The firmware has no such symbol.
    #[error(transparent)]
    Symbol(#[from] SymbolError),
    /// The core has no such register, or not one to write.
    #[error("{core} has no register `{name}` to {what}; it has {}", known.join(", "))]
    Register {
        /// The core.
        core: &'static str,
        /// The name asked for.
        name: String,
        /// `read` or `write`.
        what: &'static str,
        /// Those that there are.
        known: Vec<&'static str>,
    },
    /// There is no memory.
    #[error(
        "there is no memory at {address}, where {bytes} bytes of {place} should lie; registers of devices cannot be looked at"
    )]
    Memory {
        /// The place that was asked for.
        place: String,
        /// The first address that is none.
        address: Address,
        /// The number of bytes that were asked for.
        bytes: usize,
    },
    /// The firmware ended before what was waited for.
    #[error("waiting for {waited_for}: {what}{}", said(output))]
    Stopped {
        /// The event that was waited for.
        waited_for: String,
        /// The reason of the end.
        stop: Stop,
        /// The same in words: what happened, at which cycle, in which function and line.
        what: String,
        /// The end of what the firmware wrote.
        output: String,
    },
    /// The run was ended from another thread ([`Board::stop_flag`](crate::Board::stop_flag)).
    #[error("interrupted while waiting for {waited_for}; {place}")]
    Interrupted {
        /// The event that was waited for.
        waited_for: String,
        /// The place of the firmware.
        place: String,
    },
    /// The event did not happen in time.
    #[error("{waited_for} did not happen within {limit}, the limit of this board; {place}{}", said(output))]
    Limit {
        /// The event that was waited for.
        waited_for: String,
        /// The limit, from reset.
        limit: Time,
        /// The place of the firmware.
        place: String,
        /// The end of what the firmware wrote.
        output: String,
    },
    /// Arrivals that cannot be tried.
    #[error(transparent)]
    Worst(#[from] WorstError),
    /// An arrival of a stimulus without an answer.
    #[error(
        "span `{span}` has no maximum: {count} arrivals gave no number, the first at cycle {}: {why}", .arrival.grouped()
    )]
    Unanswered {
        /// The span's name.
        span: String,
        /// The number of such arrivals.
        count: u64,
        /// The cycle of the first.
        arrival: Cycles,
        /// Why.
        why: String,
    },
    /// The firmware's defmt frames cannot be decoded.
    #[error(transparent)]
    Defmt(#[from] DefmtError),
}

fn said(output: &str) -> String {
    if output.is_empty() { String::new() } else { format!("; the firmware's output ends with:\n{output}") }
}
