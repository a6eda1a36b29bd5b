//! Luck for people.

use cyclescope_report::format::{self, integer};
use cyclescope_report::{Cell, Column, Table};

use crate::backend::{Guest, LuckOutcome, LuckRequest};
use crate::commands::{assumed, counted};
use crate::luck::{FunctionLuck, LuckSpan};

/// One row a span, then for each span what the layouts do to its functions.
pub(super) fn tables(guest: &Guest<'_>, request: &LuckRequest<'_>, outcome: &LuckOutcome, top: usize) -> Vec<Table> {
    let mut tables = vec![spans(guest, request, outcome)];
    for span in &outcome.spans {
        if !span.functions.is_empty() && top > 0 {
            tables.push(functions(span, top));
        }
        tables.extend(advice(span));
    }
    tables
}

fn spans(guest: &Guest<'_>, request: &LuckRequest<'_>, outcome: &LuckOutcome) -> Table {
    let cycles = |name| Column::quantity(name, "cycles");
    let columns = [
        Column::text("span"),
        cycles("as linked"),
        cycles("best"),
        cycles("median").rank(1),
        cycles("worst"),
        Column::quantity("spread", "%"),
        Column::quantity("slower than", "% of layouts").rank(2),
    ];
    let title = format!("{} on {}, {} memory: luck of placement", guest.name, outcome.run.part, guest.memory.name());
    let mut table = Table::new(title, columns);
    for span in &outcome.spans {
        let figures = span.figures();
        let percent = |part: f64, places| Cell::from(format::decimal(100.0 * part, places));
        table.row([
            Cell::from(span.name.as_str()),
            figure(span.as_linked),
            figure(figures.best()),
            figure(figures.median()),
            figure(figures.worst()),
            percent(figures.spread(), 2),
            figures.percentile().map_or_else(Cell::default, |share| percent(share, 0)),
        ]);
    }
    let (all, moving) = outcome.units;
    table.note(match (outcome.depends, moving) {
        (false, _) => format!("On {} no time depends on an address: placement does nothing.", outcome.run.part),
        (true, 0) => {
            "Nothing in this image can move: all of it is tied to vectors or to what has a fixed place.".to_owned()
        }
        (true, _) => format!(
            "{} of seed {}; {} of {} units move, {} bytes. A figure is the {} of the span's samples.",
            counted(outcome.ran, "layout", "layouts"),
            request.seed,
            integer(moving as i128),
            integer(all as i128),
            integer(outcome.bytes.into()),
            request.statistic.name(),
        ),
    });
    if let Some(from) = request.from {
        table.note(format!(
            "Approximate: each layout, the firmware's own too, begins where {from} first happened, with empty caches, and not at reset."
        ));
    }
    if outcome.interrupted {
        table.note(format!("Interrupted after {} of {} layouts.", outcome.ran, request.layouts));
    }
    let model = outcome.records.first().and_then(|record| record.model.as_ref());
    table.foot.extend(model.and_then(assumed));
    table
}

fn figure(cycles: f64) -> Cell {
    Cell::from(format::decimal(cycles, usize::from(cycles.fract() != 0.0)))
}

fn functions(span: &LuckSpan, top: usize) -> Table {
    let cycles = |name| Column::quantity(name, "cycles");
    let columns = [
        Column::text("function"),
        cycles("best layout"),
        cycles("worst layout"),
        cycles("difference"),
        cycles("least").rank(2),
        cycles("most").rank(1),
    ];
    let mut table = Table::new(format!("{}: functions whose placement matters most", span.name), columns);
    for FunctionLuck { name, best, worst, least, most, .. } in span.functions.iter().take(top) {
        let difference = Cell::from(signed(worst - best, 1));
        table.row([
            Cell::from(name.as_str()),
            figure(*best),
            figure(*worst),
            difference,
            figure(*least),
            figure(*most),
        ]);
    }
    let rest = span.functions.get(top..).unwrap_or_default();
    if !rest.is_empty() {
        table.note(format!("{} more; --top shows them.", counted(rest.len() as u64, "function", "functions")));
    }
    table
}

/// Returns `value` with its sign.
fn signed(value: f64, places: usize) -> String {
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", format::decimal(value, places))
}

/// The lines for a linker script that place well, and what they give.
fn advice(span: &LuckSpan) -> Option<Table> {
    let advice = span.advice.as_ref()?;
    let mut table = Table::default();
    let change = 100.0 * (advice.figure - span.as_linked) / span.as_linked;
    table.note(format!(
        "{}: at the head of the output section of code, these lines of a linker script give {} cycles ({} %), with \
         -ffunction-sections:",
        span.name,
        format::decimal(advice.figure, usize::from(advice.figure.fract() != 0.0)),
        signed(change, 2),
    ));
    table.foot.extend(advice.script.lines().map(str::to_owned));
    Some(table)
}
