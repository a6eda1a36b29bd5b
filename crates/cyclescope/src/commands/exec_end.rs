//! The ends of a run of `exec` that its options ask for.

use cyclescope_image::Image;
use cyclescope_machine::{Gap, Spin, Stop, Wait};
use cyclescope_scope::{PostMortem, explain, explain_spin, place};

use crate::backend::{DeskEnd, ExecOutcome, ExecRequest};
use crate::commands::gaps::{by, clock_is_off, polled_last, polls};
use crate::exit::Exit;
use crate::interrupt;
use crate::output::Console;

/// The ends asked for.
pub(super) struct Asked<'a> {
    pub(super) request: &'a ExecRequest<'a>,
    /// The text of --until-output.
    pub(super) output: Option<&'a str>,
    /// The text came.
    pub(super) came: bool,
}

impl Asked<'_> {
    /// Returns the exit of a run that ended as its options have it, or before, and says so if it is no success; `None` for
    /// all other ends.
    pub(super) fn conclude(&self, outcome: &ExecOutcome, image: &Image, console: &mut Console) -> Option<Exit> {
        if interrupt::interrupted() {
            return None;
        }
        let cycle = outcome.cycles.grouped();
        let here = || place(image, outcome.pc);
        let awaited = self.awaited();
        match (outcome.end, awaited) {
            _ if self.came => Some(Exit::Success),
            (DeskEnd::Window, None) => {
                // An idle loop is how many programs wait; one that polls in vain is stuck.
                if let Some(spin @ (Spin::Waiting | Spin::Polling)) = outcome.spins {
                    let message = explain_spin(outcome.core, image, outcome.pc, outcome.cycles);
                    let waits = waits(spin, outcome.wait.as_ref(), &outcome.gaps, image);
                    console.note(&format!("{message}{waits}; --for ended the run"));
                }
                Some(Exit::Success)
            }
            (DeskEnd::Reached, _) => Some(Exit::Success),
            (DeskEnd::Window, Some(awaited)) => {
                let window = self.request.window.map(|window| format!(" within {window}")).unwrap_or_default();
                let message = format!("{awaited} did not come{window}; the run is at {}", here());
                console.problem(&message, Some("raise --for if it needs more time"));
                Some(Exit::CycleBudget)
            }
            (DeskEnd::Budget, Some(awaited)) => {
                let message = format!("{awaited} did not come up to cycle {cycle}; the run is at {}", here());
                console.problem(&message, Some("raise --max-cycles if it needs more"));
                Some(Exit::CycleBudget)
            }
            (DeskEnd::Stopped(stop @ Stop::Exit(0)), Some(awaited)) => {
                console.problem(&format!("{} before {awaited} came", explain(stop, image, outcome.cycles)), None);
                Some(Exit::WrongOutput)
            }
            (DeskEnd::Stopped(stop @ Stop::Deadlock(_)), None) if self.request.window.is_some() => {
                console.note(&format!("{}; the run ends there", explain(stop, image, outcome.cycles)));
                Some(Exit::Success)
            }
            (DeskEnd::InputEnded, None) if self.request.window.is_some() => {
                console.note(&format!("standard input has ended, and the guest sleeps; the run ends at cycle {cycle}"));
                Some(Exit::Success)
            }
            (DeskEnd::InputEnded, _) => {
                let message =
                    format!("standard input has ended, and the guest waits for more at cycle {cycle}, {}", here());
                console.problem(
                    &message,
                    Some("give it more, or say when the run is done: --until-output, --until or --for"),
                );
                Some(Exit::InputEnded)
            }
            (DeskEnd::Spins(spin), awaited) => {
                let awaited = awaited.map(|awaited| format!("; {awaited} did not come")).unwrap_or_default();
                let message = explain_spin(outcome.core, image, outcome.pc, outcome.cycles);
                let wait = outcome.wait.as_ref();
                let lost = outcome.post_mortem.as_ref().is_some_and(PostMortem::is_lost);
                let help = match spin {
                    Spin::Polling if polls(&outcome.gaps) => LACKING,
                    Spin::Waiting if wait.is_some() => {
                        "nothing that was set up changes that register, and nothing comes from outside: see --stimulus, or \
                         --for if the program is done"
                    }
                    Spin::Waiting | Spin::Idle if lost => LOST,
                    _ => "if the program is done, end it with a semihosting exit, or say with --for how long it runs",
                };
                let waits = waits(spin, wait, &outcome.gaps, image);
                console.problem(&format!("{message}{awaited}{waits}"), Some(help));
                Some(Exit::Deadlock)
            }
            _ => None,
        }
    }

    /// Returns the words for what was to come.
    pub(super) fn awaited(&self) -> Option<String> {
        let output = self.output.map(|text| format!("the output `{text}`"));
        match (self.request.until, output) {
            (Some(event), Some(output)) => Some(format!("{event} or {output}")),
            (Some(event), None) => Some(event.to_string()),
            (None, output) => output,
        }
    }
}

/// The advice for a program that polls what the model lacks.
pub(super) const LACKING: &str = "the program waits for a function of the chip that the model lacks";

/// The advice for a program in a handler without an end.
pub(super) const LOST: &str = "it stands in a handler that does not return";

/// The advice for a program with an interrupt that leads nowhere.
pub(super) const NO_HANDLER: &str = "give the interrupt a handler, or do not enable it";

/// Returns what the loop `spin` waits for, as a clause for a message, which may be empty. `wait` is the register that it polls.
pub(super) fn waits(spin: Spin, wait: Option<&Wait>, gaps: &[Gap], image: &Image) -> String {
    let lacking = || polled_last(gaps, wait, image).map(|register| format!("; it waits for {register}"));
    let read = || {
        let Wait { register, pc, .. } = wait?;
        let unclocked = if clock_is_off(gaps, register) { ", whose clock is off" } else { "" };
        Some(format!("; it waits for {register}{unclocked}, read by {}", by(image, *pc)))
    };
    match spin {
        Spin::Polling => lacking().or_else(read),
        Spin::Waiting => read(),
        Spin::Idle => None,
    }
    .unwrap_or_default()
}
