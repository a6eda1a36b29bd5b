//! Compares a board's answers with the expected sums.

use thiserror::Error;

use crate::kit::Kit;
use crate::log::Log;
use crate::sequence::Sequence;

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The answer differs from the expected sum.
    Contradicted,
    /// The answer equals the expected sum.
    Confirmed,
    /// The sequence has no expected sum.
    Open,
}

impl Verdict {
    /// Returns the verdict as a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contradicted => "contradicted",
            Self::Confirmed => "confirmed",
            Self::Open => "open",
        }
    }
}

/// A sequence with a board's answer.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The sequence.
    pub sequence: &'a Sequence,
    /// The cycles counted by the board.
    pub board: u64,
}

impl Line<'_> {
    /// Compares the answer with the expected sum.
    pub fn verdict(&self) -> Verdict {
        match self.sequence.expected {
            None => Verdict::Open,
            Some(expected) if expected == self.board => Verdict::Confirmed,
            Some(_) => Verdict::Contradicted,
        }
    }
}

/// An error in a log as an answer to a kit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AnswerError {
    /// The log is of another chip's program.
    #[error("the log is from the kit for {log}; give one from a board with {asked}")]
    Chip {
        /// The log's chip.
        log: String,
        /// The requested chip.
        asked: String,
    },
    /// The log is of another version of the sequences.
    #[error(
        "the board ran version {log} of the kit, but this is version {known}; flash the image of this version and run it again"
    )]
    Version {
        /// The log's version.
        log: String,
        /// The kit's version.
        known: String,
    },
    /// The log lacks a sequence.
    #[error("the log has no answer for the sequence {0}")]
    Missing(String),
}

/// Returns each sequence of `kit` with its answer in `log`, contradicted ones first.
///
/// # Errors
/// [`AnswerError`] if `log` is not of exactly this kit.
pub fn verdicts<'a>(kit: &'a Kit, log: &Log) -> Result<Vec<Line<'a>>, AnswerError> {
    if log.chip != kit.part.name {
        return Err(AnswerError::Chip { log: log.chip.clone(), asked: kit.part.name.to_string() });
    }
    let known = kit.version();
    if log.version != known {
        return Err(AnswerError::Version { log: log.version.clone(), known });
    }
    let line = |sequence: &'a Sequence| match log.cycles.get(&sequence.name) {
        Some(board) => Ok(Line { sequence, board: *board }),
        None => Err(AnswerError::Missing(sequence.name.clone())),
    };
    let mut lines = kit.sequences.iter().map(line).collect::<Result<Vec<_>, _>>()?;
    lines.sort_by_key(Line::verdict);
    Ok(lines)
}
