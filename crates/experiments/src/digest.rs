//! Results in a few lines: each experiment's own, or all of them in one table.

use cyclescope_report::{Cell, Column, Table, Tone};

use crate::conditions::{Conditions, unique};

/// An experiment in a few lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Digest {
    /// The lines of result, ready to print.
    pub table: Table,
    /// One sentence computed from the records.
    pub conclusion: String,
    /// A sentence on the table's columns, for readers of the table; may be empty.
    pub reading: String,
    /// The quantity in the columns below, for readers who see them among those of others.
    pub what: String,
    /// Under which conditions, in words; the same for all experiments of one run.
    pub conditions: String,
    /// The least of it, as columns beside those of other experiments.
    pub columns: Vec<DigestColumn>,
}

impl Digest {
    /// Returns the conclusion with the sentence on the table's columns.
    pub fn explained(&self) -> String {
        [self.conclusion.as_str(), &self.reading].join(" ").trim_end().to_owned()
    }
}

/// A column that stands beside those of other experiments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestColumn {
    /// Its heading.
    pub head: Column,
    /// Each contender's cell.
    pub cells: Vec<(String, Cell)>,
}

impl DigestColumn {
    /// The column of what `name` is on `chip`.
    pub fn on(name: &str, chip: &str, cells: Vec<(String, Cell)>) -> Self {
        Self { head: Column::quantity(name, short(chip)), cells }
    }
}

/// Returns `figures`, each with its contender, from the least to the greatest.
pub(crate) fn ranked<'c>(figures: impl IntoIterator<Item = (f64, &'c str)>) -> Vec<(f64, &'c str)> {
    let mut ranked: Vec<(f64, &str)> = figures.into_iter().collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked
}

/// Returns the contenders of the least and the greatest of the `figures` in cycles that were measured under `conditions`.
pub(crate) fn range<'c>(
    conditions: &Conditions<'_>,
    figures: impl IntoIterator<Item = (f64, &'c str)>,
) -> Option<String> {
    let ranked = ranked(figures);
    let ((least, first), (most, last)) = (ranked.first()?, ranked.last()?);
    let rest = if first == last { String::new() } else { format!(" to {most:.0} ({last})") };
    Some(format!("{least:.0} ({first}){rest} cycles on {} at {}", conditions.chip, conditions.clock))
}

/// Returns the optimisation level in words.
pub(crate) fn level(opt: &str) -> String {
    if opt == "3" { "for speed (3)".to_owned() } else { format!("at {opt}") }
}

/// One table of several experiments' columns, a row a contender in the order of their first mention.
pub fn merged(digests: &[(&str, Digest)]) -> Table {
    let conditions = unique(digests.iter().map(|(_, digest)| digest.conditions.as_str()));
    let columns = || digests.iter().flat_map(|(_, digest)| &digest.columns);
    let heads = std::iter::once(Column::text("framework")).chain(columns().map(|column| column.head.clone()));
    let mut table = Table::new(format!("What concurrency costs; {}", conditions.join(" or ")), heads);
    for contender in unique(columns().flat_map(|column| &column.cells).map(|(contender, _)| contender.as_str())) {
        let cell = |column: &DigestColumn| {
            let found = column.cells.iter().find(|(name, _)| name == contender);
            found.map_or(Cell::toned("–", Tone::Faint), |(_, cell)| cell.clone())
        };
        let name = std::iter::once(Cell::toned(contender, Tone::Strong));
        table.row(name.chain(columns().map(cell)));
    }
    for (name, digest) in digests {
        table.note(format!("{name}: {}. {}", digest.what, digest.explained()));
    }
    table
}

/// The part of a chip's name by which one knows it among the others: `stm32c031c6` is `c031`, `atmega328p` `328p`.
pub fn short(chip: &str) -> String {
    let stm32 = chip.strip_prefix("stm32").filter(|rest| rest.len() > 4 && rest.is_ascii());
    let known = stm32.map(|rest| &rest[..4]).or_else(|| chip.strip_prefix("atmega"));
    known.unwrap_or(chip).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_still_apart() {
        let names: Vec<String> = cyclescope_chips::Part::all().iter().map(|part| short(&part.name)).collect();
        assert!(names.contains(&"c031".to_owned()));
        assert_eq!((short("atmega32u4"), short("stm32ö")), ("32u4".to_owned(), "stm32ö".to_owned()));
        // Two packages of one die differ in what is cut off, and no experiment has images for both.
        let apart: std::collections::BTreeSet<&String> = names.iter().collect();
        assert!(apart.len() + 1 >= names.len(), "{names:?}");
    }

    #[test]
    fn experiments_stand_side_by_side() {
        let digest = |name: &str, cells: &[(&str, &str)], conditions: &str| Digest {
            table: Table::default(),
            conclusion: "It is so.".to_owned(),
            reading: String::new(),
            what: "cycles".to_owned(),
            conditions: conditions.to_owned(),
            columns: vec![DigestColumn::on(
                name,
                "stm32c031c6",
                cells.iter().map(|(contender, text)| ((*contender).to_owned(), Cell::from(*text))).collect(),
            )],
        };
        let both = [
            ("one", digest("yield", &[("b", "1"), ("a", "2")], "memory equal")),
            ("two", digest("switch", &[("c", "3"), ("a", "4")], "memory equal")),
        ];
        let table = merged(&both);
        let rows: Vec<Vec<&str>> =
            table.rows.iter().map(|row| row.iter().map(|cell| cell.text.as_str()).collect()).collect();
        assert_eq!(rows, [["b", "1", "–"], ["a", "2", "4"], ["c", "–", "3"]]);
        assert_eq!(table.foot, ["one: cycles. It is so.", "two: cycles. It is so."]);
        assert_eq!(table.title, "What concurrency costs; memory equal");
    }
}
