//! A measurement for people.

use cyclescope_machine::units::Picoseconds;
use cyclescope_records::stats::Number;
use cyclescope_records::{Record, Unit};
use cyclescope_report::format::{TimeUnit, integer};
use cyclescope_report::{Cell, Column, Table, Tone, format, histogram};
use cyclescope_scope::Samples;

use crate::backend::{Guest, MeasureOutcome};
use crate::commands::{assumed, counted};

/// One row a span, and below what must be known to read it.
pub(super) fn table(guest: &Guest<'_>, outcome: &MeasureOutcome) -> Table {
    let title = format!("{} on {}, {} memory", guest.name, outcome.run.part, guest.memory.name());
    let spans: Vec<(&str, bool)> =
        outcome.spans.iter().map(|(name, samples)| (name.as_str(), samples.is_ok())).collect();
    let mut table = spread(title, &spans, &outcome.records);
    for (span, samples) in &outcome.spans {
        table.foot.extend(samples.as_ref().ok().and_then(|samples| first_only(span, samples)));
    }
    foot(&mut table, outcome);
    table
}

/// One row for each of `spans`, with its statistics in `records` if it has numbers.
pub(super) fn spread(title: String, spans: &[(&str, bool)], records: &[Record]) -> Table {
    let statistics = [("mean", 0), ("stddev", 3), ("min", 0), ("median", 1), ("p99", 2), ("max", 0)];
    let unit = unit(spans, records);
    let both = format!("cycles / {}", unit.symbol());
    // One time has no statistics.
    let single = records.iter().filter(|record| is_of_span(record)).all(|record| record.n == 1);
    let shown = if single { &[("time", 0)][..] } else { &statistics };
    let shown = shown.iter().map(|(name, rank)| Column::quantity(*name, both.as_str()).rank(*rank));
    let columns = [Column::text("span"), Column::number("n")].into_iter().chain(shown);
    let mut table = Table::new(title, columns);
    for (span, has_numbers) in spans {
        let record = records.iter().find(|record| record.metric == *span && record.unit == Unit::Cycles);
        match record.filter(|_| *has_numbers) {
            Some(record) => table.row(cells(record, time_of(span, records), unit)),
            None => table.row([Cell::from(*span), Cell::toned("none", Tone::Bad)]),
        };
    }
    table
}

/// Says which estimates of `span` do not cover all its samples.
fn first_only(span: &str, samples: &Samples) -> Option<String> {
    let (first, all) = (integer(samples.first.len() as i128), integer(samples.count().into()));
    (samples.later.count > 0).then(|| {
        format!(
            "Span {span}: n, mean, min and max are of all {all} samples, the other columns of the first {first}, which are kept."
        )
    })
}

/// True for the record of a span's cycles.
fn is_of_span(record: &Record) -> bool {
    record.mode == "span" && record.unit == Unit::Cycles
}

/// The spread of each span that has more than one sample, and a word on each that has one.
pub(super) fn histograms(records: &[Record]) -> Vec<Table> {
    let of_cycles = records.iter().filter(|record| is_of_span(record));
    of_cycles
        .map(|record| match &record.histogram {
            Some(found) => histogram(&record.metric, "cycles", found),
            None => {
                let why = format!("{}: no histogram, because it happened once.", record.metric);
                Table { foot: vec![why], ..Table::default() }
            }
        })
        .collect()
}

/// Returns the record of the time of `span`. A span may have the name of another's time.
fn time_of<'o>(span: &str, records: &'o [Record]) -> Option<&'o Record> {
    let metric = format!("{span}.time");
    records.iter().find(|record| record.metric == metric && record.unit == Unit::Nanoseconds)
}

/// Returns the unit of all times.
fn unit(spans: &[(&str, bool)], records: &[Record]) -> TimeUnit {
    let means = spans.iter().filter_map(|(span, _)| time_of(span, records)).map(|time| time.mean.as_f64());
    common_unit(&means.collect::<Vec<_>>())
}

/// Returns the unit that fits the shortest of `times`, in nanoseconds; a tenth of a microsecond may stand beside more of them.
fn common_unit(times: &[f64]) -> TimeUnit {
    let units =
        times.iter().filter(|time| **time > 0.0).map(|time| TimeUnit::of(Picoseconds::new((time * 1e3) as u64)));
    match (units.clone().min(), units.max()) {
        (Some(TimeUnit::Nanoseconds), Some(longest)) if longest > TimeUnit::Nanoseconds => TimeUnit::Microseconds,
        (shortest, _) => shortest.unwrap_or(TimeUnit::Microseconds),
    }
}

fn cells(cycles: &Record, time: Option<&Record>, unit: TimeUnit) -> Vec<Cell> {
    let times = time.map(statistics);
    let mut cells = vec![Cell::from(cycles.metric.as_str()), format::integer(cycles.n.into()).into()];
    // The mean of one is itself; the other statistics would say it again.
    let count = if cycles.n == 1 { 1 } else { 6 };
    cells.extend(
        (statistics(cycles).into_iter().enumerate().take(count))
            .map(|(place, cycles)| Cell::from(cell(cycles, times.map(|times| times[place]), unit))),
    );
    cells
}

/// The statistics of `record` in the order of the table's columns.
fn statistics(record: &Record) -> [Number; 6] {
    [record.mean, record.stddev, record.min, record.median, record.p99, record.max]
}

/// A number of cycles, and its time in `unit`.
fn cell(cycles: Number, nanoseconds: Option<Number>, unit: TimeUnit) -> String {
    let cycles = format::number(cycles, 1);
    match nanoseconds {
        Some(time) => {
            let ones = time.as_f64() * 1e3 / unit.length().get() as f64;
            // Four digits, as times in prose have.
            let places = match ones.abs() {
                0.0..10.0 => 3,
                10.0..100.0 => 2,
                100.0..1000.0 => 1,
                _ => 0,
            };
            format!("{cycles} / {}", format::decimal(ones, places))
        }
        None => cycles,
    }
}

fn foot(table: &mut Table, outcome: &MeasureOutcome) {
    let asleep = 100.0 * outcome.sleep.asleep.get() as f64 / outcome.run.cycles.get().max(1) as f64;
    table.note(format!(
        "Ran {} ({}), {} % of them asleep, {}, {}; the core's clock was {} at the end.",
        outcome.run.cycles,
        format::time(outcome.run.time),
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
    fn all_times_of_a_table_have_one_unit() {
        assert_eq!(common_unit(&[]), TimeUnit::Microseconds);
        assert_eq!(common_unit(&[375.0, 72_689.0]), TimeUnit::Microseconds);
        assert_eq!(common_unit(&[375.0, 20.8, 0.0]), TimeUnit::Nanoseconds);
        assert_eq!(common_unit(&[2e6, 5e9]), TimeUnit::Milliseconds);
    }

    #[test]
    fn cycles_stand_beside_their_time() {
        let micro = TimeUnit::Microseconds;
        assert_eq!(cell(Number::Integer(1_234), Some(Number::Real(6_855.555)), micro), "1,234 / 6.856");
        assert_eq!(cell(Number::Real(0.25), Some(Number::Integer(5)), micro), "0.2 / 0.005");
        assert_eq!(cell(Number::Integer(7), None, micro), "7");
        assert_eq!(cell(Number::Integer(7_362_900), Some(Number::Integer(153_393_750)), micro), "7,362,900 / 153,394");
        let second = Number::Integer(1_500_000_000);
        assert_eq!(cell(Number::Integer(7), Some(second), TimeUnit::Seconds), "7 / 1.500");
    }
}
