//! The files of `experiments/kit`: what is timed, what it is for, and what it should take.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A file of sequences.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// The cores whose boards have its sequences.
    pub core: Vec<String>,
    /// Short names of rows, for expected sums and for what a sequence is for.
    pub row: BTreeMap<String, String>,
    /// The sequences, each perhaps several.
    pub sequence: Vec<Entry>,
}

/// A sequence, or several that differ in what stands in `<…>` and in where they begin.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Its name, which never comes to mean another sequence: what boards have said is kept by it.
    pub name: String,
    /// The row that it is for, by short name.
    pub row: Option<String>,
    /// Or the rule of docs/timing.md, in words.
    pub rule: Option<String>,
    /// What is timed; `;` parts instructions as a line's end does.
    #[serde(default)]
    pub code: String,
    /// The cycles that it should take: a sum, or `by the rules of flash`; none where nobody has worked out what the rows come to.
    pub expect: Option<String>,
    /// What comes before, untimed.
    #[serde(default)]
    pub setup: String,
    /// What stands behind, out of the way: functions that are called, data.
    #[serde(default)]
    pub behind: String,
    /// The cores or boards that have it; none for all of the file's.
    #[serde(default)]
    pub on: Vec<String>,
    /// Values for `<…>` in all texts: a sequence for each.
    #[serde(default)]
    pub each: Vec<BTreeMap<String, toml::Value>>,
    /// Bytes behind a word boundary at which the timed code begins: a sequence for each.
    #[serde(default)]
    pub at: Vec<u32>,
    /// Where it runs.
    #[serde(default)]
    pub run: Run,
    /// How the flash is set up.
    #[serde(default)]
    pub memory: Memory,
    /// Where its time begins and ends: `code`, `entry`, `urgent`, `return` or `chain`.
    #[serde(default)]
    pub span: String,
}

/// Where code runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Run {
    /// In flash.
    #[default]
    Flash,
    /// In RAM.
    Ram,
}

/// How the flash is set up while a sequence runs. More wait states than the clock asks for are always allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// Wait states.
    pub wait: u8,
    /// Whether lines are read ahead.
    pub prefetch: bool,
    /// Whether instruction lines are cached.
    pub cache: bool,
    /// Whether data lines are.
    pub data_cache: bool,
    /// How often the sequence runs; the last time counts, and with more than one it finds what it has left in caches.
    pub passes: u8,
}

impl Default for Memory {
    fn default() -> Self {
        Self { wait: 0, prefetch: false, cache: false, data_cache: false, passes: 1 }
    }
}

/// Where the time of a sequence begins and ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    /// Before the timed code, and behind it.
    #[default]
    Code,
    /// Before the timed code, and at the beginning of the handler that it leads to.
    Entry,
    /// Before the timed code, and at the beginning of SysTick's handler, which another handler may follow. Cortex-M3 and M4.
    Urgent,
    /// At the end of the handler that it leads to, and behind the timed code.
    Return,
    /// At the end of one handler, and at the beginning of the one that follows it.
    Chain,
}

impl Span {
    /// The span of that name; none for all that is timed.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "" | "code" => Self::Code,
            "entry" => Self::Entry,
            "urgent" => Self::Urgent,
            "return" => Self::Return,
            "chain" => Self::Chain,
            _ => return None,
        })
    }
}

/// One sequence of a file, its placeholders filled in.
#[derive(Clone, Debug)]
pub(crate) struct Filled {
    pub name: String,
    pub row: Option<String>,
    pub rule: Option<String>,
    pub code: String,
    pub setup: String,
    pub behind: String,
    pub expect: Option<String>,
    pub span: String,
    pub at: u32,
    pub values: BTreeMap<String, u64>,
    on: Vec<String>,
}

impl Filled {
    /// Whether a board that goes by these names has it.
    pub fn is_on(&self, names: &[&str]) -> bool {
        self.on.is_empty() || self.on.iter().any(|name| names.contains(&name.as_str()))
    }
}

impl Entry {
    /// Its sequences; `words` are the board's values for `<…>`.
    pub fn filled(&self, words: &BTreeMap<String, String>) -> Vec<Filled> {
        let none = [BTreeMap::new()];
        let each = if self.each.is_empty() { &none[..] } else { &self.each };
        let places = if self.at.is_empty() { &[0][..] } else { &self.at };
        let mut all = Vec::new();
        for values in each {
            for at in places {
                let text = |text: &str| fill(text, values, words);
                let suffix = if places.len() > 1 { format!("@{at}") } else { String::new() };
                let numbers = values.iter().filter_map(|(name, value)| {
                    Some((name.clone(), u64::try_from(value.as_integer()?).unwrap_or_default()))
                });
                all.push(Filled {
                    name: text(&self.name) + &suffix,
                    row: self.row.as_deref().map(text),
                    rule: self.rule.as_deref().map(text),
                    code: text(&self.code),
                    setup: text(&self.setup),
                    behind: text(&self.behind),
                    expect: self.expect.as_deref().map(text),
                    span: text(&self.span),
                    at: *at,
                    values: numbers.collect(),
                    on: self.on.iter().map(|name| text(name)).collect(),
                });
            }
        }
        all
    }
}

/// `text` with each `<name>` that has a value replaced.
fn fill(text: &str, values: &BTreeMap<String, toml::Value>, words: &BTreeMap<String, String>) -> String {
    let mut filled = text.to_owned();
    for (name, value) in values {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        filled = filled.replace(&format!("<{name}>"), &value);
    }
    for (name, value) in words {
        filled = filled.replace(&format!("<{name}>"), value);
    }
    filled
}
