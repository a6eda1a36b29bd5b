//! Reads `docs/boards`, which has one file of answers for each board, and compares the answers with the timing rows.
//!
//! An answer counts only if its sequence is still the one that the board ran.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use crate::kit::{Kit, KitError};
use crate::log::Log;
use crate::sequence::Subject;

/// The answers of one board.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardFile {
    /// The board's chip.
    pub chip: String,
    /// The board's name, given by its owner.
    pub board: String,
    /// The core's clock during the run, in Hz.
    pub clock_hz: u64,
    /// Explanations of answers that differ from the expected sum although no row is wrong, by sequence.
    #[serde(default)]
    pub explained: BTreeMap<String, String>,
    /// The answers, by sequence.
    pub sequence: BTreeMap<String, Answer>,
}

/// A board's answer to one sequence.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The counted cycles.
    pub cycles: u64,
    /// The [`Sequence::fingerprint`](crate::Sequence::fingerprint) of the code that ran.
    pub code: String,
}

/// An error while the files are read.
#[derive(Debug, Error)]
pub enum BoardsError {
    /// The file or folder cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        error: std::io::Error,
    },
    /// The file has no board's answers.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        error: Box<toml::de::Error>,
    },
    /// The board has no kit.
    #[error("{}: {error}", path.display())]
    Kit {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        error: KitError,
    },
}

impl BoardFile {
    /// Converts `log` to a board file. [`verdicts`](crate::verdicts) must have accepted it for `kit`.
    pub fn of(kit: &Kit, log: &Log, board: &str) -> Self {
        let answers = kit.sequences.iter().filter_map(|sequence| {
            let cycles = *log.cycles.get(&sequence.name)?;
            Some((sequence.name.clone(), Answer { cycles, code: sequence.fingerprint() }))
        });
        Self {
            chip: log.chip.clone(),
            board: board.to_owned(),
            clock_hz: log.clock_hz,
            explained: BTreeMap::new(),
            sequence: answers.collect(),
        }
    }

    /// Returns the file's text.
    pub fn to_text(&self) -> String {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let mut text = format!(
            "# What a board said: `cyclescope import LOG --kit`. Only [explained] is for editing.\n\
             chip = {}\nboard = {}\nclock_hz = {}\n\n[explained]\n",
            quoted(&self.chip),
            quoted(&self.board),
            self.clock_hz
        );
        for (sequence, reason) in &self.explained {
            let _ = writeln!(text, "{} = {}", quoted(sequence), quoted(reason));
        }
        text += "\n[sequence]\n";
        for (sequence, Answer { cycles, code }) in &self.sequence {
            let _ = writeln!(text, "{} = {{ cycles = {cycles}, code = {} }}", quoted(sequence), quoted(code));
        }
        text
    }
}

/// A sequence whose answer differs from its expected sum without an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The file's name.
    pub file: String,
    /// The sequence.
    pub sequence: String,
    /// The row or rule that it tests.
    pub subject: Subject,
    /// The sum of its rows.
    pub expected: u64,
    /// The board's answer.
    pub board: u64,
}

impl std::fmt::Display for Contradiction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { file, sequence, subject, expected, board } = self;
        write!(f, "{file}: {sequence} (for `{subject}`) took {board} cycles, but its rows sum to {expected}")
    }
}

