//! What a board said, beside what the rows say.

use thiserror::Error;

use crate::kit::{Kit, Sequence};
use crate::log::Log;

/// Whether a sequence took what its rows say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It took something else.
    Contradicted,
    /// It did.
    Confirmed,
}

impl Verdict {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contradicted => "contradicted",
            Self::Confirmed => "confirmed",
        }
    }
}

/// A sequence on a board.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The sequence.
    pub sequence: &'a Sequence,
    /// The cycles that the board counted.
    pub board: u64,
}

impl Line<'_> {
    /// Whether that is what the rows say.
    pub fn verdict(&self) -> Verdict {
        if self.board == self.sequence.expected { Verdict::Confirmed } else { Verdict::Contradicted }
    }
}

/// Why a log says nothing of a kit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AnswerError {
    /// It is of another chip's program.
    #[error("the log is of the kit for {log}, not for {asked}: what runs on one chip says nothing of another")]
    Chip {
        /// The log's chip.
        log: String,
        /// The one asked for.
        asked: String,
    },
    /// Its sequences are others than those known here.
    #[error(
        "the board ran version {log} of the kit, and this is version {known}: write the image anew and run it again"
    )]
    Version {
        /// The log's.
        log: String,
        /// The kit's.
        known: String,
    },
    /// A sequence is missing.
    #[error("the log has no answer of {0}")]
    Missing(String),
}

/// Each sequence of `kit` with its answer in `log`, contradicted ones first.
///
/// # Errors
/// [`AnswerError`] where `log` is not of exactly this kit.
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
