//! The executors: each runs two tasks, yields, and passes values.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use cyclescope_host::yielding::{Account, Mode, Runtime, Spec};
use embassy_executor::raw::TaskStorage;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use futures::task::SpawnExt;
use futures::{SinkExt, StreamExt};

use super::meter::Meter;
use super::search;

/// An executor.
trait Platform {
    /// The sending end of its channel.
    type Sender: Send + 'static;
    type Receiver: Send + 'static;

    /// Returns a channel with room for one value.
    fn channel() -> (Self::Sender, Self::Receiver);
    fn send(sender: &mut Self::Sender, value: u64) -> impl Future<Output = ()> + Send;
    /// Returns the next value; `None` if there is no sender any more.
    fn receive(receiver: &mut Self::Receiver) -> impl Future<Output = Option<u64>> + Send;
    /// Lets other ready tasks run.
    fn yield_now() -> impl Future<Output = ()> + Send;
    /// Runs two tasks to their ends.
    fn run(&self, first: impl Future<Output = ()> + Send + 'static, second: impl Future<Output = ()> + Send + 'static);
}

pub(super) fn run(spec: &Spec) -> Account {
    match spec.runtime {
        Runtime::TokioCurrentThread => on(spec, &Tokio(None)),
        Runtime::TokioOne => on(spec, &Tokio(Some(1))),
        Runtime::TokioTwo => on(spec, &Tokio(Some(2))),
        Runtime::Smol => on(spec, &Smol),
        Runtime::LocalPool => on(spec, &LocalPool),
        Runtime::EmbassyStd => on(spec, &EmbassyStd),
        Runtime::Threads => unreachable!("threads are no executor"),
    }
}

fn on<P: Platform>(spec: &Spec, platform: &P) -> Account {
    let account: Arc<Mutex<Account>> = Arc::default();
    let counter = Arc::new(AtomicU64::new(0));
    // Both tasks and the search must have begun before anything is counted; else the second task would miss iterations
    // while a worker finds it.
    let [ready, begun, over]: [Arc<AtomicBool>; 3] = Default::default();
    let mut meter = Meter::new();
    let (wanted, trips, mode) = (spec.primes, spec.trips, spec.mode);
    let (mut to_second, mut from_first) = P::channel();
    let (mut to_first, mut from_second) = P::channel();
    let first = {
        let (account, over) = (account.clone(), over.clone());
        let (ready, begun) = (ready.clone(), begun.clone());
        async move {
            while mode == Mode::Two && !ready.load(Relaxed) {
                P::yield_now().await;
            }
            begun.store(true, Relaxed);
            meter.begin();
            let findings = match mode {
                Mode::Plain => search::plain(wanted),
                Mode::One | Mode::Two => search::yielding(wanted, P::yield_now).await,
                Mode::PingPong => {
                    let mut handed_over = 0;
                    for trip in 0..trips {
                        P::send(&mut to_second, trip).await;
                        let back = P::receive(&mut from_second).await;
                        handed_over += if back == Some(trip + 1) { 2 } else { 0 };
                    }
                    search::Findings { dispatches: handed_over, ..search::Findings::default() }
                }
            };
            let reading = meter.end();
            over.store(true, Relaxed);
            *account.lock().unwrap_or_else(PoisonError::into_inner) = Account {
                elapsed_ns: reading.elapsed_ns,
                instructions: reading.instructions,
                primes: findings.primes,
                loops: findings.loops,
                dispatches: findings.dispatches,
                counter: 0,
            };
        }
    };
    let second = {
        let counter = counter.clone();
        async move {
            match mode {
                Mode::Plain | Mode::One => {}
                Mode::Two => {
                    ready.store(true, Relaxed);
                    while !begun.load(Relaxed) {
                        P::yield_now().await;
                    }
                    let mut turns = 0u64;
                    while !over.load(Relaxed) {
                        turns += 1;
                        P::yield_now().await;
                    }
                    counter.store(turns, Relaxed);
                }
                Mode::PingPong => {
                    for turn in 1..=trips {
                        let Some(value) = P::receive(&mut from_first).await else { break };
                        P::send(&mut to_first, value + 1).await;
                        counter.store(turn, Relaxed);
                    }
                }
            }
        }
    };
    platform.run(first, second);
    let mut account = account.lock().unwrap_or_else(PoisonError::into_inner).clone();
    account.counter = counter.load(Relaxed);
    account
}

/// tokio on its current thread, or with this number of workers.
struct Tokio(Option<usize>);

impl Platform for Tokio {
    type Sender = tokio::sync::mpsc::Sender<u64>;
    type Receiver = tokio::sync::mpsc::Receiver<u64>;

    fn channel() -> (Self::Sender, Self::Receiver) {
        tokio::sync::mpsc::channel(1)
    }