/// The findings from all files of a folder.
#[derive(Debug, Default)]
pub struct Findings {
    /// The chips that confirm a row, by table and row: at least one sequence for it agrees, and all others agree or are
    /// explained.
    pub confirmed: BTreeMap<(String, &'static str), BTreeSet<String>>,
    /// Answers that neither agree nor are explained.
    pub contradictions: Vec<Contradiction>,
    /// The number of answers to sequences that have changed since, by file.
    pub outdated: BTreeMap<String, usize>,
}

/// Reads the `.toml` files of `folder`. A missing folder has none.
///
/// # Errors
/// [`BoardsError`] for a file without a board's answers.
pub fn read(folder: &Path) -> Result<Findings, BoardsError> {
    let mut findings = Findings::default();
    for path in files(folder)? {
        let text = std::fs::read_to_string(&path).map_err(|error| BoardsError::Read { path: path.clone(), error })?;
        let file: BoardFile =
            toml::from_str(&text).map_err(|error| BoardsError::File { path: path.clone(), error: Box::new(error) })?;
        let kit = Kit::of(&file.chip).map_err(|error| BoardsError::Kit { path: path.clone(), error })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        findings.add(&name, &file, &kit);
    }
    Ok(findings)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, BoardsError> {
    let failed = |error| BoardsError::Read { path: folder.to_owned(), error };
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

impl Findings {
    fn add(&mut self, name: &str, file: &BoardFile, kit: &Kit) {
        let mut agreed = BTreeSet::new();
        let mut contradicted = BTreeSet::new();
        for (of, answer) in &file.sequence {
            let sequence = kit.sequences.iter().find(|sequence| sequence.name == *of);
            let Some(sequence) = sequence.filter(|sequence| sequence.fingerprint() == answer.code) else {
                *self.outdated.entry(name.to_owned()).or_default() += 1;
                continue;
            };
            let Some(expected) = sequence.expected else { continue };
            if answer.cycles == expected {
                agreed.insert(&sequence.subject);
            } else if !file.explained.contains_key(of) {
                contradicted.insert(&sequence.subject);
                self.contradictions.push(Contradiction {
                    file: name.to_owned(),
                    sequence: of.clone(),
                    subject: sequence.subject.clone(),
                    expected,
                    board: answer.cycles,
                });
            }
        }
        for subject in agreed.difference(&contradicted) {
            if let Subject::Row { table, row } = subject {
                self.confirmed.entry((table.clone(), *row)).or_default().insert(file.chip.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a board that agrees with the rows, except for the sequences in `others`.
    fn board(kit: &Kit, others: &[(&str, u64)]) -> BoardFile {
        let mut cycles: BTreeMap<String, u64> =
            kit.sequences.iter().map(|sequence| (sequence.name.clone(), sequence.expected.unwrap_or(9))).collect();
        cycles.extend(others.iter().map(|(name, cycles)| ((*name).to_owned(), *cycles)));
        let log = Log { chip: kit.part.name.to_string(), version: kit.version(), clock_hz: 16_000_000, cycles };
        BoardFile::of(kit, &log, "a \"board\"")
    }

    fn findings(file: &BoardFile, kit: &Kit) -> Findings {
        let mut findings = Findings::default();
        findings.add("file.toml", file, kit);
        findings
    }

    #[test]
    fn a_file_says_what_it_was_written_from() {
        let kit = Kit::of("stm32f446ze").unwrap();
        let mut file = board(&kit, &[]);
        file.explained.insert("load.word".into(), "because".into());
        assert_eq!(toml::from_str::<BoardFile>(&file.to_text()).unwrap(), file);
    }

    #[test]
    fn a_row_is_confirmed_where_its_sequences_agree_and_contradicted_where_one_does_not() {
        let kit = Kit::of("stm32f446ze").unwrap();
        let row = |row| ("cortex-m4f".to_owned(), row);
        let all = findings(&board(&kit, &[]), &kit);
        assert!(all.contradictions.is_empty() && all.outdated.is_empty());
        assert_eq!(all.confirmed[&row("load")], BTreeSet::from(["stm32f446ze".to_owned()]));
        assert!(all.confirmed.contains_key(&("stm32f4".to_owned(), "bus.apb_bridge")));

        let mut file = board(&kit, &[("load.word", 3)]);
        let one = findings(&file, &kit);
        assert_eq!(one.contradictions.len(), 1);
        let said = one.contradictions[0].to_string();
        assert_eq!(said, "file.toml: load.word (for `load`) took 3 cycles, but its rows sum to 2");
        assert!(!one.confirmed.contains_key(&row("load")) && one.confirmed.contains_key(&row("store")));

        file.explained.insert("load.word".into(), "its flash is another".into());
        let explained = findings(&file, &kit);
        assert!(explained.contradictions.is_empty() && explained.confirmed.contains_key(&row("load")));
    }

    #[test]
    fn an_answer_of_other_code_says_nothing() {
        let kit = Kit::of("stm32f446ze").unwrap();
        let mut file = board(&kit, &[("load.word", 3)]);
        file.sequence.get_mut("load.word").unwrap().code = "00000000".into();
        file.sequence.insert("gone".into(), Answer { cycles: 1, code: "00000000".into() });
        let findings = findings(&file, &kit);
        assert!(findings.contradictions.is_empty());
        assert_eq!(findings.outdated["file.toml"], 2);
    }
}
