//! Experiments and runs as one HTML page that needs nothing else: no server, no network, no other file.
//!
//! A [`Page`] is a value: [`Section`]s of rows and columns over records, with [`Chart`]s that are drawn from those columns,
//! and [`Run`]s with a timeline and a flame graph. `html` makes the file. The page knows records and tables, and nothing
//! of experiments: what is a row, a column, a chart is said by who makes the sections.
//!
//! All text of the page may come from files that nobody vouches for. Text reaches the page in two ways: through a template
//! that escapes it, and as JSON in a block that no browser executes, from which the scripts take it as text. The page's own
//! policy (Content-Security-Policy) allows the scripts that this crate wrote, by hash, and no network at all.

#[cfg(feature = "page")]
mod contents;
#[cfg(feature = "page")]
mod core;
#[cfg(feature = "page")]
mod data;
#[cfg(feature = "page")]
mod html;
#[cfg(feature = "page")]
mod library;
mod origin;
#[cfg(feature = "page")]
mod playground;
#[cfg(feature = "page")]
mod policy;
mod run;
mod section;
#[cfg(feature = "page")]
mod template;

#[cfg(feature = "page")]
pub use self::core::{Core, CoreError};
#[cfg(feature = "page")]
pub use contents::{Page, PageError};
#[cfg(feature = "page")]
pub use html::html;
pub use origin::Facts;
#[cfg(feature = "page")]
pub use playground::playground;
pub use run::{Again, Flame, Lane, LaneEvents, Picture, Run, Segments, Strip, Timeline, Wake};
pub use section::{Cell, Chart, ChartKind, Column, ContenderRow, Section};
