//! The page's skeleton. askama escapes every value but those that are this crate's own or escaped already.

use std::collections::BTreeMap;

use crate::{Align, Table};
use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::contents::Page;
use super::core::Core;

#[derive(Template)]
#[template(path = "page.html")]
pub(crate) struct Skeleton<'p> {
    pub(crate) page: &'p Page,
    pub(crate) policy: &'p str,
    pub(crate) style: &'p str,
    pub(crate) script: &'p str,
    pub(crate) library: &'p str,
    /// JSON without any character that means something in HTML.
    pub(crate) data: &'p str,
    /// The core that runs firmware in the page, and the script of its worker as JSON like the data.
    pub(crate) core: Option<(&'p Core, &'p str)>,
    /// Files by their SHA-256, as base64.
    pub(crate) images: BTreeMap<String, String>,
    /// Files by their names, as base64.
    pub(crate) files: BTreeMap<String, String>,
}

/// The class of cells that lean to the right.
fn class(align: &Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Right => "num",
    }
}

/// A picture in the format PNG as an address that holds it whole.
fn uri(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

/// A table's rows, each as long as its headings, with each cell's class.
fn rows(table: &Table) -> Vec<Vec<(&'static str, String)>> {
    let row = |cells: &Vec<crate::Cell>| {
        let texts = cells.iter().map(|cell| cell.text.clone()).chain(std::iter::repeat(String::new()));
        table.columns.iter().zip(texts).map(|(column, text)| (class(&column.align), text)).collect()
    };
    table.rows.iter().map(row).collect()
}
