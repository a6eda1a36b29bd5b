//! The end of a guest's run, told to the user of `measure`, `trace` and `profile`.

use cyclescope_image::Image;
use cyclescope_machine::{Spin, Stop};
use cyclescope_report::visible;
use cyclescope_scope::{PostMortem, RunEnd, explain, explain_spin, place};

use crate::backend::{RunSummary, Scenario};
use crate::commands::exec_end::{LACKING, LOST, waits};
use crate::exit::Exit;
use crate::output::Console;

/// Says how the run ended, unless it ended as it should. Returns the exit of the process for that end.
pub(super) fn tell_run_end(run: &RunSummary, scenario: &Scenario<'_>, image: &Image, console: &mut Console) -> Exit {
    let exit = tell_end(run, scenario, image, console);
    // A guest that is done is not examined, however it says so.
    if let Some(examined) = run.post_mortem.as_ref().filter(|_| !matches!(run.end, RunEnd::Stopped(Stop::Exit(_)))) {
        tell_post_mortem(examined, run.stop(), console);
    }
    exit
}

/// Shows what a stopped machine tells: registers where an instruction failed, and the backtrace.
pub(super) fn tell_post_mortem(examined: &PostMortem, stop: Option<Stop>, console: &mut Console) {
    let failed = matches!(stop, Some(Stop::Fault(_) | Stop::Lockup(_))) || examined.in_fault;
    for reason in examined.reasons() {
        console.note(&reason);
    }
    let registers = if failed { examined.register_lines() } else { Vec::new() };
    for line in registers.into_iter().chain(examined.backtrace.lines()) {
        // They are laid out as they are.
        console.write_stderr(format!("{}\n", visible(&line)).as_bytes());
    }
}

fn tell_end(run: &RunSummary, scenario: &Scenario<'_>, image: &Image, console: &mut Console) -> Exit {
    let here = || place(image, run.pc);
    match (run.end, scenario.until) {
        (RunEnd::Reached, _) | (RunEnd::Window, None) => Exit::Success,
        (RunEnd::Window, Some(until)) => {
            let message = format!("{until} did not happen within {}; the run is at {}", scenario.window, here());
            console.problem(&message, Some("raise --for if it needs more time"));
            Exit::CycleBudget
        }
        (RunEnd::Interrupted, _) => {
            console.note(&format!(
                "interrupted at cycle {}: the results cover the time up to there",
                run.cycles.grouped()
            ));
            Exit::Interrupted
        }
        (RunEnd::Spins(spin), until) => {
            let message = explain_spin(image, run.pc, run.cycles);
            let waits = waits(spin, run.wait.as_ref(), &run.gaps, image);
            let Some(until) = until else {
                console.note(&format!("{message}{waits}; the run ends there"));
                return Exit::Success;
            };
            let lost = run.post_mortem.as_ref().is_some_and(PostMortem::is_lost);
            let help = match spin {
                Spin::Polling => LACKING,
                _ if lost => LOST,
                Spin::Waiting | Spin::Idle => "the results cover the time up to there",
            };
            console.problem(&format!("{message}; {until} did not happen{waits}"), Some(help));
            Exit::Deadlock
        }
        (RunEnd::Stopped(stop), until) => {
            let message = explain(stop, image, run.cycles);
            match (stop, until) {
                // The work is done, or the guest waits for an event that does not come. No other end was awaited.
                (Stop::Exit(0) | Stop::Deadlock(_), None) => {
                    console.note(&format!("{message}; the run ends there"));
                    Exit::Success
                }
                (Stop::Exit(0), Some(until)) => {
                    console.problem(&format!("{message} before {until} happened"), None);
                    Exit::WrongOutput
                }
                (Stop::OutputBudget, _) => {
                    console.problem(&format!("{message}, {}", here()), Some("raise --max-output if it needs more"));
                    Exit::OutputBudget
                }
                _ => {
                    console.problem(&message, Some("the results cover the time up to there"));
                    Exit::of_stop(stop)
                }
            }
        }
    }
}
