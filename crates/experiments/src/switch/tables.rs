//! Records arranged for people.

use cyclescope_chips::Part;
use cyclescope_records::{Record, Scalar};
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::definition::Switch;
use super::measure::{INTERRUPTS, WINDOWS, reason};
use super::provenance;
use crate::conditions::{Build, Conditions, unique};
use crate::{View, luck, table_notes};

/// The record of `metric` of a row.
fn of_row<'r>(of: &Conditions<'r>, build: Build<'_>, place: Place<'_>, metric: &str) -> Option<&'r Record> {
    of.of(build, metric).find(|record| record.mode == place.mode && is(record, place.row))
}

/// `metric` of the digest's row in the first mode that has it.
pub(super) fn value(definition: &Switch, of: &Conditions<'_>, build: Build<'_>, metric: &str) -> Option<f64> {
    let row = &definition.rows.digest;
    let mut modes = definition.mode.iter().filter(|mode| mode.variant.is_none());
    modes.find_map(|mode| of_row(of, build, Place { mode: &mode.name, row }, metric)).map(|record| record.mean.as_f64())
}

/// A row of an image of a mode.
#[derive(Clone, Copy)]
struct Place<'a> {
    mode: &'a str,
    row: &'a str,
}

fn is(record: &Record, row: &str) -> bool {
    matches!(record.params.get("row"), Some(Scalar::Text(name)) if name == row)
}

fn n_a(text: &str) -> Cell {
    Cell::toned(text, Tone::Faint)
}

/// For each chip and memory setting: the result, the sizes of what a user pays for, and what interrupts took.
pub fn tables(definition: &Switch, records: &[Record], view: &View) -> Vec<Table> {
    let of = |conditions: &Conditions<'_>| {
        let mut tables = vec![result(definition, conditions, view)];
        tables.extend(sizes(definition, conditions));
        tables.extend(view.details.then(|| interrupts(definition, conditions)).flatten());
        tables
    };
    Conditions::all(records).iter().flat_map(of).collect()
}

/// The rows of one build in the table's order, each with its name. The floor of a second mode is a row of its own where
/// it is another number: that image's other rows stand above it.
fn places<'a>(definition: &'a Switch, conditions: &Conditions<'_>, build: Build<'_>) -> Vec<(Place<'a>, String)> {
    let mut places = Vec::new();
    for row in &definition.rows.shown {
        let mut before = None;
        for mode in definition.mode.iter().filter(|mode| mode.rows.contains(row)) {
            let place = Place { mode: &mode.name, row };
            let Some(record) = of_row(conditions, build, place, "elapsed") else { continue };
            match before {
                None => places.push((place, row.clone())),
                Some(other) if other != record.mean => places.push((place, format!("{row} ({})", mode.name))),
                Some(_) => {}
            }
            before = Some(record.mean);
        }
    }
    places
}

fn result(definition: &Switch, conditions: &Conditions<'_>, view: &View) -> Table {
    let mut table = Table::new(
        conditions.title(&definition.question),
        [
            Column::text("framework"),
            Column::text("opt"),
            Column::text("row"),
            Column::number("iterations").rank(6),
            Column::quantity("each", "µs").rank(3),
            Column::quantity("above empty", "µs").rank(2),
            Column::quantity("each", "cycles"),
            Column::quantity("above empty", "cycles"),
            Column::quantity("own clock, each", "µs").rank(5),
            Column::quantity("interrupts", "%").rank(4),
        ]
        .into_iter()
        .chain(has_windows(conditions).then(|| Column::quantity("windows", "%").rank(4)))
        .chain(luck::column(&conditions.records)),
    );
    if let Ok(part) = Part::find(conditions.chip) {
        table.head(format!("{}: {}.", part.name, part.description));
    }
    let mut reasons: Vec<String> = Vec::new();
    for contender in conditions.contenders() {
        if view.details {
            table.head(provenance::line(&conditions.records, contender));
        }
        for opt in conditions.opts(contender) {
            for (place, name) in places(definition, conditions, (contender, opt)) {
                table.row(cells(conditions, (contender, opt), place, name));
            }
        }
        for row in &definition.rows.shown {
            let of_contender = || conditions.records.iter().filter(|record| record.contender == contender);
            let why = of_contender().find_map(|record| reason(record, row));
            let Some(why) = why.filter(|_| !of_contender().any(|record| is(record, row))) else { continue };
            let why = why.to_string();
            let number = reasons.iter().position(|known| *known == why).unwrap_or_else(|| {
                reasons.push(why);
                reasons.len() - 1
            });
            let mark = format!("n/a ({})", number + 1);
            let names = [Cell::toned(contender, Tone::Strong), Cell::default(), Cell::from(row.as_str())];
            // The mark stands in a column that every terminal has.
            let cells =
                (0..table.columns.len() - names.len()).map(|column| n_a(if column == 3 { &mark } else { "n/a" }));
            table.row(names.into_iter().chain(cells));
        }
    }
    notes(definition, conditions, &reasons, view, &mut table);
    table
}

