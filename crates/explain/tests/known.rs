//! A program with known waits: counts that must be there. Times are for `examples/proof.rs`, which needs a quiet machine.

use std::time::Duration;

use cyclescope_explain::Command;
use cyclescope_explain::account::Account;
use cyclescope_explain::parts::{Parts, is_main_alone, kernel_share};
use cyclescope_explain::process::{Limits, run};

/// Returns the program with `arguments`.
pub fn known(arguments: &str) -> Command {
    Command::parse(&format!("'{}' {arguments}", env!("CARGO_BIN_EXE_known-waits"))).expect("it is a command")
}

fn account(arguments: &str) -> Account {
    run(&known(arguments), Limits { timeout: Duration::from_secs(60), stop: &|| false }).expect("it ends").account
}

#[test]
fn waits_are_switches_and_no_work() {
    let (one, many) = (account("futex 5 1"), account("futex 5 41"));
    // On a busy machine the time of a wait may be over before it begins.
    assert!(many.voluntary >= one.voluntary + 35, "{one:?} {many:?}");
    assert!(many.wall >= Duration::from_millis(5 * 41));
    assert!(many.processor() < many.wall);
    let pipe = account("pipe 1 40");
    assert!(pipe.voluntary > 40, "the writer waits each time: {pipe:?}");
    assert_eq!(pipe.written.zip(one.written).map(|(pipe, one)| pipe - one), Some(40), "a byte each time");
}

#[test]
fn pages_that_are_touched_first_are_faults() {
    let (few, many) = (account("faults 1000"), account("faults 60000"));
    let more = many.minor_faults - few.minor_faults;
    assert!((58_900..59_100).contains(&more), "{more}");
    assert!(many.peak_bytes.is_some_and(|peak| peak >= 60_000 * 4096 * 9 / 10), "{many:?}");
    // The test itself may have more.
    assert!(few.peak_bytes.is_none_or(|peak| peak >= 1000 * 4096), "{few:?}");
}

#[test]
fn work_is_on_the_thread_that_did_it() {
    let (own, other) = (account("busy 50"), account("worker 50"));
    for one in [&own, &other] {
        assert!(one.processor() >= Duration::from_millis(50), "{one:?}");
        assert_eq!(Parts::of_main(one, kernel_share(&[*one])).unwrap().total(), one.wall.as_nanos() as u64);
    }
    assert!(is_main_alone(&[own]), "{own:?}");
    assert!(!is_main_alone(&[other]), "{other:?}");
    let worked = own.main.unwrap();
    assert!(worked.running + worked.before >= Duration::from_millis(49), "{own:?}");
    assert!(other.main.unwrap().running < Duration::from_millis(49), "{other:?}");
}
