//! Tables for a terminal, or for a pipe that someone will read.

use comfy_table::{Attribute, CellAlignment, Color, ColumnConstraint, ContentArrangement, LineStyle, TableStyle};

use crate::text::{visible, wrap};
use crate::{Align, Table, Tone};

/// The surface that text is shown on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// The characters of a line; none if lines may be as long as they need (a file, a pipe).
    pub width: Option<u16>,
    /// True if colours are welcome.
    pub colour: bool,
}

/// One rule, under the headings.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// The table as text that ends in a newline.
pub fn terminal(table: &Table, surface: Surface) -> String {
    let mut out = String::new();
    if !table.title.is_empty() {
        let title = visible(&table.title);
        let (on, off) = if surface.colour { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        out.push_str(&format!("{on}{title}{off}\n"));
    }
    let paragraphs = |out: &mut String, lines: &[String]| {
        for line in lines {
            let line = visible(line);
            out.push_str(&surface.width.map_or(line.clone(), |width| wrap(&line, width.into())));
            out.push('\n');
        }
    };
    paragraphs(&mut out, &table.head);
    if !table.columns.is_empty() {
        out.push_str(&body(table, surface));
    }
    for chart in &table.charts {
        out.push('\n');
        out.push_str(&crate::chart::chart(chart, surface));
    }
    if !table.charts.is_empty() {
        out.push('\n');
    }
    paragraphs(&mut out, &table.foot);
    out
}

fn body(table: &Table, surface: Surface) -> String {
    let mut drawn = comfy_table::Table::new();
    drawn.load_style(STYLE);
    match surface.width {
        Some(width) => {
            drawn.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        }
        None => {
            drawn.set_content_arrangement(ContentArrangement::Disabled);
        }
    }
    if surface.colour {
        drawn.enforce_styling();
    } else {
        drawn.force_no_tty();
    }
    drawn.set_header(table.columns.iter().map(|column| {
        let unit = column.unit.as_ref().map(|unit| format!("\n{}", visible(unit))).unwrap_or_default();
        let cell = comfy_table::Cell::new(visible(&column.name) + &unit).set_alignment(alignment(column.align));
        if surface.colour { cell.add_attribute(Attribute::Bold) } else { cell }
    }));
    for row in table.full_rows() {
        drawn.add_row(row.zip(&table.columns).map(|(cell, column)| {
            let drawn = comfy_table::Cell::new(visible(&cell.text)).set_alignment(alignment(column.align));
            if surface.colour { toned(drawn, cell.tone) } else { drawn }
        }));
    }
    for (index, column) in table.columns.iter().enumerate() {
        // Words may wrap where the line is short; numbers that wrap cannot be read.
        if column.align == Align::Right
            && let Some(drawn) = drawn.column_mut(index)
        {
            drawn.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    drawn.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn alignment(align: Align) -> CellAlignment {
    match align {
        Align::Left => CellAlignment::Left,
        Align::Right => CellAlignment::Right,
    }
}

fn toned(cell: comfy_table::Cell, tone: Tone) -> comfy_table::Cell {
    match tone {
        Tone::Plain => cell,
        Tone::Strong => cell.add_attribute(Attribute::Bold),
        Tone::Good => cell.fg(Color::Green),
        Tone::Bad => cell.fg(Color::Red),
        Tone::Faint => cell.add_attribute(Attribute::Dim),
    }
}
