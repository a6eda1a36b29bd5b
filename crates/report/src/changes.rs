//! Two files of records as tables of what changed.

use std::collections::BTreeSet;

use cyclescope_records::stats::Number;
use cyclescope_records::{Change, Comparison, FUNCTION, Pair, Record, SIGNIFICANT, Scalar, Statistic, Unit};

use crate::{Cell, Column, Table, Tone, format};

/// The most names of what appeared or vanished.
const MOST_NAMES: usize = 40;

/// A table for each experiment and chip with a change in it (with `all`, for each), a row an estimate: before, after,
/// difference, ratio. After them one without columns: what was compared, and what is only on one side.
///
/// Figures that are exact are shown whole and compared to the last digit. A change of cycles, instructions, bytes or
/// nanoseconds is good where they get fewer.
///
/// Noisy figures have a column more: how likely chance alone makes their means differ so.
pub fn changes(comparison: &Comparison<'_>, all: bool) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut groups: Vec<(Group<'_>, Vec<Asked<'_>>)> = Vec::new();
    let figures = |(pair, _): &(&Pair<'_>, Option<f64>)| pair.new.metric != FUNCTION;
    for (pair, chance) in comparison.pairs.iter().zip(comparison.chances()).filter(figures) {
        let group = (pair.new.experiment.as_str(), pair.new.chip.as_deref());
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, pairs)) => pairs.push((*pair, chance)),
            None => groups.push((group, vec![(*pair, chance)])),
        }
    }
    for (group, pairs) in &groups {
        tables.extend(table(*group, pairs, all));
    }
    tables.push(summary(comparison));
    tables
}

/// An experiment's name and a chip's.
type Group<'r> = (&'r str, Option<&'r str>);

/// A pair, and how likely chance alone makes its means differ so.
type Asked<'r> = (Pair<'r>, Option<f64>);

fn table((experiment, chip): Group<'_>, asked: &[Asked<'_>], all: bool) -> Option<Table> {
    let place = chip.map(|chip| format!(" on {chip}")).unwrap_or_default();
    let pairs: Vec<Pair<'_>> = asked.iter().map(|(pair, _)| *pair).collect();
    let noisy = pairs.iter().any(|pair| !pair.is_exact());
    let columns = [
        Column::text(who(pairs.iter().map(|pair| pair.new))),
        Column::text("setting"),
        Column::text("metric"),
        Column::text("unit").rank(1),
        Column::number("old"),
        Column::number("new"),
        Column::number("difference").rank(2),
        Column::number("ratio").rank(3),
    ];
    let chance = noisy.then(|| Column::number("by chance"));
    let mut table = Table::new(format!("{experiment}{place}: what changed"), columns.into_iter().chain(chance));
    let told = telling(&pairs);
    for (pair, chance) in asked {
        for change in pair.estimates().into_iter().filter(|change| all || change.is_change()) {
            let mut cells = row(pair, &change, &told);
            if noisy {
                cells.push(probability(pair, &change, *chance));
            }
            table.row(cells);
        }
    }
    for note in origins(&pairs) {
        table.note(note);
    }
    if noisy {
        table.note(
            "`by chance`: how likely noise alone makes the means differ as much (Welch's test, corrected for all noisy \
             figures compared by Holm's method). It knows the noise within a run, and not that another day finds the \
             machine in another state.",
        );
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Returns the heading of a column of contenders: of images that are a user's own, `image`.
pub(crate) fn who<'r>(records: impl IntoIterator<Item = &'r Record>) -> &'static str {
    let own = |record: &Record| record.contender_version.is_empty();
    if records.into_iter().all(own) { "image" } else { "framework" }
}

/// Returns the probability that noise alone does that, which stands beside the mean.
fn probability(pair: &Pair<'_>, change: &Change, chance: Option<f64>) -> Cell {
    match chance {
        Some(chance) if change.statistic == Statistic::Mean => match chance {
            chance if chance < 0.001 => Cell::toned("< 0.001", Tone::Strong),
            chance if chance < SIGNIFICANT => Cell::toned(format::decimal(chance, 3), Tone::Strong),
            chance => Cell::toned(format::decimal(chance, 3), Tone::Faint),
        },
        None if !pair.is_exact() => Cell::toned("?", Tone::Faint),
        _ => Cell::default(),
    }
}

