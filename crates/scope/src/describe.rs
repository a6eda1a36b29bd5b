//! Parses spans as a user writes them: `irq=pin:PG0:rise..pin:PG0:fall`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::event::{Event, EventError};
use crate::span::Again;

/// A span as written: `NAME=FROM..TO`, with `first ` or `last ` before FROM if FROM may happen again before TO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanText {
    /// The span's name.
    pub name: String,
    /// The rule for a second start before the end.
    pub again: Again,
    /// The event that starts the span.
    pub from: Event,
    /// The event that ends the span.
    pub to: Event,
}

/// An error in a span's text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpanTextError {
    /// Text in no form of a span.
    #[error("`{0}` is not a span; write NAME=EVENT..EVENT, as in irq=pin:PA0:rise..pin:PA0:fall")]
    Form(String),
    /// A name with characters that records do not allow.
    #[error("span `{0}`: the name may contain only letters, digits, dots, hyphens and underscores")]
    Name(String),
    /// An error in one of its events.
    #[error("span `{0}`: {1}")]
    Event(String, #[source] EventError),
}

impl FromStr for SpanText {
    type Err = SpanTextError;

    fn from_str(text: &str) -> Result<Self, SpanTextError> {
        let form = || SpanTextError::Form(text.to_owned());
        let (name, events) = text.split_once('=').ok_or_else(form)?;
        let name = name.trim().to_owned();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if name.is_empty() || !name.chars().all(plain) {
            return Err(SpanTextError::Name(name));
        }
        let (from, to) = events.split_once("..").ok_or_else(form)?;
        let (again, from) = match from.trim_start().split_once(' ') {
            Some(("first", from)) => (Again::First, from),
            Some(("last", from)) => (Again::Last, from),
            _ => (Again::Refuse, from),
        };
        let event = |text: &str| text.trim().parse().map_err(|error| SpanTextError::Event(name.clone(), error));
        let (from, to) = (event(from)?, event(to)?);
        Ok(Self { name, again, from, to })
    }
}

impl fmt::Display for SpanText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let again = match self.again {
            Again::Refuse => "",
            Again::First => "first ",
            Again::Last => "last ",
        };
        write!(f, "{}={again}{}..{}", self.name, self.from, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_back_as_they_are_written() {
        for text in [
            "irq=pin:PG0:rise..pin:PG0:fall",
            "response=last exception:EXTI15_10:entered..symbol:cyclescope_button_runs",
            "a.b-c_1=first symbol:core::fmt::write..symbol:core::fmt::write:left",
        ] {
            assert_eq!(text.parse::<SpanText>().map(|span| span.to_string()).as_deref(), Ok(text));
        }
        let bare: SpanText = " a = main .. time:1ms ".parse().unwrap();
        assert_eq!(bare.to_string(), "a=symbol:main..time:1ms");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, expect) in [
            ("irq", "`irq` is not a span"),
            ("irq=main", "`irq=main` is not a span"),
            ("=a..b", "the name may contain only"),
            ("a b=a..b", "span `a b`: the name may contain only"),
            ("irq=pin:PG0:up..sleep", "span `irq`: `pin:PG0:up` is not an event"),
            ("irq=sleep..", "span `irq`: `` is not an event"),
        ] {
            let error = text.parse::<SpanText>().expect_err(text).to_string();
            assert!(error.contains(expect), "{text}: {error}");
        }
    }
}
