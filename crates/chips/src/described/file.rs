//! A description's text, and what is wrong on which of its lines.

use serde::de::DeserializeOwned;
use toml::Spanned;

use super::DescriptionError;
use crate::find::nearest;
use crate::part::Part;

/// The text.
#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    pub(super) text: &'a str,
}

impl File<'_> {
    fn line_at(&self, offset: usize) -> usize {
        1 + self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }

    /// The line on which a value begins.
    pub(super) fn line<T>(&self, value: &Spanned<T>) -> usize {
        self.line_at(value.span().start)
    }

    /// The line on which `key` begins; where it is written oddly, the first.
    pub(super) fn line_of_key(&self, key: &str) -> usize {
        let begins = |line: &str| line.trim_start().trim_start_matches(['"', '\'', '[']).starts_with(key);
        self.text.lines().position(begins).map_or(1, |index| index + 1)
    }

    /// That `key` cannot be what stands `at` that place.
    pub(super) fn bad<T>(&self, key: &'static str, at: &Spanned<T>, why: impl Into<String>) -> DescriptionError {
        DescriptionError::Value { line: self.line(at), key, why: why.into() }
    }

    fn syntax(&self, error: &toml::de::Error) -> DescriptionError {
        let line = error.span().map_or(1, |span| self.line_at(span.start));
        DescriptionError::Syntax { line, message: error.message().to_owned() }
    }

    /// Reads the content as a `T`. Keys without a field in `T` are ignored.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, DescriptionError> {
        toml::from_str(self.text).map_err(|error| self.syntax(&error))
    }

    /// Checks that all keys of `table` are `known`.
    pub(super) fn keys(&self, table: &toml::Table, known: &'static [&'static str]) -> Result<(), DescriptionError> {
        let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
        let nearest = nearest(key, known.iter().copied());
        Err(DescriptionError::Key { line: self.line_of_key(key), key: key.clone(), nearest })
    }

    /// A name that a described part may have.
    pub(super) fn own_name(&self, name: &Spanned<String>) -> Result<String, DescriptionError> {
        let text = name.get_ref();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if text.is_empty() || text.len() > 64 || !text.chars().all(plain) {
            return Err(self.bad("name", name, "must be 1 to 64 letters, digits, `-`, `_` or `.`"));
        }
        if Part::find(text).is_ok() {
            return Err(self.bad("name", name, "is that of a chip that comes with the program"));
        }
        Ok(text.clone())
    }

    /// A text that fits into a table.
    pub(super) fn short(&self, key: &'static str, text: &Spanned<String>) -> Result<String, DescriptionError> {
        if text.get_ref().len() > 200 || text.get_ref().chars().any(char::is_control) {
            return Err(self.bad(key, text, "must be one line of at most 200 bytes"));
        }
        Ok(text.get_ref().clone())
    }
}
