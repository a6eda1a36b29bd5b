//! Why a call gave no number.

use cyclescope_machine::figures::integer;
use cyclescope_scope::Event;
use thiserror::Error;

/// A call that did not go its way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CallError {
    /// Neither event.
    #[error("neither {from} nor {to} happened, within {} cycles", integer((*.cycles).into()))]
    Nothing {
        /// The first event.
        from: Event,
        /// The last event.
        to: Event,
        /// The length of the search.
        cycles: u64,
    },
    /// The last event without the first.
    #[error("{from} did not happen; {to} did, first at cycle {}, within {} cycles", integer((*.at).into()), integer((*.cycles).into()))]
    EndOnly {
        /// The first event.
        from: Event,
        /// The last event.
        to: Event,
        /// When that happened.
        at: u64,
        /// The length of the search.
        cycles: u64,
    },
    /// It began and went no further.
    #[error("{from} happened at cycle {}, but not {next} after it, within {} cycles", integer((*.since).into()), integer((*.cycles).into()))]
    Unfinished {
        /// The first event.
        from: Event,
        /// When it did.
        since: u64,
        /// The event that did not come.
        next: String,
        /// The length of the search.
        cycles: u64,
        /// When what did not come had happened before.
        before: Option<u64>,
    },
    /// Not as often as the program makes it.
    #[error("the call `{call}` was made {found} times; the program makes it {expected} times")]
    Count {
        /// Its name.
        call: String,
        /// The expected number of calls.
        expected: usize,
        /// The number of calls.
        found: usize,
    },
    /// The parts do not sum to the whole: a fault of ours.
    #[error("the sum of the parts of the call `{call}` at cycle {} is not the whole call", integer((*.at).into()))]
    Unaccounted {
        /// Its name.
        call: String,
        /// When it was made.
        at: u64,
    },
}

impl CallError {
    /// Returns advice for the user, if there is any. `ended` is the end of the run in words, if that was before its time.
    pub fn help(&self, ended: Option<&str>) -> Option<String> {
        match self {
            Self::Unfinished { next, before: Some(at), .. } => {
                let at = integer((*at).into());
                Some(format!("{next} happened before, at cycle {at}, where there was nothing to end"))
            }
            Self::Nothing { .. } | Self::EndOnly { .. } | Self::Unfinished { .. } => Some(match ended {
                Some(ended) => format!("the run had ended by then: {ended}"),
                None => "raise --for if it needs more time".to_owned(),
            }),
            Self::Count { .. } | Self::Unaccounted { .. } => None,
        }
    }
}
