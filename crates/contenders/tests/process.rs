//! Children that fail, and the resource usage of those that succeed.

use crate::common;

use std::time::Duration;

use common::{LIMIT, contender, walked};
use cyclescope_host::process::{self, Load, Program};
use cyclescope_host::spec::{Spec, Work};
use cyclescope_host::walk::Variant;
use cyclescope_host::{HostError, join, yielding};

fn yielding(runtime: yielding::Runtime, mode: yielding::Mode) -> Spec {
    let work = Work::Yield(yielding::Spec { runtime, mode, primes: 1, trips: 500 });
    Spec { work, cpus: None, count: false }
}

#[test]
fn all_executors_find_the_prime_and_hand_over() {
    let run = |runtime, mode| {
        let ran = process::run(&contender(), &yielding(runtime, mode), None, LIMIT).unwrap();
        ran.account.yielding.unwrap()
    };
    for runtime in yielding::Runtime::ALL {
        for mode in yielding::Mode::ALL {
            let account = run(runtime, mode);
            let name = format!("{} {}", runtime.name(), mode.name());
            if mode == yielding::Mode::PingPong {
                assert_eq!((account.dispatches, account.counter), (1000, 500), "{name}");
                continue;
            }
            assert_eq!(account.primes, [268_435_459], "{name}");
            let dispatches = if mode == yielding::Mode::Plain { 0 } else { account.loops };
            assert_eq!(account.dispatches, dispatches, "{name}");
            match (mode, runtime) {
                // These workers do not run tasks strictly in turn.
                (yielding::Mode::Two, yielding::Runtime::TokioOne | yielding::Runtime::TokioTwo) => {
                    assert!(account.counter > 0, "{name}")
                }
                (yielding::Mode::Two, _) => {
                    assert!(account.counter.abs_diff(account.loops) <= 2, "{name}: {}", account.counter);
                }
                _ => assert_eq!(account.counter, 0, "{name}"),
            }
        }
    }
}

#[test]
fn what_a_child_takes_is_its_own() {
    let _busy = Load::new(1);
    let root = tempfile::tempdir().unwrap();
    let ran = walked(Variant::TokioAwait, root.path(), false).unwrap();
    assert!(ran.usage.voluntary > 0, "it waits for its own threads");
    assert!(ran.usage.user + ran.usage.system < ran.usage.real * 64);
    assert!(ran.account.peak_bytes.is_none_or(|peak| peak > 100_000));
}

#[test]
fn a_child_that_fails_or_is_killed_gives_its_status_and_no_number() {
    let shell = |script: &str| Program { path: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] };
    let spec = yielding(yielding::Runtime::Smol, yielding::Mode::Plain);
    let error = |script, limit| process::run(&shell(script), &spec, None, limit).unwrap_err();
    let failed = error("echo no luck >&2; exit 3", LIMIT).to_string();
    assert!(failed.contains("exit status: 3") && failed.contains("no luck"), "{failed}");
    let killed = error("kill -9 $$", LIMIT).to_string();
    assert!(killed.contains("signal: 9"), "{killed}");
    assert!(matches!(error("exit 0", LIMIT), HostError::Silent(_)));
    // A shell that waits for ever without input.
    let late = error("read line < /dev/zero; while :; do read line < /dev/null; done", Duration::from_secs(1));
    assert!(matches!(late, HostError::TimedOut { seconds: 1 }), "{late}");
    let missing = Program { path: "/nowhere/at/all".into(), arguments: Vec::new() };
    assert!(matches!(process::run(&missing, &spec, None, LIMIT), Err(HostError::Start { .. })));
}

#[test]
fn bad_work_and_too_many_processors_are_refused() {
    let program = Program { path: contender().path, arguments: vec!["{}".into()] };
    let spec = yielding(yielding::Runtime::Smol, yielding::Mode::Plain);
    let error = process::run(&program, &spec, None, LIMIT).unwrap_err().to_string();
    assert!(error.contains("specification cannot be read"), "{error}");
    let many = Spec { cpus: Some(1_000), ..spec.clone() };
    assert!(process::run(&contender(), &many, None, LIMIT).is_err());
    let one = Spec { cpus: Some(1), ..spec };
    if cfg!(target_os = "linux") {
        process::run(&contender(), &one, None, LIMIT).unwrap();
    }
}

#[test]
fn system_calls_are_counted_where_they_can_be() {
    let Some(tracer) = process::tracer() else { return };
    let work = Work::Join(join::Spec {
        runtime: join::Runtime::TokioMultiThread,
        form: join::Form::JoinAll,
        spawned: true,
        count: 3,
        sleep_ns: 1_000_000,
        step_ns: 0,
        watch: false,
    });
    let spec = Spec { work, cpus: None, count: false };
    let calls = process::count_system_calls(&tracer, &contender(), &spec, None, LIMIT).unwrap();
    assert!(calls.threads() > 0 && calls.total() > calls.threads(), "{calls:?}");
}
