//! Waits for many futures: the common forms, on three executors, with spawned tasks and with plain futures.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A form of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// `futures::future::join_all`.
    JoinAll,
    /// A Vec of futures, awaited in turn.
    Vec,
    /// `FuturesUnordered`, as a stream.
    FuturesUnordered,
    /// `FuturesOrdered`, as a stream.
    FuturesOrdered,
    /// tokio's `JoinSet`, for spawned tasks only.
    JoinSet,
    /// `StreamExt::buffer_unordered`, with room for all.
    BufferUnordered,
    /// A loop that creates a future and awaits it.
    InLoop,
}

impl Form {
    /// All forms, in the order of results.
    pub const ALL: [Self; 7] = [
        Self::JoinAll,
        Self::Vec,
        Self::FuturesUnordered,
        Self::FuturesOrdered,
        Self::JoinSet,
        Self::BufferUnordered,
        Self::InLoop,
    ];

    /// Returns the name in options and records.
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

/// The runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runtime {
    /// tokio with a worker for each processor.
    TokioMultiThread,
    /// tokio on one thread.
    TokioCurrentThread,
    /// smol and its global executor.
    Smol,
}

impl Runtime {
    /// All runtimes, in the order of results.
    pub const ALL: [Self; 3] = [Self::TokioMultiThread, Self::TokioCurrentThread, Self::Smol];

    /// Returns the name in options and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TokioMultiThread => "tokio-multi-thread",
            Self::TokioCurrentThread => "tokio-current-thread",
            Self::Smol => "smol",
        }
    }

    /// Returns the library.
    pub const fn library(self) -> &'static str {
        match self {
            Self::TokioMultiThread | Self::TokioCurrentThread => "tokio",
            Self::Smol => "smol",
        }
    }

    /// Tells if the runtime has `form` for spawned tasks, or for plain futures.
    pub fn has(self, form: Form, spawned: bool) -> bool {
        form != Form::JoinSet || spawned && self != Self::Smol
    }
}

/// The parameters of one wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The runtime.
    pub runtime: Runtime,
    /// The form.
    pub form: Form,
    /// Tells if each future is spawned when it is created.
    pub spawned: bool,
    /// The number of futures.
    pub count: usize,
    /// The least sleep of a future, in nanoseconds.
    pub sleep_ns: u64,
    /// The time that each future sleeps longer than the next one, in nanoseconds: the last one created ends first.
    pub step_ns: u64,
    /// Tells if polls and the order of completion are watched.
    pub watch: bool,
}

impl Spec {
    /// Returns the sleep of the future of this number.
    pub fn sleep(&self, number: usize) -> Duration {
        let longer = self.count.saturating_sub(number + 1) as u64;
        Duration::from_nanos(self.sleep_ns.saturating_add(self.step_ns.saturating_mul(longer)))
    }
}

/// The order of results, compared with the orders of creation and of completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The order of creation, which differs from that of completion.
    Made,
    /// The order of completion, which differs from that of creation.
    Done,
    /// The order of creation, which is also that of completion.
    Both,
    /// Another order.
    Neither,
}

impl Order {
    /// Returns the order of `results` by their numbers; `done` is the order of completion.
    pub fn of(results: &[usize], done: &[usize]) -> Self {
        match (results.is_sorted(), results == done) {
            (true, true) => Self::Both,
            (true, false) => Self::Made,
            (false, true) => Self::Done,
            (false, false) => Self::Neither,
        }
    }

    /// Returns the name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Made => "made",
            Self::Done => "done",
            Self::Both => "both",
            Self::Neither => "neither",
        }
    }
}

/// The result of one wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// Time from before the first future's creation to the last result, in nanoseconds.
    pub elapsed_ns: u64,
    /// Tells if each number came back once.
    pub complete: bool,
    /// Polls of the sleeping futures; `None` if they were not watched.
    pub polls: Option<u64>,
    /// Polls of the awaited futures: the handles of spawned tasks, or the futures themselves.
    pub awaited_polls: Option<u64>,
    /// The order of results; `None` if it was not watched.
    pub order: Option<Order>,
    /// The allocations on all threads in this time; `None` without a counting allocator.
    pub allocations: Option<u64>,
    /// Their bytes.
    pub allocated_bytes: Option<u64>,
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
