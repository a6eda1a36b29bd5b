//! Claims for people.

use std::collections::BTreeSet;

use cyclescope_records::{Record, Unit};
use cyclescope_report::{Cell, Column, TIE, Table, Tone, format};

use super::{Claim, Found, Judged, Outcome, Relation, Test, Vary};

/// A claim: the verdict, and the figures compared for each chip, mode and level.
pub(super) fn table(claim: &Claim, found: &[Found<'_>]) -> Table {
    let mut table = Table::new(
        claim.says.clone(),
        // Place and metric share a column: beside each other they leave the rest no room on a terminal.
        ["chip, mode and metric", "figures", "against", "agree"].map(Column::text),
    );
    if let (Some(first), Some(test)) = (found.first(), claim.test.first()) {
        table.head(format!("{} {}.", verdict(first), counted(first, test)));
    }
    for (test, found) in claim.test.iter().zip(found).skip(1).filter(|(_, found)| !found.pairs.is_empty()) {
        table.head(format!("{} {} {}.", test.says, verdict(found), counted(found, test)));
    }
    table.head(format!("Command: {}", claim.command));
    for (test, found) in claim.test.iter().zip(found) {
        for place in places(found, test) {
            let here: Vec<&Judged<'_>> = found.pairs.iter().filter(|pair| place_of(pair.this, test) == place).collect();
            table.row(row(&place, test, &here));
        }
    }
    table
}

fn places(found: &Found<'_>, test: &Test) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let names = found.pairs.iter().map(|pair| place_of(pair.this, test));
    names.filter(|name| seen.insert(name.clone())).collect()
}

fn verdict(found: &Found<'_>) -> &'static str {
    match (found.count(Outcome::Holds), found.count(Outcome::Fails)) {
        (0, 0) => "Undecided:",
        (_, 0) => "Confirmed:",
        (0, _) => "Refuted:",
        (holds, fails) if holds > 3 * fails => "Mostly confirmed:",
        (holds, fails) if fails > 3 * holds => "Mostly refuted:",
        _ => "Mixed:",
    }
}

fn counted(found: &Found<'_>, test: &Test) -> String {
    let all = found.pairs.len();
    let (holds, open) = (found.count(Outcome::Holds), found.count(Outcome::Open));
    let relation = match test.are {
        Relation::Less => "less",
        Relation::More => "more",
    };
    let open = if open > 0 { format!(", {open} within noise") } else { String::new() };
    format!("{relation} in {holds} of {all} comparisons{open}")
}

/// Returns the origin of a record without the varied field.
fn place_of(record: &Record, test: &Test) -> String {
    let chip = record.chip.as_deref().unwrap_or("host");
    let fixed = [Vary::Contender, Vary::Mode, Vary::Opt].into_iter().filter(|vary| *vary != test.vary);
    let fixed: Vec<&str> = fixed.map(|vary| vary.of(record)).filter(|word| !word.is_empty()).collect();
    [chip.to_owned(), fixed.join(TIE)]
        .into_iter()
        .chain(
            record
                .params
                .iter()
                .filter(|(name, _)| !["row", "stimulus", "less"].contains(&name.as_str()))
                .map(|(_, value)| value.to_string()),
        )
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Tells if all figures are times of a tenth of a millisecond or more, which nobody reads in nanoseconds.
fn are_long(pairs: &[&Judged<'_>]) -> bool {
    let is_long = |record: &Record| record.unit == Unit::Nanoseconds && record.mean.as_f64() >= 1e5;
    pairs.iter().all(|pair| is_long(pair.this) && is_long(pair.than))
}

fn figure(record: &Record, long: bool) -> String {
    if long { format::decimal(record.mean.as_f64() / 1e6, 1) } else { format::number(record.mean, 1) }
}

fn row(place: &str, test: &Test, pairs: &[&Judged<'_>]) -> Vec<Cell> {
    let long = are_long(pairs);
    let listed = |side: for<'r> fn(&Judged<'r>) -> &'r Record| {
        let mut seen = BTreeSet::new();
        let told = pairs.iter().map(|pair| side(pair)).filter(|record| seen.insert(test.vary.of(record).to_owned()));
        let words = told.map(|record| format!("{} {}", test.vary.of(record), figure(record, long)));
        words.collect::<Vec<_>>().join(", ")
    };
    let holds = pairs.iter().filter(|pair| pair.outcome == Outcome::Holds).count();
    let tone = if holds == pairs.len() { Tone::Good } else { Tone::Plain };
    let unit = if long { "ms" } else { pairs.first().map(|pair| pair.this.unit.name()).unwrap_or_default() };
    let metric = if test.vary == Vary::Metric { unit.to_owned() } else { format!("{}, {unit}", test.metric) };
    vec![
        Cell::from(format!("{place}: {metric}")),
        Cell::from(listed(|pair| pair.this)),
        Cell::from(listed(|pair| pair.than)),
        Cell::toned(format!("{holds} of {}", pairs.len()), tone),
    ]
}
