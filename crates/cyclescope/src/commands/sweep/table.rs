//! Sweeps for people.

use cyclescope_report::format::{self, integer};
use cyclescope_report::{Cell, Column, Table};
use cyclescope_sweep::{Group, Summary};

use crate::cli::sweep::SweepArguments;
use crate::commands::counted;

/// One row an image, chip, memory setting, clock and span. What all rows have in common is in the title.
pub(super) fn table(arguments: &SweepArguments, summary: &Summary) -> Table {
    let groups = &summary.groups;
    let varies = |of: &dyn Fn(&Group) -> Option<String>| groups.iter().any(|group| of(group) != of(&groups[0]));
    let image = |group: &Group| Some(group.image.clone());
    let chip = |group: &Group| Some(group.chip.clone());
    let memory = |group: &Group| Some(group.memory.clone());
    let clock = |group: &Group| group.clock.map(|hertz| format::decimal(hertz as f64 / 1e6, 3));
    let span = |group: &Group| group.span.clone();
    type Field<'f> = (Column, &'f dyn Fn(&Group) -> Option<String>);
    let fields: Vec<Field<'_>> = vec![
        (Column::symbol("image"), &image),
        (Column::text("chip"), &chip),
        (Column::text("memory"), &memory),
        (Column::quantity("clock", "MHz"), &clock),
        (Column::text("span"), &span),
    ];
    let (own, common): (Vec<_>, Vec<_>) = fields.into_iter().partition(|(_, of)| varies(*of));
    let mut title: Vec<String> = vec![arguments.plan.display().to_string()];
    for (column, of) in common {
        let unit = if column.name == "clock" { " MHz" } else { "" };
        title.extend(groups.first().and_then(of).map(|text| format!("{} {text}{unit}", column.name)));
    }
    let cycles = |name: &str| Column::quantity(name, "cycles");
    let figures = [
        Column::number("points"),
        cycles("least"),
        cycles("median").rank(1),
        cycles("most"),
        Column::quantity("spread", "%"),
    ];
    let (columns, texts): (Vec<Column>, Vec<_>) = own.into_iter().unzip();
    let mut table = Table::new(title.join(", "), columns.into_iter().chain(figures));
    for group in groups {
        let figure = |figure: Option<f64>| {
            let figure = figure.map(|figure| format::decimal(figure, if figure.fract() == 0.0 { 0 } else { 1 }));
            figure.map_or_else(Cell::default, Cell::from)
        };
        let spread = group.min.zip(group.max).zip(group.median).filter(|(_, median)| *median > 0.0);
        let spread = spread.map(|((min, max), median)| format::decimal(100.0 * (max - min) / median, 2));
        let texts = texts.iter().map(|of| of(group).map_or_else(Cell::default, Cell::from));
        let figures = [
            Cell::from(integer(group.points.into())),
            figure(group.min),
            figure(group.median),
            figure(group.max),
            spread.map_or_else(Cell::default, Cell::from),
        ];
        table.row(texts.chain(figures));
    }
    let points = counted(summary.points, "point", "points");
    table.note(format!(
        "{points} in all. A figure is the mean of a span's samples, or without spans the cycles of a run."
    ));
    if !summary.assumed.is_empty() {
        let assumed: Vec<&str> = summary.assumed.iter().map(String::as_str).collect();
        table.note(format!("Timings assumed, not documented (docs/timing.md): {}.", assumed.join(", ")));
    }
    table
}
