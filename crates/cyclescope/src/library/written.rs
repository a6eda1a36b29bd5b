//! Arguments that may be text or values.

use std::str::FromStr;
use std::time::Duration;

use cyclescope_attached::{AttachError, DeviceText};
use cyclescope_machine::Attachment;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_scope::{Event, Rule, SpanText, Time, TimeError};

/// An [`Event`], a [`Rule`], a [`SpanText`], a [`Time`] or a [`DeviceText`], as `T` says: the value, or text as the options of `cyclescope measure`
/// read it.
pub trait Written<T: FromStr> {
    /// The value.
    ///
    /// # Errors
    /// As the parser of `T` for text that is none; [`TimeError`] for a duration of 213 days and more.
    fn value(self) -> Result<T, T::Err>;
}

impl<T: FromStr> Written<T> for &str {
    fn value(self) -> Result<T, T::Err> {
        self.parse()
    }
}

impl<T: FromStr> Written<T> for &String {
    fn value(self) -> Result<T, T::Err> {
        self.parse()
    }
}

/// Lets a value stand for itself.
macro_rules! values {
    ($($kind:ty),+) => {
        $(impl Written<$kind> for $kind {
            fn value(self) -> Result<$kind, <$kind as FromStr>::Err> {
                Ok(self)
            }
        })+
    };
}

values!(DeviceText, Event, Rule, SpanText, Time);

impl Written<DeviceText> for Attachment {
    fn value(self) -> Result<DeviceText, AttachError> {
        Ok(self.into())
    }
}

impl Written<Event> for &Event {
    fn value(self) -> Result<Event, <Event as FromStr>::Err> {
        Ok(self.clone())
    }
}

impl Written<Time> for Cycles {
    fn value(self) -> Result<Time, TimeError> {
        Ok(Time::Cycles(self.get()))
    }
}

impl Written<Time> for Duration {
    fn value(self) -> Result<Time, TimeError> {
        let picoseconds = self.as_nanos().checked_mul(1_000).and_then(|time| u64::try_from(time).ok());
        picoseconds.map(Time::Picoseconds).ok_or_else(|| TimeError::TooLong(format!("{self:?}")))
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
