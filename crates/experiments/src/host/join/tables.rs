//! Records arranged for people: a row a form, runtime and kind of future.

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
    let mut table = Table::new(
        format!("{question} Each sleeps {} ms", milliseconds(sleep.unwrap_or(0.0))),
        [
            Column::text("form"),
            Column::text("runtime"),
            Column::text("futures"),
            Column::number("count"),
            Column::quantity("mean", "ms above the sleep"),
            Column::quantity("std. dev.", "ms"),
            Column::quantity("min", "ms"),
            Column::quantity("median", "ms"),
            Column::quantity("max", "ms"),
            Column::text("results in order of"),
            Column::quantity("allocations", "each"),
            Column::quantity("bytes", "each"),
            Column::quantity("polls", "each"),
            Column::quantity("polls of what is awaited", "each"),
        ],
    );
    for record in elapsed {
        let beside = |metric: &str| {
            records.iter().find(|other| {
                other.metric == metric
                    && (&other.mode, &other.contender, &other.params)
                        == (&record.mode, &record.contender, &record.params)
            })
        };
        let each = |metric: &str, places| {
            Cell::or_none(beside(metric).map(|found| format::decimal(found.mean.as_f64(), places)))
        };
        let setting = |name: &str| record.settings.get(name).map(Scalar::to_string);
        let above = beside("elapsed.above_sleep");
        let time = |value: fn(&Record) -> f64| Cell::or_none(above.map(|found| milliseconds(value(found))));
        let spawned = record.params.get("spawned") == Some(&Scalar::Switch(true));
        let one_by_one = record.settings.get("one_by_one") == Some(&Scalar::Switch(true));
        let count = record.params.get("count").map(Scalar::to_string).unwrap_or_default();
        let order = match setting("order_of_results").as_deref() {
            Some("made") => "making",
            Some("done") => "completion",
            Some("both") => "both are one",
            Some(_) => "neither",
            None => "n/a",
        };
        table.row([
            Cell::toned(record.mode.as_str(), Tone::Strong),
            Cell::from(record.contender.as_str()),
            Cell::from(if spawned { "spawned" } else { "plain" }),
            if one_by_one { Cell::toned(format!("{count}, one by one"), Tone::Bad) } else { Cell::from(count) },
            time(|record| record.mean.as_f64()),
            time(|record| record.stddev.as_f64()),
            time(|record| record.min.as_f64()),
            time(|record| record.median.as_f64()),
            time(|record| record.max.as_f64()),
            Cell::from(order),
            each("allocations", 2),
            each("allocations.bytes", 0),
            each("polls", 2),
            each("polls.awaited", 2),
        ]);
    }
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
