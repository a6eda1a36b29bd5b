//! A description's text, and what is wrong on which of its lines.

use std::ops::RangeInclusive;

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;
use toml::Spanned;

use super::error::DescriptionError;
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

    /// Checks that all keys of `table` are fields of `T`.
    pub(super) fn keys<T: DeserializeOwned>(&self, table: &toml::Table) -> Result<(), DescriptionError> {
        let mut known: &'static [&'static str] = &[];
        // It fails once it has told the names.
        let _ = T::deserialize(Fields(&mut known));
        let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
        let nearest = nearest(key, known.iter().copied());
        Err(DescriptionError::Key { line: self.line_of_key(key), key: key.clone(), nearest })
    }

    /// The same for each table of the list under `key`.
    pub(super) fn keys_inside<T: DeserializeOwned>(
        &self,
        table: &toml::Table,
        key: &str,
    ) -> Result<(), DescriptionError> {
        let inner = table.get(key).and_then(toml::Value::as_array).into_iter().flatten();
        inner.filter_map(toml::Value::as_table).try_for_each(|inner| self.keys::<T>(inner))
    }

    /// The error of a name that is none of `known`.
    pub(super) fn unknown<'k>(
        &self,
        what: &'static str,
        at: &Spanned<String>,
        known: impl Iterator<Item = &'k str>,
    ) -> DescriptionError {
        let nearest = nearest(at.get_ref(), known).into_iter().map(str::to_owned).collect();
        DescriptionError::Name { line: self.line(at), what, name: at.get_ref().clone(), nearest }
    }

    /// The value of `key`, which is `usual` where nothing is said.
    pub(super) fn within<T: Copy + PartialOrd>(
        &self,
        key: &'static str,
        said: Option<&Spanned<T>>,
        usual: T,
        allowed: RangeInclusive<T>,
        why: &str,
    ) -> Result<T, DescriptionError> {
        match said {
            Some(at) if !allowed.contains(at.get_ref()) => Err(self.bad(key, at, why)),
            Some(at) => Ok(*at.get_ref()),
            None => Ok(usual),
        }
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

/// A deserializer that only takes note of a struct's fields.
struct Fields<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("there are fields, and no values"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
