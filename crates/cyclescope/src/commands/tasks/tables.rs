//! Tasks for people.

use cyclescope_machine::units::Cycles;
use cyclescope_report::{Cell, Column, Table, Tone, format};
use cyclescope_scope::{Await, AwaitState, CycleOwner, TaskFacts, TaskId, TaskReport};

use cyclescope_guest::formats::tasks::{Owners, kind, name};

use crate::commands::assumed;
use crate::tasking::{TasksOutcome, TasksRequest};

/// The most places of one task that are shown.
const MOST_AWAITS: usize = 5;

/// The most variables of one await that are shown, and the least bytes of one.
const MOST_HELD: usize = 3;
const LARGE: u32 = 8;

/// A report, and the unit in which its cycles are shown.
#[derive(Clone, Copy)]
pub(in crate::commands) struct Shown<'a> {
    pub(in crate::commands) owners: Owners<'a>,
    pub(in crate::commands) measure: Measure,
}

/// The unit in which cycles are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Measure {
    Cycles,
    /// Of cycles that are nanoseconds.
    Microseconds,
}

impl Measure {
    /// The unit's name.
    pub(in crate::commands) fn unit(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Microseconds => "µs",
        }
    }

    /// Writes `cycles` in the unit.
    pub(in crate::commands) fn text(self, cycles: u64) -> String {
        match self {
            Self::Cycles => format::integer(cycles.into()),
            Self::Microseconds => format::decimal(cycles as f64 / 1e3, 1),
        }
    }

    /// A cell of `cycles`, or of nothing to say.
    fn cell(self, cycles: Option<Cycles>) -> Cell {
        cycles.map_or_else(|| Cell::toned("–", Tone::Faint), |cycles| self.text(cycles.get()).into())
    }
}

/// The tables of `outcome`: the first says what they are of, and the last what must be known to read them.
pub(super) fn tables(request: &TasksRequest<'_>, outcome: &TasksOutcome) -> Vec<Table> {
    let report = &outcome.report;
    let shown = Shown { owners: outcome.into(), measure: Measure::Cycles };
    let mut first = overview(shown);
    let (name, part, memory) = (request.guest.name, &outcome.run.part, request.guest.memory.name());
    first.title = format!("{name} on {part}, {memory} memory: tasks of {}", report.runtime);
    first.head.push(summary(outcome));
    let mut tables = vec![first, polls(outcome), held_up(report), wakes(shown), awaits(report), owners(shown)];
    tables.retain(|table| !table.rows.is_empty());
    if let Some(last) = tables.last_mut() {
        if let Some(written) = &outcome.flash_written {
            last.note(format!("The firmware had set the flash to {written}."));
        }
        last.foot.extend(assumed(&outcome.model));
    }
    tables
}

fn summary(outcome: &TasksOutcome) -> String {
    let report = &outcome.report;
    let cores = if report.cores > 1 { format!(" on each of {} cores", report.cores) } else { String::new() };
    let all = report.cycles.get().saturating_mul(report.cores as u64);
    let idle = share(outcome.asleep, all);
    format!("{}{cores} ({}), of them asleep {idle} %.", report.cycles, format::time(outcome.time))
}

pub(in crate::commands) fn share(cycles: Cycles, all: u64) -> String {
    format::decimal(100.0 * cycles.get() as f64 / all.max(1) as f64, 1)
}

pub(in crate::commands) fn count(value: u64) -> Cell {
    format::integer(value.into()).into()
}

/// A number of cycles, or nothing to say.
fn cycles(value: Option<Cycles>) -> Cell {
    value.map_or_else(|| Cell::toned("–", Tone::Faint), |value| count(value.get()))
}

/// The tasks, a row each.
pub(in crate::commands) fn overview(shown: Shown<'_>) -> Table {
    let Shown { owners: Owners { report, .. }, measure } = shown;
    let all = report.cycles.get().saturating_mul(report.cores as u64);
    let [runs, longest, wait, size, unit] = if report.polls {
        ["polls", "longest poll", "wake to poll", "future", "bytes"]
    } else {
        ["runs", "longest run", "ready to run", "stack used", "of bytes"]
    };
    let unit_of_time = measure.unit();
    // Nothing is known of the memory of a task on the host.
    let has_memory = measure == Measure::Cycles;
    let columns = [
        Column::symbol("task"),
        Column::number(runs),
        Column::quantity("busy", unit_of_time),
        Column::number("%").rank(1),
        Column::quantity(longest, unit_of_time),
        Column::quantity(wait, format!("{unit_of_time}, most")),
    ];
    let column_of_memory = has_memory.then(|| Column::quantity(size, unit).rank(2));
    let mut table = Table::new("", columns.into_iter().chain(column_of_memory));
    for task in &report.tasks {
        let delays = &task.wake_to_poll;
        let cells = [
            Cell::from(task.info.name.as_str()),
            count(task.polls),
            measure.text(task.busy.get()).into(),
            share(task.busy, all).into(),
            measure.cell(task.longest.as_ref().map(|longest| longest.cycles)),
            measure.cell((delays.times > 0).then_some(delays.longest)),
        ];
        table.row(cells.into_iter().chain(has_memory.then(|| memory(task))));
    }
    table
}

