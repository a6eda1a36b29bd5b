//! The file of records over time.
//!
//! A [`History`] is one SQLite file. An [`Entry`] is what one [`Addition`] brought: the records of some files, with the commit, the
//! branch and the time that they belong to. Records are stored whole, each once, so that [`History::records`] returns what was
//! added to the last digit, and their figures stand in columns for queries. [`History::series`] follows metrics from entry to
//! entry, and [`change_points`] finds the entries at which they changed.
//!
//! A file may come from anywhere: triggers and views in it do not run, its pages are checked when it is opened, and what is not
//! as this crate writes it is an error.
#![forbid(unsafe_code)]

mod add;
mod change_points;
mod entry;
mod error;
mod file;
mod import;
mod moment;
mod reference;
mod schema;
mod series;

pub use add::{Added, Addition};
pub use change_points::{ChangePoint, Method, PERMUTATIONS, SHORTEST, SIGNIFICANT, change_points};
pub use entry::Entry;
pub use error::HistoryError;
pub use file::History;
pub use import::{CRITERION, HYPERFINE, ImportError, Imported, import, parse};
pub use moment::{Moment, MomentError};
pub use reference::{Reference, ReferenceError};
pub use schema::SCHEMA;
pub use series::{MetricName, Point, Series};
