//! Tasks for programs.

use cyclescope_scope::{Await, AwaitState, CycleOwner, Delays, HeldUp, TaskFacts, TaskReport};
use serde_json::{Value, json};

use crate::TOOL;
use crate::tasking::{TasksOutcome, TasksRequest};

/// The version of the form below.
const SCHEMA: u32 = 1;

/// Everything seen, as docs/tasks.md describes it.
///
/// # Errors
/// Those of serde_json, which has none for this form.
pub fn json(request: &TasksRequest<'_>, outcome: &TasksOutcome) -> serde_json::Result<String> {
    let (report, owners) = (&outcome.report, Owners::from(outcome));
    let mut file = json!({
        "schema": SCHEMA,
        "tool": TOOL,
        "image": request.guest.name,
        "image_sha256": request.guest.image.file_sha256().to_string(),
        "chip": outcome.run.part,
        "clock_hz": outcome.run.clock.get(),
        "memory": request.guest.memory.name(),
        "flash_written": outcome.flash_written,
        "stimuli": request.scenario.rules.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "attached": request.guest.device_texts().collect::<Vec<_>>(),
        "files": request.guest.files.map(|files| files.path.display().to_string()),
        "model": outcome.model,
        "runtime": report.runtime,
        "tasks_are": if report.polls { "futures" } else { "threads" },
        "cores": report.cores,
        "cycles": report.cycles.get(),
        "picoseconds": outcome.time.get(),
        "asleep": outcome.asleep.get(),
        "tasks": report.tasks.iter().map(|facts| task(facts, owners)).collect::<Vec<_>>(),
        "owners": report.owners.iter().map(|(owner, cycles)| {
            let mut row = named(*owner, owners);
            row["cycles"] = cycles.get().into();
            row
        }).collect::<Vec<_>>(),
    });
    request.guest.variant.write(&mut file);
    Ok(serde_json::to_string_pretty(&file)? + "\n")
}

/// The names of the owners of cycles.
#[derive(Clone, Copy, Debug)]
pub struct Owners<'a> {
    /// The tasks.
    pub report: &'a TaskReport,
    /// The part's exceptions by number and name.
    pub exceptions: &'a [(u16, &'static str)],
}

impl<'a> From<&'a TasksOutcome> for Owners<'a> {
    fn from(outcome: &'a TasksOutcome) -> Self {
        Self { report: &outcome.report, exceptions: &outcome.exceptions }
    }
}

/// The name of `owner` for people.
pub fn name<'a>(owner: CycleOwner, owners: impl Into<Owners<'a>>) -> String {
    let Owners { report, exceptions } = owners.into();
    match owner {
        CycleOwner::StartUp => "start-up".to_owned(),
        CycleOwner::Task(task) => report.tasks.get(task).map(|task| task.info.name.clone()).unwrap_or_default(),
        CycleOwner::Runtime => report.runtime.to_owned(),
        CycleOwner::Exception(number) => {
            let known = exceptions.iter().find(|(known, _)| *known == number);
            known.map_or_else(|| format!("exception {number}"), |(_, name)| (*name).to_owned())
        }
        CycleOwner::Sleep => "asleep".to_owned(),
    }
}

/// The kind of `owner` for people.
pub fn kind(owner: CycleOwner) -> &'static str {
    match owner {
        CycleOwner::StartUp => "start-up",
        CycleOwner::Task(_) => "task",
        CycleOwner::Runtime => "runtime",
        CycleOwner::Exception(_) => "exception",
        CycleOwner::Sleep => "sleep",
    }
}

/// The kind and name of `owner`.
pub fn named(owner: CycleOwner, owners: Owners<'_>) -> Value {
    json!({"kind": kind(owner), "name": name(owner, owners)})
}

/// One task.
pub fn task(facts: &TaskFacts, owners: Owners<'_>) -> Value {
    json!({
        "name": facts.info.name,
        "address": facts.info.address.get(),
        "future_bytes": facts.future_bytes,
        "stack": facts.stack.map(|stack| json!({"used": stack.used.get(), "size": stack.size.get()})),
        "held_up": held_up(&facts.held_up, owners),
        "spawns": facts.spawns,
        "ends": facts.ends,
        "polls": facts.polls,
        "busy": facts.busy.get(),
        "longest_poll": facts.longest.as_ref().map(|longest| json!({
            "at": longest.at.get(),
            "cycles": longest.cycles.get(),
            "own": longest.own.get(),
            "function": longest.function,
        })),
        "wake_to_poll": delays(&facts.wake_to_poll),
        "woken_by": facts.woken_by.iter().map(|(waker, times)| {
            let mut row = named(*waker, owners);
            row["times"] = (*times).into();
            row
        }).collect::<Vec<_>>(),
        "suspended": facts.suspended.as_ref().map(awaits),
        "awaits": facts.awaits.iter().map(|(tree, times)| {
            json!({"polls": times, "await": awaits(tree)})
        }).collect::<Vec<_>>(),
    })
}

/// A thread's waits for what others of lower priority held.
fn held_up(held_up: &HeldUp, owners: Owners<'_>) -> Value {
    json!({
        "times": held_up.times,
        "inversions": held_up.inversions,
        "longest": held_up.longest.as_ref().map(|longest| json!({
            "at": longest.at.get(),
            "cycles": longest.cycles.get(),
            "held_by": name(CycleOwner::Task(longest.held_by), owners),
            "ran": longest.ran.iter().map(|(task, cycles)| {
                json!({"name": name(CycleOwner::Task(*task), owners), "cycles": cycles.get()})
            }).collect::<Vec<_>>(),
        })),
    })
}

fn delays(delays: &Delays) -> Value {
    json!({
        "times": delays.times,
        "sum": delays.sum.get(),
        "longest": (delays.times > 0).then(|| delays.longest.get()),
        "longest_at": (delays.times > 0).then(|| delays.longest_at.get()),
    })
}

fn awaits(tree: &Await) -> Value {
    let state = match tree.state {
        AwaitState::Unresumed => "unresumed",
        AwaitState::Suspended => "suspended",
        AwaitState::Returned => "returned",
        AwaitState::Panicked => "panicked",
        AwaitState::Other => "other",
        AwaitState::Unknown => "unknown",
    };
    json!({
        "name": tree.name,
        "state": state,
        "file": tree.line.as_ref().map(|line| &line.file),
        "line": tree.line.as_ref().map(|line| line.line),
        "bytes": tree.bytes,
        "holds": tree.holds.iter().map(|(name, bytes)| json!({"name": name, "bytes": bytes})).collect::<Vec<_>>(),
        "awaits": tree.awaits.iter().map(awaits).collect::<Vec<_>>(),
    })
}
