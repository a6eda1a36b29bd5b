//! Records arranged for people.

use cyclescope_machine::units::Cycles;
use cyclescope_records::Record;
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::definition::Primes;
use super::derived::{self, YIELD, YIELD_OUTSIDE};
use crate::conditions::{Build, Conditions};
use crate::{View, luck, table_notes};

fn record<'r>(of: &Conditions<'r>, build: Build<'_>, mode: &str, metric: &str) -> Option<&'r Record> {
    of.of(build, metric).find(|record| record.mode == mode)
}

pub(super) fn value(of: &Conditions<'_>, build: Build<'_>, mode: &str, metric: &str) -> Option<i64> {
    record(of, build, mode, metric).and_then(derived::value)
}

pub(super) fn ratio(of: &Conditions<'_>, build: Build<'_>, mode: &str, metric: &str) -> Option<f64> {
    record(of, build, mode, metric).map(|record| record.mean.as_f64())
}

/// The elapsed time at the chip's clock.
fn milliseconds(of: &Conditions<'_>, build: Build<'_>, mode: &str) -> Option<String> {
    let cycles = u64::try_from(value(of, build, mode, "elapsed")?).ok()?;
    format::milliseconds(Cycles::new(cycles), of.clock, 2)
}

fn quotient(with: Option<i64>, without: Option<i64>) -> Option<String> {
    let (with, without) = with.zip(without)?;
    (without != 0).then(|| format::decimal(with as f64 / without as f64, 3))
}

/// For each chip and memory setting the result, and what stands behind it.
pub fn tables(definition: &Primes, records: &[Record], view: &View) -> Vec<Table> {
    let shown = |conditions: &Conditions<'_>| {
        let behind = view.details.then(|| details(conditions));
        std::iter::once(result(definition, conditions, view)).chain(behind).collect::<Vec<_>>()
    };
    Conditions::all(records).iter().flat_map(shown).collect()
}

/// Modes of two tasks with a row of their own, and what the row's name has more.
const FURTHER: [(&str, &str); 2] = [("two-sliced", "sliced"), ("other-core", "other core")];

/// The rows of both tables: contender and optimisation, the mode of two tasks, and a name.
fn named_rows<'r>(conditions: &Conditions<'r>) -> Vec<(Build<'r>, &'static str, String)> {
    let mut rows = Vec::new();
    for row in conditions.builds() {
        rows.push((row, "two", row.0.to_owned()));
        let there = |mode| record(conditions, row, mode, "elapsed").is_some();
        rows.extend(
            FURTHER
                .iter()
                .filter(|(mode, _)| there(mode))
                .map(|(mode, name)| (row, *mode, format!("{}, {name}", row.0))),
        );
    }
    rows
}

fn result(definition: &Primes, conditions: &Conditions<'_>, view: &View) -> Table {
    let with_luck = luck::any(&conditions.records);
    let luck = with_luck.then(|| {
        let yields = |what| Column::quantity("per yield, least–most", what).rank(1);
        [Column::quantity("luck", "% of time"), yields("alone"), yields("beside")]
    });
    let mut table = Table::new(
        conditions.title(&definition.question),
        [
            Column::text("framework"),
            Column::text("version").rank(5),
            Column::text("opt"),
            Column::quantity("plain", "ms").rank(2),
            Column::quantity("one task", "ms"),
            Column::quantity("two tasks", "ms"),
            Column::number("one / plain").rank(3),
            Column::number("two / one").rank(4),
            Column::quantity("cycles per yield", "alone"),
            Column::quantity("cycles per yield", "beside"),
            Column::quantity("flash", "bytes"),
            Column::quantity("RAM", "bytes"),
        ]
        .into_iter()
        .chain(luck.into_iter().flatten()),
    );
    for (row, two, name) in named_rows(conditions) {
        let elapsed = |mode| value(conditions, row, mode, "elapsed");
        let version =
            conditions.records.iter().find(|record| record.contender == row.0).map(|r| r.contender_version.clone());
        let mut cells = vec![
            Cell::toned(name, Tone::Strong),
            Cell::or_none(version),
            Cell::from(row.1),
            Cell::or_none(milliseconds(conditions, row, "plain")),
            Cell::or_none(milliseconds(conditions, row, "one")),
            Cell::or_none(milliseconds(conditions, row, two)),
            Cell::or_none(quotient(elapsed("one"), elapsed("plain"))),
            Cell::or_none(quotient(elapsed(two), elapsed("one"))),
            per_yield(conditions, row, "one", YIELD),
            per_yield(conditions, row, two, YIELD),
            Cell::or_none(size(conditions, row, two, "flash")),
            Cell::or_none(size(conditions, row, two, "ram")),
        ];
        if with_luck {
            let times = ["plain", "one", two].into_iter().filter_map(|mode| record(conditions, row, mode, "elapsed"));
            cells.push(luck::cell(times));
            cells.extend(["one", two].map(|mode| luck::range(record(conditions, row, mode, YIELD))));
        }
        table.row(cells);
        if view.details {
            let faint = |cycles: i64| Cell::toned(format::integer(cycles.into()), Tone::Faint);
            let cycles = |mode| elapsed(mode).map_or_else(Cell::default, faint);
            table.row(vec![
                Cell::default(),
                Cell::default(),
                Cell::toned("cycles", Tone::Faint),
                cycles("plain"),
                cycles("one"),
                cycles(two),
            ]);
        }
    }
    notes(conditions, view, &mut table);
    table
}

