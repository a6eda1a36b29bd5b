//! Waiting for many futures: the forms that people use, on three executors, of spawned tasks and of plain futures.

mod forms;
mod watched;

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::contender::{Allocated, AskAllocator};

/// How it is waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// `futures::future::join_all`.
    JoinAll,
    /// A Vec of them, awaited in turn.
    Vec,
    /// `FuturesUnordered`, as a stream.
    FuturesUnordered,
    /// `FuturesOrdered`, as a stream.
    FuturesOrdered,
    /// tokio's `JoinSet`; it has spawned tasks only.
    JoinSet,
    /// `StreamExt::buffer_unordered`, with room for all.
    BufferUnordered,
    /// Make one and await it, in a loop.
    InLoop,
}

impl Form {
    /// All, in the order in which results show them.
    pub const ALL: [Self; 7] = [
        Self::JoinAll,
        Self::Vec,
        Self::FuturesUnordered,
        Self::FuturesOrdered,
        Self::JoinSet,
        Self::BufferUnordered,
        Self::InLoop,
    ];

    /// Its name in options and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::JoinAll => "join-all",
            Self::Vec => "vec",
            Self::FuturesUnordered => "futures-unordered",
            Self::FuturesOrdered => "futures-ordered",
            Self::JoinSet => "join-set",
            Self::BufferUnordered => "buffer-unordered",
            Self::InLoop => "in-loop",
        }
    }
}

/// What runs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runtime {
    /// tokio, a worker a processor.
    TokioMultiThread,
    /// tokio on one thread.
    TokioCurrentThread,
    /// smol and its global executor.
    Smol,
}

impl Runtime {
    /// All, in the order in which results show them.
    pub const ALL: [Self; 3] = [Self::TokioMultiThread, Self::TokioCurrentThread, Self::Smol];

    /// Its name in options and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TokioMultiThread => "tokio-multi-thread",
            Self::TokioCurrentThread => "tokio-current-thread",
            Self::Smol => "smol",
        }
    }

    /// The library that it is.
    pub const fn library(self) -> &'static str {
        match self {
            Self::TokioMultiThread | Self::TokioCurrentThread => "tokio",
            Self::Smol => "smol",
        }
    }

    /// Whether there is `form` of what is spawned, or is not, on it.
    pub fn has(self, form: Form, spawned: bool) -> bool {
        form != Form::JoinSet || spawned && self != Self::Smol
    }
}

/// One wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// On what.
    pub runtime: Runtime,
    /// How.
    pub form: Form,
    /// Whether each future is spawned when it is made.
    pub spawned: bool,
    /// How many futures.
    pub count: usize,
    /// How long each sleeps, in nanoseconds.
    pub sleep_ns: u64,
    /// How much longer each sleeps than the one made after it, in nanoseconds: the last made ends first.
    pub step_ns: u64,
    /// Whether polls and the order of completion are watched.
    pub watch: bool,
}

impl Spec {
    /// How long the future of this number sleeps.
    fn sleep(&self, number: usize) -> Duration {
        let longer = self.count.saturating_sub(number + 1) as u64;
        Duration::from_nanos(self.sleep_ns.saturating_add(self.step_ns.saturating_mul(longer)))
    }
}

/// In which order results came, seen against the order of making and of completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As they were made, though they were done in another order.
    Made,
    /// As they were done, which is not as they were made.
    Done,
    /// As they were made, and they were done in that order, too.
    Both,
    /// Neither.
    Neither,
}

impl Order {
    /// The order of `results` by their numbers, where `done` is the order in which the futures ended.
    pub fn of(results: &[usize], done: &[usize]) -> Self {
        match (results.is_sorted(), results == done) {
            (true, true) => Self::Both,
            (true, false) => Self::Made,
            (false, true) => Self::Done,
            (false, false) => Self::Neither,
        }
    }

    /// Its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Made => "made",
            Self::Done => "done",
            Self::Both => "both",
            Self::Neither => "neither",
        }
    }
}

/// What one wait came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// From before the first future is made until the last result is there, in nanoseconds.
    pub elapsed_ns: u64,
    /// Whether each number came back once.
    pub complete: bool,
    /// Polls of the sleeping futures; none if they were not watched.
    pub polls: Option<u64>,
    /// Polls of what was awaited: the handles of spawned tasks, else the futures themselves.
    pub awaited_polls: Option<u64>,
    /// The order of results; none if it was not watched.
    pub order: Option<Order>,
    /// What was allocated meanwhile, on all threads; none without a counting allocator.
    pub allocations: Option<u64>,
    /// Its bytes.
    pub allocated_bytes: Option<u64>,
}

/// Waits as `spec` says.
pub(crate) fn run(spec: &Spec, allocator: Option<AskAllocator>) -> Account {
    if spec.watch {
        watched::on(spec.count);
    }
    let measured = |wait: &mut dyn FnMut() -> Vec<usize>| {
        let before = allocator.map(|ask| ask());
        let begun = Instant::now();
        let results = wait();
        (begun.elapsed(), before.zip(allocator.map(|ask| ask())), results)
    };
    let (elapsed, allocated, results) = forms::run(spec, measured);
    let allocated = allocated
        .map(|(before, after)| Allocated { blocks: after.blocks - before.blocks, bytes: after.bytes - before.bytes });
    let mut sorted = results.clone();
    sorted.sort_unstable();
    Account {
        elapsed_ns: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
        complete: sorted.into_iter().eq(0..spec.count),
        polls: watched::polls(),
        awaited_polls: watched::awaited_polls(),
        order: watched::done().map(|done| Order::of(&results, &done)),
        allocations: allocated.map(|allocated| allocated.blocks),
        allocated_bytes: allocated.map(|allocated| allocated.bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_told_apart() {
        assert_eq!(Order::of(&[0, 1, 2], &[2, 1, 0]), Order::Made);
        assert_eq!(Order::of(&[2, 1, 0], &[2, 1, 0]), Order::Done);
        assert_eq!(Order::of(&[0, 1, 2], &[0, 1, 2]), Order::Both);
        assert_eq!(Order::of(&[1, 0, 2], &[2, 1, 0]), Order::Neither);
    }

    #[test]
    fn the_last_made_sleeps_least() {
        let spec = Spec {
            runtime: Runtime::Smol,
            form: Form::Vec,
            spawned: true,
            count: 3,
            sleep_ns: 10,
            step_ns: 5,
            watch: false,
        };
        assert_eq!([0, 1, 2].map(|number| spec.sleep(number).as_nanos()), [20, 15, 10]);
    }
}
