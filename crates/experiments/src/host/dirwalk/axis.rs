//! Time against the values of an axis: a table, and charts with the ideal.

use cyclescope_records::{Record, Scalar};
use cyclescope_report::chart::{Axis, Chart, Point, Scale, Shape};
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::super::origin;
use super::tables::{Of, setting};
use crate::Mode;

/// The most contenders in one chart, so that their lines can be told apart.
const TOGETHER: usize = 5;

/// The results of one axis.
struct Times<'a> {
    mode: &'a Mode,
    of: &'a Of<'a>,
    /// The values that were measured, rising.
    values: Vec<i64>,
    /// The number of the machine's processors.
    processors: f64,
}

/// A contender's time at one value, in milliseconds.
#[derive(Clone, Copy)]
struct Time {
    value: i64,
    mean: f64,
    interval: Option<(f64, f64)>,
}

/// Times against the values of an axis, each beside what it is to be held against.
pub(super) fn table(mode: &Mode, of: &Of<'_>) -> Table {
    let times = Times::new(mode, of);
    let mut columns = vec![Column::text("variant")];
    for value in &times.values {
        columns.push(Column::quantity(format!("{value}"), "ms"));
        columns.push(Column::number("ideal"));
    }
    let mut table = Table::new(format!("Time against {} ({})", mode.name, mode.title), columns);
    for contender in of.contenders() {
        let measured = times.of(contender);
        let mut cells = vec![Cell::toned(contender, Tone::Strong)];
        for value in &times.values {
            let found = measured.iter().find(|time| time.value == *value);
            cells.push(Cell::or_none(found.map(|time| format::decimal(time.mean, 1))));
            let ideal = measured.first().map(|first| times.ideal(*first, *value));
            let ideal = Cell::or_none(ideal.map(|ideal| format::decimal(ideal, 1)));
            cells.push(Cell { tone: Tone::Faint, ..ideal });
        }
        table.row(cells);
    }
    for chart in times.charts() {
        table.chart(chart);
    }
    let processors = times.processors;
    table.note(if mode.name == "contend" {
        format!(
            "Means of real time. Ideal: what the first column would become if the {processors} processors were shared evenly \
             among the walk's one thread and what keeps them busy."
        )
    } else {
        format!(
            "Means of real time. Ideal: the first column's, divided by as many times as there is more to use, but by no more \
             than the {processors} processors there are."
        )
    });
    if !table.charts.is_empty() {
        table.note(
            "Charts: means with their intervals (bootstrap, 95 %), both axes of ratios where the values allow it.",
        );
    }
    for line in origin::foot(&of.records) {
        table.note(line);
    }
    table
}

impl<'a> Times<'a> {
    fn new(mode: &'a Mode, of: &'a Of<'a>) -> Self {
        let mut values: Vec<i64> = of.records.iter().filter_map(|record| value_of(mode, record)).collect();
        values.sort_unstable();
        values.dedup();
        let processors = of.records.iter().find_map(|record| setting(record, "processors")).unwrap_or(1.0);
        Self { mode, of, values, processors }
    }

    /// Returns the times of `contender`, by rising values.
    fn of(&self, contender: &str) -> Vec<Time> {
        let at = |value: &i64| {
            let record = self.of.records.iter().find(|record| {
                record.contender == contender
                    && record.metric == "elapsed"
                    && value_of(self.mode, record) == Some(*value)
            })?;
            let interval = setting(record, "mean.low").zip(setting(record, "mean.high"));
            let interval = interval.map(|(low, high)| (low / 1e6, high / 1e6));
            Some(Time { value: *value, mean: record.mean.as_f64() / 1e6, interval })
        };
        self.values.iter().filter_map(at).collect()
    }

    /// Returns the ideal time at `value`: `first`, if all scaled.
    fn ideal(&self, first: Time, value: i64) -> f64 {
        let share = |value: i64| {
            if self.mode.name == "contend" {
                // Of one thread among `value` busy ones.
                (self.processors / (value as f64 + 1.0)).min(1.0)
            } else {
                (value.max(1) as f64).min(self.processors)
            }
        };
        first.mean * share(first.value) / share(value)
    }

    /// The same to be seen; nothing where there is but one value.
    fn charts(&self) -> Vec<Chart> {
        let (Some(least), Some(most)) = (self.values.first(), self.values.last()) else { return Vec::new() };
        if least == most {
            return Vec::new();
        }
        let scale = if *least > 0 { Scale::Logarithmic } else { Scale::Linear };
        let contenders = self.of.contenders();
        let chart = |names: &[&str]| {
            let x =
                Axis::number(self.mode.title.as_str()).on(scale).marked(self.values.iter().map(|value| *value as f64));
            let y = Axis::quantity("real time", "ms").on(Scale::Logarithmic);
            let mut chart = Chart::new(format!("Time against {}: {}", self.mode.name, names.join(", ")), x, y);
            for name in names {
                let times = self.of(name);
                let Some(first) = times.first() else { continue };
                let ideal = self.corners().into_iter().filter(|value| *value >= first.value);
                let ideal = ideal.map(|value| Point::new(value as f64, self.ideal(*first, value)));
                chart.series(*name, Shape::Ideal, ideal);
                let measured = times.iter().map(|time| {
                    let (low, high) = time.interval.unwrap_or((time.mean, time.mean));
                    Point::new(time.value as f64, time.mean).within(low, high)
                });
                chart.series(*name, Shape::Line, measured);
            }
            chart
        };
        contenders.chunks(TOGETHER).map(chart).collect()
    }

