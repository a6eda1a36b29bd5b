//! The parts that the questions' files share.

use std::fmt::Display;
use std::str::FromStr;

use cyclescope_scope::{Event, Time};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};

/// A test reads each bundled file before it is shipped.
pub(crate) const BUNDLED: &str = "the bundled file is right";

/// Reads a bundled question. By way of JSON values: a deserializer of TOML for each type would take a sixth of this crate's build.
pub(crate) fn bundled<D: DeserializeOwned>(file: &str) -> D {
    let value: serde_json::Value = toml::from_str(file).expect(BUNDLED);
    serde_json::from_value(value).expect(BUNDLED)
}

/// Reads a value that the file holds as text.
///
/// # Errors
/// As its parser.
pub(crate) fn parsed<'d, D: Deserializer<'d>, T: FromStr<Err: Display>>(text: D) -> Result<T, D::Error> {
    String::deserialize(text)?.parse().map_err(D::Error::custom)
}

/// The same for a value that may be absent.
pub(crate) fn parsed_if_any<'d, D: Deserializer<'d>, T: FromStr<Err: Display>>(text: D) -> Result<Option<T>, D::Error> {
    parsed(text).map(Some)
}

/// The time limits of a program that ends with a result line.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramLimits {
    /// The cycle by which the result line must have come.
    pub cycles: u64,
    /// The time after the result line in which the program must be silent; none if it is not looked at.
    #[serde(default, deserialize_with = "parsed_if_any")]
    pub after: Option<Time>,
    /// Cycles between the readings of the program's clock and the markers.
    #[serde(default)]
    pub reading: u64,
}

/// The timed span.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpanText {
    #[serde(deserialize_with = "parsed")]
    pub from: Event,
    #[serde(deserialize_with = "parsed")]
    pub to: Event,
    /// A function that is timed inside the span; empty if none is.
    #[serde(default)]
    pub helper: String,
}
