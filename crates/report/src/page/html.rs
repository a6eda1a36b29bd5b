//! The page as a value, and as a file.

use std::collections::BTreeMap;

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::contents::{Page, PageError};
use super::core::Core;
use super::data;
use super::library::{gzip, library};
use super::policy::{policy, running};
use super::run::Again;
use super::template::Skeleton;

/// The page's own style and script. Files stand in the order in which they are to be read.
const STYLE: &str = include_str!("../../assets/page.css");
const SCRIPTS: [&str; 12] = [
    include_str!("../../assets/element.js"),
    include_str!("../../assets/base.js"),
    include_str!("../../assets/save.js"),
    include_str!("../../assets/filters.js"),
    include_str!("../../assets/origin.js"),
    include_str!("../../assets/table.js"),
    include_str!("../../assets/charts.js"),
    include_str!("../../assets/timeline.js"),
    include_str!("../../assets/flame.js"),
    include_str!("../../assets/asked.js"),
    include_str!("../../assets/again.js"),
    include_str!("../../assets/main.js"),
];

/// `page` as the text of one HTML file. The same page gives the same bytes.
///
/// # Errors
/// [`PageError`], which no page that this workspace makes has given.
pub fn html(page: &Page) -> Result<String, PageError> {
    let script = format!("(() => {{\n\"use strict\";\n{}\n}})();\n", SCRIPTS.join("\n"));
    let library = library();
    let scripts = [script.as_str(), library.source];
    let policy = if page.core.is_some() { running(&scripts) } else { policy(&scripts) };
    let data = data::json(page)?;
    let worker = page.core.as_ref().map(Core::worker).transpose()?;
    let skeleton = Skeleton {
        page,
        policy: &policy,
        style: STYLE,
        script: &script,
        library: library.packed,
        data: &data,
        core: page.core.as_ref().zip(worker.as_deref()),
        images: images(page),
        files: files(page),
    };
    Ok(skeleton.render()?)
}

/// The runs that the page makes again; none without a core.
fn again(page: &Page) -> impl Iterator<Item = &Again> {
    page.runs.iter().filter(|_| page.core.is_some()).filter_map(|run| run.again.as_ref().ok())
}

/// The files that the page runs, each once by its SHA-256, as base64 of a gzip file.
fn images(page: &Page) -> BTreeMap<String, String> {
    again(page).map(|again| (again.sha256.clone(), STANDARD.encode(gzip(&again.image)))).collect()
}

/// The files beside them, each once by its name, in the same form.
fn files(page: &Page) -> BTreeMap<String, String> {
    let all = again(page).flat_map(|again| &again.files);
    all.map(|(name, bytes)| (name.clone(), STANDARD.encode(gzip(bytes)))).collect()
}
