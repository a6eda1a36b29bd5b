//! Parts that a user describes in a file: a known part with another memory, crystal or board.
//!
//! ```toml
//! name = "my-controller"
//! base = "stm32f446re"
//! flash_kib = 256
//! hse_hz = 25_000_000
//! without = ["CAN2", "SAI1"]
//! [pins]
//! PC13 = "low"
//! ```
//!
//! A RISC-V system is described by `core` instead of `base` (`soc`), or by the map that LiteX writes (`litex`).
//!
//! Only `name` and `base` are needed; what is not said is as on the base part. A key that is not known is an error, as
//! is a value that the family has no room for: a file can make neither the host's memory nor time run out.

mod error;
mod file;
mod kept;
mod litex;
mod places;
mod soc;
mod variant;
mod vexriscv;
mod wires;

use std::borrow::Cow;
use std::path::Path;

use thiserror::Error;

pub use self::error::DescriptionError;
use self::file::File;
use crate::part::Part;

/// The most bytes that a description may have.
const MOST_BYTES: u64 = 64 << 10;

fn has_extension(path: &Path, known: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(known))
}

impl Part {
    /// The part that `chip` means: described in a file where it ends in `.toml`, or in `.json` or `.csv` as LiteX writes them,
    /// else known by that name.
    ///
    /// # Errors
    /// [`DescriptionError`] or, for a name, [`crate::PartError`].
    pub fn load(chip: &str) -> Result<Cow<'static, Self>, LoadPartError> {
        if !Self::is_file(chip) {
            return Ok(Cow::Borrowed(Self::find(chip)?));
        }
        Ok(Cow::Owned(Self::from_file(Path::new(chip))?))
    }

    /// Tells whether `chip` means a file.
    pub fn is_file(chip: &str) -> bool {
        ["toml", "json", "csv"].iter().any(|known| has_extension(Path::new(chip), known))
    }

    /// The part described in the file at `path`.
    ///
    /// # Errors
    /// [`DescriptionError`] with the path.
    pub fn from_file(path: &Path) -> Result<Self, DescriptionError> {
        use std::io::Read;
        let unreadable = |error| DescriptionError::Read { path: path.to_owned(), error };
        let mut text = String::new();
        let file = std::fs::File::open(path).map_err(unreadable)?;
        // One byte more tells of a file that is too large.
        file.take(MOST_BYTES.max(litex::MOST_BYTES) + 1).read_to_string(&mut text).map_err(unreadable)?;
        Self::from_text(path, &text)
    }

    /// The part that `text`, the content of the file at `path`, describes.
    ///
    /// # Errors
    /// [`DescriptionError`] with the path.
    pub fn from_text(path: &Path, text: &str) -> Result<Self, DescriptionError> {
        let csv = has_extension(path, "csv");
        let litex = csv || has_extension(path, "json");
        let most = if litex { litex::MOST_BYTES } else { MOST_BYTES };
        if text.len() as u64 > most {
            return Err(DescriptionError::TooLarge { path: path.to_owned(), most });
        }
        let part = if litex { Self::from_litex(&name_of(path), text, csv) } else { Self::from_toml(text) };
        part.map_err(|error| DescriptionError::In { path: path.to_owned(), error: Box::new(error) })
    }

    /// The part, called `name`, of the map that LiteX writes: `csr.csv` where `csv`, else `csr.json`.
    ///
    /// # Errors
    /// [`DescriptionError`] with the line.
    pub fn from_litex(name: &str, text: &str, csv: bool) -> Result<Self, DescriptionError> {
        litex::part(name, text, csv)
    }

    /// The part that `text` describes, in TOML.
    ///
    /// # Errors
    /// [`DescriptionError`] with the line.
    pub fn from_toml(text: &str) -> Result<Self, DescriptionError> {
        let file = File { text };
        let table = file.read()?;
        if soc::is_meant(&table) { soc::part(&file, &table) } else { variant::part(&file, &table) }
    }
}

/// The name of the part in the file at `path`: the file's, of the characters that a name may have.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let plain: String = stem.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).take(64).collect();
    if plain.is_empty() || Part::find(&plain).is_ok() { format!("described-{plain}") } else { plain }
}

/// A part that is neither known nor described.
#[derive(Debug, Error)]
pub enum LoadPartError {
    /// No part has that name.
    #[error(transparent)]
    Unknown(#[from] crate::PartError),
    /// The file does not describe one.
    #[error(transparent)]
    Description(#[from] DescriptionError),
}
