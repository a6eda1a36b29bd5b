//! The experiment's view on the HTML page.

use cyclescope_records::{Record, Scalar};
use cyclescope_report::page::ChartKind;

use crate::conditions::distinct;
use crate::page_view::{FRONT, PageColumn, PageView, bars};

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

pub fn view(own: &[&Record]) -> PageView {
    let row = |record: &Record| record.params.get("row").filter(|_| record.metric == "switch").map(Scalar::to_string);
    let rows = distinct(own, row);
    let floor = rows.iter().position(|row| row == "EmptyLoop");
    let each = |row: &String| {
        let wanted = PageColumn::of(&words(row), "cycles", "switch").row(row).modes(&["plain", "profiled"]);
        if row.ends_with("WithProfiler") { wanted.hidden() } else { wanted }
    };
    let mut columns: Vec<PageColumn> = rows.iter().map(each).collect();
    let shown: Vec<usize> = (0..rows.len()).filter(|index| Some(*index) != floor && columns[*index].shown).collect();
    let flash = columns.len();
    columns.push(PageColumn::of("flash", "bytes", "flash").modes(&["plain"]));
    columns.push(PageColumn::of("RAM", "bytes", "ram").modes(&["plain"]));
    columns.push(PageColumn::of("a task", "bytes", "size.task").modes(&["plain"]).hidden());
    columns.push(PageColumn::of("the scheduler", "bytes", "size.scheduler").modes(&["plain"]).hidden());
    columns.push(PageColumn::of("main stack", "bytes", "stack.main").modes(&["plain"]).hidden());
    for row in rows.iter().filter(|row| *row != "EmptyLoop") {
        let title = format!("{}, above the floor", words(row));
        columns.push(
            PageColumn::of(&title, "cycles", "switch.above_floor").row(row).modes(&["plain", "profiled"]).hidden(),
        );
    }
    let mut charts = Vec::new();
    if !shown.is_empty() {
        charts.push(PageView::chart(
            "switch",
            "One iteration",
            "Cycles an iteration of each loop. The floor is the loop that does nothing.",
            bars(&shown, floor, true),
        ));
    }
    if let Some(last) = shown.last() {
        charts.push(PageView::chart("size", "Speed against size", FRONT, ChartKind::Scatter { x: flash, y: *last }));
    }
    for row in rows.iter().filter(|_| own.iter().any(|record| record.mode == "usb")) {
        let title = format!("{}, over USB", words(row));
        columns.push(PageColumn::of(&title, "cycles", "switch").row(row).modes(&["usb", "usb-profiled"]).hidden());
    }
    PageView::of("switch", columns, charts)
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
