//! Facts about a file and the chips, before a run.

use cyclescope_chips::Part;
use cyclescope_guest::hint;
use cyclescope_image::{Contents, Image, SymbolKind};
use serde::Serialize;

use crate::answer::Answer;
use cyclescope_guest::Exit;

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
}

/// The most functions that are offered.
const MOST_FUNCTIONS: usize = 5_000;

/// Looks at `file`, called `name`.
///
/// # Errors
/// An [`Answer`] for a file that is no ELF of a known core.
pub fn inspect(name: &str, file: &[u8]) -> Result<Inspection, Box<Answer>> {
    let image = parse(name, file)?;
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
    })
}

/// Reads `file`, called `name`.
pub(crate) fn parse(name: &str, file: &[u8]) -> Result<Image, Box<Answer>> {
    let bad =
        |error: &dyn std::fmt::Display| Box::new(Answer::refused(&format!("{name}: {error}"), None, Exit::BadInput));
    match Contents::read(file) {
        Ok(None) => Image::parse(file).map_err(|error| bad(&error)),
        Ok(Some(_)) => Err(bad(&"it is Intel HEX or UF2, which the page does not read; give it the ELF")),
        Err(error) => Err(bad(&error)),
    }
}
