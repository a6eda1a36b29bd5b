//! One asynchronous file operation, taken apart: its parts, the parameters of a run, and the program's account.
//!
//! The operation is the metadata of one entry, read as a link: what a walk asks for each entry. A runtime with a pool of
//! threads hands it to a thread, which makes the system call and wakes the task that asked. The parts follow each other and
//! overlap nowhere, so that they add up to the whole.

use serde::{Deserialize, Serialize};

use crate::walk::Variant;

/// The variants of the walk that also tell of one operation. [`Variant::TokioAwait`] asks from the thread that runs `block_on`,
/// [`Variant::TokioSpawnOne`] from a task on a worker, as their walks do.
pub const VARIANTS: [Variant; 6] =
    [Variant::Sync, Variant::TokioAwait, Variant::TokioSpawnOne, Variant::Smol, Variant::Compio, Variant::Monoio];

/// A part of one operation, in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// From the request until it is handed over, or the thread of the pool begins, if that is sooner. With io_uring: until
    /// the future has returned from its first poll.
    Submit,
    /// From there until the thread of the pool begins, less the time in the run queue.
    Wake,
    /// The thread of the pool ready to run and waiting for a processor, by the kernel's account.
    Queued,
    /// The system call, with what the standard library does around it.
    Call,
    /// From the submission to io_uring until the runtime has seen the completion: the kernel's own worker, the call, the sleep.
    Ring,
    /// From there until the poll that takes the result begins, less the time in the run queue.
    Back,
    /// The thread of the task ready to run and waiting for a processor, by the kernel's account.
    QueuedBack,
    /// The poll that takes the result.
    Poll,
}

impl Part {
    /// All parts, in the order of time.
    pub const ALL: [Self; 8] =
        [Self::Submit, Self::Wake, Self::Queued, Self::Call, Self::Ring, Self::Back, Self::QueuedBack, Self::Poll];

    /// Returns the name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Submit => "submit",
            Self::Wake => "wake",
            Self::Queued => "queued",
            Self::Call => "call",
            Self::Ring => "ring",
            Self::Back => "back",
            Self::QueuedBack => "queued_back",
            Self::Poll => "poll",
        }
    }
}

/// The parameters of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The variant, one of [`VARIANTS`].
    pub variant: Variant,
    /// The number of operations, one after the other.
    pub times: u32,
    /// The blocks that one operation allocates, to be allocated and freed by themselves; 0 if that is unknown.
    pub blocks: u32,
    /// The size of such a block in bytes.
    pub block_bytes: u32,
}

/// The account of one run; sums over all operations, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// The number of operations that succeeded.
    pub times: u64,
    /// From the request to the result. The parts add up to it.
    pub whole_ns: u64,
    /// The parts that this variant has.
    pub parts: Vec<(Part, u64)>,
    /// As many operations by the library's own call, with nothing watched.
    pub plain_ns: u64,
    /// The allocations of those, on all threads; `None` without a counting allocator.
    pub allocations: Option<u64>,
    /// Their bytes.
    pub allocated_bytes: Option<u64>,
    /// The time of as many allocations by themselves, freed on another thread; `None` if their number was unknown.
    pub allocation_ns: Option<u64>,
}

impl Account {
    /// Returns the sum of `part` in nanoseconds; `None` if the variant has no such part.
    pub fn part(&self, part: Part) -> Option<u64> {
        self.parts.iter().find(|(known, _)| *known == part).map(|(_, sum)| *sum)
    }
}
