//! A measurement for people.

use cyclescope_machine::units::Hertz;
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
    let unit = if outcome.run.clock == Hertz::ZERO { "cycles" } else { "cycles / µs" };
    let columns = [Column::text("span"), Column::number("n")]
        .into_iter()
        .chain(statistics.map(|(statistic, rank)| Column::quantity(statistic, unit).rank(rank)));
    let mut table =
        Table::new(format!("{} on {}, {} memory", guest.name, outcome.run.part, guest.memory.name()), columns);
    for (span, samples) in &outcome.spans {
        let record = outcome.records.iter().find(|record| record.metric == *span && record.unit == Unit::Cycles);
        match record.filter(|_| samples.is_ok()) {
            Some(record) => table.row(cells(record, outcome.run.clock)),
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

fn cells(record: &Record, clock: Hertz) -> Vec<Cell> {
    let mut cells = vec![Cell::from(record.metric.as_str()), format::integer(record.n.into()).into()];
    let numbers = [record.mean, record.stddev, record.min, record.median, record.p99, record.max];
    cells.extend(numbers.map(|number| Cell::from(cell(number, clock))));
    cells
}

/// A number of cycles, and of microseconds where the clock is known.
fn cell(number: Number, clock: Hertz) -> String {
    let cycles = format::number(number, 1);
    match clock.get() {
        0 => cycles,
        hz => format!("{cycles} / {}", format::decimal(number.as_f64() * 1e6 / hz as f64, PLACES)),
    }
}

fn foot(table: &mut Table, outcome: &MeasureOutcome) {
    let milliseconds = format::milliseconds(outcome.run.cycles, outcome.run.clock, 3).unwrap_or_default();
    let asleep = 100.0 * outcome.sleep.asleep.get() as f64 / outcome.run.cycles.get().max(1) as f64;
    table.note(format!(
        "Ran {} cycles ({milliseconds} ms at {}), {} % of them asleep, {} wake-ups, {} stimuli.",
        format::integer(outcome.run.cycles.get().into()),
        outcome.run.clock,
        format::decimal(asleep, 2),
        format::integer(outcome.sleep.wakes.into()),
        format::integer(outcome.stimuli.into()),
    ));
    if outcome.run.clock != outcome.run.nominal_clock {
        table.note(format!(
            "At the end the core ran at {}. Times in stimuli, spans and options are counted in cycles of {}.",
            outcome.run.clock, outcome.run.nominal_clock
        ));
    }
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
        assert_eq!(cell(Number::Integer(1_234), Hertz::new(180_000_000)), "1,234 / 6.856");
        assert_eq!(cell(Number::Real(0.25), Hertz::new(48_000_000)), "0.2 / 0.005");
        assert_eq!(cell(Number::Integer(7), Hertz::ZERO), "7");
    }
}
