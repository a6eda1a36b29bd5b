//! The ends of a run of `exec` that its options ask for.

use cyclescope_image::Image;
use cyclescope_machine::figures::time;
use cyclescope_machine::{Gap, Spin, Stop, Wait};
use cyclescope_scope::{DeskEnd, PostMortem, explain, explain_spin, named, place, waits_for};

use crate::exit::Exit;
use crate::gaps::{Shown, awaited, by, clock_is_off, polled_last, polls};
use crate::tell::Tell;
use crate::{ExecOutcome, ExecRequest, Parting};

/// The ends asked for.
pub struct Asked<'a> {
    /// The request.
    pub request: &'a ExecRequest<'a>,
    /// The text of --until-output.
    pub output: Option<&'a str>,
    /// The text came.
    pub came: bool,
    /// The user ended the run.
    pub interrupted: bool,
}

impl Asked<'_> {
    /// Returns the exit of a run that ended as its options have it, or before, and says so if it is no success; `None` for
    /// all other ends.
    pub fn conclude(&self, outcome: &ExecOutcome, image: &Image, console: &mut dyn Tell) -> Option<Exit> {
        if self.interrupted {
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
                    let waits =
                        waits(spin, outcome.wait.as_ref(), &outcome.gaps, Shown { image, columns: console.columns() });
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
                let waits = waits(spin, wait, &outcome.gaps, Shown { image, columns: console.columns() });
                console.problem(&format!("{message}{awaited}{waits}"), Some(help));
                Some(Exit::Deadlock)
            }
            _ => None,
        }
    }

    /// Returns the words for what was to come.
    pub fn awaited(&self) -> Option<String> {
        let output = self.output.map(|text| format!("the output `{text}`"));
        match (self.request.until, output) {
            (Some(event), Some(output)) => Some(format!("{event} or {output}")),
            (Some(event), None) => Some(event.to_string()),
            (None, output) => output,
        }
    }
}

/// The advice for a program that polls what the model lacks.
pub const LACKING: &str = "the program waits for a function of the chip that the model lacks";

/// The advice for a program in a handler without an end.
pub const LOST: &str = "it stands in a handler that does not return";

/// The advice for a program with an interrupt that leads nowhere.
pub const NO_HANDLER: &str = "give the interrupt a handler, or do not enable it";

/// Returns what the loop `spin` waits for, as a clause for a message, which may be empty. `wait` is the register that it polls.
pub fn waits(spin: Spin, wait: Option<&Wait>, gaps: &[Gap], shown: Shown<'_>) -> String {
    let lacking = || polled_last(gaps, wait, shown).map(|register| format!("; it waits for {register}"));
    let read = || {
        let Wait { register, pc, .. } = wait?;
        let unclocked = if clock_is_off(gaps, register) { ", whose clock is off" } else { "" };
        Some(format!("; it waits for {register}{unclocked}, read by {}", by(shown, *pc)))
    };
    match spin {
        Spin::Polling => lacking().or_else(read),
        Spin::Waiting => read(),
        Spin::Idle => None,
    }
    .unwrap_or_default()
}

/// Says how the guest ended, where that needs saying.
pub fn tell_end(outcome: &ExecOutcome, asked: &Asked<'_>, image: &Image, console: &mut dyn Tell) -> Exit {
    if let Some(fault) = outcome.handled_fault.filter(|_| !matches!(outcome.stop, Stop::Fault(_) | Stop::Lockup(_))) {
        console.note(&format!("the guest handled a fault: {}, {}", fault.cause, place(image, fault.pc)));
    }
    if let Some(overrun) = outcome.stack_overrun {
        let (at, below) = (overrun.at.grouped(), overrun.below.grouped());
        console.note(&format!(
            "the stack ran into the program's variables, {below} bytes deep: first at cycle {at}, {}",
            place(image, overrun.pc)
        ));
    }
    match &outcome.debugger {
        Some(Parting::Killed) => {
            console.note(&format!("the debugger ended the run at cycle {}", outcome.cycles.grouped()));
            return Exit::Interrupted;
        }
        Some(Parting::Lost(why)) => {
            console.problem(&format!("the debugger is gone at cycle {}: {why}", outcome.cycles.grouped()), None);
            return Exit::Interrupted;
        }
        None => {}
    }
    if let Some(exit) = asked.conclude(outcome, image, console) {
        return exit;
    }
    let lost = outcome.post_mortem.as_ref().is_some_and(PostMortem::is_lost);
    let unhandled = outcome.post_mortem.as_ref().is_some_and(|examined| examined.unhandled.is_some());
    let help = match outcome.stop {
        Stop::Exit(code) => {
            let exit = Exit::of_guest(code);
            if i32::from(exit.code()) != code {
                console.note(&format!("the guest exited with {code}, passed on as {}", exit.code()));
            }
            return exit;
        }
        Stop::Horizon if asked.interrupted => {
            let (time, here) = (time(outcome.time), place(image, outcome.pc));
            console.note(&format!("interrupted at cycle {} ({time}), {here}", outcome.cycles.grouped()));
            return Exit::Interrupted;
        }
        Stop::Horizon if lost => LOST,
        // Nothing was watched for, so that these two are as good as the third.
        Stop::Horizon | Stop::Watch(_) | Stop::Signal => "raise --max-cycles if it needs more",
        Stop::Fault(_) | Stop::Lockup(_) if unhandled => NO_HANDLER,
        Stop::Fault(_) => "look at the code named above, or let the guest's handler run: --guest-handles-faults",
        Stop::Lockup(_) => "a fault inside a fault handler, or without one; look at the code named above",
        Stop::Deadlock(_) => {
            "if the program is done, end it with a semihosting exit, or say with --for how long it runs"
        }
        Stop::Breakpoint(..) => "no debugger is attached; panic handlers often end so",
        Stop::Reset(_) => "a board would start the program anew for ever; raise --resets if it needs more",
        Stop::OutputBudget => "raise --max-output if it needs more",
    };
    let mut message = named(outcome.core, outcome.stop, explain(outcome.stop, image, outcome.cycles));
    if matches!(outcome.stop, Stop::Horizon | Stop::OutputBudget | Stop::Reset(_)) {
        message += &format!(", {}", place(image, outcome.pc));
    }
    let waits = waits_for(&outcome.gaps, image).filter(|_| outcome.stop == Stop::Horizon);
    let help = if let Some(waits) = waits {
        message += &format!("; {waits}");
        "the program waits for a function of the chip that the model lacks"
    } else {
        help
    };
    if let Some(awaited) = awaited(&outcome.gaps, Shown { image, columns: console.columns() })
        .filter(|_| matches!(outcome.stop, Stop::Deadlock(_)))
    {
        message += &format!("; {awaited}");
    }
    if let Some(what) = asked.awaited().filter(|_| matches!(outcome.stop, Stop::Deadlock(_))) {
        message += &format!("; {what} did not come");
    }
    console.problem(&message, Some(help));
    Exit::of_stop(outcome.stop)
}
