//! The experiment's view on the HTML page.

use cyclescope_records::Statistic;

use crate::host::origin::is_contender;
use crate::page_view::{PageColumn, PageView, Quantity, bars};

pub fn view() -> PageView {
    let columns = vec![
        PageColumn::of("above one sleep, mean", "ms", "elapsed.above_sleep")
            .quantity(Quantity::Milliseconds)
            .statistic(Statistic::Mean),
        PageColumn::of("time, mean", "ms", "elapsed").quantity(Quantity::Milliseconds).statistic(Statistic::Mean),
        PageColumn::of("polls a future", "", "polls"),
        PageColumn::of("allocations a future", "", "allocations"),
        PageColumn::of("allocated a future", "bytes", "allocations.bytes"),
        PageColumn::of("time, least", "ms", "elapsed")
            .quantity(Quantity::Milliseconds)
            .statistic(Statistic::Min)
            .hidden(),
        PageColumn::of("time, most", "ms", "elapsed")
            .quantity(Quantity::Milliseconds)
            .statistic(Statistic::Max)
            .hidden(),
    ];
    let charts = vec![
        PageView::chart(
            "overhead",
            "What waiting takes above one sleep",
            "All futures sleep equally long, so that a perfect join takes one sleep and nothing more.",
            bars(&[0], None, true),
        ),
        PageView::chart("polls", "Polls a future", "", bars(&[2], None, true)),
        PageView::chart("allocations", "Allocations a future", "", bars(&[3], None, false)),
    ];
    PageView {
        variant: |record| is_contender(record).then(|| record.mode.clone()),
        variant_name: "mode",
        ..PageView::of("join", columns, charts)
    }
}
