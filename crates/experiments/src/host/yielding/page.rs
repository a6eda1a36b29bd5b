//! The experiment's view on the HTML page.

use cyclescope_records::Statistic;

use crate::host::origin::is_contender;
use crate::page_view::{PageColumn, PageView, Quantity, bars};

pub fn view() -> PageView {
    let time = |title, mode| {
        PageColumn::of(title, "ms", "elapsed")
            .modes(&[mode])
            .quantity(Quantity::Milliseconds)
            .statistic(Statistic::Mean)
    };
    let columns = vec![
        time("plain", "plain"),
        time("one task", "one"),
        time("two tasks", "two"),
        PageColumn::of("a yield, alone", "ns", "switch").modes(&["one"]).statistic(Statistic::Mean),
        PageColumn::of("a yield, beside another", "ns", "switch").modes(&["two"]).statistic(Statistic::Mean),
        PageColumn::of("voluntary switches, two", "", "switches.voluntary").modes(&["two"]).statistic(Statistic::Mean),
    ];
    let charts = vec![
        PageView::chart(
            "time",
            "How long the search takes",
            "The mean of all rounds.",
            bars(&[0, 1, 2], Some(0), true),
        ),
        PageView::chart(
            "yield",
            "What one yield costs",
            "By the host's clock, which has noise.",
            bars(&[3, 4], None, true),
        ),
    ];
    PageView { variant: |record| is_contender(record).then(String::new), ..PageView::of("yield", columns, charts) }
}
