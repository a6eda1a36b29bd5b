//! The experiment's view on the HTML page.

use cyclescope_records::Statistic;

use super::definition::Display;
use super::parts::{ASLEEP, REST};
use crate::page_view::{PageColumn, PageView, Quantity, bars};

pub fn view(definition: &Display) -> PageView {
    let time = |title: &str, metric: &str| PageColumn::of(title, "ms", metric).quantity(Quantity::Milliseconds);
    let mut columns = vec![
        time("a frame", "frame").statistic(Statistic::Mean),
        PageColumn::of("frames a second", "", "frame.rate"),
        time("wire", "wire"),
    ];
    let first = columns.len();
    columns.extend(definition.part.iter().map(|part| time(&part.title, &format!("part.{}", part.name))));
    columns.push(time("rest", &format!("part.{REST}")));
    columns.push(time("asleep", &format!("part.{ASLEEP}")));
    let parts: Vec<usize> = (first..columns.len()).collect();
    columns.push(PageColumn::of("left", "%", "left").quantity(Quantity::Percent));
    columns.push(PageColumn::of("flash", "bytes", "flash"));
    columns.push(PageColumn::of("RAM", "bytes", "ram"));
    columns.push(PageColumn::of("main stack", "bytes", "stack.main").hidden());
    columns.push(PageColumn::of("instructions", "", "instructions").hidden());
    let caption = "Milliseconds of a frame; the parts sum to it.";
    let charts = vec![
        PageView::chart("frame", "A frame", "Milliseconds to draw and send a frame.", bars(&[0, 2], None, false)),
        PageView::chart("parts", "Its parts", caption, bars(&parts, None, false)),
    ];
    PageView {
        variant_name: "mode",
        all_variants: false,
        variant: |record| Some(record.mode.clone()),
        ..PageView::of(&definition.name, columns, charts)
    }
}
