//! The experiment's view on the HTML page.

use cyclescope_report::page::ChartKind;

use crate::page_view::{FRONT, NEAREST, PageColumn, PageView, Quantity, bars};

pub fn view() -> PageView {
    let time = |title, mode| PageColumn::of(title, "ms", "elapsed").modes(&[mode]).quantity(Quantity::Milliseconds);
    let columns = vec![
        time("plain", "plain"),
        time("one task", "one"),
        time("two tasks", "two"),
        PageColumn::of("a yield, alone", "cycles", "yield.outside_division").modes(&["one"]),
        PageColumn::of("a yield, beside another", "cycles", "yield.outside_division").modes(&["two"]),
        PageColumn::of("flash", "bytes", "flash").modes(&NEAREST),
        PageColumn::of("RAM", "bytes", "ram").modes(&NEAREST),
        PageColumn::of("a yield with division, alone", "cycles", "yield").modes(&["one"]).hidden(),
        PageColumn::of("a yield with division, beside", "cycles", "yield").modes(&["two"]).hidden(),
        time("two tasks, sliced", "two-sliced").hidden(),
        time("two tasks, one a core", "other-core").hidden(),
        PageColumn::of("instructions, one task", "instructions", "instructions").modes(&["one"]).hidden(),
        PageColumn::of("main stack", "bytes", "stack.main").modes(&NEAREST).hidden(),
    ];
    let charts = vec![
        PageView::chart(
            "time",
            "How long the search takes",
            "The same search for primes as a plain program, as one task that yields, and beside a second task.",
            bars(&[0, 1, 2], Some(0), false),
        ),
        PageView::chart(
            "yield",
            "What one yield costs",
            "Cycles a yield, outside the division, whose time is luck of placement. Below 0, the program as a task is the quicker one.",
            bars(&[3, 4], None, false),
        ),
        PageView::chart("size", "Speed against size", FRONT, ChartKind::Scatter { x: 5, y: 1 }),
    ];
    PageView::of("primes", columns, charts)
}
