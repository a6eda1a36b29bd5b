//! The result in a few lines.

use cyclescope_machine::units::Cycles;
use cyclescope_records::Record;
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::definition::Primes;
use super::derived::YIELD_OUTSIDE;
use super::tables::{ratio, value};
use crate::conditions::{Build, Conditions};
use crate::digest::{Digest, chips, level, range, ranked, short};

/// One chip's times and costs, or the cost of a yield on each of several chips; under the first memory setting that was
/// measured.
pub fn digest(definition: &Primes, records: &[Record]) -> Option<Digest> {
    let all = Conditions::all(records);
    let memory = &all.first()?.memory;
    let chips: Vec<&Conditions<'_>> = all.iter().filter(|conditions| conditions.memory == *memory).collect();
    match chips.as_slice() {
        [] => None,
        [one] => of_one(definition, one),
        several => of_several(definition, several),
    }
}

/// The optimisation level that is shown, for speed if that was measured, and its rows.
fn fastest<'r>(conditions: &Conditions<'r>) -> Option<(&'r str, Vec<Build<'r>>)> {
    let rows = conditions.builds();
    let opt = rows.iter().map(|(_, opt)| *opt).find(|opt| *opt == "3").or(rows.first().map(|row| row.1))?;
    Some((opt, rows.into_iter().filter(|row| row.1 == opt).collect()))
}

/// A contender a row, two columns a chip.
fn of_several(definition: &Primes, chips: &[&Conditions<'_>]) -> Option<Digest> {
    let first = chips.first()?;
    let (opt, _) = fastest(first)?;
    let stated = conditions(first, opt);
    let mut columns = vec![Column::text("framework")];
    for chip in chips {
        columns.extend(["alone", "beside"].map(|mode| Column::quantity(short(chip.chip), mode)));
    }
    columns.extend([Column::quantity("flash", "bytes"), Column::quantity("RAM", "bytes")]);
    let mut table = Table::new(format!("{}: {}", definition.name, definition.question), columns);
    table.head(format!(
        "Cycles of a yield, outside the division: alone, and beside another task what comes on top. Flash and RAM: the \
         program on {}. {}; {stated}.",
        first.chip,
        self::chips(chips.iter().copied())
    ));
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for row in chips.iter().filter_map(|chip| fastest(chip)).flat_map(|(_, rows)| rows) {
        if row.1 == opt && !rows.contains(&row) {
            rows.push(row);
        }
    }
    for row in &rows {
        let mut cells = vec![Cell::toned(row.0, Tone::Strong)];
        for chip in chips {
            for mode in ["one", "two"] {
                cells.push(Cell::or_none(
                    ratio(chip, *row, mode, YIELD_OUTSIDE).map(|cycles| format::decimal(cycles, 0)),
                ));
            }
        }
        for metric in ["flash", "ram"] {
            cells.push(Cell::or_none(value(first, *row, "two", metric).map(|bytes| format::integer(bytes.into()))));
        }
        table.row(cells);
    }
    let spans: Vec<String> = chips.iter().filter_map(|chip| range(chip, alone(chip, &fastest(chip)?.1))).collect();
    let conclusion = format!("A yield with nothing else to run costs {}.", spans.join(", "));
    Some(Digest { table, conclusion })
}

/// Under what was measured, in words.
fn conditions(of: &Conditions<'_>, opt: &str) -> String {
    format!("memory {}, optimised {}", of.memory, level(opt))
}

/// The cycles of a yield with nothing else to run, with the contender of each.
fn alone<'r>(conditions: &Conditions<'r>, rows: &[Build<'r>]) -> Vec<(f64, &'r str)> {
    let cost = |row: &Build<'r>| Some((ratio(conditions, *row, "one", YIELD_OUTSIDE)?, row.0));
    ranked(rows.iter().filter_map(cost))
}

/// The times and the cost of a yield at one optimisation level, and what follows.
fn of_one(definition: &Primes, conditions: &Conditions<'_>) -> Option<Digest> {
    let (opt, rows) = fastest(conditions)?;
    let stated = self::conditions(conditions, opt);
    let ms = |row: &Build<'_>, mode| {
        let cycles = value(conditions, *row, mode, "elapsed").and_then(|cycles| u64::try_from(cycles).ok());
        Cell::or_none(cycles.and_then(|cycles| format::milliseconds(Cycles::new(cycles), conditions.clock, 1)))
    };
    let per_yield = |row: &Build<'_>, mode| {
        Cell::or_none(ratio(conditions, *row, mode, YIELD_OUTSIDE).map(|cycles| format::decimal(cycles, 1)))
    };
    let bytes = |row: &Build<'_>, metric| {
        Cell::or_none(value(conditions, *row, "two", metric).map(|bytes| format::integer(bytes.into())))
    };
    let mut table = Table::of(
        format!("{}: {}", definition.name, definition.question),
        rows.iter().copied(),
        &[
            (Column::text("framework"), &|row| Cell::toned(row.0, Tone::Strong)),
            (Column::quantity("plain", "ms"), &|row| ms(row, "plain")),
            (Column::quantity("one task", "ms"), &|row| ms(row, "one")),
            (Column::quantity("two tasks", "ms"), &|row| ms(row, "two")),
            (Column::quantity("yield alone", "cycles"), &|row| per_yield(row, "one")),
            (Column::quantity("yield beside another", "cycles"), &|row| per_yield(row, "two")),
            (Column::quantity("flash", "bytes"), &|row| bytes(row, "flash")),
            (Column::quantity("RAM", "bytes"), &|row| bytes(row, "ram")),
        ],
    );
    let place = chips([conditions]);
    table.head(format!("{place}; {stated}. Yields: what they cost outside the division. Flash and RAM: of two tasks."));
    Some(Digest { table, conclusion: conclusion(conditions, &rows) })
}

fn conclusion(conditions: &Conditions<'_>, rows: &[Build<'_>]) -> String {
    let alone = alone(conditions, rows);
    let beside = |name: &str| {
        rows.iter().find(|row| row.0 == name).and_then(|row| ratio(conditions, *row, "two", YIELD_OUTSIDE))
    };
    match (alone.first(), alone.last()) {
        (Some((least, cheap)), Some((most, dear))) if cheap != dear => {
            let second = |name: &str| {
                beside(name).map_or(String::new(), |cycles| format!(" (and {cycles:.0} more beside another)"))
            };
            format!(
                "Outside the division, a yield with nothing else to run costs {least:.0} cycles in {cheap}{} and {most:.0} in {dear}{}, \
                 {:.1} times as many.",
                second(cheap),
                second(dear),
                most / least
            )
        }
        (Some((cycles, name)), _) => format!("A yield with nothing else to run costs {cycles:.0} cycles in {name}."),
        _ => "No contender was measured in the modes that the cost of a yield follows from.".to_owned(),
    }
}
