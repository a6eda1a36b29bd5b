//! The format strings of an image, as the decoder will find them.

use std::collections::HashMap;

use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
use serde::Deserialize;

use super::DefmtError;

/// The names of all strings together may be so many times as long as the file. Any number of symbols may share one name.
const MOST_NAMES: u64 = 4;

/// The bytes that the names of a small file's strings may take.
const GRANTED: u64 = 1 << 20;

/// A symbol's name (defmt's book, "Interning"). The rest of it does not matter here.
#[derive(Deserialize)]
struct Name {
    tag: String,
    data: String,
}

/// All strings by index.
#[derive(Debug, Default)]
pub(super) struct Formats {
    by_index: HashMap<usize, String>,
    pub(super) timestamp: Option<String>,
    /// The length of all names of flags.
    pub(super) flags: u64,
}

impl Formats {
    /// Reads the strings of an ELF, as the decoder does. Returns none where the decoder says why there are none.
    ///
    /// # Errors
    /// [`DefmtError::TooMuch`] if the decoder would keep much more than the file has.
    pub(super) fn read(elf: &[u8]) -> Result<Self, DefmtError> {
        let mut formats = Self::default();
        let Ok(file) = object::File::parse(elf) else { return Ok(formats) };
        let strings = |name: &str| name == ".defmt" || name.starts_with(".defmt.");
        let sections: Vec<_> = file
            .sections()
            .filter(|section| section.name().is_ok_and(strings))
            .map(|section| section.index())
            .collect();
        let mut left = (elf.len() as u64).saturating_mul(MOST_NAMES).saturating_add(GRANTED);
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            if !symbol.section_index().is_some_and(|section| sections.contains(&section)) {
                continue;
            }
            let too_much = DefmtError::TooMuch("the image's defmt strings share one name many times");
            left = left.checked_sub(name.len() as u64).ok_or(too_much)?;
            if let Ok(name) = serde_json::from_str::<Name>(name) {
                formats.add(symbol.address() as usize, name);
            }
        }
        Ok(formats)
    }

    fn add(&mut self, index: usize, Name { tag, data }: Name) {
        match tag.as_str() {
            "defmt_timestamp" => self.timestamp = Some(data),
            "defmt_bitflags_value" => self.flags += data.len() as u64 + 3,
            _ => {
                self.by_index.insert(index, data);
            }
        }
    }

    /// Returns the string with this index.
    pub(super) fn get(&self, index: u16) -> Option<&str> {
        self.by_index.get(&usize::from(index)).map(String::as_str)
    }
}