fn details(conditions: &Conditions<'_>) -> Table {
    let mut table = Table::new(
        "Behind it",
        [
            Column::text("framework"),
            Column::text("opt"),
            Column::quantity("yield outside division", "cycles alone"),
            Column::quantity("yield outside division", "cycles beside"),
            Column::quantity("division", "% of plain"),
            Column::quantity("own clock, ms", "plain").rank(3),
            Column::quantity("own clock, ms", "one").rank(3),
            Column::quantity("own clock, ms", "two").rank(3),
            Column::quantity("ticks", "plain").rank(2),
            Column::quantity("ticks", "one").rank(2),
            Column::quantity("ticks", "two").rank(2),
            Column::number("counter").rank(4),
            Column::quantity("main stack", "bytes"),
        ],
    );
    for (row, two, name) in named_rows(conditions) {
        let each = |metric: &str, unit: i64| {
            ["plain", "one", two].map(|mode| {
                Cell::or_none(value(conditions, row, mode, metric).map(|value| format::integer((value / unit).into())))
            })
        };
        let [clock_plain, clock_one, clock_two] = each("elapsed.own_clock", 1_000_000);
        let [ticks_plain, ticks_one, ticks_two] = each("interrupts", 1);
        let plain = |metric| value(conditions, row, "plain", metric);
        let share = plain("division").zip(plain("elapsed")).filter(|(_, whole)| *whole > 0);
        table.row(vec![
            Cell::toned(name, Tone::Strong),
            Cell::from(row.1),
            per_yield(conditions, row, "one", YIELD_OUTSIDE),
            per_yield(conditions, row, two, YIELD_OUTSIDE),
            Cell::or_none(share.map(|(part, whole)| format::decimal(part as f64 * 100.0 / whole as f64, 1))),
            clock_plain,
            clock_one,
            clock_two,
            ticks_plain,
            ticks_one,
            ticks_two,
            Cell::or_none(value(conditions, row, two, "counter").map(|count| format::integer(count.into()))),
            Cell::or_none(size(conditions, row, two, "stack.main")),
        ]);
    }
    table.note(
        "Yield outside division: as cycles per yield, of the cycles outside __aeabi_uldivmod, whose time varies with where \
         each image happens to place it (docs/experiments.md, luck of placement). Division: the helper's share; C takes it \
         from libgcc, Rust from compiler-builtins. Own clock: the span by the program's own clock in plain, one, two, which \
         must agree with the simulator's to a tick. Ticks: SysTick and device interrupts inside each span; RTIC dispatches its \
         tasks from one, so its yields are among them. Counter: the second \
         task's turns, which must be the dispatches, give or take 2 and the switches that a tick forced. Main stack: its \
         deepest use; tasks with stacks of their own have them in RAM.",
    );
    table
}

/// The cost of a yield in `mode`: alone, or beside another task.
fn per_yield(conditions: &Conditions<'_>, row: Build<'_>, mode: &str, metric: &str) -> Cell {
    Cell::or_none(ratio(conditions, row, mode, metric).map(|cycles| format::decimal(cycles, 1)))
}

/// A size of the image with two tasks, or of the nearest there is.
fn size(conditions: &Conditions<'_>, row: Build<'_>, two: &str, metric: &str) -> Option<String> {
    let found = [two, "one", "plain"].into_iter().find_map(|mode| value(conditions, row, mode, metric));
    found.map(|bytes| format::integer(bytes.into()))
}

fn notes(conditions: &Conditions<'_>, view: &View, table: &mut Table) {
    table.note(
        "Cycles per yield: alone (one - plain), and beside another task (two - one), over the dispatches, which each program \
         counts and the run checks.",
    );
    if luck::any(&conditions.records) {
        table.note("Luck is of the three times, the greatest. Least–most: a yield over all layouts, of both programs that it is between.");
    }
    table_notes::notes(&conditions.records, &conditions.memory, view, table);
}
