//! The tasks of a runtime on the host for programs.

use cyclescope_guest::TOOL;
use cyclescope_guest::formats::tasks::{Owners, named, task};
use cyclescope_scope::CycleOwner;
use cyclescope_telemetry::{Place, View, Worker};
use serde_json::{Value, json};

/// The version of the form, which is that of a chip's tasks.
const SCHEMA: u32 = 1;

/// All that was seen, as docs/tasks.md describes it: cycles are nanoseconds.
pub(super) fn json(name: &str, view: &View) -> serde_json::Result<String> {
    let report = &view.report;
    let owners = Owners { report, exceptions: &[] };
    let asleep = report.owners.iter().find(|(owner, _)| *owner == CycleOwner::Sleep);
    let tasks = report.tasks.iter().zip(&view.places).map(|(facts, place)| {
        let mut row = task(facts, owners);
        add(&mut row, place);
        row
    });
    let file = json!({
        "schema": SCHEMA,
        "tool": TOOL,
        "trace": name,
        "chip": null,
        "clock_hz": 1_000_000_000,
        "runtime": report.runtime,
        "tasks_are": "futures",
        "cores": report.cores,
        "cycles": report.cycles.get(),
        "picoseconds": report.cycles.get().saturating_mul(1_000),
        "asleep": asleep.map_or(0, |(_, time)| time.get()),
        "blocking": u64::try_from(view.blocking.as_nanos()).unwrap_or(u64::MAX),
        "tasks": tasks.collect::<Vec<_>>(),
        "owners": report.owners.iter().map(|(owner, time)| {
            let mut row = named(*owner, owners);
            row["cycles"] = time.get().into();
            row
        }).collect::<Vec<_>>(),
        "workers": view.workers.iter().map(worker).collect::<Vec<_>>(),
        "queue": {
            "samples": view.queues.samples,
            "deepest": view.queues.deepest,
            "sum": view.queues.sum,
            "most_tasks": view.queues.most_tasks,
        },
        "polls_elsewhere": view.elsewhere,
        "incomplete": view.incomplete,
    });
    Ok(serde_json::to_string_pretty(&file)? + "\n")
}

fn add(row: &mut Value, place: &Place) {
    let blocked = &place.blocked;
    row["tasks"] = place.tasks.into();
    row["moves"] = place.moves.into();
    row["blocked"] = json!({
        "polls": blocked.times,
        "sum": blocked.time,
        "worker_of_longest": (blocked.times > 0).then_some(blocked.worker),
        "held_up": blocked.held_up,
        "held_up_sum": blocked.held_up_time,
    });
}

fn worker(worker: &Worker) -> Value {
    json!({
        "worker": worker.number,
        "polls": worker.polls,
        "polling": worker.polling,
        "parked": worker.parked,
        "awake": worker.awake,
        "on_processor": worker.on_processor,
        "run_queue": {"samples": worker.queue_samples, "sum": worker.queued},
        "queue": {"deepest": worker.deepest, "sum": worker.depths},
    })
}
