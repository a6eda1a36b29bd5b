//! What the outside does and when, as a user writes it.
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
//! whole cycles, both ends counted, all equally likely; the first press (or action) comes one gap after `from`.
//! `bounce K within TIME` adds, after each edge, K toggles at distinct cycles within TIME, so K is even and TIME
//! shorter than the shortest gap; a seed gives the same edges with and without it.
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

pub use plan::{After, Plan};

use crate::event::{Event, EventError};
use crate::time::Time;

/// What is applied to a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Ground.
    Low,
    /// The supply.
    High,
    /// Nothing: the part's and board's own pulls decide.
    Released,
    /// The other level than the one applied last, or, if none was, than the one the pin has.
    Toggle,
}

/// One thing that the outside does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Applies a level to a pin.
    Pin(Pin, Level),
    /// Sends bytes to the receiver of the serial port of this number.
    Uart(u8, Vec<u8>),
    /// Has the edges of divided bus clocks lie that many cycles late ([`cyclescope_machine::Stimulus::Phase`]).
    Phase(u8),
}

/// By how many cycles of the core's clock the edges of divided bus clocks lie late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// So many, below [`PHASES`].
    Cycles(u8),
    /// As many as the generator of this seed draws.
    Seed(u64),
}

/// How many phases there are: cycles in a period of a bus clock divided by 16, which is the most.
pub const PHASES: u8 = 16;

impl Phase {
    /// The cycles, below [`PHASES`].
    pub fn cycles(self) -> u8 {
        match self {
            Self::Cycles(cycles) => cycles % PHASES,
            Self::Seed(seed) => random::Draws::new(seed, 2).between(0, u64::from(PHASES) - 1) as u8,
        }
    }
}

/// Contacts that bounce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounce {
    /// Toggles after each edge; even, so that the pin ends where the edge took it.
    pub toggles: u64,
    /// All of them happen within this time after the edge.
    pub within: Time,
}

/// What the outside does and when, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Once.
    At {
        /// When, after reset.
        time: Time,
        /// What.
        action: Action,
    },
    /// Whenever an event happens.
    After {
        /// The event.
        event: Event,
        /// How long after it.
        delay: Time,
        /// How many times at most; without end if `None`.
        times: Option<u64>,
        /// What.
        action: Action,
    },
    /// Periodically.
    Every {
        /// The period.
        period: Time,
        /// The first time, after reset.
        from: Time,
        /// How many times at most; to the end of the run if `None`.
        times: Option<u64>,
        /// What.
        action: Action,
    },
    /// At times drawn from a seeded generator.
    Random {
        /// How many times.
        times: u64,
        /// The first gap begins here.
        from: Time,
        /// The shortest and the longest gap.
        gap: (Time, Time),
        /// The generator's seed.
        seed: u64,
        /// What.
        action: Action,
    },
    /// A button, pressed and released at times drawn from a seeded generator.
    Presses {
        /// How many presses, each followed by a release.
        presses: u64,
        /// The button's pin.
        pin: Pin,
        /// Its level while pressed.
        pressed_high: bool,
        /// The first gap begins here.
        from: Time,
        /// The shortest and the longest gap between two edges.
        gap: (Time, Time),
        /// Whether and how its contacts bounce.
        bounce: Option<Bounce>,
        /// The generator's seed.
        seed: u64,
    },
    /// The phase of divided bus clocks, from reset on.
    Phase(Phase),
}

/// A stimulus that cannot be understood or carried out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StimulusError {
    /// A word where another was expected.
    #[error("stimulus `{text}`: {found} is not {expected}{nearest}")]
    Word {
        /// The stimulus.
        text: String,
        /// The word, or that the text ends.
        found: String,
        /// What was expected.
        expected: &'static str,
        /// The nearest of the words expected.
        nearest: String,
    },
    /// An event in it that cannot be understood or found.
    #[error("stimulus `{text}`: {error}")]
    Event {
        /// The stimulus.
        text: String,
        /// What is wrong with it.
        #[source]
        error: EventError,
    },
    /// A period or gap of nothing.
    #[error("stimulus `{0}`: a {1} of no cycles has no end")]
    NoGap(String, &'static str),
    /// A gap whose longest is shorter than its shortest.
    #[error("stimulus `{0}`: the longest gap is shorter than the shortest")]
    Gap(String),
    /// Bounce that does not end where the edge went.
    #[error("stimulus `{0}`: an odd number of bounces would end at the other level")]
    OddBounce(String),
    /// Bounce that reaches into the next edge, or that has fewer cycles than toggles.
    #[error("stimulus `{text}`: {toggles} bounces within {within} cycles want {toggles} to {most} cycles")]
    Bounce {
        /// The stimulus.
        text: String,
        /// The toggles.
        toggles: u64,
        /// The cycles to bounce in.
        within: u64,
        /// The cycles there are before the next edge could come.
        most: u64,
    },
    /// More than a run could want.
    #[error("stimulus `{0}`: more than {most} stimuli", most = plan::MOST)]
    TooMany(String),
    /// A pin that the part lacks.
    #[error("stimulus `{action}`: the part has no pin {pin}{nearest}")]
    NoPin {
        /// The action.
        action: String,
        /// The pin.
        pin: Pin,
        /// The nearest there are.
        nearest: String,
    },
    /// A serial port that the part lacks.
    #[error("stimulus `{action}`: the part has no serial port {number}{known}")]
    NoUart {
        /// The action.
        action: String,
        /// The port's number.
        number: u8,
        /// The numbers there are.
        known: String,
    },
    /// A time that has gone by.
    #[error("stimulus `{action}` at cycle {at} lies in the past: the run is at cycle {now}")]
    Past {
        /// The action.
        action: String,
        /// When it should happen.
        at: u64,
        /// Where the run is.
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
