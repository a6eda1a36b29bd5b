//! Charts in characters: each series has a letter, so that nothing rests on colours.

use super::grid::{Grid, Ink};
use super::{Chart, Frame, Point, Tick};
use crate::Surface;
use crate::text::{visible, wrap};

/// Rows of the plot itself.
const ROWS: u16 = 18;
/// Columns of all, where there is room: more do not make it clearer.
const WIDEST: u16 = 100;
/// Columns where nobody says how many there are.
const USUAL: u16 = 80;
/// The plot itself is never narrower.
const NARROWEST: u16 = 16;

/// The character of an ideal.
const IDEAL: char = '.';

/// The codes of the series' colours: cyan, yellow, magenta, green, red, blue.
const COLOURS: [u8; 6] = [36, 33, 35, 32, 31, 34];
/// The code of an ideal's colour, grey.
const FAINT: u8 = 90;

/// The chart in characters, ending in a newline: plain ASCII where `surface` is no terminal.
pub fn chart(chart: &Chart, surface: Surface) -> String {
    let mut out = String::new();
    if !chart.title.is_empty() {
        let (on, off) = if surface.colour { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        let title = wrap(&visible(&chart.title), surface.width.map_or(usize::MAX, usize::from));
        out.push_str(&format!("{on}{title}{off}\n"));
    }
    let Some((x, y)) = chart.frames() else {
        out.push_str("(nothing to show)\n");
        return out;
    };
    out.push_str(&format!("{}\n", visible(&chart.y.title())));
    let ticks = y.ticks(6);
    let margin = ticks.iter().map(|tick| tick.label.chars().count()).max().unwrap_or(0) as u16;
    let columns = surface.width.unwrap_or(USUAL).min(WIDEST).saturating_sub(margin + 3).max(NARROWEST);
    let grid = plot(chart, &x, &y, columns);
    let marks: Vec<(u16, &str)> = rows_of(&y, &ticks);
    let [side, mark] = if surface.width.is_some() { ['│', '┤'] } else { ['|', '+'] };
    for row in 0..ROWS {
        let label = marks.iter().find(|(place, _)| *place == row).map(|(_, label)| *label);
        let line = format!(
            "{:>width$} {}",
            label.unwrap_or(""),
            if label.is_some() { mark } else { side },
            width = usize::from(margin)
        );
        out.push_str(&line);
        out.push_str(&row_of(grid.row(row), surface.colour));
        out.push('\n');
    }
    out.push_str(&below(chart, &x, columns, usize::from(margin), surface));
    out.push_str(&legend(chart, usize::from(margin), columns, surface.colour));
    out
}

/// The letter of the measured series of this number, and the code of its colour.
fn style(number: usize) -> (char, u8) {
    let letter = char::from(b'A' + (number % 26) as u8);
    (letter, COLOURS[number % COLOURS.len()])
}

fn plot(chart: &Chart, x: &Frame<'_>, y: &Frame<'_>, columns: u16) -> Grid {
    let mut grid = Grid::new(columns, ROWS);
    let places = |points: &[Point]| -> Vec<(f64, f64)> {
        points.iter().filter_map(|point| Some((x.place(point.x)?, y.place(point.y)?))).collect()
    };
    for series in chart.ideals() {
        grid.path(&places(&series.points), Ink { symbol: IDEAL, colour: FAINT });
    }
    for (number, series) in chart.measured().enumerate() {
        let (letter, colour) = style(number);
        let places = places(&series.points);
        grid.path(&places, Ink { symbol: letter.to_ascii_lowercase(), colour });
        for point in &series.points {
            let ends = point.interval.and_then(|(low, high)| Some((y.place(low)?, y.place(high)?)));
            if let (Some(place), Some((low, high))) = (x.place(point.x), ends) {
                grid.path(&[(place, low), (place, high)], Ink { symbol: '|', colour });
            }
        }
        for place in places {
            grid.point(place, Ink { symbol: letter, colour });
        }
    }
    grid
}

/// In which rows marks of the upright axis stand.
fn rows_of<'t>(y: &Frame<'_>, ticks: &'t [Tick]) -> Vec<(u16, &'t str)> {
    let row = |place: f64| ((1.0 - place) * f64::from(ROWS - 1)).round().clamp(0.0, f64::from(ROWS - 1)) as u16;
    ticks.iter().filter_map(|tick| Some((row(y.place(tick.value)?), tick.label.as_str()))).collect()
}

