//! The page as a value, and as a file.

use askama::Template;
use cyclescope_records::Record;
use thiserror::Error;

use super::data;
use super::library::library;
use super::policy::policy;
use super::template::Skeleton;
use super::{Facts, Run, Section};

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

/// The page's own style and script. Files stand in the order in which they are to be read.
const STYLE: &str = include_str!("../../assets/page.css");
const SCRIPTS: [&str; 9] = [
    include_str!("../../assets/base.js"),
    include_str!("../../assets/save.js"),
    include_str!("../../assets/filters.js"),
    include_str!("../../assets/origin.js"),
    include_str!("../../assets/table.js"),
    include_str!("../../assets/charts.js"),
    include_str!("../../assets/timeline.js"),
    include_str!("../../assets/flame.js"),
    include_str!("../../assets/main.js"),
];

/// `page` as the text of one HTML file. The same page gives the same bytes.
///
/// # Errors
/// [`PageError`], which no page that this workspace makes has given.
pub fn html(page: &Page) -> Result<String, PageError> {
    let script = format!("(() => {{\n\"use strict\";\n{}\n}})();\n", SCRIPTS.join("\n"));
    let library = library();
    let policy = policy(&[&script, library.source]);
    let data = data::json(page)?;
    let skeleton =
        Skeleton { page, policy: &policy, style: STYLE, script: &script, library: library.packed, data: &data };
    Ok(skeleton.render()?)
}
