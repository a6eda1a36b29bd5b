//! Which columns and charts each experiment has.

use cyclescope_page::{Chart, ChartKind};
use cyclescope_records::{Record, Scalar, Statistic, Unit};

use super::build::{Shown, View, Wanted, column};

/// The views of the experiment called `name`, whose records are at `own`.
pub(super) fn views(name: &str, records: &[Record], own: &[usize]) -> Vec<View> {
    match name {
        "primes" => vec![primes()],
        "button" => vec![button()],
        "switch" => vec![switch(records, own)],
        "syscall" => vec![syscall()],
        "dirwalk" => dirwalk(records, own),
        "join" => vec![join()],
        "yield" => vec![yielding()],
        _ => vec![stranger(name, records, own)],
    }
}

fn chart(name: &str, title: &str, caption: &str, kind: ChartKind) -> Chart {
    Chart { name: name.to_owned(), title: title.to_owned(), caption: caption.to_owned(), kind }
}

fn bars(columns: &[usize], floor: Option<usize>, logarithmic: bool) -> ChartKind {
    ChartKind::Bars { columns: columns.to_vec(), floor, logarithmic }
}

/// How a point chart of cost against size is to be read.
const FRONT: &str =
    "To the left is smaller, below is faster; nothing is both smaller and faster than a contender on the dotted front.";

const NEAREST: [&str; 3] = ["two", "one", "plain"];

fn view(name: &str, columns: Vec<Wanted>, charts: Vec<Chart>) -> View {
    View {
        name: name.to_owned(),
        question: String::new(),
        told_by: "",
        all_variants: true,
        variant: |_| Some(String::new()),
        columns,
        charts,
    }
}

fn primes() -> View {
    let time = |title, mode| column(title, "ms", "elapsed").modes(&[mode]).how(Shown::Milliseconds);
    let columns = vec![
        time("plain", "plain"),
        time("one task", "one"),
        time("two tasks", "two"),
        column("a yield, alone", "cycles", "yield.outside_division").modes(&["one"]),
        column("a yield, beside another", "cycles", "yield.outside_division").modes(&["two"]),
        column("flash", "bytes", "flash").modes(&NEAREST),
        column("RAM", "bytes", "ram").modes(&NEAREST),
        column("a yield with division, alone", "cycles", "yield").modes(&["one"]).hidden(),
        column("a yield with division, beside", "cycles", "yield").modes(&["two"]).hidden(),
        time("two tasks, sliced", "two-sliced").hidden(),
        column("instructions, one task", "instructions", "instructions").modes(&["one"]).hidden(),
        column("main stack", "bytes", "stack.main").modes(&NEAREST).hidden(),
    ];
    let charts = vec![
        chart(
            "time",
            "How long the search takes",
            "The same search for primes as a plain program, as one task that yields, and beside a second task.",
            bars(&[0, 1, 2], Some(0), false),
        ),
        chart(
            "yield",
            "What one yield costs",
            "Cycles a yield, outside the division, whose time is luck of placement. Below 0, the program as a task is the quicker one.",
            bars(&[3, 4], None, false),
        ),
        chart("size", "Speed against size", FRONT, ChartKind::Scatter { x: 5, y: 1 }),
    ];
    view("primes", columns, charts)
}

fn button() -> View {
    use Statistic::{Max, Mean, P99};
    let cycles = |title, metric, statistic| column(title, "cycles", metric).of(statistic);
    let columns = vec![
        cycles("edge to handler, mean", "latency.handler", Mean),
        cycles("edge to handler, most", "latency.handler", Max),
        cycles("edge to task, mean", "latency.edge", Mean),
        cycles("edge to task, 99 %", "latency.edge", P99),
        cycles("edge to task, most", "latency.edge", Max),
        cycles("response, mean", "latency.response", Mean),
        column("asleep", "% of the time", "asleep").how(Shown::Percent),
        column("flash", "bytes", "flash"),
        column("RAM", "bytes", "ram"),
        cycles("handler to task, mean", "latency.task", Mean).hidden(),
        cycles("handler to task, most", "latency.task", Max).hidden(),
        cycles("in the handler, mean", "interrupt", Mean).hidden(),
        cycles("in the task, mean", "thread", Mean).hidden(),
        column("edges missed", "of all", "edges.missed").hidden(),
        column("lines of code", "lines", "source.lines").hidden(),
    ];
    let charts = vec![
        chart(
            "latency",
            "From the edge to the task",
            "How the cycles from the edge on the pin to the task's first action are spread over all presses and releases.",
            ChartKind::Spread { column: 2 },
        ),
        chart(
            "worst",
            "The usual and the worst",
            "Cycles from the edge to the task: the mean, what 99 of 100 do not exceed, and the most of all.",
            bars(&[2, 3, 4], Some(0), true),
        ),
        chart("size", "Latency against size", FRONT, ChartKind::Scatter { x: 7, y: 3 }),
    ];
    View {
        told_by: "mode",
        all_variants: false,
        variant: |record| Some(record.mode.clone()),
        ..view("button", columns, charts)
    }
}

