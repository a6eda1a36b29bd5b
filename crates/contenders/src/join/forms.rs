//! The forms of waiting.

use futures::future::{FutureExt, join_all};
use futures::stream::{self, FuturesOrdered, FuturesUnordered, StreamExt};
use tokio::task::JoinSet;

use super::watched::{Unwatched, Watch, Watching};
use super::{Form, Runtime, Spec};

/// Waits on the runtime of `spec`, inside `measure`. The runtime is created before it and ends after it.
pub(super) fn run<M>(spec: &Spec, measure: impl FnOnce(&mut dyn FnMut() -> Vec<usize>) -> M) -> M {
    match Watching::now() {
        Some(watching) => on(spec, watching, measure),
        None => on(spec, Unwatched, measure),
    }
}

fn on<W: Watch, M>(spec: &Spec, watch: W, measure: impl FnOnce(&mut dyn FnMut() -> Vec<usize>) -> M) -> M {
    let builder = match spec.runtime {
        Runtime::Smol => {
            // The executor's threads start with the first task.
            smol::block_on(smol::spawn(async {}));
            return measure(&mut || smol::block_on(on_smol(spec, watch)));
        }
        Runtime::TokioMultiThread => tokio::runtime::Builder::new_multi_thread().enable_all().build(),
        Runtime::TokioCurrentThread => tokio::runtime::Builder::new_current_thread().enable_all().build(),
    };
    let runtime = builder.expect("the host has threads to give");
    measure(&mut || runtime.block_on(on_tokio(spec, watch)))
}

async fn on_smol<W: Watch>(spec: &Spec, watch: W) -> Vec<usize> {
    let sleeping = |number| {
        let duration = spec.sleep(number);
        watch.sleeping(number, move || smol::Timer::after(duration))
    };
    if spec.spawned {
        waited(spec, |number| watch.awaited(smol::spawn(sleeping(number)))).await
    } else {
        waited(spec, |number| watch.awaited(sleeping(number))).await
    }
}

async fn on_tokio<W: Watch>(spec: &Spec, watch: W) -> Vec<usize> {
    let sleeping = |number| {
        let duration = spec.sleep(number);
        watch.sleeping(number, move || tokio::time::sleep(duration))
    };
    if spec.form == Form::JoinSet {
        joined(spec.count, sleeping, watch).await
    } else if spec.spawned {
        // The task starts here, not at the first poll of its handle.
        let spawn = |number| tokio::spawn(sleeping(number)).map(|done| done.expect("a sleep does not panic"));
        waited(spec, |number| watch.awaited(spawn(number))).await
    } else {
        waited(spec, |number| watch.awaited(sleeping(number))).await
    }
}

async fn joined<W, F>(count: usize, make: impl Fn(usize) -> F, watch: W) -> Vec<usize>
where
    W: Watch,
    F: Future<Output = usize> + Send + 'static,
{
    let mut set = JoinSet::new();
    for number in 0..count {
        set.spawn(make(number));
    }
    let mut results = Vec::with_capacity(count);
    while let Some(result) = watch.awaited(set.join_next()).await {
        results.push(result.expect("a sleep does not panic"));
    }
    results
}

async fn waited<F: Future<Output = usize>>(spec: &Spec, make: impl Fn(usize) -> F) -> Vec<usize> {
    let numbers = 0..spec.count;
    match spec.form {
        Form::JoinAll => join_all(numbers.map(make)).await,
        Form::Vec => {
            let futures: Vec<F> = numbers.map(make).collect();
            let mut results = Vec::with_capacity(spec.count);
            for future in futures {
                results.push(future.await);
            }
            results
        }
        Form::FuturesUnordered => numbers.map(make).collect::<FuturesUnordered<F>>().collect().await,
        Form::FuturesOrdered => numbers.map(make).collect::<FuturesOrdered<F>>().collect().await,
        Form::BufferUnordered => stream::iter(numbers.map(make)).buffer_unordered(spec.count.max(1)).collect().await,
        Form::InLoop => {
            let mut results = Vec::with_capacity(spec.count);
            for number in numbers {
                results.push(make(number).await);
            }
            results
        }
        Form::JoinSet => unreachable!("tokio's own, and waited for above; the plan has it for nobody else"),
    }
}
