//! Times of entries.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use thiserror::Error;
use time::format_description::well_known::Rfc3339;
use time::{Date, OffsetDateTime, Time};

/// A time in UTC, in whole seconds, from the year 0 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Moment(OffsetDateTime);

/// A text that is no time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no time; write it as RFC 3339 has it, such as 2026-11-28T22:50:00Z, or a day, such as 2026-11-28")]
pub struct MomentError(String);

impl Moment {
    /// The time `seconds` after 1970 began in UTC; none outside the years 0 to 9999.
    pub fn from_unix(seconds: i64) -> Option<Self> {
        let moment = OffsetDateTime::from_unix_timestamp(seconds).ok()?;
        (0..=9999).contains(&moment.year()).then_some(Self(moment))
    }

    /// The seconds since 1970 began in UTC.
    pub fn unix(self) -> i64 {
        self.0.unix_timestamp()
    }

    /// The time that a clock of this machine or a file's date says; none outside the years 0 to 9999.
    pub fn from_system(time: SystemTime) -> Option<Self> {
        Self::from_unix(OffsetDateTime::from(time).unix_timestamp())
    }

    /// The day and the minute, as `2026-11-28 22:50`.
    pub fn minute(self) -> String {
        format!("{} {:02}:{:02}", self.day(), self.0.hour(), self.0.minute())
    }

    /// The day, as `2026-11-28`.
    pub fn day(self) -> String {
        format!("{:04}-{:02}-{:02}", self.0.year(), u8::from(self.0.month()), self.0.day())
    }

    /// The last second of the day that `text` names, or the second that it names.
    ///
    /// # Errors
    /// [`MomentError`].
    pub fn until(text: &str) -> Result<Self, MomentError> {
        match day(text) {
            Some(day) => Self::from_unix(OffsetDateTime::new_utc(day, Time::MIDNIGHT).unix_timestamp() + 86_399)
                .ok_or_else(|| MomentError(text.to_owned())),
            None => text.parse(),
        }
    }
}

/// The day `YYYY-MM-DD`.
fn day(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let mut part = |digits: usize| -> Option<u16> {
        let part = parts.next()?;
        (part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| part.parse().ok())?
    };
    let (year, month, number) = (part(4)?, part(2)?, part(2)?);
    let month = time::Month::try_from(u8::try_from(month).ok()?).ok()?;
    let day = Date::from_calendar_date(year.into(), month, u8::try_from(number).ok()?).ok()?;
    parts.next().is_none().then_some(day)
}

impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, MomentError> {
        let wrong = || MomentError(text.to_owned());
        let seconds = match day(text) {
            Some(day) => OffsetDateTime::new_utc(day, Time::MIDNIGHT).unix_timestamp(),
            None => OffsetDateTime::parse(text, &Rfc3339).map_err(|_| wrong())?.unix_timestamp(),
        };
        Self::from_unix(seconds).ok_or_else(wrong)
    }
}

impl fmt::Display for Moment {
    /// As RFC 3339 has it, in UTC.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.0.time();
        f.pad(&format!("{}T{:02}:{:02}:{:02}Z", self.day(), time.hour(), time.minute(), time.second()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rfc_3339_and_days() {
        let parse = |text: &str| text.parse::<Moment>().map(|moment| moment.to_string());
        assert_eq!(parse("2026-11-28T22:50:07Z").unwrap(), "2026-11-28T22:50:07Z");
        assert_eq!(parse("2026-11-29T00:20:07.9+01:30").unwrap(), "2026-11-28T22:50:07Z");
        assert_eq!(parse("2026-11-28").unwrap(), "2026-11-28T00:00:00Z");
        assert_eq!(Moment::until("2026-11-28").unwrap().to_string(), "2026-11-28T23:59:59Z");
        assert_eq!("2026-11-28T22:50:07Z".parse::<Moment>().unwrap().minute(), "2026-11-28 22:50");
        for wrong in ["", "yesterday", "2026-11-28 22:50", "2026-13-01", "2026-02-30", "26-1-1", "2026-11-28-1", "-1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Moment::from_unix(i64::MAX), None);
        assert_eq!(Moment::from_unix(0).unwrap().to_string(), "1970-01-01T00:00:00Z");
    }
}
