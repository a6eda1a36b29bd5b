//! The experiment's views on the HTML page: the walk, and one for each axis.

use cyclescope_records::{Record, Statistic};
use cyclescope_report::page::ChartKind;

use crate::host::origin::is_contender;
use crate::page_view::{PageColumn, PageView, Quantity, bars};

/// The walk itself, and one view for each axis that was asked for.
pub fn views(own: &[&Record]) -> Vec<PageView> {
    let walk = |axis: Option<&'static str>| {
        let mut columns = vec![
            PageColumn::of("time, mean", "ms", "elapsed").quantity(Quantity::Milliseconds).statistic(Statistic::Mean),
            PageColumn::of("time, least", "ms", "elapsed").quantity(Quantity::Milliseconds).statistic(Statistic::Min),
            PageColumn::of("over the plain walk", "×", "ratio.sync").statistic(Statistic::Mean),
            PageColumn::of("user", "ms", "time.user").quantity(Quantity::Milliseconds).statistic(Statistic::Mean),
            PageColumn::of("system", "ms", "time.system").quantity(Quantity::Milliseconds).statistic(Statistic::Mean),
            PageColumn::of("tasks", "", "tasks"),
            PageColumn::of("hops to other threads", "", "hops"),
            PageColumn::of("threads", "", "threads"),
            PageColumn::of("voluntary switches", "", "switches.voluntary").statistic(Statistic::Mean),
            PageColumn::of("peak of memory", "bytes", "memory.peak").statistic(Statistic::Mean).hidden(),
            PageColumn::of("system calls", "", "system_calls").hidden(),
            PageColumn::of("of them futex", "", "system_calls.futex").hidden(),
        ];
        if let Some(axis) = axis {
            columns
                .insert(0, PageColumn::of(&axis.replace('_', " "), "", "elapsed").quantity(Quantity::Parameter(axis)));
        }
        columns
    };
    let operation = || {
        let part = |heading: &str, metric| PageColumn::of(heading, "ns", metric).statistic(Statistic::Mean);
        vec![
            part("the whole", "operation"),
            part("submit", "part.submit"),
            part("wake a thread", "part.wake"),
            part("its run queue", "part.queued"),
            part("system call", "part.call"),
            part("in the ring", "part.ring"),
            part("wake back", "part.back"),
            part("its run queue, back", "part.queued_back"),
            part("poll", "part.poll"),
            part("allocation", "allocation").hidden(),
            part("unwatched", "operation.plain").hidden(),
        ]
    };
    let has = |mode: &str| own.iter().any(|record| record.mode == mode);
    let mut views = vec![PageView {
        variant: |record| (record.mode == "walk" && is_contender(record)).then(String::new),
        ..PageView::of(
            "dirwalk",
            walk(None),
            vec![
                PageView::chart(
                    "time",
                    "How long the walk takes",
                    "The mean of all rounds.",
                    bars(&[0], Some(0), true),
                ),
                PageView::chart(
                    "processor",
                    "Where the processor was",
                    "Time in the program and in the kernel, over all threads.",
                    bars(&[3, 4], None, true),
                ),
            ],
        )
    }];
    if has("operation") {
        let caption = "The parts follow each other and add up to the whole.";
        let charts = vec![PageView::chart(
            "parts",
            "Where an operation's time goes",
            caption,
            bars(&[1, 2, 3, 4, 5, 6, 7, 8], None, true),
        )];
        views.push(PageView {
            question: "Where does the time of one file operation go?".to_owned(),
            variant: |record| (record.mode == "operation" && is_contender(record)).then(String::new),
            ..PageView::of("dirwalk operation", operation(), charts)
        });
    }
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
        let charts =
            vec![PageView::chart("scaling", "Time by number", caption, ChartKind::Lines { x: 0, y: 1, ideal })];
        let question = question.to_owned();
        views.push(PageView {
            question,
            variant,
            ..PageView::of(&format!("dirwalk {name}"), walk(Some(name)), charts)
        });
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
