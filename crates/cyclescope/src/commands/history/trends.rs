//! Series of a history, found by the names that a user gives, and in words.

use cyclescope_history::{ChangePoint, Entry, Method, MetricName, PERMUTATIONS, SHORTEST, SIGNIFICANT, Series};
use cyclescope_records::stats::Number;
use cyclescope_records::{FUNCTION, Record, is_metric};
use cyclescope_report::format::{decimal, number};
use cyclescope_report::{ReportError, Surface, Table};
use serde_json::{Value, json};

use super::Opened;
use crate::TOOL;
use crate::cli::history::{Chosen, HistoryFormat};
use crate::cli::shared::Format;
use crate::commands::check_names;
use crate::error::CliError;
use crate::nearest::clause;
use crate::output::render;

/// The version of the form of `--format json`.
const SCHEMA: u32 = 1;

/// A metric and its series.
pub(super) struct Trend {
    pub(super) name: MetricName,
    pub(super) series: Vec<Series>,
}

/// The series of the metrics that `patterns` name, or of all, with the configurations that are `chosen`.
///
/// # Errors
/// [`CliError::Unknown`] for a name that the history does not have.
pub(super) fn trends(
    opened: &Opened,
    entries: &[Entry],
    patterns: &[String],
    chosen: &Chosen,
) -> Result<Vec<Trend>, CliError> {
    let failed = CliError::history(&opened.path);
    let names = opened.history.metrics(Some(&opened.branch)).map_err(failed)?;
    for pattern in patterns {
        if !names.iter().any(|name| is(pattern, name)) {
            let (experiment, metric) = pattern.split_once('/').map_or((None, pattern.as_str()), |(a, b)| (Some(a), b));
            let experiments: Vec<&str> = names.iter().map(|name| name.experiment.as_str()).collect();
            if let Some(experiment) = experiment.filter(|experiment| !experiments.contains(experiment)) {
                let known = experiments.iter().copied();
                let kind = "experiment in the history";
                check_names(kind, "history list --metrics", &[experiment.to_owned()], known)?;
            }
            let of = |name: &&MetricName| experiment.is_none_or(|experiment| experiment == name.experiment);
            let known: Vec<&str> = names.iter().filter(of).map(|name| name.metric.as_str()).collect();
            return Err(CliError::Unknown {
                kind: "metric in the history",
                name: pattern.clone(),
                nearest: clause(metric, known),
                list: "history list --metrics".into(),
            });
        }
    }
    let asked = |name: &&MetricName| {
        if patterns.is_empty() { name.metric != FUNCTION } else { patterns.iter().any(|pattern| is(pattern, name)) }
    };
    let mut trends = Vec::new();
    for name in names.iter().filter(asked) {
        let series = opened.history.series(name, entries, chosen.statistic.into()).map_err(failed)?;
        trends.push(Trend { name: name.clone(), series });
    }
    check_chosen(&trends, chosen)?;
    for trend in &mut trends {
        trend.series.retain(|series| passes(&series.record, chosen));
    }
    trends.retain(|trend| !trend.series.is_empty());
    if trends.is_empty() && !names.is_empty() {
        return Err(CliError::Usage("no configuration of these metrics is all that was asked for"));
    }
    Ok(trends)
}

/// Checks that each name that is chosen by is one of the series'.
fn check_chosen(trends: &[Trend], chosen: &Chosen) -> Result<(), CliError> {
    let records = || trends.iter().flat_map(|trend| &trend.series).map(|series| &series.record);
    let list = "history list --metrics";
    let contenders = records().map(|record| record.contender.as_str());
    check_names("contender with these metrics", list, &chosen.contender, contenders)?;
    check_names("mode with these metrics", list, &chosen.mode, records().map(|record| record.mode.as_str()))?;
    check_names("chip with these metrics", list, &chosen.chip, records().filter_map(|record| record.chip.as_deref()))?;
    check_names("optimisation level with these metrics", list, &chosen.opt, records().map(|record| record.opt.as_str()))
}

fn passes(record: &Record, chosen: &Chosen) -> bool {
    let has = |names: &[String], name: &str| names.is_empty() || names.iter().any(|known| known == name);
    has(&chosen.contender, &record.contender)
        && has(&chosen.mode, &record.mode)
        && has(&chosen.chip, record.chip.as_deref().unwrap_or_default())
        && has(&chosen.opt, &record.opt)
}

