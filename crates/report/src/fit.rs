//! The choice of columns for a terminal.
//!
//! A column needs room for its longest word and for a few words of prose; a number is one word. Where that is too much for
//! the line, columns whose cells are all empty are left out, then those with a rank, the greatest rank first. What is still
//! too wide is split: each part repeats the columns that name a row.

use std::collections::HashSet;

use crate::text::{shortened, visible, width};
use crate::{Align, Cell, Table};

/// The spaces on both sides of a column.
pub(crate) const PADDING: usize = 2;

/// The room for prose, where it has that much: less reads like a list of words.
const PROSE: usize = 16;

/// The room for a word that may lose its middle.
const SYMBOL: usize = 28;

/// The lines that a cell whose words may lose their middle takes at most.
const LINES: usize = 4;

/// The parts of a table that fit a terminal, one below the other.
pub(crate) struct Fit {
    pub(crate) parts: Vec<Vec<Slot>>,
    /// The columns at the beginning of each part that name its rows.
    pub(crate) names: usize,
    /// The columns left out that have anything to say.
    pub(crate) dropped: Vec<usize>,
    /// The width at which none is.
    pub(crate) whole: usize,
}

/// A column of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// Its place in the table.
    pub(crate) column: usize,
    /// The room that it needs.
    pub(crate) least: usize,
    /// The longest word, where longer ones lose their middle.
    pub(crate) longest: Option<usize>,
}

impl Slot {
    /// Returns `text` with its long words, and then itself, without their middles.
    pub(crate) fn cut(&self, text: &str) -> String {
        let Some(longest) = self.longest else { return text.to_owned() };
        let cut = |text: &str| text.split(' ').map(|word| shortened(word, longest)).collect::<Vec<_>>().join(" ");
        let words = cut(text);
        // Where the middle is gone two words may have become one.
        if width(&words) > longest * LINES { cut(&shortened(&words, longest * LINES)) } else { words }
    }

    /// Returns `text` with its beginning, the place where it differs from `others`, and its end, for one that [`Self::cut`] makes
    /// equal to those. `None` where that is longer than a line, or tells no more.
    pub(crate) fn apart(&self, text: &str, others: &HashSet<String>) -> Option<String> {
        let longest = self.longest?;
        let plain = |text: &String| text.is_ascii() && !text.contains(' ');
        let end = longest / 4;
        if !others.iter().all(plain) || end == 0 {
            return None;
        }
        let alike = others.iter().map(|other| alike(text, other)).min()?;
        // From the beginning of the word in which they differ.
        let inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let start = text.get(..alike)?.rfind(|letter| !inside(letter)).map_or(0, |place| place + 1);
        let middle = longest - 2 * end - 2;
        let close = start <= end + 1 || text.len() <= start + middle + end;
        let shown = |other: &str| {
            format!("{}…{}…{}", &other[..end], &other[start..start + middle], &other[other.len() - end..])
        };
        let long = others.iter().all(|other| other.len() > start + middle + end);
        let told = || others.iter().map(|other| shown(other)).collect::<HashSet<_>>().len() == others.len();
        (!close && long && told()).then(|| shown(text))
    }

    /// Returns `text` over several lines that break anywhere, for one that [`Self::cut`] makes equal to another.
    pub(crate) fn broken(&self, text: &str) -> String {
        let Some(longest) = self.longest else { return text.to_owned() };
        let letters: Vec<char> = shortened(text, longest * LINES).chars().collect();
        // A letter may take two columns.
        let line = if letters.iter().all(char::is_ascii) { longest } else { longest.div_ceil(2) };
        letters.chunks(line).map(String::from_iter).collect::<Vec<_>>().join("\n")
    }
}

