//! One metric of one run.

use std::collections::BTreeMap;
use std::fmt;

use crate::stats::{Histogram, Number, Summary};
use serde::{Deserialize, Serialize};

use crate::Model;

/// The unit of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Periods of the core's clock.
    Cycles,
    /// Retired instructions.
    Instructions,
    /// Bytes.
    Bytes,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
    /// A bare count: dispatches, interrupts, a counter's final value.
    Count,
    /// A quotient of two quantities of the same unit.
    Ratio,
}

impl Unit {
    /// Every unit.
    pub const ALL: [Self; 6] =
        [Self::Cycles, Self::Instructions, Self::Bytes, Self::Nanoseconds, Self::Count, Self::Ratio];

    /// The unit as records and tables print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Instructions => "instructions",
            Self::Bytes => "bytes",
            Self::Nanoseconds => "ns",
            Self::Count => "count",
            Self::Ratio => "ratio",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The metric that a function has by itself, in cycles; its name is the parameter `function`. Part of a whole that another
/// metric holds, so that bounds on all metrics of a unit pass it by.
pub const FUNCTION: &str = "function";

/// The source of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// On a model of the chip.
    Simulated,
    /// On the chip.
    Silicon,
    /// On the host, by its clock.
    Host,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Simulated => "simulated",
            Self::Silicon => "silicon",
            Self::Host => "host",
        })
    }
}

/// The value of a parameter or setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// On or off.
    Switch(bool),
    /// A number.
    Number(Number),
    /// A word.
    Text(String),
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Self {
        Self::Switch(value)
    }
}

impl From<u64> for Scalar {
    fn from(value: u64) -> Self {
        Self::Number(value.into())
    }
}

impl From<&str> for Scalar {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Scalar {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(true) => f.pad("on"),
            Self::Switch(false) => f.pad("off"),
            Self::Number(number) => fmt::Display::fmt(number, f),
            Self::Text(text) => f.pad(text),
        }
    }
}

/// One metric's statistics with its whole origin. Values are in `unit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The experiment's name.
    pub experiment: String,
    /// The experiment's mode.
    pub mode: String,
    /// Other settings of the experiment.
    pub params: BTreeMap<String, Scalar>,
    /// The runtime under test.
    pub contender: String,
    /// Its version.
    pub contender_version: String,
    /// The compiler and its version.
    pub compiler: String,
    /// The part; none for host records.
    pub chip: Option<String>,
    /// The core's clock in hertz during the span; none for host records.
    pub clock_hz: Option<u64>,
    /// The settings that decide fairness, as the run saw them: memory setting, wait states, prefetch, tick rate, stack sizes.
    pub settings: BTreeMap<String, Scalar>,
    /// The optimisation level, as the compiler's flag prints it: `s`, `3`.
    pub opt: String,
    /// The metric's name.
    pub metric: String,
    /// The unit of all values below.
    pub unit: Unit,
    /// The number of samples.
    pub n: u64,
    /// Their mean.
    pub mean: Number,
    /// Their standard deviation.
    pub stddev: Number,
    /// The least.
    pub min: Number,
    /// The middle.
    pub median: Number,
    /// The 99th percentile.
    pub p99: Number,
    /// The greatest.
    pub max: Number,
    /// The spread of the samples, if there are enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
    /// The figure of each layout of the program that was run, the image's own first, if this is about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layouts: Option<Vec<Number>>,
    /// The source of the number.
    pub source: Source,
    /// The SHA-256 of the image's file, in lower-case hexadecimal; none for host records.
    pub image_sha256: Option<String>,
    /// The grounds of the number, for simulated records.
    pub model: Option<Model>,
}

impl Record {
    /// Returns a record without a number: one exact zero, of the unit [`Unit::Count`], and empty texts.
    pub fn empty(source: Source) -> Self {
        let Summary { n, mean, stddev, min, median, p99, max } = Summary::exact(0);
        Self {
            experiment: String::new(),
            mode: String::new(),
            params: BTreeMap::new(),
            contender: String::new(),
            contender_version: String::new(),
            compiler: String::new(),
            chip: None,
            clock_hz: None,
            settings: BTreeMap::new(),
            opt: String::new(),
            metric: String::new(),
            unit: Unit::Count,
            n,
            mean,
            stddev,
            min,
            median,
            p99,
            max,
            histogram: None,
            layouts: None,
            source,
            image_sha256: None,
            model: None,
        }
    }

    /// This record for another metric, with its own statistics: everything about its origin stays.
    #[must_use]
    pub fn with_metric(&self, metric: &str, unit: Unit, summary: Summary) -> Self {
        let mut record = Self { metric: metric.to_owned(), unit, histogram: None, layouts: None, ..self.clone() };
        record.set_summary(summary);
        record
    }

    /// Tells if its figures are exact: timings of a host or a board are not.
    pub fn is_exact(&self) -> bool {
        match self.source {
            Source::Simulated => true,
            // What an image takes is read off it, wherever it runs.
            Source::Silicon => self.unit == Unit::Bytes,
            Source::Host => false,
        }
    }

    /// Puts `summary`'s estimates in place.
    pub fn set_summary(&mut self, summary: Summary) {
        let Summary { n, mean, stddev, min, median, p99, max } = summary;
        (self.n, self.mean, self.stddev) = (n, mean, stddev);
        (self.min, self.median, self.p99, self.max) = (min, median, p99, max);
    }
}
