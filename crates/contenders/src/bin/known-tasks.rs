//! A program whose tasks block their runtime's threads for a time that is known, or leave them idle; it prints nothing.
//!
//! Tests of `cyclescope explain` run it: each runtime's threads have frames that tell what they wait for.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const USAGE: &str = "known-tasks RUNTIME blocks|idle MS TIMES | tokio channel|nested|pool|place|root MS TIMES
RUNTIME: tokio, tokio-current, smol, rayon, embassy, on Linux monoio, compio too";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let known = match words.as_slice() {
        [runtime, what, ms, times] => ms.parse().ok().zip(times.parse().ok()).is_some_and(|(ms, times)| {
            let time = Times { each: Duration::from_millis(ms), times };
            run(runtime, what, time)
        }),
        _ => false,
    };
    if known {
        return ExitCode::SUCCESS;
    }
    eprintln!("usage: {USAGE}");
    ExitCode::from(2)
}

/// A number of waits of the same length.
#[derive(Clone, Copy)]
struct Times {
    each: Duration,
    times: u32,
}

impl Times {
    fn whole(self) -> Duration {
        self.each * self.times
    }
}

/// Runs the case; returns false if there is none of this name.
fn run(runtime: &str, what: &str, time: Times) -> bool {
    match (runtime, what) {
        ("tokio", _) => return tokio_workers(what, time),
        ("tokio-current", "blocks") => {
            tokio_current().block_on(async { tokio::spawn(sleeper(time)).await }).expect("no panic")
        }
        ("tokio-current", "idle") => tokio_current().block_on(async { tokio::time::sleep(time.whole()).await }),
        ("smol", "blocks") => smol::block_on(smol::spawn(sleeper(time))),
        ("smol", "idle") => smol::block_on(async { _ = smol::spawn(smol::Timer::after(time.whole())).await }),
        ("rayon", _) => return rayon_workers(what, time),
        ("embassy", "blocks") => embassy(sleeper(time)),
        ("embassy", "idle") => embassy(another_thread_wakes(time)),
        #[cfg(target_os = "linux")]
        ("monoio", _) => return monoio_thread(what, time),
        #[cfg(target_os = "linux")]
        ("compio", _) => return compio_thread(what, time),
        _ => return false,
    }
    true
}

/// Blocks its thread in each of its polls.
async fn sleeper(time: Times) {
    for _ in 0..time.times {
        thread::sleep(time.each);
        yield_once().await;
    }
}

/// Blocks its thread until another thread answers.
async fn receiver(time: Times) {
    let (ask, asked) = mpsc::channel();
    let (answer, answered) = mpsc::channel();
    let other = thread::spawn(move || {
        for () in asked {
            thread::sleep(time.each);
            answer.send(()).expect("it waits");
        }
    });
    for _ in 0..time.times {
        ask.send(()).expect("it is there");
        answered.recv().expect("it answers");
        yield_once().await;
    }
    drop(ask);
    other.join().expect("it does not panic");
}

/// Blocks its thread by an executor of its own.
async fn nested(time: Times) {
    for _ in 0..time.times {
        futures::executor::block_on(another_thread_wakes(Times { times: 1, ..time }));
        yield_once().await;
    }
}

/// Waits without blocking until another thread wakes it.
async fn another_thread_wakes(time: Times) {
    let (done, over) = futures::channel::oneshot::channel();
    thread::spawn(move || {
        thread::sleep(time.whole());
        // Nobody waits for it if the program ends.
        _ = done.send(());
    });
    over.await.expect("it is told");
}

async fn yield_once() {
    let mut yielded = false;
    std::future::poll_fn(move |context| {
        if std::mem::replace(&mut yielded, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

fn tokio_current() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime")
}

fn tokio_workers(what: &str, time: Times) -> bool {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().expect("a runtime");
    let sleep = move || (0..time.times).for_each(|_| thread::sleep(time.each));
    runtime.block_on(async {
        match what {
            "blocks" => tokio::spawn(sleeper(time)).await,
            "channel" => tokio::spawn(receiver(time)).await,
            "nested" => tokio::spawn(nested(time)).await,
            "idle" => tokio::spawn(async move { tokio::time::sleep(time.whole()).await }).await,
            "pool" => tokio::task::spawn_blocking(sleep).await,
            "place" => tokio::spawn(async move { tokio::task::block_in_place(sleep) }).await,
            "root" => {
                sleeper(time).await;
                Ok(())
            }
            _ => return false,
        }
        .expect("it does not panic");
        true
    })
}

fn rayon_workers(what: &str, time: Times) -> bool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
    match what {
        "blocks" => pool.install(|| (0..time.times).for_each(|_| thread::sleep(time.each))),
        "idle" => thread::sleep(time.whole()),
        _ => return false,
    }
    true
}

/// Runs `future` as an embassy task; those are statics.
fn embassy(future: impl Future<Output = ()> + 'static) {
    let over = std::rc::Rc::new(std::cell::Cell::new(false));
    let ended = over.clone();
    let task = async move {
        future.await;
        ended.set(true);
    };
    let storage: &'static embassy_executor::raw::TaskStorage<_> =
        Box::leak(Box::new(embassy_executor::raw::TaskStorage::new()));
    let executor = Box::leak(Box::new(embassy_executor::Executor::new()));
    executor.run_until(|spawner| spawner.spawn(storage.spawn(|| task).expect("its storage is new")), || over.get());
}

#[cfg(target_os = "linux")]
fn monoio_thread(what: &str, time: Times) -> bool {
    let runtime = monoio::RuntimeBuilder::<monoio::IoUringDriver>::new().enable_timer().build();
    let mut runtime = runtime.expect("io_uring works here");
    runtime.block_on(async {
        match what {
            "blocks" => monoio::spawn(sleeper(time)).await,
            "idle" => monoio::time::sleep(time.whole()).await,
            _ => return false,
        }
        true
    })
}

#[cfg(target_os = "linux")]
fn compio_thread(what: &str, time: Times) -> bool {
    let runtime = compio::runtime::Runtime::new().expect("io_uring works here");
    runtime.block_on(async {
        match what {
            "blocks" => compio::runtime::spawn(sleeper(time)).await.expect("it does not panic"),
            "idle" => compio::runtime::spawn(another_thread_wakes(time)).await.expect("it does not panic"),
            _ => return false,
        }
        true
    })
}
