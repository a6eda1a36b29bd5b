//! Stimuli: actions of the outside world with their times, as a user writes them.
//!
//! | written | does |
//! |---|---|
//! | `at TIME ACTION` | once, that time after reset |
//! | `after EVENT [TIME] [N times] ACTION` | that time after EVENT, each time it happens or the first N times |
//! | `every TIME from TIME [N times] ACTION` | periodically, to the end of the run or N times |
//! | `random N times from TIME gap MIN..MAX seed S ACTION` | N times, gaps drawn from MIN to MAX |
//! | `presses N of PIN low from TIME gap MIN..MAX [bounce K within TIME] seed S` | N presses and N releases of a button that is low (or `high`) while pressed, gaps between edges drawn from MIN to MAX |
//! | `phase N`, `phase seed S` | at reset: the edges of divided bus clocks lie N cycles late (0 to 15), or so many as are drawn |
//!
//! | ACTION | does |
//! |---|---|
//! | `pin PC13 low`, `high`, `released`, `toggle` | applies a level to the pin, lets it go, or applies the other level than before |
//! | `uart 2 "text\n"` | sends bytes to USART2's receiver; escapes are `\n \r \t \0 \\ \" \xHH` |
//!
//! `once` stands for `1 times`. EVENT is any [`Event`]; one with spaces in it stands in double quotes. Gaps are
//! whole picoseconds, both ends counted, all equally likely; the first press (or action) comes one gap after `from`.
//! `bounce K within TIME` adds, after each edge, K toggles at distinct times within TIME, so K is even and TIME
//! shorter than the shortest gap; a seed gives the same edges with and without it. Times of one rule are all real
//! times or all in cycles; gaps and bounces are then whole cycles.
//!
//! Random numbers are ChaCha20's key stream (RFC 8439) under the seed as key: the cipher is its own specification, so
//! the same seed gives the same cycles on every host and in every version ([`Plan`] says how draws are made).

mod parse;
mod plan;
mod random;
#[cfg(test)]
mod tests;

use std::fmt;

use cyclescope_machine::Pin;
use thiserror::Error;

pub use plan::{After, Endless, Plan};

use crate::event::{Event, EventError};
use crate::time::{Time, TimeError};

/// A level applied to a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Ground.
    Low,
    /// The supply.
    High,
    /// Not driven: the pulls of the part and the board decide.
    Released,
    /// The opposite of the level applied last, or of the pin's level if none was applied.
    Toggle,
}

/// One action of the outside world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Applies a level to a pin.
    Pin(Pin, Level),
    /// Sends bytes to the receiver of the serial port of this number.
    Uart(u8, Vec<u8>),
    /// Delays the edges of divided bus clocks by so many cycles ([`cyclescope_machine::Stimulus::Phase`]).
    Phase(u8),
}

/// The delay of the edges of divided bus clocks, in cycles of the core's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A number of cycles below [`PHASES`].
    Cycles(u8),
    /// A number drawn by the generator with this seed.
    Seed(u64),
}

/// The number of phases: the period of a bus clock divided by 16, the greatest divider.
pub const PHASES: u8 = 16;

impl Phase {
    /// Returns the delay in cycles, below [`PHASES`].
    pub fn cycles(self) -> u8 {
        match self {
            Self::Cycles(cycles) => cycles % PHASES,
            Self::Seed(seed) => random::Draws::new(seed, 2).between(0, u64::from(PHASES) - 1) as u8,
        }
    }
}

/// Contact bounce after each edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounce {
    /// The number of toggles after each edge. It is even, so that the pin ends at the edge's level.
    pub toggles: u64,
    /// The time after the edge in which all toggles happen.
    pub within: Time,
}

/// A stimulus as written: an action and its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Acts once.
    At {
        /// The time after reset.
        time: Time,
        /// The action.
        action: Action,
    },
    /// Acts each time an event happens.
    After {
        /// The event.
        event: Event,
        /// The delay after the event.
        delay: Time,
        /// The greatest number of times; no limit if `None`.
        times: Option<u64>,
        /// The action.
        action: Action,
    },
    /// Acts periodically.
    Every {
        /// The period.
        period: Time,
        /// The first time, after reset.
        from: Time,
        /// The number of times; to the end of the run if `None`.
        times: Option<u64>,
        /// The action.
        action: Action,
    },
    /// Acts at times drawn by a seeded generator.
    Random {
        /// The number of times.
        times: u64,
        /// The start of the first gap, after reset.
        from: Time,
        /// The shortest and the longest gap.
        gap: (Time, Time),
        /// The generator's seed.
        seed: u64,
        /// The action.
        action: Action,
    },
    /// Presses and releases a button at times drawn by a seeded generator.
    Presses {
        /// The number of presses; each is followed by a release.
        presses: u64,
        /// The button's pin.
        pin: Pin,
        /// The pin's level while the button is pressed.
        pressed_high: bool,
        /// The start of the first gap, after reset.
        from: Time,
        /// The shortest and the longest gap between two edges.
        gap: (Time, Time),
        /// Contact bounce, if any.
        bounce: Option<Bounce>,
        /// The generator's seed.
        seed: u64,
    },
    /// Sets the phase of divided bus clocks at reset.
    Phase(Phase),
}

