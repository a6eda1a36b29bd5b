//! `cyclescope exec` of a suite of embedded-test: each test in a machine of its own, told as Rust's own harness tells it.

use cyclescope_machine::Stop;
use cyclescope_report::visible;
use cyclescope_scope::defmt::Strings;
use cyclescope_scope::{Time, explain, place};

use crate::backend::{Backend, ExecOutcome, ExecRequest};
use crate::cli::exec::{ExecArguments, SuiteArguments};
use crate::cli::shared::GuestOutput;
use crate::commands::channels::Channels;
use crate::commands::exec_desk::{ExecDesk, Source};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::Console;
use crate::suite::Test;

/// The time limit of a test that has none of its own, as in probe-rs.
const SECONDS: u32 = 60;

/// Picoseconds in a second.
const PICOSECONDS: u64 = 1_000_000_000_000;

/// Runs those of `tests` that are asked for.
///
/// # Errors
/// [`CliError`] where the image does not fit the chip, and where output cannot be written.
pub(super) fn run(
    arguments: &ExecArguments,
    request: ExecRequest<'_>,
    tests: &[Test],
    strings: Option<&Strings>,
    backend: &dyn Backend,
    console: &mut Console,
) -> Result<Exit, CliError> {
    let asked = &arguments.suite;
    let chosen: Vec<&Test> = tests.iter().filter(|test| is_asked(asked, &test.name)).collect();
    if asked.list {
        for test in chosen {
            console.write(format!("{}: test\n", test.name).as_bytes())?;
        }
        return Ok(Exit::Success);
    }
    console
        .write(format!("\nrunning {} test{}\n", chosen.len(), if chosen.len() == 1 { "" } else { "s" }).as_bytes())?;
    let (mut passed, mut ignored, mut failures) = (0, 0, Vec::new());
    for test in &chosen {
        if test.ignored != asked.ignored && !asked.include_ignored {
            ignored += 1;
            console.write(format!("test {} ... ignored\n", test.name).as_bytes())?;
            continue;
        }
        let line = format!("run_addr {}", test.address);
        let seconds = u64::from(test.timeout.unwrap_or(SECONDS));
        let window = Some(Time::Picoseconds(seconds.saturating_mul(PICOSECONDS)));
        let request = ExecRequest { command_line: Some(&line), window, ..request };
        let channels = Channels::new(console, strings, GuestOutput::Stdout);
        let mut desk = ExecDesk::new(channels, Source::None, None, 0);
        let outcome = backend.exec(&request, &mut desk, &interrupt::interrupted);
        desk.into_channels().finish(&arguments.guest.elf)?;
        let outcome = outcome?;
        if interrupt::interrupted() {
            console.note(&format!("interrupted in {}", test.name));
            return Ok(Exit::Interrupted);
        }
        let verdict = judge(test, &outcome, &request);
        let word = if verdict.is_ok() { "ok" } else { "FAILED" };
        console.write(format!("test {} ... {word} ({})\n", test.name, outcome.cycles).as_bytes())?;
        match verdict {
            Ok(()) => passed += 1,
            Err(why) => failures.push((test, why, outcome.post_mortem)),
        }
    }
    if !failures.is_empty() {
        console.write(b"\nfailures:\n")?;
        for (test, why, examined) in &failures {
            console.write(format!("    {}: {why}\n", test.name).as_bytes())?;
            // Whoever ended the test, a panic or a fault, stands in this backtrace.
            if let Some(examined) = examined {
                for line in examined.reasons().into_iter().chain(examined.backtrace.lines()) {
                    console.write(format!("      {}\n", visible(&line)).as_bytes())?;
                }
            }
        }
    }
    let (word, failed) = (if failures.is_empty() { "ok" } else { "FAILED" }, failures.len());
    let left_out = tests.len() - chosen.len();
    let result = format!(
        "\ntest result: {word}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; {left_out} filtered out\n\n"
    );
    console.write(result.as_bytes())?;
    Ok(if failures.is_empty() { Exit::Success } else { Exit::Guest(1) })
}

/// Tells if the filters select the test called `name`.
fn is_asked(asked: &SuiteArguments, name: &str) -> bool {
    let matches = |filter: &String| if asked.exact { filter == name } else { name.contains(filter.as_str()) };
    (asked.filter.is_empty() || asked.filter.iter().any(matches)) && !asked.skip.iter().any(matches)
}

/// Returns an error with the reason if a test did not do as it should.
fn judge(test: &Test, outcome: &ExecOutcome, request: &ExecRequest<'_>) -> Result<(), String> {
    let panicked =
        matches!(outcome.stop, Stop::Exit(code) if code != 0) || matches!(outcome.stop, Stop::Breakpoint(..));
    match outcome.stop {
        Stop::Exit(0) if test.should_panic => Err("it did not panic, as it should have".to_owned()),
        Stop::Exit(0) => Ok(()),
        _ if panicked && test.should_panic => Ok(()),
        Stop::Horizon if outcome.cycles >= request.max_cycles => {
            Err(format!("it did not end within {} (--max-cycles)", request.max_cycles))
        }
        Stop::Horizon => {
            let seconds = test.timeout.unwrap_or(SECONDS);
            Err(format!("it did not end within {seconds} s, {}", place(request.guest.image, outcome.pc)))
        }
        stop => Err(explain(stop, request.guest.image, outcome.cycles)),
    }
}