/// One row of the plot as text.
fn row_of(cells: &[Option<Ink>], colour: bool) -> String {
    let used = cells.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    let mut out = String::new();
    let mut set = None;
    for cell in &cells[..used] {
        let code = cell.map(|ink| ink.colour).filter(|_| colour);
        if code != set {
            out.push_str(&code.map_or("\x1b[0m".to_owned(), |code| format!("\x1b[{code}m")));
            set = code;
        }
        out.push(cell.map_or(' ', |ink| ink.symbol));
    }
    if set.is_some() {
        out.push_str("\x1b[0m");
    }
    out
}

/// The lying axis: its line, its marks, its name.
fn below(chart: &Chart, x: &Frame<'_>, columns: u16, margin: usize, surface: Surface) -> String {
    let [corner, line, mark] = if surface.width.is_some() { ['└', '─', '┴'] } else { ['+', '-', '+'] };
    let width = usize::from(columns);
    let (mut rule, mut labels) = (vec![line; width], vec![' '; width]);
    let mut free = 0;
    for tick in x.ticks(8) {
        let Some(place) = x.place(tick.value) else { continue };
        let column = ((place * width as f64 - 0.5).round().max(0.0) as usize).min(width - 1);
        rule[column] = mark;
        let text: Vec<char> = visible(&tick.label).chars().collect();
        let from = column.saturating_sub(text.len() / 2).min(width.saturating_sub(text.len()));
        // What would run into the one before it is left out.
        if (from >= free || free == 0) && text.len() <= width {
            labels[from..from + text.len()].copy_from_slice(&text);
            free = from + text.len() + 1;
        }
    }
    let [rule, labels] = [rule, labels].map(String::from_iter);
    let name = visible(&chart.x.title());
    let before = margin + 2 + width.saturating_sub(name.chars().count()) / 2;
    let space = " ";
    format!("{space:margin$} {corner}{rule}\n{space:margin$}  {}\n{space:before$}{name}\n", labels.trim_end())
}

/// Returns the letter of each series.
fn legend(chart: &Chart, margin: usize, columns: u16, colour: bool) -> String {
    let mut entries: Vec<(String, Option<u8>, String)> = Vec::new();
    for (number, series) in chart.measured().enumerate() {
        let (letter, code) = style(number);
        entries.push((letter.to_string(), Some(code), visible(&series.name)));
    }
    let mut ideals: Vec<String> = Vec::new();
    for series in chart.ideals() {
        let own = chart.measured().any(|measured| measured.name == series.name);
        let name = if own { "ideal".to_owned() } else { visible(&series.name) };
        if !ideals.contains(&name) {
            ideals.push(name);
        }
    }
    if !ideals.is_empty() {
        entries.push((IDEAL.to_string(), Some(FAINT), ideals.join(", ")));
    }
    if chart.measured().any(|series| series.points.iter().any(|point| point.interval.is_some())) {
        entries.push(("|".to_owned(), None, "confidence interval".to_owned()));
    }
    let (mut out, mut used) = (String::new(), 0);
    for (symbol, code, name) in entries {
        let length = symbol.chars().count() + 1 + name.chars().count() + 3;
        if used == 0 || used + length > margin + 2 + usize::from(columns) {
            out.push_str(if used == 0 { "" } else { "\n" });
            out.push_str(&" ".repeat(margin + 2));
            used = margin + 2;
        } else {
            out.push_str("   ");
        }
        match code.filter(|_| colour) {
            Some(code) => out.push_str(&format!("\x1b[{code}m{symbol}\x1b[0m {name}")),
            None => out.push_str(&format!("{symbol} {name}")),
        }
        used += length;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}
