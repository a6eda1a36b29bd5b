//! Whose the cycles were that came or went.

use cyclescope_records::stats::Number;
use cyclescope_records::{Comparison, FUNCTION, Record};

use crate::changes::{place, shown, who};
use crate::{Cell, Column, Table, Tone};

/// For each run with functions on both sides a table of those that gained or lost cycles by themselves, the most first;
/// at most `top` of them, and all with 0.
pub fn functions(comparison: &Comparison<'_>, top: usize) -> Vec<Table> {
    let mut runs: Vec<(String, Vec<Moved>)> = Vec::new();
    let mut moved = |record: &Record, old: Option<&Record>, new: Option<&Record>| {
        let cycles = |record: Option<&Record>| record.and_then(|record| record.mean.as_integer()).unwrap_or(0);
        let name = record.params.get(FUNCTION).map(ToString::to_string).unwrap_or_default();
        let moved = Moved { name, old: cycles(old), new: cycles(new), is: [old.is_some(), new.is_some()] };
        let run = run_of(record);
        match runs.iter_mut().find(|(known, _)| *known == run) {
            Some((_, all)) => all.push(moved),
            None => runs.push((run, vec![moved])),
        }
    };
    for pair in comparison.pairs.iter().filter(|pair| pair.new.metric == FUNCTION) {
        moved(pair.new, Some(pair.old), Some(pair.new));
    }
    for record in comparison.vanished.iter().filter(|record| record.metric == FUNCTION) {
        moved(record, Some(record), None);
    }
    for record in comparison.appeared.iter().filter(|record| record.metric == FUNCTION) {
        moved(record, None, Some(record));
    }
    runs.into_iter().filter_map(|(run, all)| table(&run, all, top)).collect()
}

/// A function before and after.
struct Moved {
    name: String,
    old: i64,
    new: i64,
    /// True if it ran before, and if it ran after.
    is: [bool; 2],
}

impl Moved {
    fn difference(&self) -> i64 {
        self.new.saturating_sub(self.old)
    }
}

/// Returns the run that a function's record is part of, in words.
fn run_of(record: &Record) -> String {
    let mut whole = record.clone();
    whole.params.remove(FUNCTION);
    // Two ELFs that were run to be compared have no other name.
    let name = Some(record.contender.as_str()).filter(|name| *name != who([record]));
    let words = [Some(record.experiment.as_str()), name, Some(&place(&whole))];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn table(run: &str, mut all: Vec<Moved>, top: usize) -> Option<Table> {
    all.retain(|moved| moved.difference() != 0);
    if all.is_empty() {
        return None;
    }
    all.sort_by(|a, b| b.difference().abs().cmp(&a.difference().abs()).then_with(|| a.name.cmp(&b.name)));
    let shown_ones = if top == 0 { all.len() } else { top.min(all.len()) };
    let mut table = Table::new(
        format!("{}: functions that gained or lost cycles by themselves", run.trim()),
        [Column::symbol("function"), Column::number("old"), Column::number("new"), Column::number("difference")],
    );
    let figure = |value: i64, is: bool| if is { shown(Number::Integer(value)) } else { "–".to_owned() };
    let difference = |value: i64| {
        let (sign, tone) = if value > 0 { ("+", Tone::Bad) } else { ("", Tone::Good) };
        Cell::toned(format!("{sign}{}", shown(Number::Integer(value))), tone)
    };
    for moved in &all[..shown_ones] {
        table.row([
            Cell::from(moved.name.as_str()),
            Cell::from(figure(moved.old, moved.is[0])),
            Cell::from(figure(moved.new, moved.is[1])),
            difference(moved.difference()),
        ]);
    }
    let rest = &all[shown_ones..];
    if !rest.is_empty() {
        let sum = |part: fn(&Moved) -> i64| rest.iter().map(part).fold(0i64, i64::saturating_add);
        table.row([
            Cell::toned(format!("{} more", rest.len()), Tone::Faint),
            Cell::from(shown(Number::Integer(sum(|moved| moved.old)))),
            Cell::from(shown(Number::Integer(sum(|moved| moved.new)))),
            difference(sum(Moved::difference)),
        ]);
    }
    Some(table)
}
