//! Tables for people, as values.

use std::collections::HashSet;

use crate::Chart;

/// The side of its column that a cell leans to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A column's heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The quantity in the column.
    pub name: String,
    /// The unit of its numbers, if it has one.
    pub unit: Option<String>,
    /// The side that its cells lean to.
    pub align: Align,
    /// The order in which columns are left out where a terminal has no room for all: the greatest first, 0 never.
    pub rank: u8,
    /// True if long words may lose their middle on a terminal, as those of symbols do.
    pub shortens: bool,
}

impl Column {
    fn new(name: impl Into<String>, align: Align) -> Self {
        Self { name: name.into(), unit: None, align, rank: 0, shortens: false }
    }

    /// A column of words.
    pub fn text(name: impl Into<String>) -> Self {
        Self::new(name, Align::Left)
    }

    /// A column of symbols or paths, whose middle may be left out on a terminal.
    pub fn symbol(name: impl Into<String>) -> Self {
        Self { shortens: true, ..Self::text(name) }
    }

    /// A column of numbers without a unit.
    pub fn number(name: impl Into<String>) -> Self {
        Self::new(name, Align::Right)
    }

    /// A column of numbers in `unit`.
    pub fn quantity(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { unit: Some(unit.into()), ..Self::number(name) }
    }

    /// Returns the column with its rank among those that a narrow terminal goes without: the greatest goes first.
    pub fn rank(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    /// Returns the heading on one line.
    pub(crate) fn heading(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} ({unit})", self.name).trim_start().to_owned(),
            None => self.name.clone(),
        }
    }
}

/// The meaning of a cell; shown by colour where there are colours, and by nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Like any other.
    #[default]
    Plain,
    /// The one to look at.
    Strong,
    /// Better than what it is compared with.
    Good,
    /// Worse than what it is compared with, or wrong.
    Bad,
    /// Of less weight.
    Faint,
}

/// One cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Its text, rendered as it is (control characters excepted).
    pub text: String,
    /// The meaning.
    pub tone: Tone,
}

impl Cell {
    /// A cell that is meant in a certain way.
    pub fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }

    /// A cell with `text`, or one that says that there is none.
    pub fn or_none(text: Option<impl Into<String>>) -> Self {
        text.map_or_else(|| Self::toned("n/a", Tone::Faint), |text| Self::from(text.into()))
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, tone: Tone::Plain }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

/// A column with its cell in each row.
pub type Field<'a, R> = (Column, &'a dyn Fn(&R) -> Cell);

/// A table with a title and what it is of above, charts and notes below.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// One line above the table; may be empty.
    pub title: String,
    /// The subject of the table: parts, tools, versions. One paragraph each, between title and headings.
    pub head: Vec<String>,
    /// The headings.
    pub columns: Vec<Column>,
    /// The number of columns at the beginning that name groups of rows: on a terminal without room for all columns, a row of
    /// their own above each group has them.
    pub groups: usize,
    /// The rows, each as long as `columns` (a shorter one is filled with empty cells, a longer one cut).
    pub rows: Vec<Vec<Cell>>,
    /// The same numbers as people see them, below the rows.
    pub charts: Vec<Chart>,
    /// The facts that a reader of the numbers must know: settings, sources, gaps. One paragraph each.
    pub foot: Vec<String>,
}

impl Table {
    /// An empty table.
    pub fn new(title: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        Self { title: title.into(), columns: columns.into_iter().collect(), ..Self::default() }
    }

    /// A table with a row for each of `rows`.
    pub fn of<R>(title: impl Into<String>, rows: impl IntoIterator<Item = R>, fields: &[Field<'_, R>]) -> Self {
        let mut table = Self::new(title, fields.iter().map(|(column, _)| column.clone()));
        rows.into_iter().for_each(|row| table.fields(&row, fields));
        table
    }

    /// Appends the row of `fields`.
    pub fn fields<R>(&mut self, row: &R, fields: &[Field<'_, R>]) {
        self.row(fields.iter().map(|(_, cell)| cell(row)));
    }

    /// Appends a row.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) -> &mut Self {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }

    /// Keeps the columns for which `keeps` says so, by the heading and the texts below it.
    pub(crate) fn keep(&mut self, keeps: impl Fn(&str, &[&str]) -> bool) {
        let texts = |place: usize| -> Vec<&str> {
            self.rows.iter().map(|row| row.get(place).map_or("", |cell| cell.text.as_str())).collect()
        };
        let kept = self.columns.iter().enumerate().map(|(place, column)| keeps(&column.name, &texts(place)));
        let kept: Vec<bool> = kept.collect();
        let is_kept = |place: usize| kept.get(place) == Some(&true);
        let mut place = 0..;
        self.columns.retain(|_| place.next().is_some_and(is_kept));
        for row in &mut self.rows {
            let mut place = 0..;
            row.retain(|_| place.next().is_some_and(is_kept));
        }
    }

    /// Returns the table with its groups' names in rows of their own.
    pub(crate) fn grouped(&self) -> Self {
        let (names, rest) = self.columns.split_at(self.groups.min(self.columns.len()));
        let Some((first, others)) = rest.split_first() else { return Self { groups: 0, ..self.clone() } };
        let heading = names.iter().chain([first]).map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
        let first = Column { name: heading, ..first.clone() };
        let columns = std::iter::once(first).chain(others.iter().cloned()).collect();
        let mut grouped = Self { columns, groups: 0, rows: Vec::new(), ..self.clone() };
        let mut last = None;
        for row in &self.rows {
            let (group, cells) = row.split_at(names.len().min(row.len()));
            if last != Some(group) {
                let texts = group.iter().map(|cell| cell.text.as_str()).filter(|text| !text.is_empty());
                grouped.row([Cell::toned(texts.collect::<Vec<_>>().join(" "), Tone::Strong)]);
                last = Some(group);
            }
            let indented = cells.first().map(|cell| Cell { text: format!("  {}", cell.text), tone: cell.tone });
            grouped.row(indented.into_iter().chain(cells.iter().skip(1).cloned()));
        }
        grouped
    }

    /// Appends a paragraph above the table.
    pub fn head(&mut self, line: impl Into<String>) -> &mut Self {
        self.head.push(line.into());
        self
    }

    /// Appends a chart below the rows.
    pub fn chart(&mut self, chart: Chart) -> &mut Self {
        self.charts.push(chart);
        self
    }

    /// Appends a paragraph below the table.
    pub fn note(&mut self, line: impl Into<String>) -> &mut Self {
        self.foot.push(line.into());
        self
    }

    /// The rows, each exactly as long as the headings.
    pub(crate) fn full_rows(&self) -> impl Iterator<Item = impl Iterator<Item = Cell>> {
        let width = self.columns.len();
        self.rows.iter().map(move |row| row.iter().cloned().chain(std::iter::repeat(Cell::default())).take(width))
    }
}

/// Returns `tables` with each note that is the same below several below the last of them only. Numbered notes, which belong to
/// their table, stay.
pub fn once(tables: &[Table]) -> Vec<Table> {
    let mut tables = tables.to_vec();
    let mut seen = HashSet::new();
    for table in tables.iter_mut().rev() {
        table.foot.retain(|note| note.starts_with('(') || seen.insert(note.clone()));
    }
    tables
}
