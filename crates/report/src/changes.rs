//! Two files of records as tables of what changed.

use std::collections::BTreeSet;

use cyclescope_records::stats::Number;
use cyclescope_records::{Change, Comparison, FUNCTION, Pair, Record, SIGNIFICANT, Scalar, Statistic, Unit};

use crate::{Cell, Column, Table, Tone, format};

/// The heading of what tells the rows of one name apart.
const SETTING: &str = "setting";

/// The heading of the metrics' names.
const METRIC: &str = "metric";

/// The most runs that are named of what appeared or vanished.
const MOST_RUNS: usize = 8;

/// The most metrics that are named of one of them.
const MOST_METRICS: usize = 6;

/// A table for each experiment and chip with a change in it (with `all`, for each), a row an estimate: before, after,
/// difference, ratio. After them one without columns: what was compared, and what is only on one side (with `all`, each
/// name).
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
    tables.push(summary(comparison, all));
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
    let who = who(pairs.iter().map(|pair| pair.new));
    let columns = [
        Column::text(who),
        Column::text(SETTING),
        Column::text(METRIC),
        Column::text("unit").rank(3),
        Column::number("old"),
        Column::number("new"),
        Column::number("difference").rank(2),
        Column::number("ratio").rank(1),
    ];
    let chance = noisy.then(|| Column::number("by chance"));
    let columns = columns.into_iter().chain(chance);
    let mut table = Table::new(format!("{experiment}{place}: what changed"), columns);
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
    // Two ELFs that were run to be compared have no other name, and no settings.
    table.keep(|column, cells| match column {
        SETTING => cells.iter().any(|text| !text.is_empty()),
        column if column == who => cells.iter().any(|text| *text != who),
        _ => true,
    });
    table.groups = table.columns.iter().take_while(|column| column.name != METRIC).count();
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
            1 => format!("1 of {} images differs; the others are the same on both sides.", images.len()),
            _ => format!("{changed} of {} images differ; the others are the same on both sides.", images.len()),
        });
    }
    notes
}

/// A note on a difference of origin. What a record does not have is empty: of an ELF without `.comment` its compiler.
fn was_and_is(contender: &str, what: &str, old: &str, new: &str) -> String {
    let said = |text: &str| if text.is_empty() { "not recorded".to_owned() } else { text.to_owned() };
    format!("{contender}: {what} was {}, is {}.", said(old), said(new))
}

fn summary<'r>(comparison: &Comparison<'r>, every: bool) -> Table {
    let mut table = Table::default();
    let figures = |records: &[&'r Record]| -> Vec<&'r Record> {
        records.iter().filter(|record| record.metric != FUNCTION).copied().collect()
    };
    let (appeared, vanished) = (figures(&comparison.appeared), figures(&comparison.vanished));
    let pairs = || comparison.pairs.iter().filter(|pair| pair.new.metric != FUNCTION);
    let changed = |pair: &&Pair<'_>| pair.estimates().iter().any(Change::is_change);
    let (count, all) = (pairs().filter(changed).count(), pairs().count());
    let whole = |count: usize| format::integer(count as i128);
    table.note(format!(
        "{} metric{} compared: {} changed, {} the same; {} appeared, {} vanished.",
        whole(all),
        if all == 1 { "" } else { "s" },
        whole(count),
        whole(all - count),
        whole(appeared.len()),
        whole(vanished.len())
    ));
    if all == 0 {
        table.note(apart(&vanished, &appeared));
    }
    // Where everything is on one side, the counts say that.
    let sides = if all > 0 || every { vec![("Appeared", appeared), ("Vanished", vanished)] } else { Vec::new() };
    let mut cut = sides.is_empty();
    for (what, records) in sides {
        let runs = runs(&records);
        let (most_runs, most_metrics) = if every { (usize::MAX, usize::MAX) } else { (MOST_RUNS, MOST_METRICS) };
        cut |= runs.len() > most_runs || runs.iter().any(|(_, metrics)| metrics.len() > most_metrics);
        let first: Vec<String> = (runs.iter().take(most_runs))
            .map(|(run, metrics)| format!("{run} ({})", several(metrics, ", ", most_metrics)))
            .collect();
        let more = runs.len().saturating_sub(most_runs);
        let more = if more > 0 { format!("; and {} more", whole(more)) } else { String::new() };
        if !first.is_empty() {
            table.note(format!("{what}: {}{more}.", first.join("; ")));
        }
    }
    if cut {
        table.note("--all names each.");
    }
    table
}

/// The first `most` of `names`, and how many there are more.
fn several(names: &[&str], between: &str, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let more = if more > 0 { format!("{between}{} more", format::integer(more as i128)) } else { String::new() };
    names[..names.len().min(most)].join(between) + &more
}

/// Says why no record of `old` has a partner in `new`: the properties in which the sides have nothing in common.
fn apart(old: &[&Record], new: &[&Record]) -> String {
    type Property = fn(&Record) -> String;
    let memory: Property =
        |record| record.settings.get("memory").map_or("none".to_owned(), |memory| memory.to_string());
    let properties: [(&str, Property); 7] = [
        ("experiment", |record| record.experiment.clone()),
        ("name", |record| record.contender.clone()),
        ("mode", |record| record.mode.clone()),
        ("chip", |record| record.chip.clone().unwrap_or_else(|| "host".to_owned())),
        ("optimisation", |record| record.opt.clone()),
        ("memory setting", memory),
        ("metric", |record| record.metric.clone()),
    ];
    let differ = properties.iter().filter_map(|(name, property)| {
        let side = |records: &[&Record]| records.iter().map(|record| property(record)).collect::<BTreeSet<_>>();
        let (old, new) = (side(old), side(new));
        let told =
            |side: &BTreeSet<String>| several(&side.iter().map(String::as_str).collect::<Vec<_>>(), ", ", MOST_METRICS);
        let differ = !old.is_empty() && !new.is_empty() && old.is_disjoint(&new);
        differ.then(|| format!("{name} (old {}; new {})", told(&old), told(&new)))
    });
    let differ: Vec<String> = differ.collect();
    match differ.as_slice() {
        [] => "No metric is on both sides, so that nothing can be compared.".to_owned(),
        some => format!("No metric is on both sides: they differ in {}.", some.join(", ")),
    }
}

/// Returns the runs of `records`, each once, with its metrics.
fn runs<'r>(records: &[&'r Record]) -> Vec<(String, Vec<&'r str>)> {
    let mut runs: Vec<(String, Vec<&str>)> = Vec::new();
    for record in records {
        let row = record.params.get("row").map(Scalar::to_string).unwrap_or_default();
        let memory = record.settings.get("memory").map(Scalar::to_string).unwrap_or_default();
        let chip = record.chip.as_deref().unwrap_or("host");
        let Record { experiment, contender, mode, opt, .. } = record;
        let words = [experiment, contender, mode, opt, chip, &memory, &row];
        let run = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        match runs.iter_mut().find(|(known, _)| *known == run) {
            Some((_, metrics)) if metrics.contains(&record.metric.as_str()) => {}
            Some((_, metrics)) => metrics.push(&record.metric),
            None => runs.push((run, vec![&record.metric])),
        }
    }
    runs
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
