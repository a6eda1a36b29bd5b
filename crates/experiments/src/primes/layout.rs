//! Records arranged for people.

use cyclescope_records::{Record, Scalar};
use cyclescope_report::{Cell, Column, Table, Tone, format};
use cyclescope_units::{Cycles, Hertz};

use super::definition::Definition;
use super::derived::{YIELD, YIELD_OUTSIDE, value};
use crate::foot;

/// The records of one chip under one memory setting.
pub(super) struct Conditions<'r> {
    pub(super) chip: &'r str,
    pub(super) memory: String,
    pub(super) clock: Hertz,
    pub(super) records: Vec<&'r Record>,
}

impl<'r> Conditions<'r> {
    /// All that `records` hold, in their order.
    pub(super) fn all(records: &'r [Record]) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for record in records {
            let chip = record.chip.as_deref().unwrap_or("host");
            let memory = record.settings.get("memory").map(Scalar::to_string).unwrap_or_default();
            match found.iter_mut().find(|known| known.chip == chip && known.memory == memory) {
                Some(known) => known.records.push(record),
                None => {
                    let clock = Hertz::new(record.clock_hz.unwrap_or(0));
                    found.push(Self { chip, memory, clock, records: vec![record] });
                }
            }
        }
        found
    }

    /// Contender and optimisation, in the order of the records.
    pub(super) fn rows(&self) -> Vec<(&'r str, &'r str)> {
        let mut rows = Vec::new();
        for record in &self.records {
            let row = (record.contender.as_str(), record.opt.as_str());
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows
    }

    fn record(&self, row: (&str, &str), mode: &str, metric: &str) -> Option<&'r Record> {
        self.records
            .iter()
            .find(|record| {
                (record.contender.as_str(), record.opt.as_str()) == row
                    && record.mode == mode
                    && record.metric == metric
            })
            .copied()
    }

    pub(super) fn value(&self, row: (&str, &str), mode: &str, metric: &str) -> Option<i64> {
        self.record(row, mode, metric).and_then(value)
    }

    pub(super) fn ratio(&self, row: (&str, &str), mode: &str, metric: &str) -> Option<f64> {
        self.record(row, mode, metric).map(|record| record.mean.as_f64())
    }

    /// The elapsed time at the chip's clock.
    fn milliseconds(&self, row: (&str, &str), mode: &str) -> Option<String> {
        let cycles = u64::try_from(self.value(row, mode, "elapsed")?).ok()?;
        format::milliseconds(Cycles::new(cycles), self.clock, 2)
    }
}

pub(super) fn shown(text: Option<String>) -> Cell {
    text.map_or(Cell::toned("n/a", Tone::Faint), Cell::from)
}

fn quotient(with: Option<i64>, without: Option<i64>) -> Option<String> {
    let (with, without) = with.zip(without)?;
    (without != 0).then(|| format::decimal(with as f64 / without as f64, 3))
}

/// For each chip and memory setting the result, and what stands behind it.
pub fn tables(definition: &Definition, records: &[Record]) -> Vec<Table> {
    let pair = |conditions: &Conditions<'_>| [result(definition, conditions), details(conditions)];
    Conditions::all(records).iter().flat_map(pair).collect()
}

/// The rows of both tables: contender and optimisation, the mode of two tasks, and a name. Time slicing is a row of its own.
fn named_rows<'r>(conditions: &Conditions<'r>) -> Vec<((&'r str, &'r str), &'static str, String)> {
    let mut rows = Vec::new();
    for row in conditions.rows() {
        rows.push((row, "two", row.0.to_owned()));
        if conditions.record(row, "two-sliced", "elapsed").is_some() {
            rows.push((row, "two-sliced", format!("{}, sliced", row.0)));
        }
    }
    rows
}

