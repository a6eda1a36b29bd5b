//! The waits of each runtime's threads, as `explain` tells them, against a program whose waits are known (apt: linux-perf). Its figures
//! are proved by the example `proof` of cyclescope-explain, which needs a quiet machine. A program of its own: while a
//! command is explained, only the library may start processes.
#![cfg(target_os = "linux")]

use std::sync::OnceLock;
use std::time::Duration;

use cyclescope_explain::process::Limits;
use cyclescope_explain::waits::{Perf, State, Waits};
use cyclescope_explain::{Command, Unavailable};

use crate::tools::wanted;

#[path = "../../../cyclescope/tests/common/tools.rs"]
mod tools;

/// The waits of each run, and the least that a busy machine leaves: a wait may be over before it begins.
const TIMES: u64 = 20;
const LEAST: u64 = 15;
const EACH: Duration = Duration::from_millis(10);

/// The program, which says its own lines.
const SOURCE: &str = include_str!("../../src/bin/known-tasks.rs");

/// The waits of the known program; `None` where this machine does not let perf watch, which it must say.
fn waits(words: &str) -> Option<Waits> {
    let program = env!("CARGO_BIN_EXE_known-tasks");
    let command = Command::parse(&format!("'{program}' {words} {} {TIMES}", EACH.as_millis())).expect("a command");
    let limits = Limits { timeout: Duration::from_secs(60), stop: &|| false };
    static TOOL: OnceLock<Result<Perf, Unavailable>> = OnceLock::new();
    match TOOL.get_or_init(Perf::find) {
        Ok(tool) => Some(tool.run(&command, limits).expect("it ends").expect("it is watched").1),
        Err(Unavailable::Refused { why, .. }) if !why.is_empty() => None,
        Err(why) => panic!("{why}"),
    }
}

/// The time of the waits of `state` by which `runtime` is known.
fn total(waits: &Waits, runtime: &str, state: State) -> Duration {
    waits.states.get(&(Some(runtime), state)).map_or(Duration::ZERO, |sum| sum.total)
}

/// Checks that tasks of `runtime` block their worker by `call`, and that program, line and task are told.
fn check(words: &str, runtime: &str, call: &str, task: &str, text: &str) {
    let Some(waits) = waits(words) else { return };
    let is_it = |place: &&cyclescope_explain::waits::Place| {
        place.call.as_deref() == Some(call) && place.task.as_deref() == Some(task)
    };
    let found: Vec<_> = waits.blocks.iter().filter(|((one, place), _)| *one == runtime && is_it(&place)).collect();
    let [((_, place), sum)] = found.as_slice() else { panic!("{words}: {waits:#?}") };
    assert!(sum.times >= LEAST, "{words}: {waits:#?}");
    assert!(sum.longest >= EACH && sum.total >= EACH * LEAST as u32, "{words}: {waits:#?}");
    let caller = place.caller.as_ref().expect("it is the program's own");
    let (file, line) = caller.line.as_ref().expect("the program has line tables");
    assert!(file.ends_with("known-tasks.rs"), "{file}");
    let line = SOURCE.lines().nth(*line as usize - 1).expect("a line of it");
    assert!(line.contains(text), "{words}: {line}");
}

/// Checks that no task blocks its worker by sleeping, and that the waits are those of `state`.
fn spares(words: &str, runtime: &str, state: State) {
    let Some(waits) = waits(words) else { return };
    assert!(total(&waits, runtime, state) >= EACH * LEAST as u32, "{words}: {waits:#?}");
    for ((_, place), sum) in &waits.blocks {
        let long = sum.total >= EACH * LEAST as u32;
        assert!(!long, "{words}: {place:?} {waits:#?}");
    }
}

const SLEEP: &str = "std::thread::functions::sleep";
const SLEEPER: &str = "known_tasks::sleeper";

#[test]
fn a_task_that_sleeps_blocks_the_worker_of_each_runtime() {
    if !wanted("perf") {
        return;
    }
    for runtime in ["tokio", "smol", "monoio", "compio"] {
        check(&format!("{runtime} blocks"), runtime, SLEEP, SLEEPER, "thread::sleep(time.each)");
    }
    // Its task is a block in this function, which awaits the other.
    check("embassy blocks", "embassy", SLEEP, "known_tasks::embassy", "thread::sleep(time.each)");
    check("tokio-current blocks", "tokio", SLEEP, SLEEPER, "thread::sleep(time.each)");
    check("rayon blocks", "rayon", SLEEP, "known_tasks::rayon_workers", "thread::sleep(time.each)");
}

#[test]
fn a_task_that_waits_for_a_thread_or_an_executor_of_its_own_blocks_its_worker() {
    if !wanted("perf") {
        return;
    }
    check("tokio channel", "tokio", "std::sync::mpsc::Receiver::recv", "known_tasks::receiver", "answered.recv()");
    check(
        "tokio nested",
        "tokio",
        "futures_executor::local_pool::block_on",
        "known_tasks::nested",
        "executor::block_on",
    );
}

#[test]
fn a_runtime_without_work_is_idle() {
    if !wanted("perf") {
        return;
    }
    for runtime in ["tokio", "smol", "rayon", "embassy", "monoio", "compio"] {
        spares(&format!("{runtime} idle"), runtime, State::Idle);
    }
    spares("tokio-current idle", "tokio", State::Idle);
}

#[test]
fn work_that_may_wait_blocks_nobody() {
    if !wanted("perf") {
        return;
    }
    spares("tokio pool", "tokio", State::Rightly);
    spares("tokio place", "tokio", State::Rightly);
    // The future of `Runtime::block_on` is polled on a thread that is no worker.
    spares("tokio root", "tokio", State::Idle);
}
