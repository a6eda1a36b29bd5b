//! Records arranged for people: times as multitime prints them, the reasons beside them, and a table an axis.

use cyclescope_records::stats::Number;
use cyclescope_records::{Record, Scalar};
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::super::origin;
use super::axis;
use super::operation;
use super::tree::{OPERATION, WALK};
use crate::Mode;
use crate::conditions::distinct;

/// Records of one mode, with what is asked of them often.
pub(super) struct Of<'r> {
    pub(super) records: Vec<&'r Record>,
}

impl<'r> Of<'r> {
    pub(super) fn contenders(&self) -> Vec<&'r str> {
        distinct(&self.records, |record| origin::is_contender(record).then_some(record.contender.as_str()))
    }

    pub(super) fn get(&self, contender: &str, metric: &str) -> Option<&'r Record> {
        self.records.iter().find(|record| record.contender == contender && record.metric == metric).copied()
    }
}

pub(super) fn tables(question: &str, modes: &[Mode], records: &[Record]) -> Vec<Table> {
    let mut tables = Vec::new();
    for mode in modes {
        let of = Of { records: records.iter().filter(|record| record.mode == mode.name).collect() };
        if of.records.is_empty() {
            continue;
        }
        if mode.name == WALK {
            tables.extend([times(question, &of), processor(&of), reasons(&of)]);
        } else if mode.name == OPERATION {
            tables.push(operation::table(&of));
        } else {
            tables.push(axis::table(mode, &of));
        }
    }
    tables
}

fn milliseconds(value: Number) -> String {
    format::decimal(value.as_f64() / 1e6, 1)
}

/// Mean, standard deviation, minimum, median and maximum, as multitime has them.
fn five(record: Option<&Record>) -> [Cell; 5] {
    record.map_or_else(
        || std::array::from_fn(|_| Cell::or_none(None::<String>)),
        |record| {
            [record.mean, record.stddev, record.min, record.median, record.max]
                .map(|value| Cell::from(milliseconds(value)))
        },
    )
}

pub(super) fn setting(record: &Record, name: &str) -> Option<f64> {
    match record.settings.get(name) {
        Some(Scalar::Number(number)) => Some(number.as_f64()),
        _ => None,
    }
}

/// `2.31 (2.25 to 2.40)`.
fn ratio(record: Option<&Record>) -> Cell {
    let shown = record.and_then(|record| {
        let value = |name: &str| setting(record, name).map(|value| format::decimal(value, 2));
        Some(format!("{} ({} to {})", value("ratio.of_means")?, value("ratio.low")?, value("ratio.high")?))
    });
    Cell::or_none(shown)
}

fn times(question: &str, of: &Of<'_>) -> Table {
    let what = of.records.first().map(|record| walked(record)).unwrap_or_default();
    let mut table = Table::new(
        format!("{question} {what}"),
        [
            Column::text("variant"),
            Column::text("version").rank(5),
            Column::quantity("mean", "ms"),
            Column::quantity("std. dev.", "ms").rank(3),
            Column::quantity("min", "ms").rank(2),
            Column::quantity("median", "ms").rank(4),
            Column::quantity("max", "ms").rank(2),
            Column::quantity("ratio to sync", "95 % interval"),
            Column::quantity("outliers", "mild, severe").rank(6),
        ],
    );
    for contender in of.contenders() {
        let elapsed = of.get(contender, "elapsed");
        let version = of.records.iter().find(|record| record.contender == contender);
        let outliers = Cell::or_none(elapsed.map(|record| {
            let count = |kind: &str| setting(record, &format!("outliers.{kind}")).unwrap_or(0.0);
            format!("{} {}", count("mild"), count("severe"))
        }));
        let head = [
            Cell::toned(contender, Tone::Strong),
            Cell::or_none(version.map(|record| record.contender_version.as_str())),
        ];
        let tail = [ratio(of.get(contender, "ratio.sync")), outliers];
        table.row(head.into_iter().chain(five(elapsed)).chain(tail));
    }
    table.note(
        "Real time from before a contender's process is started until it has been waited for, its output drained from a pipe. \
         All print the same set of lines as sync in every run; one that does not has no number. Ratio: mean over sync's mean, \
         with a bootstrap interval over whole rounds. Outliers: beyond Tukey's inner and outer fences; they stay in all figures.",
    );
    for line in origin::foot(&of.records) {
        table.note(line);
    }
    table
}

