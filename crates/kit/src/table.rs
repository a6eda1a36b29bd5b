//! Parses the files of `experiments/kit`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A file of sequences.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// The cores whose boards run its sequences.
    pub core: Vec<String>,
    /// Short names of rows, for expected sums and subjects.
    pub row: BTreeMap<String, String>,
    /// The sequences; an entry may stand for several.
    pub sequence: Vec<Entry>,
}

/// A sequence, or several that differ in the values for `<…>` and in their alignment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// The name. It must never get another meaning, because boards' answers are kept by it.
    pub name: String,
    /// The short name of the row that it tests.
    pub row: Option<String>,
    /// The rule of docs/timing.md that it tests, in words.
    pub rule: Option<String>,
    /// The timed code; `;` separates instructions, as a line's end does.
    #[serde(default)]
    pub code: String,
    /// The expected cycles: a sum, or `by the rules of flash`; `None` if the sum is unknown.
    pub expect: Option<String>,
    /// Code that runs before, untimed.
    #[serde(default)]
    pub setup: String,
    /// Functions and data that follow, outside the straight path.
    #[serde(default)]
    pub behind: String,
    /// The cores or boards that run it; all of the file's if empty.
    #[serde(default)]
    pub on: Vec<String>,
    /// Values for `<…>` in all texts; each set makes a sequence.
    #[serde(default)]
    pub each: Vec<BTreeMap<String, toml::Value>>,
    /// Offsets of the timed code from a word boundary in bytes; each makes a sequence.
    #[serde(default)]
    pub at: Vec<u32>,
    /// The memory that it runs in.
    #[serde(default)]
    pub run: Run,
    /// The setup of the flash.
    #[serde(default)]
    pub memory: Memory,
    /// The start and end of its time: `code`, `entry`, `urgent`, `return` or `chain`.
    #[serde(default)]
    pub span: String,
}

/// The memory that code runs in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Run {
    /// The memory that code waits for in no cycle: flash as reset leaves it, or, where that has wait states, the board's
    /// [`Home`].
    #[default]
    Home,
    /// Flash.
    Flash,
    /// RAM.
    Ram,
}

/// The memory of a board in which code without a [`Run`] of its own runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// Flash, which has no wait states until a sequence asks for some.
    Flash,
    /// RAM.
    Ram,
    /// RAM at its addresses in the code region. The program's linker script has a section for it.
    CodeRam,
}

/// The setup of the flash while a sequence runs. More wait states than the clock requires are always allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// Wait states.
    pub wait: u8,
    /// Tells if lines are read ahead.
    pub prefetch: bool,
    /// Tells if instruction lines are cached.
    pub cache: bool,
    /// Tells if data lines are cached.
    pub data_cache: bool,
    /// The number of runs. The last one counts; in it, the caches have the lines of the earlier ones.
    pub passes: u8,
}

impl Default for Memory {
    fn default() -> Self {
        Self { wait: 0, prefetch: false, cache: false, data_cache: false, passes: 1 }
    }
}

/// The start and end of a sequence's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    /// From before the timed code to behind it.
    #[default]
    Code,
    /// From before the timed code to the start of the handler that it triggers.
    Entry,
    /// From before the timed code to the start of SysTick's handler, which another handler may follow. Cortex-M3 and
    /// M4.
    Urgent,
    /// From the end of the handler that it triggers to behind the timed code.
    Return,
    /// From the end of one handler to the start of the next.
    Chain,
}

impl Span {
    /// Returns the span of this name; `code` if the name is empty.
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

/// One sequence of a file with its placeholders replaced.
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
    /// Tells if a board with these names runs it. One that lacks a value for `<…>` does not.
    pub fn is_on(&self, names: &[&str]) -> bool {
        let texts = [&self.setup, &self.code, &self.behind];
        !texts.iter().any(|text| has_placeholder(text))
            && (self.on.is_empty() || self.on.iter().any(|name| names.contains(&name.as_str())))
    }
}

impl Entry {
    /// Returns its sequences; `words` has the board's values for `<…>`.
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

/// Tells if `text` has a `<name>`.
fn has_placeholder(text: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c));
    text.split('<').skip(1).filter_map(|behind| behind.split_once('>')).any(|(name, _)| is_name(name))
}

/// Replaces each `<name>` in `text` that has a value.
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