/// The memory that a task takes: its future, or the stack that it has used of its own.
fn memory(task: &TaskFacts) -> Cell {
    let stack = task.stack.map(|stack| {
        let [used, size] = [stack.used, stack.size].map(|bytes| format::integer(bytes.get().into()));
        Cell::toned(format!("{used} / {size}"), if stack.overflowed() { Tone::Bad } else { Tone::Plain })
    });
    let future = || task.future_bytes.map(|bytes| count(bytes.into()));
    stack.or_else(future).unwrap_or_else(|| Cell::toned("–", Tone::Faint))
}

fn polls(outcome: &TasksOutcome) -> Table {
    let (title, longest) =
        if outcome.report.polls { ("The longest polls", "longest poll") } else { ("The longest runs", "longest run") };
    let columns = [
        Column::symbol("task"),
        Column::quantity(longest, "cycles"),
        Column::quantity("own", "cycles"),
        Column::number("at cycle").rank(1),
        Column::symbol("mostly in"),
    ];
    let mut table = Table::new(title, columns);
    for task in &outcome.report.tasks {
        let Some(longest) = &task.longest else { continue };
        table.row([
            Cell::from(task.info.name.as_str()),
            count(longest.cycles.get()),
            count(longest.own.get()),
            count(longest.at.get()),
            longest.function.as_deref().map_or("(no symbol)", place).into(),
        ]);
    }
    table
}

/// The threads that waited for what another of lower priority held.
fn held_up(report: &TaskReport) -> Table {
    let columns = [
        Column::symbol("task"),
        Column::number("times"),
        Column::number("inverted"),
        Column::quantity("longest", "cycles"),
        Column::number("at cycle").rank(1),
        Column::symbol("held by"),
        Column::symbol("meanwhile ran"),
        Column::quantity("for", "cycles"),
    ];
    let mut table = Table::new("Waits for what a lower priority held", columns);
    let name = |task: TaskId| report.tasks.get(task).map(|task| task.info.name.as_str()).unwrap_or_default();
    for task in &report.tasks {
        let Some(longest) = &task.held_up.longest else { continue };
        let third = longest.ran.first();
        table.row([
            Cell::from(task.info.name.as_str()),
            count(task.held_up.times),
            count(task.held_up.inversions),
            count(longest.cycles.get()),
            count(longest.at.get()),
            name(longest.held_by).into(),
            third.map_or_else(|| Cell::toned("–", Tone::Faint), |(task, _)| name(*task).into()),
            cycles(third.map(|(_, cycles)| *cycles)),
        ]);
    }
    table
}

/// The name of a function for people: the function that a runtime polls with holds all that is inlined into it.
fn place(function: &str) -> &str {
    if function.contains("TaskStorage<") { "(inlined into its poll)" } else { function }
}

/// The wakers of each task.
pub(in crate::commands) fn wakes(shown: Shown<'_>) -> Table {
    let report = shown.owners.report;
    let columns = [
        Column::symbol("task"),
        Column::symbol(if report.polls { "woken by" } else { "made ready by" }),
        Column::text("which is").rank(1),
        Column::number("times"),
    ];
    let mut table = Table::new("The wakers", columns);
    for (number, task) in report.tasks.iter().enumerate() {
        for (waker, times) in &task.woken_by {
            let itself = *waker == CycleOwner::Task(number);
            table.row([
                Cell::from(task.info.name.as_str()),
                if itself { "itself".into() } else { name(*waker, shown.owners).into() },
                kind(*waker).into(),
                count(*times),
            ]);
        }
    }
    table
}

