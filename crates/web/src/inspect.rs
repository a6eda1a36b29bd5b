//! Facts about a file and the chips, before a run.

use cyclescope_chips::Part;
use cyclescope_guest::hint;
use cyclescope_image::{Architecture, Contents, Image, SymbolKind};
use serde::Serialize;

use crate::answer::Answer;
use cyclescope_guest::{Exit, SUITE_VERSION};

/// A chip that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chip {
    /// Its name.
    pub name: &'static str,
    /// Core, clock and memory in a few words; empty for one that is described by data alone.
    pub description: &'static str,
}

/// Returns the chips: first those of which something is shown, then all others by family.
pub fn chips() -> Vec<Chip> {
    let shown = Part::all();
    let description = |name: &str| shown.iter().find(|part| part.name == name).map_or("", |part| &*part.description);
    Part::names().map(|name| Chip { name, description: description(name) }).collect()
}

/// The facts of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Inspection {
    /// The SHA-256 of the file.
    pub sha256: String,
    /// The chip that the file names, if it names one that is modelled.
    pub chip: Option<&'static str>,
    /// The other chips that fit what the file says.
    pub others: Vec<&'static str>,
    /// The place in the file that names it.
    pub place: Option<String>,
    /// Functions of the symbol table, for events.
    pub functions: Vec<String>,
    /// True for a suite of the crate embedded-test, whose tests no page runs.
    pub suite: bool,
}

/// The most functions that are offered.
const MOST_FUNCTIONS: usize = 5_000;

/// Looks at `file`, called `name`. Intel HEX and UF2 name neither a chip nor functions.
///
/// # Errors
/// An [`Answer`] for a file that is none of these and no ELF of a known core.
pub fn inspect(name: &str, file: &[u8]) -> Result<Inspection, Box<Answer>> {
    // Bytes alone are of no architecture; nothing that is asked here depends on it.
    let image = parse(name, file, Architecture::Arm)?;
    let found = hint::hints(&image).into_iter().find_map(|hint| {
        let candidates = hint.name.candidates();
        (!candidates.is_empty()).then_some((hint, candidates))
    });
    let (place, candidates) = match found {
        Some((hint, candidates)) => (Some(hint.place), candidates),
        None => (None, Vec::new()),
    };
    let mut functions: Vec<String> = image
        .symbols()
        .iter()
        .filter(|symbol| symbol.kind == SymbolKind::Function)
        .map(|symbol| symbol.display_name().to_owned())
        .take(MOST_FUNCTIONS)
        .collect();
    functions.sort();
    functions.dedup();
    Ok(Inspection {
        sha256: image.file_sha256().to_string(),
        chip: candidates.first().copied(),
        others: candidates.iter().skip(1).copied().collect(),
        place,
        functions,
        suite: image.find_symbol(SUITE_VERSION).is_some(),
    })
}

/// Reads `file`, called `name`: an ELF, or Intel HEX or UF2 for a core of `architecture`.
pub(crate) fn parse(name: &str, file: &[u8], architecture: Architecture) -> Result<Image, Box<Answer>> {
    let image = Contents::read(file).and_then(|contents| match contents {
        None => Image::parse(file),
        Some(contents) => Ok(Image::of_contents(file, contents, architecture)),
    });
    image.map_err(|error| bad_file(name, &error))
}

/// Returns the answer to a file called `name` with the defect `error`.
pub(crate) fn bad_file(name: &str, error: &dyn std::fmt::Display) -> Box<Answer> {
    Box::new(Answer::refused(&format!("{name}: {error}"), None, Exit::BadInput))
}

/// A kind of device that can be attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceKind {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// The device, in a few words.
    pub summary: &'static str,
    /// Its options, as a user writes them, with their meaning.
    pub options: &'static [(&'static str, &'static str)],
}

/// Returns the kinds of devices, by name.
pub fn devices() -> Vec<DeviceKind> {
    let of =
        |kind: &cyclescope_attached::Kind| DeviceKind { name: kind.name, summary: kind.summary, options: kind.options };
    cyclescope_attached::KINDS.iter().map(of).collect()
}
