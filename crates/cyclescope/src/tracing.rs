//! What is asked of a trace, and what comes of it.

use std::num::NonZeroU64;

use cyclescope_experiments::{Guest, Scenario};
use cyclescope_records::Model;
use cyclescope_scope::{Account, Event};
use cyclescope_units::Cycles;

use crate::measurement::RunSummary;

/// Which of a span's occurrences to trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurrence {
    /// The one of this number, counted from 1.
    Number(NonZeroU64),
    /// Every one, summed up.
    All,
}

impl std::fmt::Display for Occurrence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::All => f.write_str("all"),
        }
    }
}

impl std::str::FromStr for Occurrence {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(Self::All),
            _ => text.parse().map(Self::Number).map_err(|_| "write a number from 1, or `all`"),
        }
    }
}

/// From one event to the next, half-open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSpan {
    /// The event it begins with.
    pub from: Event,
    /// The event it ends before.
    pub to: Event,
    /// Which of its occurrences.
    pub occurrence: Occurrence,
}

/// A guest to trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceRequest<'a> {
    /// The image and its chip.
    pub guest: Guest<'a>,
    /// The stimuli and the length of the run.
    pub scenario: Scenario<'a>,
    /// The span; none: the whole run.
    pub span: Option<&'a TraceSpan>,
}

/// What came of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceOutcome {
    /// Whose every instruction was.
    pub account: Account,
    /// The cycles of each occurrence counted, up to a million of them.
    pub elapsed: Vec<Cycles>,
    /// How often the span began, whether or not it was to be counted.
    pub begun: u64,
    /// Where it began last, if it has not ended.
    pub unfinished: Option<Cycles>,
    /// Where its last event happened before its first one had, first.
    pub ended_first: Option<Cycles>,
    /// How often its first event happened again before its last one.
    pub again: u64,
    /// The end of the run.
    pub run: RunSummary,
    /// The model, with the timing rows that the run used.
    pub model: Model,
    /// How the firmware had set up the flash, in words, for a part with a flash interface.
    pub flash_written: Option<String>,
}
