//! Tables for a terminal, or for a pipe that someone will read.

use std::collections::{HashMap, HashSet};

use comfy_table::{
    Attribute, CellAlignment, Color, ColumnConstraint, ContentArrangement, LineStyle, TableStyle, Width,
};

use crate::fit::{Fit, PADDING, Slot, fit};
use crate::text::{TIE, visible, wrap};
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

/// The table as text that ends in a newline. Where lines have a width, none is longer.
pub fn terminal(table: &Table, surface: Surface) -> String {
    let mut out = String::new();
    let lines = |text: &str| {
        let text = visible(text);
        surface.width.map_or(text.clone(), |width| wrap(&text, width.into())) + "\n"
    };
    if !table.title.is_empty() {
        let title = lines(&table.title);
        let (on, off) = if surface.colour { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        out.push_str(&format!("{on}{}{off}\n", title.trim_end_matches('\n')));
    }
    out.extend(table.head.iter().map(|line| lines(line)));
    if !table.columns.is_empty() {
        out.push_str(&body(table, surface, &lines));
    }
    for chart in &table.charts {
        out.push('\n');
        out.push_str(&crate::chart::chart(chart, surface));
    }
    if !table.charts.is_empty() {
        out.push('\n');
    }
    out.extend(table.foot.iter().map(|line| lines(line)));
    out.replace(TIE, " ")
}

/// Draws the columns, on a terminal those that fit, and names the others.
fn body(table: &Table, surface: Surface, lines: &dyn Fn(&str) -> String) -> String {
    let Some(room) = surface.width else {
        let all = (0..table.columns.len()).map(|column| Slot { column, least: 0, longest: None });
        return drawn(table, surface, &all.collect::<Vec<_>>(), 0).0;
    };
    let fitted = fit(table, room.into());
    if table.groups > 0 && (fitted.parts.len() > 1 || fitted.dropped.len() > 1) {
        let grouped = table.grouped();
        if fit(&grouped, room.into()).parts.len() == 1 {
            return body(&grouped, surface, lines);
        }
    }
    let Fit { parts, names, dropped, whole } = fitted;
    let (parts, cut): (Vec<String>, Vec<bool>) = parts.iter().map(|part| drawn(table, surface, part, names)).unzip();
    let mut out = parts.join("\n");
    if !dropped.is_empty() {
        // A heading and its unit stay on one line.
        let unbroken = |column: &usize| table.columns[*column].heading().replace(' ', TIE);
        let names: Vec<String> = dropped.iter().map(unbroken).collect();
        let names = names.join("; ");
        let note = format!("Left out for want of room: {names}. A terminal of {whole} columns or a pipe shows all.");
        out += &lines(&note);
    }
    if cut.contains(&true) {
        out += &lines("… stands for the middle of a long name, which a wider terminal or a pipe shows.");
    }
    out
}

/// Draws the columns of `slots`, and of the rows those that have anything in them beside the first `names` columns. Tells if
/// anything lost its middle.
fn drawn(table: &Table, surface: Surface, slots: &[Slot], names: usize) -> (String, bool) {
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
    drawn.set_header(slots.iter().map(|slot| {
        let column = &table.columns[slot.column];
        let unit = column.unit.as_ref().map(|unit| format!("\n{}", visible(unit))).unwrap_or_default();
        let cell = comfy_table::Cell::new(visible(&column.name) + &unit).set_alignment(alignment(column.align));
        if surface.colour { cell.add_attribute(Attribute::Bold) } else { cell }
    }));
    let mut any_cut = false;
    let like: Vec<HashMap<String, HashSet<String>>> = slots.iter().map(|slot| cuts(table, slot)).collect();
    let says = |row: &[crate::Cell], slot: &Slot| row.get(slot.column).is_some_and(|cell| !cell.text.is_empty());
    let shown = |row: &&Vec<crate::Cell>| names == 0 || slots[names..].iter().any(|slot| says(row, slot));
    for row in table.rows.iter().filter(shown) {
        let cells = slots.iter().zip(&like).map(|(slot, like)| {
            let cell = row.get(slot.column).cloned().unwrap_or_default();
            let text = visible(&cell.text);
            let cut = slot.cut(&text);
            any_cut |= cut != text;
            let cut = match like.get(&cut).filter(|texts| texts.len() > 1) {
                Some(texts) => slot.apart(&text, texts).unwrap_or_else(|| slot.broken(&text)),
                None => cut,
            };
            let drawn = comfy_table::Cell::new(cut).set_alignment(alignment(table.columns[slot.column].align));
            if surface.colour { toned(drawn, cell.tone) } else { drawn }
        });
        let cells: Vec<_> = cells.collect();
        drawn.add_row(cells);
    }
    for (slot, column) in slots.iter().zip(drawn.column_iter_mut()) {
        if surface.width.is_some() {
            // Such a boundary includes the padding.
            let least = u16::try_from(slot.least + PADDING).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        }
    }
    (drawn.lines().map(|line| format!("{}\n", line.trim_end())).collect(), any_cut)
}

/// Returns the texts of a column by what they are cut to, where anything may be cut.
fn cuts(table: &Table, slot: &Slot) -> HashMap<String, HashSet<String>> {
    let mut cuts: HashMap<String, HashSet<String>> = HashMap::new();
    for cell in table.rows.iter().filter(|_| slot.longest.is_some()).filter_map(|row| row.get(slot.column)) {
        let text = visible(&cell.text);
        cuts.entry(slot.cut(&text)).or_default().insert(text);
    }
    cuts
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
