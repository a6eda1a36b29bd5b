//! Records: one metric's statistics with everything needed to tell where they come from.
//!
//! A record is the only thing an experiment hands to the outside and the only thing JSON and CSV are made of.
//! [`RecordFile`] is the file `{schema, tool, records}`; its schema is versioned by [`SCHEMA`] and written down, field
//! by field, in the repository's `docs/records.md`.
//!
//! Writing is deterministic: fields come in the order in which they are declared, maps are sorted by key, sets by
//! value, exact quantities are JSON integers, and the rest are the shortest decimals that read back as the same
//! float. The same records give the same bytes on every host.
#![forbid(unsafe_code)]

mod bound;
mod compare;
mod file;
mod luck;
mod model;
mod record;
pub mod stats;

pub use bound::{Bound, BoundError, Breach, SIGNIFICANT, Verdict, is_metric, judge};
pub use compare::{Change, Comparison, Pair, Statistic, compare};
pub use file::{RecordFile, RecordsError, SCHEMA};
pub use luck::{Layouts, LuckChange, LuckKind};
pub use model::{GapNote, Model, Rows};
pub use record::{FUNCTION, Record, Scalar, Source, Unit};
