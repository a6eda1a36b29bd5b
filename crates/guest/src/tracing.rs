//! The request and the results of a trace.

use std::num::NonZeroU64;

use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_records::Model;
use cyclescope_scope::{Account, Event, Snapshot};

use crate::measurement::RunSummary;
use crate::{Guest, Scenario};

/// The occurrences of a span to trace.
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

/// The event that a span begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// The event.
    pub event: Event,
    /// If the event happens several times before the span's end, the last of these begins the span, not the first.
    pub last: bool,
}

impl From<Event> for Beginning {
    fn from(event: Event) -> Self {
        Self { event, last: false }
    }
}

impl std::fmt::Display for Beginning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.last { "last " } else { "" }, self.event)
    }
}

impl std::str::FromStr for Beginning {
    type Err = <Event as std::str::FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words = text.trim().split_once(char::is_whitespace);
        let (last, event) = match words {
            Some(("last", event)) => (true, event),
            Some(("first", event)) => (false, event),
            _ => (false, text),
        };
        Ok(Self { event: event.trim().parse()?, last })
    }
}

/// A span from one event to the next, half-open.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct TraceSpan {
    /// The event that the trace begins with; with `last` before it, the last one before --to
    #[cfg_attr(feature = "clap", arg(long, value_name = "[last ]EVENT"))]
    pub from: Beginning,
    /// The event that it ends before
    #[cfg_attr(feature = "clap", arg(long, value_name = "EVENT"))]
    pub to: Event,
    /// The occurrence of the span: a number from 1, or `all`, summed up
    #[cfg_attr(feature = "clap", arg(long, value_name = "N|all", default_value = "1"))]
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
    /// The state that the run begins from, with empty caches; none: reset. It is of a session of the same request.
    pub start: Option<&'a Snapshot>,
}

/// The results of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceOutcome {
    /// Whose every instruction was.
    pub account: Account,
    /// The cycles of each occurrence counted, up to a million of them.
    pub elapsed: Vec<Cycles>,
    /// The time that all of them took together.
    pub time: Picoseconds,
    /// The number of times that the span began, counted or not.
    pub begun: u64,
    /// The start of the last span, if it has not ended.
    pub unfinished: Option<Cycles>,
    /// The first time that the last event happened before the first one.
    pub ended_first: Option<Cycles>,
    /// The number of times that the first event happened again before the last one.
    pub again: u64,
    /// The end of the run.
    pub run: RunSummary,
    /// The model, with the timing rows that the run used.
    pub model: Model,
    /// The flash settings that the firmware had written, in words, for a part with a flash interface.
    pub flash_written: Option<String>,
}
