//! The end of a guest's run, told to the user of `measure`, `trace` and `profile`.

use cyclescope_image::Image;
use cyclescope_machine::figures::integer;
use cyclescope_machine::units::Instructions;
use cyclescope_machine::{Spin, Stop};
use cyclescope_scope::{PostMortem, RunEnd, explain, explain_spin, named, place};

use crate::exec_end::{LACKING, LOST, waits};
use crate::exit::Exit;
use crate::gaps::{GapTeller, Shown};
use crate::tell::Tell;
use crate::{MeasureOutcome, RunSummary, Scenario, TraceOutcome};

/// The advice where a run ended early and has results.
const COVERED: &str = "the results cover the time up to there";

/// Says how the run ended, unless it ended as it should. `has_results` if some were shown; `gaps` has told of the run while it
/// went on. Returns the exit of the process for that end.
pub fn tell_run_end(
    run: &RunSummary,
    scenario: &Scenario<'_>,
    image: &Image,
    has_results: bool,
    gaps: &GapTeller<'_>,
    console: &mut dyn Tell,
) -> Exit {
    let exit = tell_end(run, scenario, image, has_results.then_some(COVERED), console);
    // A guest that is done is not examined, however it says so.
    if let Some(examined) = run.post_mortem.as_ref().filter(|_| !matches!(run.end, RunEnd::Stopped(Stop::Exit(_)))) {
        tell_post_mortem(examined, run.stop(), gaps, console);
    }
    exit
}

/// Warns if the trace `outcome` has code that cannot be listed by address.
pub fn tell_elsewhere(outcome: &TraceOutcome, console: &mut dyn Tell) {
    let elsewhere = outcome.account.elsewhere.instructions;
    if elsewhere > Instructions::ZERO {
        console.note(&format!(
            "warning: the program ran code at more than 262,144 addresses outside the image's sections; {elsewhere} at \
             the others are counted, but not listed by address"
        ));
    }
}

/// Says what is to be known about the measurement `outcome` besides its numbers. Returns the exit of the process.
pub fn tell_measured(
    outcome: &MeasureOutcome,
    scenario: &Scenario<'_>,
    image: &Image,
    gaps: &GapTeller<'_>,
    console: &mut dyn Tell,
) -> Exit {
    gaps.finish(&outcome.run.gaps);
    if outcome.stimuli_left > 0 {
        let left = integer(outcome.stimuli_left.into());
        console.note(&format!("warning: the run ended before {left} of its stimuli came; a longer --for has them"));
    }
    tell_idle_stimuli(outcome, console);
    let measured = outcome.spans.is_empty() || outcome.spans.iter().any(|(_, samples)| samples.is_ok());
    let mut exit = tell_run_end(&outcome.run, scenario, image, measured, gaps, console);
    for failure in outcome.spans.iter().filter_map(|(_, samples)| samples.as_ref().err()) {
        let ended = matches!(outcome.run.end, RunEnd::Window);
        console.problem(&failure.to_string(), ended.then_some("raise --for if it needs more time"));
        if exit == Exit::Success {
            exit = Exit::WrongOutput;
        }
    }
    exit
}

/// Says which stimuli changed nothing: a press of a button that is pressed is none.
fn tell_idle_stimuli(outcome: &MeasureOutcome, console: &mut dyn Tell) {
    let count: u64 = outcome.idle_stimuli.iter().map(|(.., count)| count).sum();
    if count == 0 {
        return;
    }
    let pins: Vec<String> = outcome
        .idle_stimuli
        .iter()
        .map(|(pin, high, _)| format!("{pin} was {} already", if *high { "high" } else { "low" }))
        .collect();
    let all =
        format!("{} {}", integer(outcome.stimuli.into()), if outcome.stimuli == 1 { "stimulus" } else { "stimuli" });
    let changed = format!("{} of {all} changed nothing", integer(count.into()));
    console.note(&format!("warning: {changed}: {}", pins.join(", ")));
}

/// Shows what a stopped machine tells and `gaps` has not told before: registers where an instruction failed, and the backtrace.
pub fn tell_post_mortem(examined: &PostMortem, stop: Option<Stop>, gaps: &GapTeller<'_>, console: &mut dyn Tell) {
    let failed = matches!(stop, Some(Stop::Fault(_) | Stop::Lockup(_))) || examined.in_fault;
    for reason in examined.reasons().into_iter().filter(|reason| !gaps.has_told(reason)) {
        console.note(&reason);
    }
    let registers = if failed { examined.register_lines() } else { Vec::new() };
    for line in registers.into_iter().chain(examined.backtrace.lines()) {
        console.line(&line);
    }
}

fn tell_end(
    run: &RunSummary,
    scenario: &Scenario<'_>,
    image: &Image,
    covered: Option<&str>,
    console: &mut dyn Tell,
) -> Exit {
    let here = || place(image, run.pc);
    match (run.end, scenario.until) {
        (RunEnd::Reached, _) | (RunEnd::Window, None) => Exit::Success,
        (RunEnd::Window, Some(until)) => {
            let message = format!("{until} did not happen within {}; the run is at {}", scenario.window, here());
            console.problem(&message, Some("raise --for if it needs more time"));
            Exit::CycleBudget
        }
        (RunEnd::Interrupted, _) => {
            let covered = covered.map(|covered| format!(": {covered}")).unwrap_or_default();
            console.note(&format!("interrupted at cycle {}{covered}", run.cycles.grouped()));
            Exit::Interrupted
        }
        (RunEnd::Spins(spin), until) => {
            let message = explain_spin(run.core, image, run.pc, run.cycles);
            let waits = waits(spin, run.wait.as_ref(), &run.gaps, Shown { image, columns: console.columns() });
            let Some(until) = until else {
                console.note(&format!("{message}{waits}; the run ends there"));
                return Exit::Success;
            };
            let lost = run.post_mortem.as_ref().is_some_and(PostMortem::is_lost);
            let help = match spin {
                Spin::Polling => Some(LACKING),
                _ if lost => Some(LOST),
                Spin::Waiting | Spin::Idle => covered,
            };
            console.problem(&format!("{message}; {until} did not happen{waits}"), help);
            Exit::Deadlock
        }
        (RunEnd::Stopped(stop), until) => {
            let message = named(run.core, stop, explain(stop, image, run.cycles));
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
                    console.problem(&message, covered);
                    Exit::of_stop(stop)
                }
            }
        }
    }
}