fn cells(conditions: &Conditions<'_>, build: Build<'_>, place: Place<'_>, name: String) -> Vec<Cell> {
    let of = |metric: &str| of_row(conditions, build, place, metric).map(|record| record.mean.as_f64());
    let microseconds = |ns: f64| format::decimal(ns / 1e3, 3);
    let above = of("switch.above_floor");
    let hz = conditions.clock.get() as f64;
    let share = |metric: &str| {
        let own = |record: &&Record| record.mode == place.mode && is(record, place.row) && !around(record);
        // A sum of nothing would be -0.
        let sum = conditions.of(build, metric).filter(own).fold(0.0, |sum, record| sum + record.mean.as_f64());
        Cell::from(format::decimal(sum * 100.0, 2))
    };
    let iterations = of_row(conditions, build, place, "iterations").and_then(|record| record.mean.as_integer());
    let empty = |text: Option<String>| text.map_or_else(Cell::default, Cell::from);
    vec![
        Cell::toned(build.0, Tone::Strong),
        Cell::from(build.1),
        Cell::from(name),
        Cell::or_none(iterations.map(|count| format::integer(count.into()))),
        Cell::or_none(of("switch.time").map(microseconds)),
        empty(above.map(|cycles| format::decimal(cycles * 1e6 / hz, 3))),
        Cell::or_none(of("switch").map(|cycles| format::decimal(cycles, 2))),
        empty(above.map(|cycles| format::decimal(cycles, 2))),
        Cell::or_none(of("switch.own_clock").map(microseconds)),
        share("interrupts.share"),
    ]
    .into_iter()
    .chain(has_windows(conditions).then(|| share("windows.share")))
    .chain(luck::any(&conditions.records).then(|| luck::cell(of_row(conditions, build, place, "switch"))))
    .collect()
}

/// Tells if the chip has register windows whose exceptions came.
fn has_windows(conditions: &Conditions<'_>) -> bool {
    conditions.records.iter().any(|record| record.metric == "windows")
}

/// Tells if the row runs inside this exception's handler, so that it is no interruption.
fn around(record: &Record) -> bool {
    record.params.contains_key("around")
}

/// Returns the ordinary board, and the variants that modes name.
fn variants(definition: &Switch) -> impl Iterator<Item = Option<&str>> {
    unique(definition.mode.iter().map(|mode| mode.variant.as_deref())).into_iter()
}

fn sizes(definition: &Switch, conditions: &Conditions<'_>) -> Option<Table> {
    let heads = [Column::text("framework"), Column::text("opt")];
    let objects = definition.size.iter().map(|size| Column::number(&*size.title));
    let image = [Column::number("flash"), Column::number("RAM"), Column::number("main stack")];
    let mut table = Table::new(
        format!("What a user pays for on {}, in bytes", conditions.chip),
        heads.into_iter().chain(objects).chain(image),
    );
    for contender in conditions.contenders() {
        for (opt, variant) in conditions
            .opts(contender)
            .into_iter()
            .flat_map(|opt| variants(definition).map(move |variant| (opt, variant)))
        {
            let there =
                |record: &&Record| definition.mode(&record.mode).is_some_and(|mode| mode.variant.as_deref() == variant);
            if !conditions.of((contender, opt), "flash").any(|record| there(&record)) {
                continue;
            }
            // The greatest is that of the image that has everything.
            let bytes = |metric: &str| {
                let own = conditions.of((contender, opt), metric).filter(there);
                let found = own.filter_map(|record| record.mean.as_integer()).max();
                Cell::or_none(found.map(|bytes| format::integer(bytes.into())))
            };
            let build = variant.map_or_else(|| opt.to_owned(), |variant| format!("{opt} ({variant})"));
            let names = [Cell::toned(contender, Tone::Strong), Cell::from(build)];
            let objects = definition.size.iter().map(|size| bytes(&format!("size.{}", size.name)));
            let image = ["flash", "ram", "stack.main"].map(bytes);
            table.row(names.into_iter().chain(objects).chain(image));
        }
    }
    table.note(
        "Objects as the program says, by sizeof or by what the runtime allocates; n/a where the runtime has no such object \
         or its rows are n/a. Flash, RAM and main stack are the whole program's, the larger where there are two modes.",
    );
    (!table.rows.is_empty()).then_some(table)
}

