//! A comparison for programs.

use cyclescope_records::{Change, Comparison, Record, Scalar, Statistic, Verdict};
use serde_json::{Map, Value, json};

use crate::ReportError;

/// The version of the form below.
const SCHEMA: u32 = 1;

/// Returns the members of all `parts` in one object.
fn joined<const N: usize>(parts: [Value; N]) -> Value {
    let members = parts.into_iter().flat_map(|part| match part {
        Value::Object(members) => members,
        _ => Map::new(),
    });
    Value::Object(members.collect())
}

/// Returns the metric of `record` with all that tells it from others.
fn of(record: &Record) -> Value {
    json!({
        "experiment": record.experiment,
        "contender": record.contender,
        "mode": record.mode,
        "opt": record.opt,
        "chip": record.chip,
        "memory": record.settings.get("memory").map(Scalar::to_string),
        "params": record.params,
        "source": record.source.to_string(),
        "metric": record.metric,
        "unit": record.unit.name(),
    })
}

fn figures(change: &Change) -> Value {
    json!({
        "statistic": if change.statistic == Statistic::Value { "value" } else { change.statistic.name() },
        "old": change.old,
        "new": change.new,
        "difference": change.difference(),
        "ratio": change.ratio(),
    })
}

/// Everything compared, changed or not, and what `verdict` says of it; the repository's docs/ci.md describes the form.
///
/// # Errors
/// [`ReportError::Json`] where a number is not finite.
pub fn comparison_json(tool: &str, comparison: &Comparison<'_>, verdict: &Verdict<'_>) -> Result<String, ReportError> {
    let changes = comparison.pairs.iter().zip(comparison.chances()).flat_map(|(pair, chance)| {
        let row = move |change| joined([of(pair.new), figures(&change), json!({"chance": chance})]);
        pair.estimates().into_iter().map(row)
    });
    let breaches = verdict.breaches.iter().map(|breach| {
        let (bound, chance) = (json!({"bound": breach.bound.to_string()}), json!({"chance": breach.chance}));
        joined([bound, of(breach.record), breach.change.as_ref().map_or(Value::Null, figures), chance])
    });
    let luck = comparison.luck();
    let luck = luck.iter().map(|change| {
        let figures = json!({
            "verdict": change.kind().to_string(),
            "linked": [change.linked.0, change.linked.1],
            "means": [change.means.0, change.means.1],
            "chance": change.chance,
            "pairs_as_far": change.share,
            "layouts_for_a_percent": change.deciding.0,
        });
        joined([of(change.pair.new), figures])
    });
    let file = json!({
        "schema": SCHEMA,
        "tool": tool,
        "changes": changes.collect::<Vec<_>>(),
        "appeared": comparison.appeared.iter().map(|record| of(record)).collect::<Vec<_>>(),
        "vanished": comparison.vanished.iter().map(|record| of(record)).collect::<Vec<_>>(),
        "breaches": breaches.collect::<Vec<_>>(),
        "noise": verdict.noise,
        "luck": luck.collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&file)? + "\n")
}