impl Rule {
    /// Returns the pin that the rule changes, or `None` for a rule that changes no pin.
    pub fn pin(&self) -> Option<Pin> {
        match self {
            Self::Presses { pin, .. } => Some(*pin),
            Self::At { action, .. }
            | Self::After { action, .. }
            | Self::Every { action, .. }
            | Self::Random { action, .. } => match action {
                Action::Pin(pin, _) => Some(*pin),
                Action::Uart(..) | Action::Phase(_) => None,
            },
            Self::Phase(_) => None,
        }
    }
}

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
    /// Real times beside numbers of cycles.
    #[error("stimulus `{0}`: some of its times are in cycles and some in real time; write all of them in one way")]
    Mixed(String),
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
    #[error("stimulus `{0}`: more than {most} stimuli; give fewer times or a shorter run", most = plan::MOST)]
    TooMany(String),
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
    #[error("stimulus `{action}`: the part has no serial port {number}{ports}")]
    NoUart {
        /// The action.
        action: String,
        /// The port's number.
        number: u8,
        /// The part's serial ports, as a clause.
        ports: String,
    },
    /// A time before the machine's current cycle.
    #[error("stimulus `{action}`: {at} is in the past, the run is at cycle {now}; give a later time")]
    Past {
        /// The action.
        action: String,
        /// The time of the action after reset.
        at: Time,
        /// The machine's current cycle.
        now: u64,
    },
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pin(pin, level) => {
                let level = match level {
                    Level::Low => "low",
                    Level::High => "high",
                    Level::Released => "released",
                    Level::Toggle => "toggle",
                };
                write!(f, "pin {pin} {level}")
            }
            Self::Uart(number, bytes) => {
                write!(f, "uart {number} \"")?;
                for byte in bytes {
                    match byte {
                        b'\n' => f.write_str("\\n")?,
                        b'\r' => f.write_str("\\r")?,
                        b'\t' => f.write_str("\\t")?,
                        b'\\' | b'"' => write!(f, "\\{}", char::from(*byte))?,
                        b' '..=b'~' => write!(f, "{}", char::from(*byte))?,
                        _ => write!(f, "\\x{byte:02x}")?,
                    }
                }
                f.write_str("\"")
            }
            Self::Phase(cycles) => write!(f, "phase {cycles}"),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = |f: &mut fmt::Formatter<'_>, times: &Option<u64>| match times {
            Some(times) => write!(f, " {times} times"),
            None => Ok(()),
        };
        match self {
            Self::At { time, action } => write!(f, "at {time} {action}"),
            Self::After { event, delay, times: most, action } => {
                let event = event.to_string();
                let quote = if event.contains(|c: char| c.is_whitespace() || c == '"') { "\"" } else { "" };
                write!(f, "after {quote}{event}{quote}")?;
                if *delay != Time::ZERO {
                    write!(f, " {delay}")?;
                }
                times(f, most)?;
                write!(f, " {action}")
            }
            Self::Every { period, from, times: most, action } => {
                write!(f, "every {period} from {from}")?;
                times(f, most)?;
                write!(f, " {action}")
            }
            Self::Random { times, from, gap: (min, max), seed, action } => {
                write!(f, "random {times} times from {from} gap {min}..{max} seed {seed} {action}")
            }
            Self::Presses { presses, pin, pressed_high, from, gap: (min, max), bounce, seed } => {
                let level = if *pressed_high { "high" } else { "low" };
                write!(f, "presses {presses} of {pin} {level} from {from} gap {min}..{max}")?;
                if let Some(Bounce { toggles, within }) = bounce {
                    write!(f, " bounce {toggles} within {within}")?;
                }
                write!(f, " seed {seed}")
            }
            Self::Phase(Phase::Cycles(cycles)) => write!(f, "phase {cycles}"),
            Self::Phase(Phase::Seed(seed)) => write!(f, "phase seed {seed}"),
        }
    }
}