/// Returns the origin of a record in a few words.
pub(crate) fn place(record: &Record) -> String {
    let told: BTreeSet<&str> = record.params.keys().map(String::as_str).chain(["memory"]).collect();
    format!("{} {}", record.chip.as_deref().unwrap_or("host"), setting(record, &told))
}

fn row(pair: &Pair<'_>, change: &Change, told: &BTreeSet<&str>) -> Vec<Cell> {
    let record = pair.new;
    let statistic = change.statistic.name();
    let metric = if statistic.is_empty() { record.metric.clone() } else { format!("{} {statistic}", record.metric) };
    let difference = change.difference();
    let sign = if difference.as_f64() > 0.0 { "+" } else { "" };
    let smaller_is_better = matches!(record.unit, Unit::Cycles | Unit::Instructions | Unit::Bytes | Unit::Nanoseconds);
    let tone = match difference.as_f64() {
        change if smaller_is_better && change < 0.0 => Tone::Good,
        change if smaller_is_better && change > 0.0 => Tone::Bad,
        _ => Tone::Plain,
    };
    let ratio = change.ratio().map_or("n/a".to_owned(), |ratio| format::decimal(ratio, 4));
    vec![
        Cell::toned(record.contender.as_str(), Tone::Strong),
        Cell::from(setting(record, told)),
        Cell::from(metric),
        Cell::toned(record.unit.name(), Tone::Faint),
        Cell::from(shown(change.old)),
        Cell::from(shown(change.new)),
        Cell::toned(format!("{sign}{}", shown(difference)), tone),
        Cell::toned(ratio, tone),
    ]
}

/// Whole numbers whole, others with as many places as tell them apart.
pub(crate) fn shown(number: Number) -> String {
    match number {
        Number::Real(value) if value != 0.0 && value.abs() < 1.0 => format::decimal(value, 6),
        number => format::number(number, 3),
    }
}

/// The names of `params` and settings that tell rows of one table apart.
fn telling<'r>(pairs: &[Pair<'r>]) -> BTreeSet<&'r str> {
    let names: BTreeSet<&str> = pairs.iter().flat_map(|pair| pair.new.params.keys()).map(String::as_str).collect();
    let differs = |name: &&str| {
        let mut values = pairs.iter().map(|pair| pair.new.params.get(*name));
        let first = values.next();
        first.is_some_and(|first| values.any(|other| other != first))
    };
    let mut told: BTreeSet<&str> = names.into_iter().filter(differs).collect();
    let memory: BTreeSet<Option<String>> =
        pairs.iter().map(|pair| pair.new.settings.get("memory").map(Scalar::to_string)).collect();
    if memory.len() > 1 {
        told.insert("memory");
    }
    told
}

/// Mode, optimisation level, and what tells this record from others.
fn setting(record: &Record, told: &BTreeSet<&str>) -> String {
    let mut words: Vec<String> =
        [&record.mode, &record.opt].into_iter().filter(|word| !word.is_empty()).cloned().collect();
    if told.contains("memory") {
        words.extend(record.settings.get("memory").map(Scalar::to_string));
    }
    for (name, value) in record.params.iter().filter(|(name, _)| told.contains(name.as_str())) {
        words.push(if name == "row" { value.to_string() } else { format!("{name}={value}") });
    }
    words.join(" ")
}