/// `CoroutineScheduling` as `coroutine scheduling`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

fn switch(records: &[Record], own: &[usize]) -> View {
    let mut rows: Vec<String> = Vec::new();
    for record in own.iter().map(|index| &records[*index]).filter(|record| record.metric == "switch") {
        if let Some(row) = record.params.get("row").map(Scalar::to_string)
            && !rows.contains(&row)
        {
            rows.push(row);
        }
    }
    // The empty loop is the floor; those with a profiler are asked for by few.
    let floor = rows.iter().position(|row| row == "EmptyLoop");
    let each = |row: &String| {
        let wanted = column(&words(row), "cycles", "switch").row(row).modes(&["plain", "profiled"]);
        if row.ends_with("WithProfiler") { wanted.hidden() } else { wanted }
    };
    let mut columns: Vec<Wanted> = rows.iter().map(each).collect();
    let shown: Vec<usize> = (0..rows.len()).filter(|index| Some(*index) != floor && columns[*index].shown).collect();
    let flash = columns.len();
    columns.push(column("flash", "bytes", "flash").modes(&["plain"]));
    columns.push(column("RAM", "bytes", "ram").modes(&["plain"]));
    columns.push(column("a task", "bytes", "size.task").modes(&["plain"]).hidden());
    columns.push(column("the scheduler", "bytes", "size.scheduler").modes(&["plain"]).hidden());
    columns.push(column("main stack", "bytes", "stack.main").modes(&["plain"]).hidden());
    for row in rows.iter().filter(|row| *row != "EmptyLoop") {
        let title = format!("{}, above the floor", words(row));
        columns.push(column(&title, "cycles", "switch.above_floor").row(row).modes(&["plain", "profiled"]).hidden());
    }
    let mut charts = Vec::new();
    if !shown.is_empty() {
        charts.push(chart(
            "switch",
            "One iteration",
            "Cycles an iteration of each loop. The floor is the loop that does nothing.",
            bars(&shown, floor, true),
        ));
    }
    if let Some(last) = shown.last() {
        charts.push(chart("size", "Speed against size", FRONT, ChartKind::Scatter { x: flash, y: *last }));
    }
    view("switch", columns, charts)
}

/// The calls that reach a driver with what they ask; one a contender.
const CALLS: [&str; 3] = ["command", "send", "yield"];

/// A call there and back, whose its instructions are, and what of flash that takes.
fn syscall() -> View {
    let of_call = |title, unit, metric: &str| column(title, unit, metric).with("call", &CALLS);
    let instructions = |title, metric: &str| of_call(title, "instructions", &format!("{metric}.instructions"));
    let columns = vec![
        instructions("trap to driver", "trap_to_driver"),
        instructions("trap to back", "call"),
        of_call("the same", "cycles", "call"),
        instructions("entry and exit", "part.entry"),
        instructions("decode and dispatch", "part.dispatch"),
        instructions("copies", "part.copies"),
        instructions("debug hook", "part.hook"),
        instructions("driver", "part.driver"),
        column(".text", "bytes", "text"),
        column("text strings", "bytes", "strings"),
        instructions("copies within hook and driver", "part.copies.within").hidden(),
        column("allow, trap to back", "instructions", "call.instructions").with("call", &["allow"]).hidden(),
        column("subscribe, trap to back", "instructions", "call.instructions").with("call", &["subscribe"]).hidden(),
        column(".rodata", "bytes", "rodata").hidden(),
        column("RAM", "bytes", "ram").hidden(),
    ];
    let charts = vec![
        chart(
            "call",
            "From the trap to the driver, and back",
            "Instructions. The calls are the kernel's `command`, FreeRTOS's queue send, and its giving way on RISC-V.",
            bars(&[0, 1], None, false),
        ),
        chart(
            "parts",
            "Whose they are",
            "Instructions of a whole call by what they are for. What the hook and the driver copy is theirs.",
            bars(&[3, 4, 5, 6, 7], None, false),
        ),
        chart("size", "Speed against size", FRONT, ChartKind::Scatter { x: 8, y: 1 }),
    ];
    View { told_by: "mode", variant: |record| Some(record.mode.clone()), ..view("syscall", columns, charts) }
}

