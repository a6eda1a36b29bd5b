//! The parts of a stimulus, and its text.

use std::fmt;

use cyclescope_machine::{Channel, Pin};

use super::random::Draws;
use super::voltage::{SamplesError, VoltageText, word};
use crate::event::Event;
use crate::time::Time;

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
    /// Puts a voltage on a pin.
    Voltage(Pin, VoltageText),
    /// Gives a quantity of an attached device a value.
    Device {
        /// The device's name.
        device: String,
        /// The quantity.
        name: String,
        /// The value, as the device reads it.
        value: String,
    },
    /// Sends bytes to the receiver of a serial port.
    Serial(Channel, Vec<u8>),
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
            Self::Seed(seed) => Draws::new(seed, 2).between(0, u64::from(PHASES) - 1) as u8,
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
    /// Acts once, at a cycle between two times that the run's arrivals decide ([`Plan::arriving`](super::Plan::arriving)).
    Arrives {
        /// The first time, after reset.
        from: Time,
        /// The time before which the last one lies.
        to: Time,
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
            | Self::Arrives { action, .. }
            | Self::After { action, .. }
            | Self::Every { action, .. }
            | Self::Random { action, .. } => match action {
                Action::Pin(pin, _) | Action::Voltage(pin, _) => Some(*pin),
                Action::Device { .. } | Action::Serial(..) | Action::Phase(_) => None,
            },
            Self::Phase(_) => None,
        }
    }

    /// Returns the seed that the rule draws by, if it draws anything.
    pub fn seed(&mut self) -> Option<&mut u64> {
        match self {
            Self::Random { seed, .. } | Self::Presses { seed, .. } | Self::Phase(Phase::Seed(seed)) => Some(seed),
            Self::At { .. } | Self::Arrives { .. } | Self::After { .. } | Self::Every { .. } | Self::Phase(_) => None,
        }
    }

    /// Returns the path of the file with the voltages that the rule applies, if it has one.
    pub fn samples_file(&mut self) -> Option<&mut String> {
        match self.voltage()? {
            VoltageText::Samples { file, .. } => Some(file),
            VoltageText::Shape(_) => None,
        }
    }

    /// Keeps the samples in `text`, which is what the file of its voltages holds, in the file's place. A rule without such a file stays
    /// as it is.
    ///
    /// # Errors
    /// [`SamplesError`] with the file and the line if it holds something else.
    pub fn resolve_samples(&mut self, text: &str) -> Result<(), SamplesError> {
        self.voltage().map_or(Ok(()), |voltage| voltage.resolve_from(text))
    }

    /// Keeps the samples in `text`, which is what the file of its voltages holds, or the reason why that cannot be read, so that a plan
    /// reads no file. The rule is written as before.
    pub fn hold_samples(&mut self, text: Result<&str, String>) {
        if let Some(voltage) = self.voltage() {
            voltage.hold(text);
        }
    }

    /// Returns the voltage that the rule applies, if it applies one.
    pub(super) fn voltage(&mut self) -> Option<&mut VoltageText> {
        match self {
            Self::At { action, .. }
            | Self::Arrives { action, .. }
            | Self::After { action, .. }
            | Self::Every { action, .. }
            | Self::Random { action, .. } => match action {
                Action::Voltage(_, voltage) => Some(voltage),
                _ => None,
            },
            Self::Presses { .. } | Self::Phase(_) => None,
        }
    }
}

/// Writes `bytes` in quotes, as stimuli have them.
fn quoted(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    f.write_str("\"")?;
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
            Self::Voltage(pin, voltage) => write!(f, "pin {pin} {voltage}"),
            Self::Device { device, name, value } => write!(f, "{device} {} {}", word(name), word(value)),
            Self::Serial(port, bytes) => {
                match port {
                    Channel::Uart(number) => write!(f, "uart {number} ")?,
                    Channel::Usb(number) if *number > 0 => write!(f, "usb {number} ")?,
                    other => write!(f, "{other} ")?,
                }
                quoted(f, bytes)
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
            Self::Arrives { from, to, action } => write!(f, "at {from}..{to} {action}"),
            Self::After { event, delay, times: most, action } => {
                let event = event.to_string();
                f.write_str("after ")?;
                if event.contains(|c: char| c.is_whitespace() || c == '"') {
                    quoted(f, event.as_bytes())?;
                } else {
                    f.write_str(&event)?;
                }
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
