//! Arguments that may be text or values.

use std::time::Duration;

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_scope::{Event, EventError, Rule, SpanText, SpanTextError, StimulusError, Time, TimeError};

/// An event: text as `cyclescope measure` reads it, or an [`Event`].
pub trait EventText {
    /// The event.
    ///
    /// # Errors
    /// [`EventError`] for text that is none.
    fn event(self) -> Result<Event, EventError>;
}

impl EventText for &str {
    fn event(self) -> Result<Event, EventError> {
        self.parse()
    }
}

impl EventText for &String {
    fn event(self) -> Result<Event, EventError> {
        self.parse()
    }
}

impl EventText for Event {
    fn event(self) -> Result<Event, EventError> {
        Ok(self)
    }
}

impl EventText for &Event {
    fn event(self) -> Result<Event, EventError> {
        Ok(self.clone())
    }
}

/// A stimulus: text as `cyclescope measure --stimulus` reads it, or a [`Rule`].
pub trait RuleText {
    /// The rule.
    ///
    /// # Errors
    /// [`StimulusError`] for text that is none.
    fn rule(self) -> Result<Rule, StimulusError>;
}

impl RuleText for &str {
    fn rule(self) -> Result<Rule, StimulusError> {
        self.parse()
    }
}

impl RuleText for &String {
    fn rule(self) -> Result<Rule, StimulusError> {
        self.parse()
    }
}

impl RuleText for Rule {
    fn rule(self) -> Result<Rule, StimulusError> {
        Ok(self)
    }
}

/// A span with its name: text as `cyclescope measure --span` reads it, or a [`SpanText`].
pub trait SpanForm {
    /// The span.
    ///
    /// # Errors
    /// [`SpanTextError`] for text that is none.
    fn span(self) -> Result<SpanText, SpanTextError>;
}

impl SpanForm for &str {
    fn span(self) -> Result<SpanText, SpanTextError> {
        self.parse()
    }
}

impl SpanForm for &String {
    fn span(self) -> Result<SpanText, SpanTextError> {
        self.parse()
    }
}

impl SpanForm for SpanText {
    fn span(self) -> Result<SpanText, SpanTextError> {
        Ok(self)
    }
}

/// A time: text such as `3ms`, cycles, or a [`Duration`].
pub trait TimeText {
    /// The time.
    ///
    /// # Errors
    /// [`TimeError`] for text that is none, and for a duration of more than 584 years.
    fn time(self) -> Result<Time, TimeError>;
}

impl TimeText for &str {
    fn time(self) -> Result<Time, TimeError> {
        self.parse()
    }
}

impl TimeText for Time {
    fn time(self) -> Result<Time, TimeError> {
        Ok(self)
    }
}

impl TimeText for Cycles {
    fn time(self) -> Result<Time, TimeError> {
        Ok(Time::Cycles(self.get()))
    }
}

impl TimeText for Duration {
    fn time(self) -> Result<Time, TimeError> {
        let nanoseconds = u64::try_from(self.as_nanos()).map_err(|_| TimeError(format!("{self:?}")))?;
        Ok(Time::Nanoseconds(nanoseconds))
    }
}

/// A place in memory: a symbol of the firmware by its name, or an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The address of this symbol.
    Symbol(String),
    /// Here.
    At(Address),
}

impl From<&str> for Place {
    fn from(name: &str) -> Self {
        Self::Symbol(name.to_owned())
    }
}

impl From<u32> for Place {
    fn from(address: u32) -> Self {
        Self::At(Address::new(address))
    }
}

impl From<Address> for Place {
    fn from(address: Address) -> Self {
        Self::At(address)
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Symbol(name) => f.write_str(name),
            Self::At(address) => address.fmt(f),
        }
    }
}
