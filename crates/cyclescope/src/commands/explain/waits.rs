//! The tables of what the threads of runtimes waited for.

use std::path::Path;

use cyclescope_explain::waits::{Place, State, Sum, Waits};
use cyclescope_report::format::integer;
use cyclescope_report::{Column, Table};

use super::records::nanos;
use super::tables::{One, milliseconds};
use crate::commands::counted;
use crate::commands::tasks::tables::shown;

/// The most places for each command.
const PLACES: usize = 10;

/// Returns the tables: the places at which tasks block their workers, and all states of the threads of each runtime.
pub(super) fn tables(commands: &[One<'_>]) -> Vec<Table> {
    [places(commands), states(commands)].into_iter().flatten().collect()
}

/// The first watched run stands for the others, as for system calls.
fn watched<'a>(commands: &'a [One<'_>]) -> impl Iterator<Item = (&'a str, &'a Waits)> {
    commands.iter().filter_map(|(letter, _, series, _)| Some((letter.as_str(), &series.waits.first()?.1)))
}

fn places(commands: &[One<'_>]) -> Option<Table> {
    let several = commands.len() > 1;
    let mut columns = vec![
        Column::number("times"),
        Column::quantity("in all", "ms"),
        Column::quantity("longest", "ms"),
        Column::symbol("waits in"),
        Column::symbol("called at"),
        Column::symbol("by task"),
    ];
    if several {
        columns.insert(0, Column::text("command"));
    }
    let mut table = Table::new("Tasks that blocked their runtime's threads, in a run that perf watched", columns);
    let mut left = 0;
    for (letter, waits) in watched(commands) {
        let mut blocks: Vec<(&Place, &Sum)> = waits.blocks.iter().map(|((_, place), sum)| (place, sum)).collect();
        blocks.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.total));
        left += blocks.len().saturating_sub(PLACES);
        for (place, sum) in blocks.into_iter().take(PLACES) {
            let mut row = figures(sum).to_vec();
            row.extend(words(place));
            if several {
                row.insert(0, letter.to_owned());
            }
            table.row(row);
        }
    }
    if left > 0 {
        let places = counted(left as u64, "place", "places");
        table.note(format!("{places} with less time are in the records (--format json)."));
    }
    (!table.rows.is_empty()).then_some(table)
}

fn figures(sum: &Sum) -> [String; 3] {
    [integer(sum.times.into()), milliseconds(nanos(sum.total)), milliseconds(nanos(sum.longest))]
}

/// The call, its place and the task.
fn words(place: &Place) -> [String; 3] {
    let call = place.call.clone().unwrap_or_else(|| "its own code".to_owned());
    let at = place.caller.as_ref().map_or_else(String::new, |frame| match &frame.line {
        Some((file, line)) => format!("{}:{line}", here(shown(file))),
        None => frame.name.clone(),
    });
    [call, at, place.task.clone().unwrap_or_default()]
}

/// Returns `path` without the working folder.
fn here(path: &str) -> &str {
    let folder = std::env::current_dir().ok();
    let inside = folder.and_then(|folder| Path::new(path).strip_prefix(folder).ok()?.to_str());
    inside.unwrap_or(path)
}

