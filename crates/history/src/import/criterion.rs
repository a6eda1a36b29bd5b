//! Criterion's results: a folder `new` for each benchmark, with `benchmark.json`, `estimates.json` and `sample.json`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use cyclescope_records::stats::{Number, Summary};
use cyclescope_records::{Record, Scalar, Source, Unit};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{CRITERION, ImportError, Imported};

/// The deepest folder that is looked into: below the one that is named lie the group's, the function's and the value's.
const DEEPEST: usize = 8;

#[derive(Deserialize)]
struct Benchmark {
    group_id: String,
    function_id: Option<String>,
    value_str: Option<String>,
    #[serde(default)]
    throughput: serde_json::Value,
}

#[derive(Deserialize)]
struct Sample {
    iters: Vec<f64>,
    times: Vec<f64>,
}

#[derive(Deserialize)]
struct Estimates {
    mean: Estimate,
    slope: Option<Estimate>,
}

#[derive(Deserialize)]
struct Estimate {
    confidence_interval: Interval,
    point_estimate: f64,
}

#[derive(Deserialize)]
struct Interval {
    confidence_level: f64,
    lower_bound: f64,
    upper_bound: f64,
}

/// Makes a record of each benchmark below `folder`, in the order of their folders' names.
pub(super) fn read(folder: &Path) -> Result<Imported, ImportError> {
    let mut found = Vec::new();
    find(folder, 0, &mut found).map_err(|(path, error)| ImportError::Read { path, error })?;
    found.sort();
    if found.is_empty() {
        return Err(ImportError::NoResults(folder.to_owned()));
    }
    let records = found.iter().map(|folder| record(folder)).collect::<Result<_, _>>()?;
    Ok(Imported { tool: CRITERION.to_owned(), records })
}

/// Adds to `found` the folders called `new` with a benchmark, at or below `folder`. Links are not followed.
fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), (PathBuf, io::Error)> {
    let failed = |error| (folder.to_owned(), error);
    if folder.file_name().is_some_and(|name| name == "new") && folder.join("benchmark.json").is_file() {
        found.push(folder.to_owned());
        return Ok(());
    }
    if depth == DEEPEST {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            find(&entry.path(), depth + 1, found)?;
        }
    }
    Ok(())
}

fn parsed<T: DeserializeOwned>(path: &Path) -> Result<T, ImportError> {
    let failed = |error| ImportError::Json { path: path.to_owned(), tool: CRITERION, error };
    serde_json::from_str(&super::read(path)?).map_err(failed)
}

fn record(folder: &Path) -> Result<Record, ImportError> {
    let benchmark: Benchmark = parsed(&folder.join("benchmark.json"))?;
    let estimates: Estimates = parsed(&folder.join("estimates.json"))?;
    let path = folder.join("sample.json");
    let sample: Sample = parsed(&path)?;
    let wrong = |defect: &str| ImportError::Figures { path: path.clone(), tool: CRITERION, defect: defect.to_owned() };
    if sample.iters.len() != sample.times.len() {
        return Err(wrong("`iters` and `times` have different lengths"));
    }
    // Criterion's mean is that of the samples' times an iteration, in nanoseconds unless the benchmark measures something else.
    let times: Vec<f64> = sample.times.iter().zip(&sample.iters).map(|(time, count)| time / count).collect();
    if times.iter().any(|time| *time < 0.0) {
        return Err(wrong("a time is negative"));
    }
    let summary = Summary::of_reals(&times).map_err(|error| wrong(&error.to_string()))?;
    let mut record = Record {
        experiment: CRITERION.to_owned(),
        mode: benchmark.function_id.unwrap_or_default(),
        contender: benchmark.group_id,
        metric: "time".to_owned(),
        unit: Unit::Nanoseconds,
        ..Record::empty(Source::Host)
    };
    record.set_summary(summary);
    if let Some(value) = benchmark.value_str {
        record.params.insert("value".to_owned(), value.into());
    }
    if let serde_json::Value::Object(throughput) = benchmark.throughput {
        for (name, value) in throughput {
            if let Some(value) = value.as_u64() {
                record.settings.insert(format!("throughput.{}", name.to_lowercase()), value.into());
            }
        }
    }
    for (name, estimate) in [("mean", Some(&estimates.mean)), ("slope", estimates.slope.as_ref())] {
        let Some(Estimate { confidence_interval: interval, point_estimate }) = estimate else { continue };
        let mut set = |name: String, value: f64| {
            let number = Number::real(value).map(Scalar::Number);
            number.into_iter().for_each(|number| drop(record.settings.insert(name.clone(), number)));
        };
        if name == "slope" {
            set(name.to_owned(), *point_estimate);
        }
        set(format!("{name}.low"), interval.lower_bound);
        set(format!("{name}.high"), interval.upper_bound);
        set(format!("{name}.confidence"), interval.confidence_level);
    }
    Ok(record)
}