    /// The values at which ideals are to be known: all, and where they bend.
    fn corners(&self) -> Vec<i64> {
        let bend = if self.mode.name == "contend" { self.processors - 1.0 } else { self.processors };
        let inside = self
            .values
            .first()
            .zip(self.values.last())
            .filter(|(least, most)| (**least as f64) < bend && bend < **most as f64);
        let mut corners = self.values.clone();
        corners.extend(inside.map(|_| bend as i64));
        corners.sort_unstable();
        corners.dedup();
        corners
    }
}

/// The value of the axis that `record` was measured at.
fn value_of(mode: &Mode, record: &Record) -> Option<i64> {
    match record.params.get(&mode.name.replace('-', "_")) {
        Some(Scalar::Number(number)) => number.as_integer(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use cyclescope_host::spec::{Spec, Work};
    use cyclescope_host::walk::{self, Variant};
    use cyclescope_records::Unit;
    use cyclescope_records::stats::Summary;

    use super::super::super::measure::Planned;
    use super::*;

    fn record(contender: &'static str, axis: &str, value: u64, ns: u64) -> Record {
        let walk = walk::Spec { variant: Variant::Sync, workers: None, blocking_threads: None };
        let spec = Spec { work: Work::Walk(walk), cpus: None, count: false };
        let planned = Planned { contender, version: "1", mode: axis.to_owned(), spec };
        let settings = BTreeMap::from([
            ("processors".to_owned(), Scalar::from(2u64)),
            ("mean.low".to_owned(), Scalar::from(ns / 2)),
            ("mean.high".to_owned(), Scalar::from(ns * 2)),
        ]);
        let mut record = origin::base("dirwalk", &planned, &settings);
        record.params.insert(axis.replace('-', "_"), value.into());
        record.with_metric("elapsed", Unit::Nanoseconds, Summary::exact(ns))
    }

    fn of(axis: &str, rows: &[(&'static str, u64, u64)]) -> (Mode, Vec<Record>) {
        let mode = Mode { name: axis.to_owned(), title: format!("what {axis} is") };
        (mode, rows.iter().map(|(contender, value, ms)| record(contender, axis, *value, ms * 1_000_000)).collect())
    }

    #[test]
    fn an_ideal_scales_to_the_processors_and_no_further() {
        let (mode, records) = of("blocking-threads", &[("a", 1, 100), ("a", 2, 90), ("a", 8, 80)]);
        let table = table(&mode, &Of { records: records.iter().collect() });
        let cells: Vec<&str> = table.rows[0].iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(cells, ["a", "100.0", "100.0", "90.0", "50.0", "80.0", "50.0"]);
        let (mode, records) = of("contend", &[("a", 0, 100), ("a", 1, 100), ("a", 3, 250)]);
        let table = super::table(&mode, &Of { records: records.iter().collect() });
        let ideals: Vec<&str> = table.rows[0].iter().skip(2).step_by(2).map(|cell| cell.text.as_str()).collect();
        assert_eq!(ideals, ["100.0", "100.0", "200.0"], "one thread of two, then of four on two processors");
    }

    #[test]
    fn charts_have_points_with_intervals_and_an_ideal_for_each() {
        let names = ["a", "b", "c", "d", "e", "f"];
        let rows: Vec<(&'static str, u64, u64)> =
            names.iter().flat_map(|name| [(*name, 1, 100), (*name, 8, 60)]).collect();
        let (mode, records) = of("workers", &rows);
        let table = table(&mode, &Of { records: records.iter().collect() });
        let counts: Vec<usize> = table.charts.iter().map(|chart| chart.series.len()).collect();
        assert_eq!(counts, [10, 2], "five contenders and their ideals, then one");
        let [ideal, measured] = &table.charts[1].series[..] else { panic!("two series") };
        let places = |points: &[Point]| points.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>();
        assert_eq!((ideal.shape, measured.shape), (Shape::Ideal, Shape::Line));
        assert_eq!(places(&ideal.points), [(1.0, 100.0), (2.0, 50.0), (8.0, 50.0)], "it bends at two processors");
        assert_eq!(places(&measured.points), [(1.0, 100.0), (8.0, 60.0)]);
        assert_eq!(measured.points[1].interval, Some((30.0, 120.0)));
        let (mode, records) = of("workers", &[("a", 2, 100)]);
        let one = super::table(&mode, &Of { records: records.iter().collect() });
        assert!(one.charts.is_empty(), "one value makes no line");
    }
}
