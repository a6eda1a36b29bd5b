//! A comparison for programs.

use std::collections::BTreeMap;

use cyclescope_records::stats::Number;
use cyclescope_records::{Change, Comparison, Record, Scalar, Statistic, Verdict};
use serde::Serialize;

use crate::ReportError;

/// The version of the form below.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct File<'a> {
    schema: u32,
    tool: &'a str,
    changes: Vec<ChangedMetric<'a>>,
    appeared: Vec<Of<'a>>,
    vanished: Vec<Of<'a>>,
    breaches: Vec<Broken<'a>>,
    noise: usize,
}

/// The origin of a record.
#[derive(Serialize)]
struct Of<'a> {
    experiment: &'a str,
    contender: &'a str,
    mode: &'a str,
    opt: &'a str,
    chip: Option<&'a str>,
    memory: Option<String>,
    params: &'a BTreeMap<String, Scalar>,
    source: String,
    metric: &'a str,
    unit: &'a str,
}

#[derive(Serialize)]
struct ChangedMetric<'a> {
    #[serde(flatten)]
    of: Of<'a>,
    #[serde(flatten)]
    figures: Figures,
    chance: Option<f64>,
}

#[derive(Serialize)]
struct Broken<'a> {
    bound: String,
    #[serde(flatten)]
    of: Of<'a>,
    #[serde(flatten)]
    figures: Option<Figures>,
    chance: Option<f64>,
}

#[derive(Serialize)]
struct Figures {
    statistic: &'static str,
    old: Number,
    new: Number,
    difference: Number,
    ratio: Option<f64>,
}

impl Figures {
    fn of(change: &Change) -> Self {
        let statistic = if change.statistic == Statistic::Value { "value" } else { change.statistic.name() };
        Self { statistic, old: change.old, new: change.new, difference: change.difference(), ratio: change.ratio() }
    }
}

impl<'a> Of<'a> {
    fn new(record: &'a Record) -> Self {
        Self {
            experiment: &record.experiment,
            contender: &record.contender,
            mode: &record.mode,
            opt: &record.opt,
            chip: record.chip.as_deref(),
            memory: record.settings.get("memory").map(Scalar::to_string),
            params: &record.params,
            source: record.source.to_string(),
            metric: &record.metric,
            unit: record.unit.name(),
        }
    }
}

/// Everything compared, changed or not, and what `verdict` says of it; the repository's docs/ci.md describes the form.
///
/// # Errors
/// [`ReportError::Json`] where a number is not finite.
pub fn comparison_json(tool: &str, comparison: &Comparison<'_>, verdict: &Verdict<'_>) -> Result<String, ReportError> {
    let rows = comparison.pairs.iter().zip(comparison.chances()).flat_map(|(pair, chance)| {
        let row = move |change: Change| ChangedMetric { of: Of::new(pair.new), figures: Figures::of(&change), chance };
        pair.estimates().into_iter().map(row)
    });
    let broken = verdict.breaches.iter().map(|breach| Broken {
        bound: breach.bound.to_string(),
        of: Of::new(breach.record),
        figures: breach.change.as_ref().map(Figures::of),
        chance: breach.chance,
    });
    let file = File {
        schema: SCHEMA,
        tool,
        changes: rows.collect(),
        appeared: comparison.appeared.iter().map(|record| Of::new(record)).collect(),
        vanished: comparison.vanished.iter().map(|record| Of::new(record)).collect(),
        breaches: broken.collect(),
        noise: verdict.noise,
    };
    Ok(serde_json::to_string_pretty(&file)? + "\n")
}
