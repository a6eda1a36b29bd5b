//! One file a renderer.
//!
//! People read a [`Table`], which an experiment lays out and [`terminal`](terminal()) or [`markdown`](markdown()) renders,
//! with a [`Chart`] below it where points over an axis say more than columns. Programs read records: as JSON, which
//! `cyclescope-records` writes, or as [`csv()`]. Nothing here prints, measures a terminal or reads the environment: the caller
//! says how wide a line is and whether colours are welcome ([`Surface`]).
#![forbid(unsafe_code)]

mod boards;
mod changes;
pub mod chart;
mod comparison;
mod csv;
mod fit;
pub mod format;
mod functions;
mod histogram;
mod luck;
mod markdown;
pub mod page;
mod table;
mod terminal;

mod verdict;

use thiserror::Error;

pub use boards::boards;
pub use changes::changes;
pub use chart::{Chart, svg};
pub use comparison::comparison_json;
pub use csv::csv;
use cyclescope_text as text;
pub use cyclescope_text::{TIE, shortened, visible, wrap};
pub use functions::functions;
pub use histogram::histogram;
pub use luck::luck;
pub use markdown::markdown;
pub use table::{Align, Cell, Column, Field, Table, Tone, once};
pub use terminal::{Surface, terminal};
pub use verdict::{annotations, verdict};

/// Why records could not be rendered.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The records cannot be written as JSON.
    #[error(transparent)]
    Records(#[from] cyclescope_records::RecordsError),
    /// A comparison cannot be written as JSON.
    #[error("the comparison cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The records cannot be written as CSV.
    #[error("the records cannot be written as CSV: {0}")]
    Csv(#[from] ::csv::Error),
    /// A chart cannot be drawn as a picture.
    #[error("the chart cannot be drawn: {0}")]
    Chart(#[from] chart::DrawError),
}