    async fn send(sender: &mut Self::Sender, value: u64) {
        // This fails only if the other task has ended, which the missing answer shows.
        let _ = sender.send(value).await;
    }

    async fn receive(receiver: &mut Self::Receiver) -> Option<u64> {
        receiver.recv().await
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        tokio::task::yield_now()
    }

    fn run(&self, first: impl Future<Output = ()> + Send + 'static, second: impl Future<Output = ()> + Send + 'static) {
        let runtime = match self.0 {
            None => tokio::runtime::Builder::new_current_thread().build(),
            Some(workers) => tokio::runtime::Builder::new_multi_thread().worker_threads(workers).build(),
        };
        runtime.expect("the host has threads to give").block_on(async {
            let tasks = [tokio::spawn(first), tokio::spawn(second)];
            for task in tasks {
                task.await.expect("the tasks do not panic");
            }
        });
    }
}

struct Smol;

impl Platform for Smol {
    type Sender = smol::channel::Sender<u64>;
    type Receiver = smol::channel::Receiver<u64>;

    fn channel() -> (Self::Sender, Self::Receiver) {
        smol::channel::bounded(1)
    }

    async fn send(sender: &mut Self::Sender, value: u64) {
        let _ = sender.send(value).await;
    }

    async fn receive(receiver: &mut Self::Receiver) -> Option<u64> {
        receiver.recv().await.ok()
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        smol::future::yield_now()
    }

    fn run(&self, first: impl Future<Output = ()> + Send + 'static, second: impl Future<Output = ()> + Send + 'static) {
        let tasks = [smol::spawn(first), smol::spawn(second)];
        smol::block_on(async {
            for task in tasks {
                task.await;
            }
        });
    }
}

struct LocalPool;

impl Platform for LocalPool {
    type Sender = futures::channel::mpsc::Sender<u64>;
    type Receiver = futures::channel::mpsc::Receiver<u64>;

    fn channel() -> (Self::Sender, Self::Receiver) {
        // Each sender has room for one more.
        futures::channel::mpsc::channel(0)
    }

    async fn send(sender: &mut Self::Sender, value: u64) {
        let _ = sender.send(value).await;
    }

    async fn receive(receiver: &mut Self::Receiver) -> Option<u64> {
        receiver.next().await
    }

    async fn yield_now() {
        // futures has no yield; its `pending!` after a wake is the equivalent.
        yield_once().await;
    }

    fn run(&self, first: impl Future<Output = ()> + Send + 'static, second: impl Future<Output = ()> + Send + 'static) {
        let mut pool = futures::executor::LocalPool::new();
        let spawner = pool.spawner();
        spawner.spawn(first).expect("the pool is there");
        spawner.spawn(second).expect("the pool is there");
        pool.run();
    }
}

/// Wakes its task and is pending once.
fn yield_once() -> impl Future<Output = ()> + Send {
    let mut yielded = false;
    std::future::poll_fn(move |context| {
        if yielded {
            return std::task::Poll::Ready(());
        }
        yielded = true;
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
}

struct EmbassyStd;

impl Platform for EmbassyStd {
    type Sender = &'static embassy_sync::channel::Channel<CriticalSectionRawMutex, u64, 1>;
    type Receiver = Self::Sender;

    fn channel() -> (Self::Sender, Self::Receiver) {
        // Its channels are statics; this program has two, until it ends.
        let channel: Self::Sender = Box::leak(Box::new(embassy_sync::channel::Channel::new()));
        (channel, channel)
    }

    async fn send(sender: &mut Self::Sender, value: u64) {
        sender.send(value).await;
    }

    async fn receive(receiver: &mut Self::Receiver) -> Option<u64> {
        Some(receiver.receive().await)
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        // This equals embassy-futures' yield_now.
        yield_once()
    }

    fn run(&self, first: impl Future<Output = ()> + Send + 'static, second: impl Future<Output = ()> + Send + 'static) {
        let left = Arc::new(AtomicUsize::new(2));
        let executor = Box::leak(Box::new(embassy_executor::Executor::new()));
        let ended = left.clone();
        executor.run_until(
            |spawner| {
                spawner.spawn(stored(first, left.clone()));
                spawner.spawn(stored(second, left.clone()));
            },
            || ended.load(Relaxed) == 0,
        );
    }
}

/// Returns an embassy task; embassy's tasks are statics.
fn stored(
    future: impl Future<Output = ()> + Send + 'static,
    left: Arc<AtomicUsize>,
) -> embassy_executor::SpawnToken<impl Sized> {
    let task = async move {
        future.await;
        left.fetch_sub(1, Relaxed);
    };
    let storage: &'static TaskStorage<_> = Box::leak(Box::new(TaskStorage::new()));
    storage.spawn(|| task).expect("its storage is new")
}
