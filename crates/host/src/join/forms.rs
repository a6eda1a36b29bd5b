//! The forms themselves.

use futures::future::{Either, join_all};
use futures::stream::{self, FuturesOrdered, FuturesUnordered, StreamExt};
use tokio::task::JoinSet;

use super::watched::{awaited, sleeping};
use super::{Form, Runtime, Spec};

/// Waits on the runtime of `spec`, inside of what `measure` measures. The runtime is made before, and ends after.
pub(super) fn run<M>(spec: &Spec, measure: impl FnOnce(&mut dyn FnMut() -> Vec<usize>) -> M) -> M {
    match spec.runtime {
        Runtime::Smol => {
            // The executor's threads begin with the first task.
            smol::block_on(smol::spawn(async {}));
            measure(&mut || smol::block_on(on_smol(spec)))
        }
        Runtime::TokioMultiThread => on_runtime(tokio::runtime::Builder::new_multi_thread(), spec, measure),
        Runtime::TokioCurrentThread => on_runtime(tokio::runtime::Builder::new_current_thread(), spec, measure),
    }
}

fn on_runtime<M>(
    mut builder: tokio::runtime::Builder,
    spec: &Spec,
    measure: impl FnOnce(&mut dyn FnMut() -> Vec<usize>) -> M,
) -> M {
    let runtime = builder.enable_all().build().expect("the host has threads to give");
    measure(&mut || runtime.block_on(on_tokio(spec)))
}

async fn on_smol(spec: &Spec) -> Vec<usize> {
    let make = |number| {
        let duration = spec.sleep(number);
        let future = sleeping(number, move || smol::Timer::after(duration));
        awaited(if spec.spawned { Either::Left(smol::spawn(future)) } else { Either::Right(future) })
    };
    waited(spec, make).await
}

async fn on_tokio(spec: &Spec) -> Vec<usize> {
    let sleeping = |number| {
        let duration = spec.sleep(number);
        sleeping(number, move || tokio::time::sleep(duration))
    };
    if spec.form == Form::JoinSet {
        return joined(spec.count, sleeping).await;
    }
    let make = |number| {
        let future = sleeping(number);
        // The task begins here, and not where its handle is first polled.
        awaited(if spec.spawned {
            let handle = tokio::spawn(future);
            Either::Left(async { handle.await.expect("a sleep does not panic") })
        } else {
            Either::Right(future)
        })
    };
    waited(spec, make).await
}

async fn joined<F: Future<Output = usize> + Send + 'static>(count: usize, make: impl Fn(usize) -> F) -> Vec<usize> {
    let mut set = JoinSet::new();
    for number in 0..count {
        set.spawn(make(number));
    }
    let mut results = Vec::with_capacity(count);
    while let Some(result) = awaited(set.join_next()).await {
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
