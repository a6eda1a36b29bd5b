//! The tasks of a runtime on the host for people.

use cyclescope_guest::formats::tasks::Owners;
use cyclescope_machine::units::Cycles;
use cyclescope_report::{Cell, Column, Table, Tone, format};
use cyclescope_scope::CycleOwner;
use cyclescope_telemetry::View;

use crate::commands::tasks::tables::{Measure, Shown, count, overview, owners, share, wakes};

const MEASURE: Measure = Measure::Microseconds;

/// The tables of `view`, the trace `name`.
pub(super) fn tables(name: &str, view: &View) -> Vec<Table> {
    let shown = Shown { owners: Owners { report: &view.report, exceptions: &[] }, measure: MEASURE };
    let mut first = overview(shown);
    first.title =
        format!("{name}: tasks of {} on the host, by the places where they were spawned", view.report.runtime);
    first.head.push(summary(view));
    let mut tables = vec![first, blocked(view), workers(view), wakes(shown), owners(shown)];
    tables.retain(|table| !table.rows.is_empty());
    if let Some(last) = tables.last_mut() {
        last.note(
            "Wakes are known of tasks that `dial9::spawn` spawned; tokio itself, its timers and what is no task wake in its name. \
             A worker's time before its first event is start-up.",
        );
        if view.elsewhere > 0 {
            last.note(format!(
                "{} polls were on threads that are no workers, such as that of block_on; they are in no figure.",
                format::integer(view.elsewhere.into())
            ));
        }
    }
    tables
}

fn summary(view: &View) -> String {
    let report = &view.report;
    let all = report.cycles.get().saturating_mul(report.cores as u64);
    let asleep = report.owners.iter().find(|(owner, _)| *owner == CycleOwner::Sleep);
    let asleep = share(asleep.map_or(Cycles::ZERO, |(_, time)| *time), all);
    let workers = if report.cores == 1 { "1 worker".to_owned() } else { format!("{} workers", report.cores) };
    let mut text =
        format!("{} ms on {workers}, asleep {asleep} %.", format::decimal(report.cycles.get() as f64 / 1e6, 1));
    let queues = &view.queues;
    if queues.samples > 0 {
        text += &format!(
            " The queue that they share had {} tasks at most, {} in the mean of {} samples.",
            format::integer(queues.deepest.into()),
            format::decimal(queues.sum as f64 / queues.samples as f64, 1),
            format::integer(queues.samples.into()),
        );
    }
    text
}

/// Moves between workers, and polls that blocked one.
fn blocked(view: &View) -> Table {
    let columns = [
        Column::symbol("task"),
        Column::number("tasks").rank(1),
        Column::number("moves"),
        Column::number("blocked"),
        Column::quantity("for", "µs"),
        Column::number("by worker").rank(2),
        Column::number("held up"),
        Column::quantity("for", "µs"),
    ];
    let mut table = Table::new("Moves between workers, and polls that blocked one", columns);
    let none = || Cell::toned("–", Tone::Faint);
    for (task, place) in view.report.tasks.iter().zip(&view.places) {
        let blocked = &place.blocked;
        let some = |cell: Cell| if blocked.times > 0 { cell } else { none() };
        table.row([
            Cell::from(task.info.name.as_str()),
            count(place.tasks),
            count(place.moves),
            count(blocked.times),
            some(MEASURE.text(blocked.time).into()),
            some(count(blocked.worker)),
            some(count(blocked.held_up)),
            some(MEASURE.text(blocked.held_up_time).into()),
        ]);
    }
    table.note(format!(
        "Blocked: polls that took longer than {}. Held up: polls of tasks that were woken meanwhile, which then waited for that \
         worker.",
        format_time(view.blocking)
    ));
    table
}

fn format_time(time: std::time::Duration) -> String {
    format!("{} ms", format::decimal(time.as_secs_f64() * 1e3, 3).trim_end_matches('0').trim_end_matches('.'))
}

fn workers(view: &View) -> Table {
    let columns = [
        Column::number("worker"),
        Column::number("polls"),
        Column::quantity("polling", "%"),
        Column::quantity("asleep", "%"),
        Column::quantity("queue", "deepest"),
        Column::quantity("queue", "mean"),
        Column::quantity("processor", "% of awake").rank(1),
        Column::quantity("run queue", "µs a wake").rank(2),
    ];
    let mut table = Table::new("The workers", columns);
    let all = view.report.cycles.get();
    let none = || Cell::toned("–", Tone::Faint);
    for worker in &view.workers {
        let mean = |sum: u64, count: u64| sum as f64 / count.max(1) as f64;
        let processor = (worker.awake > 0)
            .then(|| Cell::from(share(Cycles::new(worker.on_processor.min(worker.awake)), worker.awake)));
        let queued = (worker.queue_samples > 0)
            .then(|| Cell::from(format::decimal(mean(worker.queued, worker.queue_samples) / 1e3, 1)));
        table.row([
            Cell::from(worker.number.to_string()),
            count(worker.polls),
            share(Cycles::new(worker.polling), all).into(),
            share(Cycles::new(worker.parked), all).into(),
            count(worker.deepest.into()),
            format::decimal(mean(worker.depths, worker.polls), 1).into(),
            processor.unwrap_or_else(none),
            queued.unwrap_or_else(none),
        ]);
    }
    table.note(
        "Queue: the worker's own, when a poll begins. Processor: the share of the time awake that its thread had one; a poll that \
         blocks has none meanwhile. Run queue: ready to run and waiting for a processor, by the samples that the recorder takes.",
    );
    table
}
