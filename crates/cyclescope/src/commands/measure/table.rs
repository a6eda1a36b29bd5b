//! A measurement for people.

use cyclescope_records::stats::Number;
use cyclescope_records::{Record, Unit};
use cyclescope_report::{Cell, Column, Table, Tone, format, histogram};

use crate::backend::{Guest, MeasureOutcome};
use crate::commands::assumed;

/// Decimals of microseconds: a nanosecond is less than a cycle of any part.
const PLACES: usize = 3;

/// One row a span, and below what must be known to read it.
pub(super) fn table(guest: &Guest<'_>, outcome: &MeasureOutcome) -> Table {
    let statistics = [("mean", 0), ("stddev", 3), ("min", 0), ("median", 1), ("p99", 2), ("max", 0)];
    let columns = [Column::text("span"), Column::number("n")]
        .into_iter()
        .chain(statistics.map(|(statistic, rank)| Column::quantity(statistic, "cycles / µs").rank(rank)));
    let mut table =
        Table::new(format!("{} on {}, {} memory", guest.name, outcome.run.part, guest.memory.name()), columns);
    for (span, samples) in &outcome.spans {
        let record = outcome.records.iter().find(|record| record.metric == *span && record.unit == Unit::Cycles);
        match record.filter(|_| samples.is_ok()) {
            Some(record) => {
                let metric = format!("{span}.time");
                // A span may have the name of another's time.
                let is_time = |record: &&Record| record.metric == metric && record.unit == Unit::Nanoseconds;
                table.row(cells(record, outcome.records.iter().find(is_time)))
            }
            None => table.row([Cell::from(span.as_str()), Cell::toned("none", Tone::Bad)]),
        };
    }
    foot(&mut table, outcome);
    table
}

/// The spread of each span that has more than one sample.
pub(super) fn histograms(outcome: &MeasureOutcome) -> Vec<Table> {
    let of_cycles = outcome.records.iter().filter(|record| record.mode == "span" && record.unit == Unit::Cycles);
    of_cycles.filter_map(|record| Some(histogram(&record.metric, "cycles", record.histogram.as_ref()?))).collect()
}

fn cells(cycles: &Record, time: Option<&Record>) -> Vec<Cell> {
    let times = time.map(statistics);
    let mut cells = vec![Cell::from(cycles.metric.as_str()), format::integer(cycles.n.into()).into()];
    cells.extend(
        (statistics(cycles).into_iter().enumerate())
            .map(|(place, cycles)| Cell::from(cell(cycles, times.map(|times| times[place])))),
    );
    cells
}

/// The statistics of `record` in the order of the table's columns.
fn statistics(record: &Record) -> [Number; 6] {
    [record.mean, record.stddev, record.min, record.median, record.p99, record.max]
}

/// A number of cycles, and its time in microseconds.
fn cell(cycles: Number, nanoseconds: Option<Number>) -> String {
    let cycles = format::number(cycles, 1);
    match nanoseconds {
        Some(time) => format!("{cycles} / {}", format::decimal(time.as_f64() / 1e3, PLACES)),
        None => cycles,
    }
}

/// Returns `count` with the word for one or for several.
fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{} {}", format::integer(count.into()), if count == 1 { one } else { several })
}

fn foot(table: &mut Table, outcome: &MeasureOutcome) {
    let milliseconds = format::decimal(outcome.run.time.get() as f64 / 1e9, 3);
    let asleep = 100.0 * outcome.sleep.asleep.get() as f64 / outcome.run.cycles.get().max(1) as f64;
    table.note(format!(
        "Ran {} cycles ({milliseconds} ms), {} % of them asleep, {}, {}; the core's clock was {} at the end.",
        format::integer(outcome.run.cycles.get().into()),
        format::decimal(asleep, 2),
        counted(outcome.sleep.wakes, "wake-up", "wake-ups"),
        counted(outcome.stimuli, "stimulus", "stimuli"),
        outcome.run.clock,
    ));
    let Some(record) = outcome.records.first() else { return };
    if let Some(written) = record.settings.get("flash_written") {
        table.note(format!("The firmware had set the flash to {written}."));
    }
    table.foot.extend(record.model.as_ref().and_then(assumed));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_stand_beside_microseconds() {
        assert_eq!(cell(Number::Integer(1_234), Some(Number::Real(6_855.555))), "1,234 / 6.856");
        assert_eq!(cell(Number::Real(0.25), Some(Number::Integer(5))), "0.2 / 0.005");
        assert_eq!(cell(Number::Integer(7), None), "7");
    }
}