/// Returns the number of letters that `one` and `other` begin with alike; all of them if they are the same.
fn alike(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

/// Fits `table` into lines of `room` columns.
pub(crate) fn fit(table: &Table, room: usize) -> Fit {
    let needs: Vec<Need> = table.columns.iter().enumerate().map(|(index, _)| Need::of(table, index)).collect();
    let sum = |columns: &[usize]| columns.iter().map(|column| needs[*column].least() + PADDING).sum::<usize>();
    let mut kept: Vec<usize> = (0..needs.len()).collect();
    if sum(&kept) > room && kept.iter().any(|column| !is_empty(table, *column)) {
        kept.retain(|column| !is_empty(table, *column));
    }
    let whole = sum(&kept);
    let mut dropped = Vec::new();
    while sum(&kept) > room {
        let rank = |column: usize| table.columns[column].rank;
        let Some(place) = (0..kept.len()).filter(|place| rank(kept[*place]) > 0).max_by_key(|place| rank(kept[*place]))
        else {
            break;
        };
        dropped.push(kept.remove(place));
    }
    dropped.sort_unstable();
    let (names, parts) = split(&kept, table, room, &sum);
    Fit { names, parts: parts.iter().map(|columns| slots(columns, &needs, room)).collect(), dropped, whole }
}

/// Tells if nothing stands below the heading of `column`.
fn is_empty(table: &Table, column: usize) -> bool {
    table.rows.iter().filter_map(|row| row.get(column)).all(|cell| cell.text.is_empty())
}

/// Returns `kept` in parts of which each fits, if any can, and the number of columns that all parts begin with.
fn split(kept: &[usize], table: &Table, room: usize, sum: &dyn Fn(&[usize]) -> usize) -> (usize, Vec<Vec<usize>>) {
    if sum(kept) <= room {
        return (0, vec![kept.to_vec()]);
    }
    let words = kept.iter().take_while(|column| table.columns[**column].align == Align::Left).count();
    // A table of words alone is named by its first column; names that leave no room are not repeated.
    let most = if words == kept.len() { 1 } else { words };
    let short = (1..=most).rev().find(|names| sum(&kept[..*names]) <= room / 2).unwrap_or(1).min(kept.len());
    // Rows that look the same name nothing: then the names have all the room that the widest other column leaves.
    let told =
        (short..=most).find(|names| rows_told(table, &kept[..*names]) == rows_told(table, &kept[..most.max(short)]));
    let fits = |names: &usize| kept[*names..].iter().all(|column| sum(&[&kept[..*names], &[*column]].concat()) <= room);
    let names = told.filter(fits).unwrap_or(short);
    let (names, rest) = kept.split_at(names);
    let mut parts = vec![names.to_vec()];
    for column in rest {
        let Some(last) = parts.last_mut() else { break };
        last.push(*column);
        if sum(last) > room && last.len() > names.len() + 1 {
            last.pop();
            parts.push([names, &[*column]].concat());
        }
    }
    (names.len(), parts)
}

/// Returns how many rows can be told apart by `columns`.
fn rows_told(table: &Table, columns: &[usize]) -> usize {
    let name = |row: &'_ Vec<Cell>| {
        columns
            .iter()
            .map(|column| row.get(*column).cloned())
            .map(|cell| cell.unwrap_or_default().text)
            .collect::<Vec<_>>()
    };
    table.rows.iter().map(name).collect::<HashSet<_>>().len()
}

/// Gives the words that may lose their middle the room that is left; where even so the part is too wide, all words may.
fn slots(columns: &[usize], needs: &[Need], room: usize) -> Vec<Slot> {
    let taken: usize = columns.iter().map(|column| needs[*column].least() + PADDING).sum();
    let spare = room.saturating_sub(taken);
    let may = |column: usize| if taken > room { !needs[column].number } else { needs[column].shortens };
    let many = columns.iter().filter(|column| may(**column)).count().max(1);
    let others: usize = columns.iter().filter(|column| !may(**column)).map(|column| needs[*column].least()).sum();
    let share = room.saturating_sub(others + PADDING * columns.len()) / many;
    let prose = prose(columns, needs, spare);
    let slot = |column: &usize| {
        let need = &needs[*column];
        let longest = match (may(*column), taken > room) {
            (false, _) => None,
            (true, false) => Some(need.least() + spare / many),
            (true, true) => Some(share.max(1)),
        };
        let widened = prose.iter().find(|(wide, _)| wide == column).map_or(need.least(), |(_, least)| *least);
        let least = longest.map_or(widened, |longest| need.word.max(need.prose()).min(longest));
        Slot { column: *column, least, longest }
    };
    columns.iter().map(slot).collect()
}

/// Gives columns of prose whole lines out of `spare`, those that lack least of it first; none where words may lose their
/// middle, which have the first claim. Returns the columns with the room that each then has.
fn prose(columns: &[usize], needs: &[Need], spare: usize) -> Vec<(usize, usize)> {
    if columns.iter().any(|column| needs[*column].shortens) {
        return Vec::new();
    }
    let mut wider: Vec<usize> = columns.iter().copied().filter(|column| !needs[*column].number).collect();
    wider.sort_by_key(|column| needs[*column].cell.saturating_sub(needs[*column].least()));
    let mut spare = spare;
    let mut given = Vec::new();
    for column in wider {
        let more = needs[column].cell.saturating_sub(needs[column].least());
        if more <= spare {
            spare -= more;
            given.push((column, needs[column].cell));
        }
    }
    given
}

/// The room that a column can use.
struct Need {
    /// For its longest word.
    word: usize,
    /// For its longest cell.
    cell: usize,
    number: bool,
    shortens: bool,
}

impl Need {
    fn of(table: &Table, index: usize) -> Self {
        let column = &table.columns[index];
        let number = column.align == Align::Right;
        let words = |text: &str| visible(text).split(' ').map(width).max().unwrap_or(0);
        let head = words(&column.name).max(column.unit.as_deref().map_or(0, words));
        let cells = || table.rows.iter().filter_map(|row| row.get(index)).map(|cell| visible(&cell.text));
        let cell = cells().map(|cell| width(&cell)).max().unwrap_or(0);
        let word = if number { cell } else { cells().map(|cell| words(&cell)).max().unwrap_or(0) };
        Self { word: word.max(head).max(1), cell: cell.max(head), number, shortens: column.shortens }
    }

    /// The least room for prose.
    fn prose(&self) -> usize {
        self.cell.min(PROSE)
    }

    fn least(&self) -> usize {
        if self.shortens { self.cell.min(SYMBOL) } else { self.word.max(self.prose()) }
    }
}
