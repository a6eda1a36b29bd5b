//! What one await costs: the primes search of the chips, and values handed to and fro.
//!
//! The search is the one of `firmware/workload`: ten primes from 0x0FFFFFFF upward by trial division, without a yield,
//! with one a turn of its inner loop, and with a second task that counts and yields.

mod meter;
mod platforms;
mod search;
mod threads;

use serde::{Deserialize, Serialize};

/// What it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runtime {
    /// tokio on one thread.
    TokioCurrentThread,
    /// tokio's multi-thread runtime with one worker.
    #[serde(rename = "tokio-1")]
    TokioOne,
    /// The same with two.
    #[serde(rename = "tokio-2")]
    TokioTwo,
    /// smol's global executor, which has one thread unless it is told otherwise.
    Smol,
    /// The pool of `futures`, on one thread.
    LocalPool,
    /// embassy-executor on its std platform.
    EmbassyStd,
    /// Threads of the operating system and a condition variable.
    Threads,
}

impl Runtime {
    /// All, in the order in which results show them.
    pub const ALL: [Self; 7] = [
        Self::TokioCurrentThread,
        Self::TokioOne,
        Self::TokioTwo,
        Self::Smol,
        Self::LocalPool,
        Self::EmbassyStd,
        Self::Threads,
    ];

    /// Its name in options and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TokioCurrentThread => "tokio-current-thread",
            Self::TokioOne => "tokio-1",
            Self::TokioTwo => "tokio-2",
            Self::Smol => "smol",
            Self::LocalPool => "local-pool",
            Self::EmbassyStd => "embassy-std",
            Self::Threads => "threads",
        }
    }

    /// The library that it is; none for the standard one.
    pub const fn library(self) -> Option<&'static str> {
        match self {
            Self::TokioCurrentThread | Self::TokioOne | Self::TokioTwo => Some("tokio"),
            Self::Smol => Some("smol"),
            Self::LocalPool => Some("futures"),
            Self::EmbassyStd => Some("embassy-executor"),
            Self::Threads => None,
        }
    }
}

/// What runs on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The search without a yield.
    Plain,
    /// A yield a turn, nothing else to run.
    One,
    /// A yield a turn beside a second task.
    Two,
    /// A value to a second task over a channel with room for one, and back.
    PingPong,
}

impl Mode {
    /// All, in the order in which results show them.
    pub const ALL: [Self; 4] = [Self::Plain, Self::One, Self::Two, Self::PingPong];

    /// Its name in options and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::One => "one",
            Self::Two => "two",
            Self::PingPong => "ping-pong",
        }
    }
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// On what.
    pub runtime: Runtime,
    /// What.
    pub mode: Mode,
    /// How many primes are searched.
    pub primes: usize,
    /// How often a value goes to and fro.
    pub trips: u64,
}

/// What one run came to, as the program itself saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// From the search's first instruction to its last, or of all trips, in nanoseconds.
    pub elapsed_ns: u64,
    /// Instructions of all threads meanwhile, outside the kernel; none where the machine counts none for us.
    pub instructions: Option<u64>,
    /// The primes found.
    pub primes: Vec<u64>,
    /// Turns of the search's inner loop.
    pub loops: u64,
    /// How often the search gave the processor away and got it back, or how many values were handed over.
    pub dispatches: u64,
    /// The second task's turns.
    pub counter: u64,
}

/// Runs as `spec` says.
pub(crate) fn run(spec: &Spec) -> Account {
    match spec.runtime {
        Runtime::Threads => threads::run(spec),
        _ => platforms::run(spec),
    }
}