/// Returns the exceptions inside the rows, one by one.
fn interrupts(definition: &Switch, conditions: &Conditions<'_>) -> Option<Table> {
    let mut table = Table::new(
        format!("What exceptions took inside the rows on {}", conditions.chip),
        [
            Column::text("framework"),
            Column::text("opt"),
            Column::text("row"),
            Column::text("exception"),
            Column::number("entered"),
            Column::quantity("handlers", "cycles"),
            Column::quantity("share", "%"),
        ],
    );
    let mut inside = false;
    for contender in conditions.contenders() {
        for opt in conditions.opts(contender) {
            let build = (contender, opt);
            for (place, name) in places(definition, conditions, build) {
                let here = |record: &&Record| record.mode == place.mode && is(record, place.row);
                let of_both = |index: usize| {
                    let metrics = [INTERRUPTS[index], WINDOWS[index]];
                    metrics.into_iter().flat_map(|metric| conditions.of(build, metric)).filter(here)
                };
                let [taken, cycles, shares] = [0, 1, 2].map(of_both);
                for ((entries, cycles), share) in taken.zip(cycles).zip(shares) {
                    let exception = entries.params.get("exception").map(Scalar::to_string).unwrap_or_default();
                    let mark = if around(entries) { ", around the row" } else { "" };
                    inside |= around(entries);
                    table.row([
                        Cell::toned(contender, Tone::Strong),
                        Cell::from(opt),
                        Cell::from(name.as_str()),
                        Cell::from(exception + mark),
                        Cell::from(format::number(entries.mean, 0)),
                        Cell::from(format::number(cycles.mean, 0)),
                        Cell::from(format::decimal(share.mean.as_f64() * 100.0, 2)),
                    ]);
                }
            }
        }
    }
    table.note(
        "Handlers: from a handler's first instruction to its return, more urgent ones inside it left out; entry and return come \
         on top. A kernel that switches in an exception (PendSV, SVCall) pays for it here, and so does a runtime whose tasks \
         run in interrupts.",
    );
    if inside {
        table.note(
            "Around the row: the row runs inside this handler, which is therefore no interruption and not in the share of the \
             table above.",
        );
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Tells if `chip` is also measured on a board that has another name than the chip, this one.
fn is_other_board(board: &str, chip: &str) -> bool {
    cyclescope_images::images().iter().any(|image| image.board == board && image.chip == chip)
}

fn notes(definition: &Switch, conditions: &Conditions<'_>, reasons: &[String], view: &View, table: &mut Table) {
    for (number, reason) in (1..).zip(reasons) {
        table.note(format!("({number}) {reason}."));
    }
    for mode in definition.mode.iter().filter(|mode| mode.variant.is_some()) {
        if conditions.records.iter().any(|record| record.mode == mode.name) {
            table.note(format!("({}) {}.", mode.name, mode.title));
        }
    }
    let contenders = conditions.contenders();
    if contenders.len() > 1 {
        let of_question = |one: &&cyclescope_images::NotOn| one.experiment == definition.name;
        for one in cyclescope_images::not_on().iter().filter(of_question) {
            if one.board == conditions.chip {
                table.note(format!("{} is not on this chip: {}.", one.contender, one.reason));
            } else if is_other_board(one.board, conditions.chip) && contenders.contains(&one.contender) {
                table.note(format!("{} is not on the board {}: {}.", one.contender, one.board, one.reason));
            }
        }
    }
    table.note(format!(
        "Above empty: less {} of the same image. Each and above empty are the simulator's; the own clock's reading must \
         agree with it within its resolution and what reading it takes. Interrupts: the share that handlers took inside the row.",
        definition.rows.floor
    ));
    if has_windows(conditions) {
        table.note(
            "Windows: the share that the exceptions of register windows took outside those handlers, which spill and fetch the \
             registers of callers at the row's own calls and returns.",
        );
    }
    table_notes::notes(&conditions.records, &conditions.memory, view, table);
}
