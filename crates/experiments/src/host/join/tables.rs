//! Records arranged for people: a row a form, runtime and kind of future.

use cyclescope_records::stats::Number;
use cyclescope_records::{Record, Scalar};
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::super::origin;

fn milliseconds(value: f64) -> String {
    format::decimal(value / 1e6, 2)
}

pub(super) fn tables(question: &str, records: &[Record]) -> Vec<Table> {
    let all: Vec<&Record> = records.iter().collect();
    let elapsed: Vec<&Record> = records.iter().filter(|record| record.metric == "elapsed").collect();
    let Some(first) = elapsed.first() else { return Vec::new() };
    let sleep = first.settings.get("sleep_ns").map(Scalar::to_string).and_then(|text| text.parse::<f64>().ok());
    let beside = |record: &Record, metric: &str| {
        records.iter().find(|other| {
            other.metric == metric
                && (&other.mode, &other.contender, &other.params) == (&record.mode, &record.contender, &record.params)
        })
    };
    let each = |record: &Record, metric: &str, places| {
        Cell::or_none(beside(record, metric).map(|found| format::decimal(found.mean.as_f64(), places)))
    };
    let time = |record: &Record, value: fn(&Record) -> Number| {
        Cell::or_none(beside(record, "elapsed.above_sleep").map(|found| milliseconds(value(found).as_f64())))
    };
    let is_spawned = |record: &Record| record.params.get("spawned") == Some(&Scalar::Switch(true));
    let count = |record: &Record| {
        let count = record.params.get("count").map(Scalar::to_string).unwrap_or_default();
        match record.settings.get("one_by_one") {
            Some(Scalar::Switch(true)) => Cell::toned(format!("{count}, one by one"), Tone::Bad),
            _ => Cell::from(count),
        }
    };
    let order = |record: &Record| match record.settings.get("order_of_results").map(Scalar::to_string).as_deref() {
        Some("made") => "making",
        Some("done") => "completion",
        Some("both") => "both are one",
        Some(_) => "neither",
        None => "n/a",
    };
    let mut table = Table::of(
        format!("{question} Each sleeps {} ms", milliseconds(sleep.unwrap_or(0.0))),
        elapsed,
        &[
            (Column::text("form"), &|record| Cell::toned(record.mode.as_str(), Tone::Strong)),
            (Column::text("runtime"), &|record| Cell::from(record.contender.as_str())),
            (Column::text("futures"), &|record| Cell::from(if is_spawned(record) { "spawned" } else { "plain" })),
            (Column::number("count"), &|record| count(record)),
            (Column::quantity("mean", "ms above the sleep"), &|record| time(record, |above| above.mean)),
            (Column::quantity("std. dev.", "ms").rank(4), &|record| time(record, |above| above.stddev)),
            (Column::quantity("min", "ms").rank(3), &|record| time(record, |above| above.min)),
            (Column::quantity("median", "ms").rank(5), &|record| time(record, |above| above.median)),
            (Column::quantity("max", "ms").rank(3), &|record| time(record, |above| above.max)),
            (Column::text("results in order of").rank(1), &|record| Cell::from(order(record))),
            (Column::quantity("allocations", "each"), &|record| each(record, "allocations", 2)),
            (Column::quantity("bytes", "each").rank(2), &|record| each(record, "allocations.bytes", 0)),
            (Column::quantity("polls", "each"), &|record| each(record, "polls", 2)),
            (Column::quantity("polls of what is awaited", "each").rank(6), &|record| each(record, "polls.awaited", 2)),
        ],
    );
    table.note(
        "A future does nothing until it is polled: a Vec of plain futures that is awaited in turn takes the sum of all sleeps, \
         and one of spawned tasks takes one sleep, though the loop is the same. \"One by one\": a probe took no less than the \
         sum of its sleeps, and so the form is measured with few futures.",
    );
    table.note(
        "Order of results: measured by a probe in which what is made first sleeps longest; \"both are one\" where nothing could \
         overtake. Time: from before the first future is made until the last result is there, less one sleep. Allocations: of \
         the whole wait over its futures, on all threads, by a program with a counting allocator, in a run that is not timed; n/a \
         without that program. Polls: of the sleeping futures, and of what the form awaits (handles, where tasks are spawned).",
    );
    for line in origin::foot(&all) {
        table.note(line);
    }
    vec![table]
}
