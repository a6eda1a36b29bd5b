//! The claims' file, `experiments/claims.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::definition::bundled;

/// The file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    pub claim: Vec<Claim>,
}

/// A claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub says: String,
    /// The command that makes the records.
    pub command: String,
    /// The first is the claim itself.
    pub test: Vec<Test>,
}

/// The relation that would have to hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// Of the tests after the first, what they add.
    #[serde(default)]
    pub says: String,
    pub experiment: String,
    /// The metric; `*` where that is what varies.
    pub metric: String,
    /// The values that fields of a record may have; a parameter by its name.
    #[serde(default, rename = "where")]
    pub conditions: BTreeMap<String, Vec<String>>,
    pub vary: Vary,
    pub these: Vec<String>,
    pub are: Relation,
    pub than: Vec<String>,
}

/// The field in which two records of a pair differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Vary {
    Contender,
    Mode,
    Opt,
    Metric,
}

/// The relation of the first of a pair to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    Less,
    More,
}

impl Definition {
    /// The file as it is bundled.
    pub fn bundled() -> Self {
        bundled(include_str!("../../experiments/claims.toml"))
    }
}
