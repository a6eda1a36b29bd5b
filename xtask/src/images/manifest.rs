//! `manifest.json`, the record of the images built.
//!
//! The values that many images share (compiler, libraries, settings, flags, absent rows) and their sections stand in lists at
//! the top of the file. An image gives the position in each list. Every entry takes one line, so that differences are read by
//! line.

use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The manifest's layout.
pub const SCHEMA: u32 = 2;

/// The keys of an image that give a position in a list of the manifest. All but the first list, which every command asks for,
/// stand together, so that they are read when wanted.
const LISTS: [&str; 6] = ["compiler", "libraries", "settings", "flags", "rows_absent", "sections"];

/// The whole manifest.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Its layout.
    pub schema: u32,
    /// The images, in the list's order.
    pub images: Vec<Image>,
    /// Modes without a counterpart in some contenders.
    pub absent: Vec<Absent>,
    /// Boards that contenders do not exist for.
    pub not_on: Vec<NotOn>,
}

/// An image with its provenance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Unique; without an archive also the name of its file under `images/`, without `.elf.xz`.
    pub name: String,
    /// The experiment.
    pub experiment: String,
    /// The contender.
    pub contender: String,
    /// The contender's version, or its compiler's where it has none.
    pub contender_version: String,
    /// The mode.
    pub mode: String,
    /// The optimisation level.
    pub opt: String,
    /// The chip model it is measured on.
    pub chip: String,
    /// The board it is built for.
    pub board: String,
    /// Its output channel.
    pub channel: String,
    /// The settings that decide fairness.
    pub settings: Vec<(String, String)>,
    /// SHA-256 of the ELF file.
    pub sha256: String,
    /// SHA-256 over the loaded segments.
    pub segments_sha256: String,
    /// Compiler and linker.
    pub compiler: String,
    /// Foreign libraries and their versions.
    pub libraries: Vec<(String, String)>,
    /// Flags.
    pub flags: Vec<String>,
    /// Sections that take memory.
    pub sections: Vec<Section>,
    /// Lines of code of the application's own files, where its experiment asks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_lines: Option<u32>,
    /// Places marked `unsafe` in them, if they are Rust.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsafe_blocks: Option<u32>,
    /// Rows of its experiment's table that it cannot fill, and why.
    pub rows_absent: Vec<(String, String)>,
    /// The place of its ELF, unless the ELF has a file of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<Archived>,
}

/// A place in an archive: ELFs one after the other, then packed, so that what they share is there once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archived {
    /// File name under `images/`, without `.xz`.
    pub name: String,
    /// Bytes before it.
    pub offset: u64,
    /// Bytes of the ELF.
    pub bytes: u64,
}

/// A section that takes memory; in the file its values alone, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "(String, u32, u32, bool)")]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: u32,
    /// Its size in bytes.
    pub size: u32,
    /// True if it takes RAM only.
    pub zeroed: bool,
}

impl From<Section> for (String, u32, u32, bool) {
    fn from(section: Section) -> Self {
        (section.name, section.address, section.size, section.zeroed)
    }
}

/// A mode without a counterpart in a contender.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absent {
    /// The experiment.
    pub experiment: String,
    /// The contender.
    pub contender: String,
    /// The mode.
    pub mode: String,
    /// The reason.
    pub reason: String,
}

/// A board that a contender does not exist for.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotOn {
    /// The experiment.
    pub experiment: String,
    /// The contender.
    pub contender: String,
    /// The board.
    pub board: String,
    /// The reason.
    pub reason: String,
}

impl Manifest {
    /// Reads the manifest of the images crate.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("{} is not a manifest of images", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut manifest: Value = serde_json::from_str(text)?;
        let compilers = manifest[LISTS[0]].take();
        let lists = LISTS.map(|key| if key == LISTS[0] { compilers.clone() } else { manifest["lists"][key].take() });
        for image in manifest["images"].as_array_mut().context("there is no list of images")? {
            for (key, list) in LISTS.iter().zip(&lists) {
                let entry = image.get_mut(key).with_context(|| format!("an image has no {key}"))?;
                let at = entry.as_u64().and_then(|at| usize::try_from(at).ok()).and_then(|at| list.get(at));
                *entry = at.with_context(|| format!("{key} has no entry {entry}"))?.clone();
            }
        }
        Ok(serde_json::from_value(manifest)?)
    }

    /// Its text as committed.
    pub fn to_json(&self) -> anyhow::Result<String> {
        let mut images = self.images.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
        images.iter_mut().for_each(Value::sort_all_objects);
        let mut lists = Vec::new();
        for key in LISTS {
            let mut list: Vec<Value> = Vec::new();
            for image in &mut images {
                let value = image[key].take();
                let known = list.iter().position(|entry| *entry == value);
                image[key] = known.unwrap_or(list.len()).into();
                list.extend(known.is_none().then_some(value));
            }
            lists.push(lines(key, &list)?);
        }
        let parts = [
            format!("\"schema\": {}", self.schema),
            lists.remove(0),
            format!("\"lists\": {{\n{}\n}}", lists.join(",\n")),
            lines("images", &images)?,
            lines("absent", &self.absent)?,
            lines("not_on", &self.not_on)?,
        ];
        Ok(format!("{{\n{}\n}}\n", parts.join(",\n")))
    }
}

/// A list in the manifest's text, an entry a line.
fn lines<T: Serialize>(key: &str, list: &[T]) -> serde_json::Result<String> {
    let entries = list.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("\"{key}\": [\n{}\n]", entries.join(",\n")))
}

impl Image {
    /// The archive that it belongs in: with all builds of the experiment's contender.
    pub fn archive_name(&self) -> String {
        format!("{}-{}", self.experiment, self.contender)
    }
}

#[cfg(test)]
mod tests {
    use super::super::places::Places;
    use super::*;

    #[test]
    fn the_committed_manifests_are_written_as_they_are_read() {
        for place in Places::new().unwrap().all() {
            let text = std::fs::read_to_string(&place.manifest).unwrap();
            assert_eq!(Manifest::read(&place.manifest).unwrap().to_json().unwrap(), text);
        }
    }

    #[test]
    fn what_a_list_does_not_hold_is_named() {
        let text = r#"{"compiler": ["gcc"], "lists": {}, "images": [{"compiler": 1}]}"#;
        assert!(Manifest::parse(text).unwrap_err().to_string().contains("compiler has no entry 1"));
    }
}