fn is(pattern: &str, name: &MetricName) -> bool {
    is_metric(pattern, &name.metric)
        || pattern
            .split_once('/')
            .is_some_and(|(experiment, metric)| experiment == name.experiment && is_metric(metric, &name.metric))
}

/// The last `last` of `entries`, or all for 0, and the number of those before.
pub(super) fn newest(entries: &[Entry], last: usize) -> (&[Entry], usize) {
    let before = if last == 0 { 0 } else { entries.len().saturating_sub(last) };
    (&entries[before..], before)
}

/// The settings of `record` that tell it from others of its contender and chip.
pub(super) fn setting(record: &Record) -> String {
    let mode = (!record.mode.is_empty()).then(|| record.mode.clone());
    let params = record.params.iter().map(|(name, value)| format!("{name}={value}"));
    mode.into_iter().chain(params).collect::<Vec<_>>().join(" ")
}

/// The configuration of `record` in words.
pub(super) fn configuration(record: &Record) -> String {
    let mut words = vec![record.contender.clone(), setting(record)];
    if !record.opt.is_empty() {
        words.push(format!("-O{}", record.opt));
    }
    words.extend(record.chip.as_ref().map(|chip| format!("on {chip}")));
    words.extend(record.settings.get("memory").map(|memory| format!("memory {memory}")));
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

/// A figure as tables show it: exact ones whole, others with digits enough to tell them apart.
pub(super) fn figure(value: Number) -> String {
    let places = match value.as_f64().abs() {
        size if size >= 1000.0 => 0,
        size if size >= 10.0 => 2,
        _ => 4,
    };
    number(value, places)
}

/// The change from `old` to `new`: the difference, and its share in percent.
pub(super) fn change(old: Number, new: Number) -> String {
    let change = cyclescope_records::Change { statistic: cyclescope_records::Statistic::Value, old, new };
    let difference = change.difference();
    let sign = |value: f64| if value > 0.0 { "+" } else { "" };
    let percent = change.ratio().map(|ratio| 100.0 * (ratio - 1.0));
    let percent = percent.map(|percent| format!(" ({}{} %)", sign(percent), decimal(percent, 2))).unwrap_or_default();
    format!("{}{}{percent}", sign(difference.as_f64()), figure(difference))
}

/// A change of `series` in words, with its commit and the one before.
pub(super) fn told(series: &Series, point: &ChangePoint, entries: &[Entry]) -> Option<String> {
    let entry = |at: usize| series.points.get(at).and_then(|point| entries.get(point.entry));
    let (now, before) = (entry(point.at)?, entry(point.at.checked_sub(1)?)?);
    let means = if point.method == Method::Exact { "" } else { "means " };
    Some(format!(
        "Changed at {}, the one before is {}: {means}{} to {}, {}.",
        now.short(),
        before.short(),
        figure(point.before),
        figure(point.after),
        change(point.before, point.after)
    ))
}

/// The way in which `point` was found, for a column.
pub(super) fn found_by(point: &ChangePoint) -> String {
    point.chance.map_or_else(|| point.method.name().to_owned(), |chance| format!("p {}", decimal(chance, 3)))
}

/// A note on the changes of noisy series.
pub(super) fn method() -> String {
    format!(
        "Changes of noisy figures are found by E-divisive with means (Matteson and James, 2014): p is the share of \
         {PERMUTATIONS} shuffled series with a cut as good, below {SIGNIFICANT} for a change, and {SHORTEST} entries or more lie \
         on both sides."
    )
}

/// The results as `format` asks; `json` makes the members of the object for programs.
///
/// # Errors
/// [`CliError::Json`].
pub(super) fn text(
    format: HistoryFormat,
    tables: &[Table],
    json: impl FnOnce() -> Value,
    surface: Surface,
) -> Result<String, CliError> {
    let format = match format {
        HistoryFormat::Table => Format::Table,
        HistoryFormat::Markdown => Format::Markdown,
        HistoryFormat::Json => {
            let mut file = json!({"schema": SCHEMA, "tool": TOOL});
            if let (Value::Object(file), Value::Object(members)) = (&mut file, json()) {
                file.extend(members);
            }
            let text = serde_json::to_string_pretty(&file).map_err(ReportError::from)?;
            return Ok(text + "\n");
        }
    };
    render(format, tables, Vec::new(), surface)
}