fn is_contender(record: &Record) -> bool {
    record.contender != "(all)"
}

/// The walk itself, and one view for each axis that was asked for.
fn dirwalk(records: &[Record], own: &[usize]) -> Vec<View> {
    let walk = |axis: Option<&'static str>| {
        let mut columns = vec![
            column("time, mean", "ms", "elapsed").how(Shown::Milliseconds).of(Statistic::Mean),
            column("time, least", "ms", "elapsed").how(Shown::Milliseconds).of(Statistic::Min),
            column("over the plain walk", "×", "ratio.sync").of(Statistic::Mean),
            column("user", "ms", "time.user").how(Shown::Milliseconds).of(Statistic::Mean),
            column("system", "ms", "time.system").how(Shown::Milliseconds).of(Statistic::Mean),
            column("tasks", "", "tasks"),
            column("hops to other threads", "", "hops"),
            column("threads", "", "threads"),
            column("voluntary switches", "", "switches.voluntary").of(Statistic::Mean),
            column("peak of memory", "bytes", "memory.peak").of(Statistic::Mean).hidden(),
            column("system calls", "", "system_calls").hidden(),
            column("of them futex", "", "system_calls.futex").hidden(),
        ];
        if let Some(axis) = axis {
            columns.insert(0, column(&axis.replace('_', " "), "", "elapsed").how(Shown::Parameter(axis)));
        }
        columns
    };
    let has = |mode: &str| own.iter().any(|index| records[*index].mode == mode);
    let mut views = vec![View {
        variant: |record| (record.mode == "walk" && is_contender(record)).then(String::new),
        ..view(
            "dirwalk",
            walk(None),
            vec![
                chart("time", "How long the walk takes", "The mean of all rounds.", bars(&[0], Some(0), true)),
                chart(
                    "processor",
                    "Where the processor was",
                    "Time in the program and in the kernel, over all threads.",
                    bars(&[3, 4], None, true),
                ),
            ],
        )
    }];
    type Axis = (&'static str, &'static str, bool, fn(&Record) -> Option<String>);
    let axes: [Axis; 4] = [
        ("workers", "How does the walk scale with the runtime's workers?", true, |record| axis(record, "workers")),
        ("blocking_threads", "How does the walk scale with threads for blocking calls?", true, |record| {
            axis(record, "blocking_threads")
        }),
        ("cpus", "How does the walk scale with processors?", true, |record| axis(record, "cpus")),
        ("contend", "What does the walk take on a busy machine?", false, |record| axis(record, "contend")),
    ];
    for (name, question, ideal, variant) in axes.into_iter().filter(|(name, ..)| has(name)) {
        let caption = if ideal {
            "The dashed line is the ideal: the least time at the left, divided by as many times as there are more."
        } else {
            ""
        };
        let charts = vec![chart("scaling", "Time by number", caption, ChartKind::Lines { x: 0, y: 1, ideal })];
        let question = question.to_owned();
        views.push(View { question, variant, ..view(&format!("dirwalk {name}"), walk(Some(name)), charts) });
    }
    views
}

/// `2 workers`, for records of the mode of that name.
fn axis(record: &Record, name: &str) -> Option<String> {
    if record.mode != name || !is_contender(record) {
        return None;
    }
    record.params.get(name).map(|value| format!("{value} {}", name.replace('_', " ")))
}

