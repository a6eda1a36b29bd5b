//! Errors in stimuli.

use cyclescope_machine::Pin;
use cyclescope_machine::figures::integer;
use thiserror::Error;

use super::voltage::SamplesError;
use crate::event::EventError;
use crate::time::{Time, TimeError};

/// The most stimuli in a plan.
pub(super) const MOST: usize = 1_000_000;

/// The most bytes that a plan's stimuli send to serial ports.
pub(super) const MOST_BYTES: usize = 16 << 20;

/// An error in a stimulus, found while it is parsed, resolved or applied.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StimulusError {
    /// An unexpected word.
    #[error("stimulus `{text}`: expected {expected}, found {found}{nearest}")]
    Word {
        /// The stimulus.
        text: String,
        /// The word, or a note that the text ends.
        found: String,
        /// The words that were expected.
        expected: &'static str,
        /// The nearest expected word, as a clause.
        nearest: String,
    },
    /// An event that cannot be parsed or found.
    #[error("stimulus `{text}`: {error}")]
    Event {
        /// The stimulus.
        text: String,
        /// The error in it.
        #[source]
        error: EventError,
    },
    /// A time out of range.
    #[error("stimulus `{text}`: {error}")]
    Time {
        /// The stimulus.
        text: String,
        /// The error in it.
        #[source]
        error: TimeError,
    },
    /// A period or gap of no length.
    #[error("stimulus `{0}`: the {1} has no length; give at least 1ps or 1cy")]
    NoGap(String, &'static str),
    /// An action without an end that comes more often than cores have cycles.
    #[error("stimulus `{0}`: without a number of times the period is at least 10ns; give a longer one, or `N times`")]
    TooOften(String),
    /// Real times beside numbers of cycles.
    #[error("stimulus `{0}`: some of its times are in cycles and some in real time; write all of them in one way")]
    Mixed(String),
    /// A window of times for a run that does not try arrivals.
    #[error(
        "stimulus `{0}`: a window FROM..TO is for arrivals, which `measure --arrivals` tries one by one; write one time for \
         a single run"
    )]
    Window(String),
    /// A window without a cycle.
    #[error("stimulus `{0}`: the window is empty; its second time must be greater than its first")]
    Empty(String),
    /// A greatest gap below the least gap.
    #[error("stimulus `{0}`: the greatest gap is less than the least; write MIN..MAX")]
    Gap(String),
    /// An odd number of bounces.
    #[error("stimulus `{0}`: an odd number of bounces ends at the wrong level; give an even one")]
    OddBounce(String),
    /// Bounces that reach into the next edge, or too many for their time.
    #[error(
        "stimulus `{text}`: {toggles} bounces do not fit within {within}; give them more time, but less than the \
         shortest gap, {shortest}"
    )]
    Bounce {
        /// The stimulus.
        text: String,
        /// The number of toggles.
        toggles: u64,
        /// The time for them.
        within: Time,
        /// The time after which the next edge could come.
        shortest: Time,
    },
    /// More stimuli than a plan may have.
    #[error("stimulus `{0}`: the run would have more than {most} stimuli; give fewer times or a shorter run", most = integer(MOST as i128))]
    TooMany(String),
    /// More bytes for serial ports than a plan may have.
    #[error(
        "stimulus `{0}`: with it, more than {most} bytes are sent to serial ports; give fewer times or shorter texts",
        most = integer(MOST_BYTES as i128)
    )]
    TooManyBytes(String),
    /// A pin that the part does not have.
    #[error("stimulus `{action}`: the part has no pin {pin}{nearest}")]
    NoPin {
        /// The action.
        action: String,
        /// The pin.
        pin: Pin,
        /// The nearest pins of the part, as a clause.
        nearest: String,
    },
    /// A serial port that the part does not have.
    #[error("stimulus `{action}`: the part has no serial port {port}{ports}")]
    NoUart {
        /// The action.
        action: String,
        /// The port, by its number or name.
        port: String,
        /// The part's serial ports, as a clause.
        ports: String,
    },
    /// A file of samples that does not serve.
    #[error("stimulus `{text}`: {error}")]
    Samples {
        /// The stimulus.
        text: String,
        /// The error in it.
        #[source]
        error: SamplesError,
    },
    /// An attached device that there is not, or that has no such quantity or value.
    #[error("stimulus `{action}`: {sentence}")]
    Device {
        /// The action.
        action: String,
        /// The defect.
        sentence: String,
    },
    /// A time before the machine's current cycle.
    #[error("stimulus `{action}`: {at} is in the past, the run is at cycle {}; give a later time", integer((*.now).into()))]
    Past {
        /// The action.
        action: String,
        /// The time of the action after reset.
        at: Time,
        /// The machine's current cycle.
        now: u64,
    },
}

/// Shortens `text` for messages.
pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(100).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
