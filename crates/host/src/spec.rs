//! What a child is asked to do, and what it says of itself when it is done.

use serde::{Deserialize, Serialize};

use crate::{join, walk, yielding};

/// What one child does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The work.
    pub work: Work,
    /// How many processors it may use, of those that its parent may; none: all of them.
    pub cpus: Option<usize>,
    /// Whether it counts what it does. Counting takes time, so that a child that counts is not timed.
    pub count: bool,
}

/// The work of one child.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// A directory walk; its root is an argument of its own, since it need not be UTF-8.
    Walk(walk::Spec),
    /// Waiting for many futures.
    Join(join::Spec),
    /// Yielding and handing values to and fro.
    Yield(yielding::Spec),
}

/// What a child says of itself, on one line of its standard error that begins with [`Account::MARK`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// The most of its memory that was resident, in bytes, as the kernel says; none where it does not.
    pub peak_bytes: Option<u64>,
    /// What it counted, if it was to count.
    pub counts: Option<Counts>,
    /// Of a join.
    pub join: Option<join::Account>,
    /// Of yielding.
    pub yielding: Option<yielding::Account>,
}

impl Account {
    /// How the line begins.
    pub const MARK: &str = "cyclescope-account ";
}

/// What a contender did, as it counted while it did it. What it has no way to count is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Tasks spawned on a runtime or a pool.
    pub tasks: u64,
    /// Pieces of work handed to a pool of threads that may block.
    pub hops: Option<u64>,
    /// Threads that the runtime started.
    pub threads: Option<u64>,
    /// Times that a mutex was taken.
    pub locks: u64,
    /// Time between asking for a mutex and having it, summed over all tasks, in nanoseconds.
    pub lock_wait_ns: u64,
}