fn result(definition: &Definition, conditions: &Conditions<'_>) -> Table {
    let title =
        format!("{} {} at {}, memory {}", definition.question, conditions.chip, conditions.clock, conditions.memory);
    let mut table = Table::new(
        title,
        [
            Column::text("framework"),
            Column::text("version"),
            Column::text("opt"),
            Column::quantity("plain", "ms"),
            Column::quantity("one task", "ms"),
            Column::quantity("two tasks", "ms"),
            Column::number("one / plain"),
            Column::number("two / one"),
            Column::quantity("cycles per yield", "alone, beside"),
            Column::quantity("flash", "bytes"),
            Column::quantity("RAM", "bytes"),
        ],
    );
    for (row, two, name) in named_rows(conditions) {
        let elapsed = |mode| conditions.value(row, mode, "elapsed");
        let version =
            conditions.records.iter().find(|record| record.contender == row.0).map(|r| r.contender_version.clone());
        table.row(vec![
            Cell::toned(name, Tone::Strong),
            shown(version),
            Cell::from(row.1),
            shown(conditions.milliseconds(row, "plain")),
            shown(conditions.milliseconds(row, "one")),
            shown(conditions.milliseconds(row, two)),
            shown(quotient(elapsed("one"), elapsed("plain"))),
            shown(quotient(elapsed(two), elapsed("one"))),
            Cell::from(per_yield(conditions, row, two, YIELD)),
            shown(size(conditions, row, two, "flash")),
            shown(size(conditions, row, two, "ram")),
        ]);
        let cycles = |mode| {
            elapsed(mode).map_or_else(Cell::default, |cycles| Cell::toned(format::integer(cycles.into()), Tone::Faint))
        };
        table.row(vec![
            Cell::default(),
            Cell::default(),
            Cell::toned("cycles", Tone::Faint),
            cycles("plain"),
            cycles("one"),
            cycles(two),
        ]);
    }
    notes(conditions, &mut table);
    table
}

fn details(conditions: &Conditions<'_>) -> Table {
    let mut table = Table::new(
        "Behind it",
        [
            Column::text("framework"),
            Column::text("opt"),
            Column::quantity("yield outside division", "cycles alone, beside"),
            Column::quantity("division", "% of plain"),
            Column::quantity("own clock", "ms"),
            Column::number("ticks"),
            Column::number("counter"),
            Column::quantity("main stack", "bytes"),
        ],
    );
    for (row, two, name) in named_rows(conditions) {
        let each = |metric: &str, unit: i64| {
            let values = ["plain", "one", two].into_iter().filter_map(|mode| conditions.value(row, mode, metric));
            let texts: Vec<String> = values.map(|value| format::integer((value / unit).into())).collect();
            (!texts.is_empty()).then(|| texts.join(" "))
        };
        let plain = |metric| conditions.value(row, "plain", metric);
        let share = plain("division").zip(plain("elapsed")).filter(|(_, whole)| *whole > 0);
        table.row(vec![
            Cell::toned(name, Tone::Strong),
            Cell::from(row.1),
            Cell::from(per_yield(conditions, row, two, YIELD_OUTSIDE)),
            shown(share.map(|(part, whole)| format::decimal(part as f64 * 100.0 / whole as f64, 1))),
            shown(each("elapsed.own_clock", 1_000_000)),
            shown(each("interrupts", 1)),
            shown(conditions.value(row, two, "counter").map(|count| format::integer(count.into()))),
            shown(size(conditions, row, two, "stack.main")),
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

/// The cost of a yield alone and beside another task.
fn per_yield(conditions: &Conditions<'_>, row: (&str, &str), two: &str, metric: &str) -> String {
    let cost = |mode| conditions.ratio(row, mode, metric).map_or("n/a".to_owned(), |c| format::decimal(c, 1));
    format!("{} {}", cost("one"), cost(two))
}

/// A size of the image with two tasks, or of the nearest there is.
fn size(conditions: &Conditions<'_>, row: (&str, &str), two: &str, metric: &str) -> Option<String> {
    let found = [two, "one", "plain"].into_iter().find_map(|mode| conditions.value(row, mode, metric));
    found.map(|bytes| format::integer(bytes.into()))
}

fn notes(conditions: &Conditions<'_>, table: &mut Table) {
    table.note(
        "Cycles per yield: (one - plain) and (two - one) over the dispatches, which each program counts and the run checks.",
    );
    foot::notes(&conditions.records, &conditions.memory, table);
}
