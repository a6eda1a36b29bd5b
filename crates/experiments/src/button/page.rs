//! The experiment's view on the HTML page.

use cyclescope_records::Statistic;
use cyclescope_report::page::ChartKind;

use crate::page_view::{FRONT, PageColumn, PageView, Quantity, bars};

pub fn view() -> PageView {
    use Statistic::{Max, Mean, P99};
    let cycles = |title, metric, statistic| PageColumn::of(title, "cycles", metric).statistic(statistic);
    let columns = vec![
        cycles("edge to handler, mean", "latency.handler", Mean),
        cycles("edge to handler, most", "latency.handler", Max),
        cycles("edge to task, mean", "latency.edge", Mean),
        cycles("edge to task, 99 %", "latency.edge", P99),
        cycles("edge to task, most", "latency.edge", Max),
        cycles("response, mean", "latency.response", Mean),
        PageColumn::of("asleep", "% of the time", "asleep").quantity(Quantity::Percent),
        PageColumn::of("flash", "bytes", "flash"),
        PageColumn::of("RAM", "bytes", "ram"),
        cycles("handler to task, mean", "latency.task", Mean).hidden(),
        cycles("handler to task, most", "latency.task", Max).hidden(),
        cycles("in the handler, mean", "interrupt", Mean).hidden(),
        cycles("in the task, mean", "thread", Mean).hidden(),
        PageColumn::of("edges missed", "of all", "edges.missed").hidden(),
        PageColumn::of("lines of code", "lines", "source.lines").hidden(),
    ];
    let charts = vec![
        PageView::chart(
            "latency",
            "From the edge to the task",
            "How the cycles from the edge on the pin to the task's first action are spread over all presses and releases.",
            ChartKind::Spread { column: 2 },
        ),
        PageView::chart(
            "worst",
            "The usual and the worst",
            "Cycles from the edge to the task: the mean, what 99 of 100 do not exceed, and the most of all.",
            bars(&[2, 3, 4], Some(0), true),
        ),
        PageView::chart("size", "Latency against size", FRONT, ChartKind::Scatter { x: 7, y: 3 }),
    ];
    PageView {
        variant_name: "mode",
        all_variants: false,
        variant: |record| Some(record.mode.clone()),
        ..PageView::of("button", columns, charts)
    }
}
