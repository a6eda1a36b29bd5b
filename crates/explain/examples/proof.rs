//! Explains programs with known waits, and fails if a figure is more than 2 % off. Wants a quiet machine; run it from the workspace:
//!
//! ```text
//! cargo build --release -p cyclescope-explain -p cyclescope-contenders
//! cargo run --release -p cyclescope-explain --example proof
//! ```

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use cyclescope_explain::parts::{Parts, kernel_share, middle};
use cyclescope_explain::rounds::{Outcome, Plan, Series, Watch};
use cyclescope_explain::waits::State;
use cyclescope_explain::{Command, Source};

/// The most that a figure may be off.
const MOST: f64 = 0.02;

/// The program whose threads wait, and the one whose tasks do.
const PROGRAMS: [&str; 2] = ["known-waits", "known-tasks"];

/// A run of a program, the figure that is known, and its value.
struct Case {
    program: &'static str,
    arguments: &'static str,
    figure: &'static str,
    known: f64,
    found: fn(&Series) -> Option<f64>,
}

const CASES: [Case; 14] = [
    Case {
        program: PROGRAMS[0],
        arguments: "futex 10 30",
        figure: "waiting to be woken, ms",
        known: 300.0,
        found: |series| part(series, |parts| parts.waiting),
    },
    Case {
        program: PROGRAMS[0],
        arguments: "pipe 10 30",
        figure: "waiting to be woken, ms",
        known: 300.0,
        found: |series| part(series, |parts| parts.waiting),
    },
    Case {
        program: PROGRAMS[0],
        arguments: "blocked 10 30",
        figure: "waiting to be woken, ms",
        known: 300.0,
        found: |series| part(series, |parts| parts.waiting),
    },
    Case {
        program: PROGRAMS[0],
        arguments: "busy 300",
        figure: "computing and kernel, ms",
        known: 300.0,
        found: |series| part(series, |parts| parts.computing + parts.kernel),
    },
    Case {
        program: PROGRAMS[0],
        arguments: "faults 50000",
        figure: "minor faults",
        known: 50_000.0,
        found: |series| Some(account(series)?.minor_faults as f64),
    },
    Case {
        program: PROGRAMS[0],
        arguments: "blocked 10 30",
        figure: "all threads waiting (bpftrace), ms",
        known: 300.0,
        found: |series| shares(series, 2),
    },
    Case {
        program: PROGRAMS[0],
        arguments: "worker 300",
        figure: "a thread running (bpftrace), ms",
        known: 300.0,
        found: |series| shares(series, 0),
    },
    // Two threads of 300 ms each on one processor: each moment counts half for the one that runs.
    Case {
        program: PROGRAMS[0],
        arguments: "queue 300",
        figure: "a share of one processor (bpftrace), ms",
        known: 300.0,
        found: |series| shares(series, 0),
    },
    Case {
        program: PROGRAMS[1],
        arguments: "tokio blocks 10 30",
        figure: "workers blocked by tasks (perf), ms",
        known: 300.0,
        found: |series| waits(series, State::Blocked),
    },
    Case {
        program: PROGRAMS[1],
        arguments: "tokio channel 10 30",
        figure: "workers blocked by tasks (perf), ms",
        known: 300.0,
        found: |series| waits(series, State::Blocked),
    },
    Case {
        program: PROGRAMS[1],
        arguments: "tokio-current blocks 10 30",
        figure: "workers blocked by tasks (perf), ms",
        known: 300.0,
        found: |series| waits(series, State::Blocked),
    },
    Case {
        program: PROGRAMS[1],
        arguments: "smol blocks 10 30",
        figure: "workers blocked by tasks (perf), ms",
        known: 300.0,
        found: |series| waits(series, State::Blocked),
    },
    Case {
        program: PROGRAMS[1],
        arguments: "tokio pool 10 30",
        figure: "work that may wait (perf), ms",
        known: 300.0,
        found: |series| waits(series, State::Rightly),
    },
    Case {
        program: PROGRAMS[1],
        arguments: "tokio-current idle 10 30",
        figure: "a runtime without work (perf), ms",
        known: 300.0,
        found: |series| waits(series, State::Idle),
    },
];

