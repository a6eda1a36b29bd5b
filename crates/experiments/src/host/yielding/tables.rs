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
    type Row<'r> = (&'r str, &'r str);
    let get = |row: &Row<'_>, mode: &str, metric: &str| {
        records.iter().find(|record| (&*record.contender, &*record.mode, &*record.metric) == (row.0, mode, metric))
    };
    let mean = |row: &Row<'_>, mode: &str, metric: &str| get(row, mode, metric).map(|record| record.mean.as_f64());
    let time = |row: &Row<'_>, mode| Cell::or_none(mean(row, mode, "elapsed").map(|ns| format::decimal(ns / 1e6, 2)));
    let quotient = |row: &Row<'_>, with, without| {
        let both = mean(row, with, "elapsed").zip(mean(row, without, "elapsed"));
        let both = both.filter(|(_, without)| *without > 0.0);
        Cell::or_none(both.map(|(with, without)| format::decimal(with / without, 3)))
    };
    let one_place = |value: Option<f64>| Cell::or_none(value.map(|value| format::decimal(value, 1)));
    let each = |row: &Row<'_>, mode, metric| one_place(mean(row, mode, metric));
    let deviation = |row: &Row<'_>| get(row, "ping-pong", "switch").map(|record| record.stddev.as_f64());
    let counter = |row: &Row<'_>| mean(row, "two", "counter").map(|count| format::decimal(count, 0));
    let mut table = Table::of(
        question,
        contenders,
        &[
            (Column::text("framework"), &|(contender, _)| Cell::toned(*contender, Tone::Strong)),
            (Column::text("version").rank(7), &|(_, version)| Cell::from(*version)),
            (Column::quantity("plain", "ms"), &|row| time(row, "plain")),
            (Column::quantity("one task", "ms"), &|row| time(row, "one")),
            (Column::quantity("two tasks", "ms"), &|row| time(row, "two")),
            (Column::number("one / plain").rank(3), &|row| quotient(row, "one", "plain")),
            (Column::number("two / one").rank(4), &|row| quotient(row, "two", "one")),
            (Column::quantity("yield alone", "ns"), &|row| each(row, "one", "switch")),
            (Column::quantity("yield beside another", "ns"), &|row| each(row, "two", "switch")),
            (Column::quantity("yield alone", "instructions").rank(5), &|row| each(row, "one", "switch.instructions")),
            (Column::quantity("yield beside another", "instructions").rank(5), &|row| {
                each(row, "two", "switch.instructions")
            }),
            (Column::quantity("ping-pong", "ns a switch"), &|row| one_place(mean(row, "ping-pong", "switch"))),
            (Column::quantity("std. dev.", "ns").rank(6), &|row| one_place(deviation(row))),
            (Column::quantity("ping-pong", "instructions a switch").rank(5), &|row| {
                one_place(mean(row, "ping-pong", "switch.instructions"))
            }),
            (Column::number("counter").rank(8), &|row| Cell::or_none(counter(row))),
        ],
    );
    table.note(
        "The search of the chips' table, with the same primes and dispatches, which each run checks. A yield \
         alone is (one - plain) over the dispatches, one beside another task (two - one), round by round. Ping-pong: a value over a channel with room for one to a second \
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
