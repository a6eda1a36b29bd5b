//! The ends of commands: each is told, and nothing is left running.

use std::cell::Cell;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::time::Duration;

use cyclescope_explain::process::{Limits, run};
use cyclescope_explain::rounds::{Plan, Watch};
use cyclescope_explain::{Command, RunError, Source};

const LONG: Duration = Duration::from_secs(60);

fn shell(script: &str, timeout: Duration) -> Result<cyclescope_explain::process::Ran, RunError> {
    run(&Command::shell(script), Limits { timeout, stop: &|| false })
}

/// A plan of `commands` in `runs` rounds after one of warm-up.
fn plan(commands: Vec<Command>, runs: usize, without: Vec<Source>) -> Plan {
    Plan {
        commands,
        runs,
        warmup: 1,
        traced: 1,
        seed: 1,
        timeout: LONG,
        prepare: None,
        cold: false,
        without,
        all_sources: false,
    }
}

/// Tells if the process whose number is in `file` is there.
fn is_there(file: &Path) -> bool {
    let pid = std::fs::read_to_string(file).expect("it has written its number");
    let pid = pid.trim();
    assert!(pid.parse::<u32>().is_ok(), "{pid}");
    Path::new(&format!("/proc/{pid}")).exists()
}

#[test]
fn a_command_that_fails_tells_its_status_and_its_last_words() {
    let error = shell("echo out; echo why >&2; exit 3", LONG).unwrap_err();
    assert!(matches!(&error, RunError::Failed { status, .. } if status.code() == Some(3)), "{error}");
    assert_eq!(error.tail(), Some("out\nwhy"));
    let killed = shell("kill -SEGV $$", LONG).unwrap_err();
    assert!(matches!(&killed, RunError::Failed { status, .. } if status.signal() == Some(11)), "{killed}");
    let missing = run(&Command::parse("/nonexistent/program").unwrap(), Limits { timeout: LONG, stop: &|| false });
    assert!(matches!(missing, Err(RunError::Start { .. })));
}

#[test]
fn a_command_that_hangs_is_killed_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    // The child has a session of its own, out of its parent's process group.
    let script = format!("echo last words; setsid sh -c 'echo $$ > {0}; exec sleep 1000' & wait", file.display());
    // Whether the user wants the end is asked before the limit is looked at: the child is there by then.
    let begun = || !std::fs::read_to_string(&file).unwrap_or_default().trim().is_empty();
    let stop = || {
        while !begun() {
            std::thread::yield_now();
        }
        false
    };
    let limits = Limits { timeout: Duration::from_millis(100), stop: &stop };
    let error = run(&Command::shell(&script), limits).unwrap_err();
    assert!(matches!(error, RunError::TimedOut { .. }), "{error}");
    assert!(error.to_string().contains("did not end within 0.1 s"), "{error}");
    assert_eq!(error.tail(), Some("last words"));
    assert!(!is_there(&file));
}

#[test]
fn a_command_that_forks_away_is_told_and_its_children_are_killed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    // Twice away from its parent, and without its outputs.
    let script = format!(
        "(setsid sh -c 'echo $$ > {0}.new; mv {0}.new {0}; exec sleep 1000' > /dev/null 2>&1 &) ; while [ ! -e {0} ]; do :; done",
        file.display()
    );
    let error = shell(&script, LONG).unwrap_err();
    assert!(matches!(&error, RunError::Left { names, .. } if names.len() == 1), "{error}");
    assert!(error.to_string().contains("sleep ("), "{error}");
    assert!(!is_there(&file));
}

#[test]
fn an_output_of_gigabytes_is_read_and_its_end_kept() {
    let ran = shell("head -c 2000000000 /dev/zero | tr '\\0' x; echo; echo end", LONG).unwrap();
    assert!(ran.tail.ends_with("end\n") && ran.tail.len() <= 4096, "{}", ran.tail.len());
    assert!(ran.account.written.unwrap() >= 4_000_000_000, "{:?}", ran.account);
    // One that stays alive only by its output ends with it.
    let endless = shell("yes & exit 0", LONG).unwrap_err();
    assert!(matches!(endless, RunError::Left { .. }), "{endless}");
}

#[test]
fn ctrl_c_ends_a_run_and_keeps_the_rounds() {
    let runs = Cell::new(0);
    let plan = plan(vec![Command::parse("true").unwrap(), Command::shell("exit 0")], 5, Vec::new());
    let progress = |done: u64, of: u64| {
        assert!(done <= of);
        runs.set(done);
    };
    let outcome = plan.run(Watch { stop: &|| runs.get() >= 7, progress: &progress });
    assert!(outcome.failure.is_some_and(|failure| failure.error.is_interrupted()));
    assert_eq!((outcome.complete, outcome.orders.len()), (2, 3));
    let counts: Vec<usize> = outcome.series.iter().map(|series| series.accounts.len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 5);
    let hanging = run(&Command::parse("sleep 1000").unwrap(), Limits { timeout: LONG, stop: &|| true });
    assert!(hanging.is_err_and(|error| error.is_interrupted()));
}

#[test]
fn a_run_that_fails_ends_the_plan_and_leaves_the_rounds_before() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("count");
    std::fs::write(&file, "").unwrap();
    let script = format!("[ $(wc -c < {0}) -lt 4 ] && printf x >> {0}", file.display());
    let plan = plan(vec![Command::shell(&script)], 9, Source::ALL.to_vec());
    let outcome = plan.run(Watch { stop: &|| false, progress: &|_, _| {} });
    assert_eq!((outcome.complete, outcome.series[0].accounts.len()), (3, 3), "one of four was for warm-up");
    let failure = outcome.failure.expect("the fifth run fails");
    assert!(matches!((failure.command, failure.error), (Some(0), RunError::Failed { .. })));
}
