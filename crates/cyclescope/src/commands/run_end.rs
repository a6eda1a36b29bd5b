//! The end of a guest's run, told to the user of `measure`, `trace` and `profile`.

use cyclescope_image::Image;
use cyclescope_machine::Stop;
use cyclescope_scope::{RunEnd, explain, place};

use crate::backend::{RunSummary, Scenario};
use crate::exit::Exit;
use crate::output::Console;

/// Says how the run ended, unless it ended as it should. Returns the exit of the process for that end.
pub(super) fn tell_run_end(run: &RunSummary, scenario: &Scenario<'_>, image: &Image, console: &mut Console) -> Exit {
    let here = || place(image, run.pc);
    match (run.end, scenario.until) {
        (RunEnd::Reached, _) | (RunEnd::Window, None) => Exit::Success,
        (RunEnd::Window, Some(until)) => {
            let message = format!("{until} did not happen within {}; the run is at {}", scenario.window, here());
            console.problem(&message, Some("raise --for if it needs more time"));
            Exit::CycleBudget
        }
        (RunEnd::Interrupted, _) => {
            console.note(&format!("interrupted at cycle {}: the results cover the time up to there", run.cycles.get()));
            Exit::Interrupted
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
