//! Results in a few lines.

use std::collections::BTreeSet;

use cyclescope_chips::MemorySetting;
use cyclescope_records::{Record, Scalar};
use cyclescope_report::Table;

use crate::conditions::Conditions;
use crate::{Job, Selection, Trust};

/// An experiment in a few lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Digest {
    /// The figures, ready to print; the head says what they are.
    pub table: Table,
    /// One sentence computed from the records, for readers who do not see the table.
    pub conclusion: String,
}

/// The digest of `records` of any runs: the tables of the experiments on chips, of those records that a run for a digest would give,
/// and the grounds for trust. Empty where no record is of such a run.
pub fn digests(records: &[Record]) -> Vec<Table> {
    let selection = Selection { digest: true, memory: vec![MemorySetting::Equal], ..Selection::default() };
    let mut used: Vec<Record> = Vec::new();
    let mut tables = Vec::new();
    for experiment in crate::all().iter().filter(|experiment| !experiment.is_host()) {
        let jobs = experiment.jobs(&selection);
        let jobs: BTreeSet<[&str; 5]> = jobs.iter().filter_map(place).collect();
        let of = |record: &&Record| record.experiment == experiment.name() && is_of(&jobs, record);
        let own: Vec<Record> = records.iter().filter(of).cloned().collect();
        tables.extend(experiment.digest(&own).map(|digest| digest.table));
        used.extend(own);
    }
    if !used.is_empty() {
        tables.push(trust(&used, 0));
    }
    tables
}

/// Returns chip, contender, mode, level and memory setting of a run.
fn place(job: &Job) -> Option<[&str; 5]> {
    let job = job.image().ok()?;
    Some([job.image.chip, job.image.contender, &job.mode, job.image.opt, job.memory.name()])
}

fn is_of(jobs: &BTreeSet<[&str; 5]>, record: &Record) -> bool {
    let memory = record.settings.get("memory").map(Scalar::to_string).unwrap_or_default();
    let chip = record.chip.as_deref().unwrap_or_default();
    jobs.contains(&[chip, record.contender.as_str(), &record.mode, &record.opt, &memory])
}

/// Returns the grounds for trust in a digest of `records`, beside runs that `failed`, and the next command.
pub fn trust(records: &[Record], failed: usize) -> Table {
    let Trust { checked, rows, assumed, gaps } = Trust::of(records);
    let output = match failed {
        0 => format!("The output of all {checked} programs was checked and right."),
        1 => format!("The output of {checked} programs was checked and right; 1 run failed."),
        wrong => format!("The output of {checked} programs was checked and right; {wrong} runs failed."),
    };
    let verb = if assumed.len() == 1 { "is" } else { "are" };
    let timings = format!("{} of the {rows} timings used {verb} assumed (docs/timing.md).", assumed.len());
    let gaps = match gaps.len() {
        0 => String::new(),
        _ => format!(" Used, but not modelled: {}.", gaps.into_iter().collect::<Vec<_>>().join(", ")),
    };
    let next = records.first().map(|record| {
        format!(
            "Next: `cyclescope run {}` for all of one experiment, `cyclescope list` for what else there is.",
            record.experiment
        )
    });
    Table { foot: [format!("{output} {timings}{gaps}")].into_iter().chain(next).collect(), ..Table::default() }
}

/// Returns the chips' short names with the name and the clock that each stands for.
pub(crate) fn chips<'c>(all: impl IntoIterator<Item = &'c Conditions<'c>>) -> String {
    let named = |of: &Conditions<'_>| match short(of.chip) {
        short if short == of.chip => format!("{} at {}", of.chip, of.clock),
        short => format!("{short} = {} at {}", of.chip, of.clock),
    };
    all.into_iter().map(named).collect::<Vec<_>>().join(", ")
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
    let place = format!("cycles on {} at {}", conditions.chip, conditions.clock);
    Some(match format!("{least:.0}") {
        // Names beside one figure would say that others have another.
        least if least == format!("{most:.0}") && first != last => format!("{least} {place}"),
        least if first == last => format!("{least} ({first}) {place}"),
        least => format!("{least} ({first}) to {most:.0} ({last}) {place}"),
    })
}

/// Returns the optimisation level in words.
pub(crate) fn level(opt: &str) -> String {
    if opt == "3" { "for speed (3)".to_owned() } else { format!("at {opt}") }
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
}