fn awaits(report: &TaskReport) -> Table {
    let columns = [
        Column::symbol("task"),
        Column::number("polls"),
        Column::symbol("await"),
        Column::quantity("size", "bytes").rank(1),
        Column::symbol("at"),
    ];
    let mut table = Table::new("The awaits at which polls ended", columns);
    let mut marked = false;
    for task in &report.tasks {
        for (place, (tree, times)) in task.awaits.iter().take(MOST_AWAITS).enumerate() {
            let now = task.suspended.as_ref() == Some(tree);
            marked |= now;
            let times = format!("{}{}", if now { "* " } else { "" }, format::integer((*times).into()));
            rows(&mut table, (place == 0).then_some(task.info.name.as_str()), Some(times), tree, 0);
        }
        if let Some(more) = task.awaits.len().checked_sub(MOST_AWAITS).filter(|more| *more > 0) {
            let rest: u64 = task.awaits.iter().skip(MOST_AWAITS).map(|(_, times)| times).sum();
            table.row([
                Cell::default(),
                count(rest),
                Cell::toned(format!("{} more", format::integer(more as i128)), Tone::Faint),
            ]);
        }
    }
    if marked {
        table.note("*: the task is suspended there at the end of the run.");
    }
    table
}

/// The rows of one tree of awaits.
fn rows(table: &mut Table, name: Option<&str>, times: Option<String>, tree: &Await, depth: usize) {
    let what = match tree.state {
        AwaitState::Unresumed => format!("{}, not begun", tree.name),
        AwaitState::Returned => format!("{}, at its end", tree.name),
        AwaitState::Panicked => format!("{}, panicked", tree.name),
        AwaitState::Unknown => format!("{}, unknown", tree.name),
        AwaitState::Suspended | AwaitState::Other => tree.name.clone(),
    };
    let what = if depth == 0 { what } else { format!("{}└ {what}", "\u{a0}".repeat(2 * (depth - 1))) };
    table.row([
        Cell::from(name.unwrap_or_default()),
        times.unwrap_or_default().into(),
        what.into(),
        tree.bytes.map_or_else(Cell::default, |bytes| count(bytes.into())),
        tree.line.as_ref().map(|line| format!("{}:{}", shown(&line.file), line.line)).unwrap_or_default().into(),
    ]);
    let large = tree.holds.iter().filter(|(_, bytes)| *bytes >= LARGE);
    for (variable, bytes) in large.take(MOST_HELD) {
        let what = format!("{}· {variable}", "\u{a0}".repeat(2 * depth));
        table.row([
            Cell::default(),
            Cell::default(),
            Cell::toned(what, Tone::Faint),
            Cell::toned(format::integer((*bytes).into()), Tone::Faint),
        ]);
    }
    for inner in &tree.awaits {
        rows(table, None, None, inner, depth + 1);
    }
}

/// The part of a path that says something: from the crate's folder on, if it is a registry's, and without the working folder.
pub(in crate::commands) fn shown(path: &str) -> &str {
    let crates = path.find("/registry/src/").and_then(|at| {
        let inside = &path[at + "/registry/src/".len()..];
        inside.split_once('/').map(|(_, inside)| inside)
    });
    let library = path.find("/library/").filter(|_| path.contains("rustc/") || path.contains("rust-src"));
    crates.or(library.map(|at| &path[at + 1..])).unwrap_or(path).trim_start_matches("./")
}

/// The owners of all cycles.
pub(in crate::commands) fn owners(shown: Shown<'_>) -> Table {
    let Shown { owners, measure } = shown;
    let report = owners.report;
    let all = report.cycles.get().saturating_mul(report.cores as u64);
    let (unit, title) = match measure {
        Measure::Cycles => ("cycles", "Each cycle once"),
        Measure::Microseconds => ("µs", "Each worker's time once"),
    };
    let columns =
        [Column::symbol(format!("{unit} of")), Column::text("which is"), Column::number(unit), Column::number("%")];
    let mut table = Table::new(title, columns);
    for (owner, cycles) in &report.owners {
        table.row([
            name(*owner, owners).into(),
            kind(*owner).into(),
            measure.text(cycles.get()).into(),
            Cell::from(share(*cycles, all)),
        ]);
    }
    let sum: u64 = report.owners.iter().map(|(_, cycles)| cycles.get()).sum();
    table.row([Cell::toned("all", Tone::Strong), Cell::default(), measure.text(sum).into(), Cell::from("100.0")]);
    table
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn paths_are_shown_from_where_they_say_something() {
        for (path, expect) in [
            ("./src/main.rs", "src/main.rs"),
            (
                "/home/me/.cargo/registry/src/index-1f2e/embassy-stm32-0.6.0/src/usart/mod.rs",
                "embassy-stm32-0.6.0/src/usart/mod.rs",
            ),
            ("/rustc/0123abcd/library/core/src/future/mod.rs", "library/core/src/future/mod.rs"),
            ("/home/me/library/src/main.rs", "/home/me/library/src/main.rs"),
        ] {
            assert_eq!(shown(path), expect);
        }
    }
}