fn join() -> View {
    let columns = vec![
        column("above one sleep, mean", "ms", "elapsed.above_sleep").how(Shown::Milliseconds).of(Statistic::Mean),
        column("time, mean", "ms", "elapsed").how(Shown::Milliseconds).of(Statistic::Mean),
        column("polls a future", "", "polls"),
        column("allocations a future", "", "allocations"),
        column("allocated a future", "bytes", "allocations.bytes"),
        column("time, least", "ms", "elapsed").how(Shown::Milliseconds).of(Statistic::Min).hidden(),
        column("time, most", "ms", "elapsed").how(Shown::Milliseconds).of(Statistic::Max).hidden(),
    ];
    let charts = vec![
        chart(
            "overhead",
            "What waiting takes above one sleep",
            "All futures sleep equally long, so that a perfect join takes one sleep and nothing more.",
            bars(&[0], None, true),
        ),
        chart("polls", "Polls a future", "", bars(&[2], None, true)),
        chart("allocations", "Allocations a future", "", bars(&[3], None, false)),
    ];
    View {
        variant: |record| is_contender(record).then(|| record.mode.clone()),
        told_by: "mode",
        ..view("join", columns, charts)
    }
}

fn yielding() -> View {
    let time = |title, mode| column(title, "ms", "elapsed").modes(&[mode]).how(Shown::Milliseconds).of(Statistic::Mean);
    let columns = vec![
        time("plain", "plain"),
        time("one task", "one"),
        time("two tasks", "two"),
        column("a yield, alone", "ns", "switch").modes(&["one"]).of(Statistic::Mean),
        column("a yield, beside another", "ns", "switch").modes(&["two"]).of(Statistic::Mean),
        column("voluntary switches, two", "", "switches.voluntary").modes(&["two"]).of(Statistic::Mean),
    ];
    let charts = vec![
        chart("time", "How long the search takes", "The mean of all rounds.", bars(&[0, 1, 2], Some(0), true)),
        chart("yield", "What one yield costs", "By the host's clock, which has noise.", bars(&[3, 4], None, true)),
    ];
    View { variant: |record| is_contender(record).then(String::new), ..view("yield", columns, charts) }
}

/// The most columns of an experiment that nobody described.
const MOST_COLUMNS: usize = 24;
/// How many of them are shown from the beginning.
const SHOWN_COLUMNS: usize = 8;

/// Every metric a column, in the order of the records.
fn stranger(name: &str, records: &[Record], own: &[usize]) -> View {
    let mut columns: Vec<Wanted> = Vec::new();
    let mut known: std::collections::BTreeSet<(&str, Option<String>)> = std::collections::BTreeSet::new();
    for record in own.iter().map(|index| &records[*index]) {
        let row = record.params.get("row").map(Scalar::to_string);
        if columns.len() == MOST_COLUMNS || !known.insert((&record.metric, row.clone())) {
            continue;
        }
        let unit = if record.unit == Unit::Count { "" } else { record.unit.name() };
        let title = [Some(record.metric.clone()), row.clone()].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let mut wanted = column(&title, unit, &record.metric);
        wanted.parameter = row.map(|row| ("row", vec![row]));
        wanted.statistic = if record.n > 1 { Statistic::Mean } else { Statistic::Value };
        wanted.shown = columns.len() < SHOWN_COLUMNS;
        columns.push(wanted);
    }
    let mut charts = Vec::new();
    if let Some(first) = columns.first() {
        let same: Vec<usize> =
            (0..columns.len()).filter(|index| columns[*index].metric == first.metric).take(4).collect();
        charts.push(chart("values", &first.metric.clone(), "", bars(&same, None, true)));
        let spread = own.iter().map(|index| &records[*index]).find(|record| record.histogram.is_some());
        let spread = spread.and_then(|record| columns.iter().position(|column| column.metric == record.metric));
        charts.extend(spread.map(|column| {
            let title = format!("How {} is spread", columns[column].title);
            chart("spread", &title, "", ChartKind::Spread { column })
        }));
    }
    View {
        question: name.to_owned(),
        told_by: "mode",
        variant: |record| Some(record.mode.clone()),
        ..view(name, columns, charts)
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn names_of_rows_become_words() {
        assert_eq!(words("EmptyLoop"), "empty loop");
        assert_eq!(words("plain"), "plain");
    }
}