fn states(commands: &[One<'_>]) -> Option<Table> {
    let several = commands.len() > 1;
    let mut columns = vec![
        Column::text("runtime"),
        Column::text("its threads waited"),
        Column::number("times"),
        Column::quantity("in all", "ms"),
        Column::quantity("longest", "ms"),
    ];
    if several {
        columns.insert(0, Column::text("command"));
    }
    let mut table =
        Table::new("What the threads of runtimes waited for, all threads together, in the same run", columns);
    for (letter, waits) in watched(commands) {
        for ((runtime, state), sum) in &waits.states {
            let (Some(runtime), Some(what)) = (runtime, what(*state)) else { continue };
            let mut row = vec![(*runtime).to_owned(), what.to_owned()];
            row.extend(figures(sum));
            if several {
                row.insert(0, letter.to_owned());
            }
            table.row(row);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

const fn what(state: State) -> Option<&'static str> {
    match state {
        State::Idle => Some("for work"),
        State::Blocked => Some("because a task blocked them"),
        State::Rightly => Some("in work that may wait"),
        State::Runtime => Some("for the runtime itself"),
        State::Unknown => Some("for what their stacks do not tell"),
        State::Other => None,
    }
}

/// Returns what the foot says of the runs that perf watched; empty if there is nothing to say.
pub(super) fn note(commands: &[One<'_>]) -> String {
    let mut cut = Sum::default();
    for (_, waits) in watched(commands) {
        let unknown = waits.of(State::Unknown);
        cut.times += unknown.times;
        cut.total += unknown.total;
    }
    let mut note = String::new();
    let is_known = |(runtime, state): &(Option<&str>, State)| runtime.is_some() && *state != State::Unknown;
    if !watched(commands).any(|(_, waits)| waits.states.keys().any(is_known)) {
        note.push_str(" No thread of a runtime that cyclescope knows (docs/explain.md) waited.");
    }
    if cut.times > 0 {
        note.push_str(&format!(
            " The stacks of {} of {} ms in all end before they tell: they are longer than 16 KiB, or their code has no call frames.",
            counted(cut.times, "wait", "waits"),
            milliseconds(nanos(cut.total))
        ));
    }
    note
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cyclescope_explain::rounds::Series;
    use cyclescope_explain::waits::Frame;

    use super::*;

    fn sum(times: u64, ms: u64) -> Sum {
        Sum { times, total: Duration::from_millis(ms), longest: Duration::from_millis(ms / times) }
    }

    fn place(file: &str, line: u32) -> Place {
        Place {
            call: Some("std::thread::sleep".to_owned()),
            caller: Some(Frame { name: "app::pause".to_owned(), line: Some((file.to_owned(), line)) }),
            task: Some("app::work".to_owned()),
        }
    }

    fn cells(table: &Table) -> Vec<Vec<&str>> {
        table.rows.iter().map(|row| row.iter().map(|cell| cell.text.as_str()).collect()).collect()
    }

    #[test]
    fn the_longest_place_is_first_and_lines_are_from_the_working_folder_on() {
        let folder = std::env::current_dir().expect("there is one");
        let file = folder.join("src/main.rs");
        let blocks = [
            (("tokio", place("/elsewhere/lib.rs", 3)), sum(2, 10)),
            (("tokio", place(&file.to_string_lossy(), 7)), sum(3, 30)),
            (("tokio", Place::default()), sum(1, 1)),
        ];
        let states = [
            ((Some("tokio"), State::Blocked), sum(6, 41)),
            ((None, State::Other), sum(1, 5)),
            ((None, State::Unknown), sum(2, 4)),
        ];
        let waits = Waits { switches: 9, states: states.into(), blocks: blocks.into() };
        let series = Series { waits: vec![(Duration::ZERO, waits)], ..Series::default() };
        let commands = [("A".to_owned(), "app", &series, &[][..])];
        let tables = tables(&commands);
        let [places, states] = tables.as_slice() else { panic!("{tables:?}") };
        assert_eq!(
            cells(places),
            [
                ["3", "30.000", "10.000", "std::thread::sleep", "src/main.rs:7", "app::work"],
                ["2", "10.000", "5.000", "std::thread::sleep", "/elsewhere/lib.rs:3", "app::work"],
                ["1", "1.000", "1.000", "its own code", "", ""],
            ]
        );
        assert_eq!(cells(states), [["tokio", "because a task blocked them", "6", "41.000", "6.000"]]);
        assert!(note(&commands).contains("The stacks of 2 waits of 4.000 ms in all end before they tell"));
    }

    #[test]
    fn a_command_without_a_runtime_has_no_table() {
        let waits = Waits { switches: 1, states: [((None, State::Other), sum(1, 5))].into(), ..Waits::default() };
        let series = Series { waits: vec![(Duration::ZERO, waits)], ..Series::default() };
        let commands = [("A".to_owned(), "app", &series, &[][..])];
        assert_eq!(tables(&commands), []);
        assert!(note(&commands).contains("No thread of a runtime"));
    }
}
