//! hyperfine's `--export-json`: seconds for each run of each command.

use std::collections::BTreeMap;
use std::path::Path;

use cyclescope_records::stats::{Number, Summary};
use cyclescope_records::{Record, Scalar, Source, Unit};
use serde::Deserialize;

use super::{HYPERFINE, ImportError, Imported};

#[derive(Deserialize)]
struct Export {
    results: Vec<Benchmark>,
}

#[derive(Deserialize)]
struct Benchmark {
    command: String,
    mean: f64,
    stddev: Option<f64>,
    median: Option<f64>,
    user: Option<f64>,
    system: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    times: Option<Vec<f64>>,
    memory_usage_byte: Option<Vec<u64>>,
    exit_codes: Option<Vec<Option<i32>>>,
    #[serde(default)]
    parameters: BTreeMap<String, String>,
}

/// Makes a record of each command's `elapsed`, of its user and system time, and of its memory.
pub(super) fn read(path: &Path, text: &str) -> Result<Imported, ImportError> {
    let export: Export = serde_json::from_str(text).map_err(|error| ImportError::Json {
        path: path.to_owned(),
        tool: HYPERFINE,
        error,
    })?;
    let mut records = Vec::new();
    for benchmark in &export.results {
        let of = of(benchmark);
        records.extend(of.map_err(|defect| ImportError::Figures {
            path: path.to_owned(),
            tool: HYPERFINE,
            defect: format!("{defect} of `{}`", benchmark.command),
        })?);
    }
    Ok(Imported { tool: HYPERFINE.to_owned(), records })
}

fn of(benchmark: &Benchmark) -> Result<Vec<Record>, &'static str> {
    let mut base = Record {
        experiment: HYPERFINE.to_owned(),
        contender: benchmark.command.clone(),
        ..Record::empty(Source::Host)
    };
    let scalar = |(name, value): (&String, &String)| (name.clone(), Scalar::from(value.as_str()));
    base.params = benchmark.parameters.iter().map(scalar).collect();
    let failed = |code: &&Option<i32>| **code != Some(0);
    let failures = benchmark.exit_codes.iter().flatten().filter(failed).count() as u64;
    if failures > 0 {
        base.settings.insert("failed".to_owned(), failures.into());
    }
    let elapsed = match benchmark.times.as_deref() {
        Some(times @ [_, ..]) => {
            let times: Option<Vec<f64>> = times.iter().map(|time| nanoseconds(*time)).collect();
            Summary::of_reals(&times.ok_or("a time is out of range")?).map_err(|_| "the times are out of range")?
        }
        // Without the runs nobody knows how many they were.
        _ => {
            let mean = time(benchmark.mean)?;
            let or_mean = |given: Option<f64>| given.map_or(Ok(mean), time);
            Summary {
                min: or_mean(benchmark.min)?,
                median: or_mean(benchmark.median)?,
                max: or_mean(benchmark.max)?,
                stddev: benchmark.stddev.map_or(Ok(Number::ZERO), time)?,
                ..Summary::exact(mean)
            }
        }
    };
    let mut records = vec![base.with_metric("elapsed", Unit::Nanoseconds, elapsed)];
    for (metric, seconds) in [("time.user", benchmark.user), ("time.system", benchmark.system)] {
        if let Some(seconds) = seconds {
            records.push(base.with_metric(metric, Unit::Nanoseconds, Summary::exact(time(seconds)?)));
        }
    }
    if let Some(bytes @ [_, ..]) = benchmark.memory_usage_byte.as_deref() {
        let summary = Summary::of_integers(bytes).map_err(|_| "the memory is out of range")?;
        records.push(base.with_metric("memory.peak", Unit::Bytes, summary));
    }
    Ok(records)
}

fn nanoseconds(seconds: f64) -> Option<f64> {
    let nanoseconds = seconds * 1e9;
    (nanoseconds.is_finite() && nanoseconds >= 0.0).then_some(nanoseconds)
}

fn time(seconds: f64) -> Result<Number, &'static str> {
    nanoseconds(seconds).map(Number::Real).ok_or("a time is out of range")
}