/// Returns the differences in the measured programs: a contender's version, its compiler, its image.
fn origins(pairs: &[Pair<'_>]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |pair: &Pair<'_>, what: &str, old: &str, new: &str| {
        let note = was_and_is(&pair.new.contender, what, old, new);
        if old != new && !notes.contains(&note) {
            notes.push(note);
        }
    };
    for pair in pairs {
        note(pair, "version", &pair.old.contender_version, &pair.new.contender_version);
        note(pair, "compiler", &pair.old.compiler, &pair.new.compiler);
    }
    let images: BTreeSet<(&str, bool)> = pairs
        .iter()
        .filter_map(|pair| Some((pair.new.image_sha256.as_deref()?, pair.old.image_sha256 == pair.new.image_sha256)))
        .collect();
    let changed = images.iter().filter(|(_, same)| !same).count();
    if !images.is_empty() {
        notes.push(match changed {
            0 => "The images are the same on both sides: what changed is the model or the tool.".to_owned(),
            all if all == images.len() => "The images differ: what changed may be their code.".to_owned(),
            _ => format!("Of {} images {changed} differ; the others are the same on both sides.", images.len()),
        });
    }
    notes
}

/// A note on a difference of origin. What a record does not have is empty: of an ELF without `.comment` its compiler.
fn was_and_is(contender: &str, what: &str, old: &str, new: &str) -> String {
    let said = |text: &str| if text.is_empty() { "not recorded".to_owned() } else { text.to_owned() };
    format!("{contender}: {what} was {}, is {}.", said(old), said(new))
}

fn summary<'r>(comparison: &Comparison<'r>) -> Table {
    let mut table = Table::default();
    let figures = |records: &[&'r Record]| -> Vec<&'r Record> {
        records.iter().filter(|record| record.metric != FUNCTION).copied().collect()
    };
    let (appeared, vanished) = (figures(&comparison.appeared), figures(&comparison.vanished));
    let pairs = || comparison.pairs.iter().filter(|pair| pair.new.metric != FUNCTION);
    let changed = |pair: &&Pair<'_>| pair.estimates().iter().any(Change::is_change);
    let (count, all) = (pairs().filter(changed).count(), pairs().count());
    table.note(format!(
        "{all} metrics compared: {count} changed, {} the same; {} appeared, {} vanished.",
        all - count,
        appeared.len(),
        vanished.len()
    ));
    for (what, records) in [("Appeared", appeared), ("Vanished", vanished)] {
        let names = named(&records);
        if !names.is_empty() {
            let more = names.len().saturating_sub(MOST_NAMES);
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            let first: Vec<String> = names.into_iter().take(MOST_NAMES).collect();
            table.note(format!("{what}: {}{more}.", first.join("; ")));
        }
    }
    table
}

/// Returns the runs of `records`, each once, with its metrics.
fn named(records: &[&Record]) -> Vec<String> {
    let mut runs: Vec<(String, Vec<&str>)> = Vec::new();
    for record in records {
        let row = record.params.get("row").map(|row| format!(" {row}")).unwrap_or_default();
        let memory = record.settings.get("memory").map(|memory| format!(" {memory}")).unwrap_or_default();
        let chip = record.chip.as_deref().unwrap_or("host");
        let Record { experiment, contender, mode, opt, .. } = record;
        let run = format!("{experiment} {contender} {mode} {opt} {chip}{memory}{row}");
        match runs.iter_mut().find(|(known, _)| *known == run) {
            Some((_, metrics)) if metrics.contains(&record.metric.as_str()) => {}
            Some((_, metrics)) => metrics.push(&record.metric),
            None => runs.push((run, vec![&record.metric])),
        }
    }
    runs.into_iter().map(|(run, metrics)| format!("{run} ({})", metrics.join(", "))).collect()
}

#[cfg(test)]
mod tests {
    use super::was_and_is;

    #[test]
    fn an_origin_that_is_not_recorded_is_said() {
        assert_eq!(was_and_is("app.elf", "compiler", "GCC 14", "GCC 15"), "app.elf: compiler was GCC 14, is GCC 15.");
        assert_eq!(was_and_is("app.elf", "compiler", "GCC 14", ""), "app.elf: compiler was GCC 14, is not recorded.");
        assert_eq!(was_and_is("app.elf", "version", "", "2"), "app.elf: version was not recorded, is 2.");
    }
}