fn account(series: &Series) -> Option<&cyclescope_explain::account::Account> {
    series.accounts.get(middle(&series.accounts)?)
}

/// The middle of a part of all runs, in milliseconds.
fn part(series: &Series, of: fn(&Parts) -> u64) -> Option<f64> {
    let share = kernel_share(&series.accounts);
    let mut all: Vec<u64> =
        series.accounts.iter().filter_map(|account| Some(of(&Parts::of_main(account, share)?))).collect();
    all.sort_unstable();
    Some(*all.get(all.len() / 2)? as f64 / 1e6)
}

/// The least of a share of the watched runs, in milliseconds.
fn shares(series: &Series, place: usize) -> Option<f64> {
    let of = |time: [Duration; 3]| time[place].as_secs_f64() * 1e3;
    let all = series.schedules.iter().map(|(_, one)| of([one.shares.running, one.shares.queued, one.shares.waiting]));
    all.min_by(f64::total_cmp)
}

/// The least of the waits in `state` in the watched runs, in milliseconds.
fn waits(series: &Series, state: State) -> Option<f64> {
    series.waits.iter().map(|(_, one)| one.of(state).total.as_secs_f64() * 1e3).min_by(f64::total_cmp)
}

fn run(program: &str, arguments: &str, source: Source) -> Outcome {
    let plan = Plan {
        commands: vec![Command::parse(&format!("'{program}' {arguments}")).expect("a command")],
        runs: 10,
        warmup: 1,
        traced: 2,
        seed: 1,
        timeout: Duration::from_secs(60),
        prepare: None,
        cold: false,
        without: Source::ALL.into_iter().filter(|one| *one != source).collect(),
        all_sources: false,
    };
    plan.run(Watch { stop: &|| false, progress: &|_, _| {} })
}

fn folder() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let folder = own.parent()?.parent()?;
    PROGRAMS.iter().all(|name| folder.join(name).is_file()).then(|| folder.to_owned())
}

fn found(case: &Case, folder: &Path) -> Result<f64, String> {
    let source = if case.program == PROGRAMS[0] { Source::Scheduler } else { Source::Waits };
    let outcome = run(&folder.join(case.program).to_string_lossy(), case.arguments, source);
    if let Some(failure) = outcome.failure {
        return Err(failure.error.to_string());
    }
    let refused =
        outcome.sources.iter().find_map(|one| (one.source == source).then_some(one.tool.as_ref().err()?.to_string()));
    (case.found)(&outcome.series[0]).ok_or_else(|| refused.unwrap_or_else(|| "the kernel does not tell".to_owned()))
}

fn is_right(case: &Case, folder: &Path) -> bool {
    match found(case, folder) {
        Ok(found) => {
            let off = found / case.known - 1.0;
            let verdict = if off.abs() <= MOST { "right" } else { "WRONG" };
            println!(
                "{:26} {:41} {:10.2} of {:9.2} {:+6.2} % {verdict}",
                case.arguments,
                case.figure,
                found,
                case.known,
                off * 100.0
            );
            off.abs() <= MOST
        }
        Err(why) => {
            println!("{:26} {:41} not found: {why}", case.arguments, case.figure);
            false
        }
    }
}

fn main() -> ExitCode {
    let Some(folder) = folder() else {
        eprintln!(
            "{} are not beside the examples; build them first: cargo build --release -p cyclescope-explain -p cyclescope-contenders",
            PROGRAMS.join(" and ")
        );
        return ExitCode::from(66);
    };
    let wrong = CASES.iter().filter(|case| !is_right(case, &folder)).count();
    println!("{} of {} figures are within {} %", CASES.len() - wrong, CASES.len(), MOST * 100.0);
    ExitCode::from(u8::from(wrong > 0))
}
