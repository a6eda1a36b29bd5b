//! The question's file, `experiments/switch.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::definition::{ProgramLimits, SpanText, bundled};

/// The experiment, as its file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    pub name: String,
    pub question: String,
    pub span: SpanText,
    pub limits: ProgramLimits,
    iterations: Iterations,
    pub rows: Rows,
    pub mode: Vec<ModeText>,
    pub size: Vec<SizeText>,
}

/// The number of times that a row adds 1.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Iterations {
    usual: u64,
    chip: BTreeMap<String, u64>,
}

/// The rows of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    /// The one that all others stand above.
    pub floor: String,
    /// All, in the table's order.
    pub shown: Vec<String>,
    /// The one that the digest shows.
    pub digest: String,
}

/// A mode, which is an image, and the rows that it runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeText {
    pub name: String,
    pub title: String,
    /// The difference of the board of this mode, whose rows stand beside the ordinary ones: another connection, another clock.
    pub variant: Option<String>,
    pub rows: Vec<String>,
}

/// An object that a user pays for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeText {
    pub name: String,
    pub title: String,
}

impl Switch {
    /// The bundled question.
    pub fn bundled() -> Self {
        bundled(include_str!("../../experiments/switch.toml"))
    }

    /// The mode called `name`.
    pub fn mode(&self, name: &str) -> Option<&ModeText> {
        self.mode.iter().find(|mode| mode.name == name)
    }

    /// Returns the number of times that each row adds 1 on the chip called `chip`.
    pub fn iterations(&self, chip: &str) -> u64 {
        self.iterations.chip.get(chip).copied().unwrap_or(self.iterations.usual)
    }

    /// The rows that an image of `mode` runs, `absent` ones left out.
    pub fn rows_run<'d>(&'d self, mode: &'d ModeText, absent: &[(&str, &str)]) -> Vec<&'d str> {
        let there = |row: &&str| absent.iter().all(|(name, _)| name != row);
        mode.rows.iter().map(String::as_str).filter(there).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cyclescope_chips::Part;

    #[test]
    fn the_bundled_question_is_consistent() {
        let definition = Switch::bundled();
        assert!(definition.rows.shown.contains(&definition.rows.digest));
        for mode in &definition.mode {
            assert_eq!(mode.rows.first(), Some(&definition.rows.floor), "{}", mode.name);
            assert!(mode.rows.iter().all(|row| definition.rows.shown.contains(row)), "{}", mode.name);
        }
        let run = |row: &String| definition.mode.iter().any(|mode| mode.rows.contains(row));
        assert!(definition.rows.shown.iter().all(run), "a row that no mode runs");
    }

    #[test]
    fn iterations_are_the_chips() {
        let definition = Switch::bundled();
        for part in Part::all() {
            let expected = if part.name.starts_with("atmega") { 10_000 } else { 30_000 };
            assert_eq!(definition.iterations(&part.name), expected, "{}", part.name);
        }
    }

    #[test]
    fn absent_rows_are_not_run() {
        let definition = Switch::bundled();
        let mode = definition.mode("plain").unwrap();
        let rows = definition.rows_run(mode, &[("DirectScheduling", "why"), ("Other", "")]);
        assert_eq!(rows, ["EmptyLoop", "CoroutineScheduling"]);
        assert_eq!(definition.rows_run(mode, &[]).len(), 3);
    }
}