/// Returns the tree that was walked.
fn walked(record: &Record) -> String {
    let number = |name: &str| match record.settings.get(name) {
        Some(Scalar::Number(number)) => format::number(*number, 0),
        other => other.map(Scalar::to_string).unwrap_or_default(),
    };
    let lines = number("lines");
    match record.settings.get("root") {
        Some(root) => format!("{root}, {lines} lines"),
        None => format!(
            "A tree of {} directories, {} files and {} links, {} deep, {lines} lines",
            number("tree.dirs"),
            number("tree.files"),
            number("tree.links"),
            number("tree.depth")
        ),
    }
}

fn processor(of: &Of<'_>) -> Table {
    let five_of = |name: &str| {
        let ranked = [("mean", 0), ("std. dev.", 3), ("min", 1), ("median", 2), ("max", 1)];
        ranked.map(|(what, rank)| Column::quantity(format!("{name} {what}"), "ms").rank(rank))
    };
    let columns = [Column::text("variant")].into_iter().chain(five_of("user")).chain(five_of("system"));
    let mut table = Table::new("Processor time, by the kernel's account", columns);
    for contender in of.contenders() {
        let head = [Cell::toned(contender, Tone::Strong)];
        let user = five(of.get(contender, "time.user"));
        table.row(head.into_iter().chain(user).chain(five(of.get(contender, "time.system"))));
    }
    table.note(
        "Of all threads, as wait4 gives it. More of both than real time means that processors worked side by side.",
    );
    table
}

fn reasons(of: &Of<'_>) -> Table {
    let number = |contender: &str, metric: &str, unit: f64| {
        Cell::or_none(of.get(contender, metric).map(|record| format::decimal(record.mean.as_f64() / unit, 0)))
    };
    let whole = |contender: &str, metric: &str| number(contender, metric, 1.0);
    let threads = |contender: &str| {
        let told = ["threads", "threads.traced"].into_iter().find(|metric| of.get(contender, metric).is_some());
        whole(contender, told.unwrap_or("threads"))
    };
    let wait = |contender: &str| of.get(contender, "mutex.wait").map(|record| milliseconds(record.mean));
    let mut table = Table::of(
        "The reasons beside the time",
        of.contenders(),
        &[
            (Column::text("variant"), &|name| Cell::toned(*name, Tone::Strong)),
            (Column::quantity("switches", "voluntary"), &|name| whole(name, "switches.voluntary")),
            (Column::quantity("switches", "involuntary").rank(3), &|name| whole(name, "switches.involuntary")),
            (Column::number("tasks").rank(4), &|name| whole(name, "tasks")),
            (Column::number("hops"), &|name| whole(name, "hops")),
            (Column::number("threads"), &|name| threads(name)),
            (Column::quantity("mutex wait", "ms"), &|name| Cell::or_none(wait(name))),
            (Column::number("system calls"), &|name| whole(name, "system_calls")),
            (Column::number("of them futex").rank(5), &|name| whole(name, "system_calls.futex")),
            (Column::quantity("peak memory", "KiB").rank(2), &|name| number(name, "memory.peak", 1024.0)),
        ],
    );
    let traced = of.records.iter().any(|record| record.metric == "system_calls");
    table.note(
        "Switches and memory: means of the timed runs; memory is the process's own high-water mark. The others are counted in \
         runs of their own, which are not timed. Tasks: spawned, or directories and entries handed to a pool. Hops: pieces of \
         work given to tokio's blocking pool; a call of tokio::fs is one, and a directory's entries come 32 a hop; compio and \
         monoio list a directory and read its links in one, because io_uring has no call for either; n/a where the library \
         does not show them. Mutex wait: from asking for tokio's mutex to having it, summed over all tasks.",
    );
    table.note(if traced {
        "System calls: by strace, all threads together, and threads where the program does not tell them itself. Tracing is slow, \
         so that waits fall elsewhere than in the timed runs."
    } else {
        "System calls: not counted; they are with --thorough, by an strace that may trace, unless --no-syscalls leaves them out. \
         Threads: as the runtime tells."
    });
    table
}
