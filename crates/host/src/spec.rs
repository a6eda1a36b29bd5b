//! The specification of a child's work, and the child's account of it.

use serde::{Deserialize, Serialize};

use crate::{hop, join, walk, yielding};

/// The specification of one child.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The work.
    pub work: Work,
    /// The number of processors that it may use, out of its parent's; `None` for all.
    pub cpus: Option<usize>,
    /// Tells if it counts. Counting takes time, so a child that counts is not timed.
    pub count: bool,
}

/// The work of one child.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// A directory walk. Its root is a separate argument, because it need not be UTF-8.
    Walk(walk::Spec),
    /// One file operation, again and again, on an entry given as a walk's root is.
    Hop(hop::Spec),
    /// A wait for many futures.
    Join(join::Spec),
    /// Yields and values passed between tasks.
    Yield(yielding::Spec),
}

/// A child's account, on a line of its standard error that begins with [`Account::PREFIX`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// Its peak resident memory in bytes; `None` if the kernel does not tell.
    pub peak_bytes: Option<u64>,
    /// Its counts, if it counts.
    pub counts: Option<Counts>,
    /// The account of a join.
    pub join: Option<join::Account>,
    /// The account of yields.
    pub yielding: Option<yielding::Account>,
    /// The account of file operations.
    pub hop: Option<hop::Account>,
    /// The reason if this machine lacks or forbids something, for which nothing was done.
    pub absent: Option<String>,
}

impl Account {
    /// The start of the line.
    pub const PREFIX: &str = "cyclescope-account ";
}

/// A contender's counts of its own work; `None` for what it cannot count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Tasks spawned on a runtime or a pool.
    pub tasks: u64,
    /// Work handed to a pool of blocking threads.
    pub hops: Option<u64>,
    /// Threads that the runtime started.
    pub threads: Option<u64>,
    /// The number of times a mutex was locked.
    pub locks: u64,
    /// The time between requests for a mutex and the locks, summed over all tasks, in nanoseconds.
    pub lock_wait_ns: u64,
}
