//! The contents of a page.

use cyclescope_records::Record;
use thiserror::Error;

use super::core::Core;
use super::origin::Facts;
use super::run::Run;
use super::section::Section;

/// All that a page shows.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Its heading.
    pub title: String,
    /// The tool that wrote the records, with its version.
    pub tool: String,
    /// The subject of the page, in a sentence or two.
    pub summary: String,
    /// The experiments.
    pub sections: Vec<Section>,
    /// Runs to look at.
    pub runs: Vec<Run>,
    /// The records that cells mean by their index.
    pub records: Vec<Record>,
    /// Other facts of their images.
    pub facts: Facts,
    /// The core that runs firmware in the page, if it has one.
    pub core: Option<Core>,
}

/// Why there is no page.
#[derive(Debug, Error)]
pub enum PageError {
    /// The data cannot be written as JSON.
    #[error("the page's data cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The template cannot be filled in.
    #[error("the page cannot be put together: {0}")]
    Template(#[from] askama::Error),
}
