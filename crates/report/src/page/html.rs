//! The page as a value, and as a file.

use askama::Template;

use super::contents::{Page, PageError};
use super::data;
use super::library::library;
use super::policy::policy;
use super::template::Skeleton;

/// The page's own style and script. Files stand in the order in which they are to be read.
const STYLE: &str = include_str!("../../assets/page.css");
const SCRIPTS: [&str; 10] = [
    include_str!("../../assets/element.js"),
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
