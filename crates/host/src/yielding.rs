//! The cost of one await: the specification of a run, and the program's account of it.

use serde::{Deserialize, Serialize};

/// The runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runtime {
    /// tokio on one thread.
    TokioCurrentThread,
    /// tokio's multi-thread runtime with one worker.
    #[serde(rename = "tokio-1")]
    TokioOne,
    /// The same with two workers.
    #[serde(rename = "tokio-2")]
    TokioTwo,
    /// smol's global executor, which has one thread by default.
    Smol,
    /// The pool of `futures`, on one thread.
    LocalPool,
    /// embassy-executor on its std platform.
    EmbassyStd,
    /// Threads of the operating system and a condition variable.
    Threads,
}

impl Runtime {
    /// All runtimes, in the order of results.
    pub const ALL: [Self; 7] = [
        Self::TokioCurrentThread,
        Self::TokioOne,
        Self::TokioTwo,
        Self::Smol,
        Self::LocalPool,
        Self::EmbassyStd,
        Self::Threads,
    ];

    /// Returns the name in options and records.
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

    /// Returns the library; `None` for the standard one.
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

/// The program that runs on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The search without a yield.
    Plain,
    /// A yield in each iteration, with no other task.
    One,
    /// A yield in each iteration, with a second task.
    Two,
    /// A value to a second task over a channel with room for one, and back.
    PingPong,
}

impl Mode {
    /// All modes, in the order of results.
    pub const ALL: [Self; 4] = [Self::Plain, Self::One, Self::Two, Self::PingPong];

    /// Returns the name in options and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::One => "one",
            Self::Two => "two",
            Self::PingPong => "ping-pong",
        }
    }
}

/// The parameters of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The runtime.
    pub runtime: Runtime,
    /// The program.
    pub mode: Mode,
    /// The number of primes to find.
    pub primes: usize,
    /// The number of round trips of a value.
    pub trips: u64,
}

/// The program's own account of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// Time from the search's first instruction to its last, or of all round trips, in nanoseconds.
    pub elapsed_ns: u64,
    /// Instructions of all threads in this time, outside the kernel; `None` if the machine gives no access to a
    /// counter.
    pub instructions: Option<u64>,
    /// The primes found.
    pub primes: Vec<u64>,
    /// Iterations of the search's inner loop.
    pub loops: u64,
    /// The number of yields of the search, or of values passed.
    pub dispatches: u64,
    /// Iterations of the second task.
    pub counter: u64,
}
