//! Records for spreadsheets: a line a record, maps flattened (RFC 4180, with `\n` line ends).

use std::collections::{BTreeMap, BTreeSet};

use cyclescope_records::stats::Histogram;
use cyclescope_records::{Record, RecordFile, Scalar};

use crate::ReportError;

const HEADINGS: [&str; 27] = [
    "experiment",
    "mode",
    "params",
    "contender",
    "contender_version",
    "compiler",
    "chip",
    "clock_hz",
    "settings",
    "opt",
    "metric",
    "unit",
    "n",
    "mean",
    "stddev",
    "min",
    "median",
    "p99",
    "max",
    "histogram",
    "source",
    "image_sha256",
    "model",
    "rows_documented",
    "rows_measured",
    "rows_assumed",
    "gaps",
];

/// The records as CSV with a heading line. `params` and `settings` read `key=value;…`, a histogram `from-to:count;…`,
/// rows and gaps are names joined by `;`, and what a record does not have is empty.
///
/// # Errors
/// [`ReportError::Csv`] where the writer fails, which in memory it does not.
pub fn csv(file: &RecordFile) -> Result<String, ReportError> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADINGS)?;
    for record in &file.records {
        writer.write_record(fields(record))?;
    }
    let bytes = writer.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn fields(record: &Record) -> [String; 27] {
    let model = record.model.as_ref();
    let names = |rows: Option<&BTreeSet<String>>| {
        rows.map(|rows| rows.iter().map(String::as_str).collect::<Vec<_>>().join(";")).unwrap_or_default()
    };
    let gaps = model.map(|model| model.gaps.iter().map(|gap| gap.name.as_str()).collect::<Vec<_>>().join(";"));
    [
        record.experiment.clone(),
        record.mode.clone(),
        map(&record.params),
        record.contender.clone(),
        record.contender_version.clone(),
        record.compiler.clone(),
        record.chip.clone().unwrap_or_default(),
        record.clock_hz.map(|hz| hz.to_string()).unwrap_or_default(),
        map(&record.settings),
        record.opt.clone(),
        record.metric.clone(),
        record.unit.to_string(),
        record.n.to_string(),
        record.mean.to_string(),
        record.stddev.to_string(),
        record.min.to_string(),
        record.median.to_string(),
        record.p99.to_string(),
        record.max.to_string(),
        record.histogram.as_ref().map(histogram).unwrap_or_default(),
        record.source.to_string(),
        record.image_sha256.clone().unwrap_or_default(),
        model.map(|model| format!("{} {}", model.name, model.version)).unwrap_or_default(),
        names(model.map(|model| &model.timing_rows.documented)),
        names(model.map(|model| &model.timing_rows.measured)),
        names(model.map(|model| &model.timing_rows.assumed)),
        gaps.unwrap_or_default(),
    ]
}

fn map(entries: &BTreeMap<String, Scalar>) -> String {
    entries.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(";")
}

fn histogram(histogram: &Histogram) -> String {
    let bucket = |bucket: &cyclescope_records::stats::Bucket| format!("{}-{}:{}", bucket.from, bucket.to, bucket.count);
    histogram.buckets.iter().map(bucket).collect::<Vec<_>>().join(";")
}
