//! Records arranged for people, in the columns of the chips' table of primes.

use cyclescope_records::Record;
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::super::origin;
use crate::conditions::distinct;

pub(super) fn tables(question: &str, records: &[Record]) -> Vec<Table> {
    let all: Vec<&Record> = records.iter().collect();
    let contenders = distinct(&all, |record| {
        origin::is_contender(record).then_some((record.contender.as_str(), record.contender_version.as_str()))
    });
    if contenders.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new(
        question,
        [
            Column::text("framework"),
            Column::text("version"),
            Column::quantity("plain", "ms"),
            Column::quantity("one task", "ms"),
            Column::quantity("two tasks", "ms"),
            Column::number("one / plain"),
            Column::number("two / one"),
            Column::quantity("ns per yield", "alone, beside"),
            Column::quantity("instructions per yield", "alone, beside"),
            Column::quantity("ping-pong", "ns a switch"),
            Column::quantity("std. dev.", "ns"),
            Column::quantity("ping-pong", "instructions a switch"),
            Column::number("counter"),
        ],
    );
    for (contender, version) in contenders {
        let get = |mode: &str, metric: &str| {
            records
                .iter()
                .find(|record| record.contender == contender && record.mode == mode && record.metric == metric)
        };
        let mean = |mode: &str, metric: &str| get(mode, metric).map(|record| record.mean.as_f64());
        let time = |mode| Cell::or_none(mean(mode, "elapsed").map(|ns| format::decimal(ns / 1e6, 2)));
        let quotient = |with, without| {
            let both = mean(with, "elapsed").zip(mean(without, "elapsed")).filter(|(_, without)| *without > 0.0);
            Cell::or_none(both.map(|(with, without)| format::decimal(with / without, 3)))
        };
        let pair = |metric: &str| {
            let one = |mode| mean(mode, metric).map_or("n/a".to_owned(), |value| format::decimal(value, 1));
            Cell::from(format!("{} {}", one("one"), one("two")))
        };
        let ping = |metric| Cell::or_none(mean("ping-pong", metric).map(|value| format::decimal(value, 1)));
        let deviation = get("ping-pong", "switch").map(|record| format::decimal(record.stddev.as_f64(), 1));
        table.row([
            Cell::toned(contender, Tone::Strong),
            Cell::from(version),
            time("plain"),
            time("one"),
            time("two"),
            quotient("one", "plain"),
            quotient("two", "one"),
            pair("switch"),
            pair("switch.instructions"),
            ping("switch"),
            Cell::or_none(deviation),
            ping("switch.instructions"),
            Cell::or_none(mean("two", "counter").map(|count| format::decimal(count, 0))),
        ]);
    }
    table.note(
        "The search of the chips' table, with the same primes and dispatches, which each run checks. Ns per yield: (one - plain) \
         and (two - one) over the dispatches, round by round. Ping-pong: a value over a channel with room for one to a second \
         task and back, over the values handed over. Instructions: of all threads, outside the kernel; n/a where the machine \
         counts none for us. Counter: the second task's turns, which must be the dispatches, give or take 2; workers of tokio's \
         multi-thread runtime do not take tasks strictly in turn, and two may take one each, so that there it is as it comes. \
         Threads: `one` is the system's yield, the others hand the turn over through a mutex and a condition variable.",
    );
    for line in origin::foot(&all) {
        table.note(line);
    }
    vec![table]
}
