//! Records for spreadsheets: a line a record, maps flattened (RFC 4180, with `\n` line ends).

use std::collections::{BTreeMap, BTreeSet};

use cyclescope_records::stats::Histogram;
use cyclescope_records::{Record, RecordFile, Scalar, Source};

use crate::ReportError;

/// The records as CSV with a heading line. `params` and `settings` read `key=value;…`, a histogram `from-to:count;…`,
/// rows and gaps are names joined by `;`, and what a record does not have is empty.
///
/// # Errors
/// [`ReportError::Csv`] where the writer fails, which in memory it does not.
pub fn csv(file: &RecordFile) -> Result<String, ReportError> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(fields(&Record::empty(Source::Simulated)).map(|(heading, _)| heading))?;
    for record in &file.records {
        writer.write_record(fields(record).map(|(_, field)| field))?;
    }
    let bytes = writer.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the fields of a line with their headings.
fn fields(record: &Record) -> [(&'static str, String); 27] {
    let model = record.model.as_ref();
    let names = |rows: Option<&BTreeSet<String>>| {
        rows.map(|rows| rows.iter().map(String::as_str).collect::<Vec<_>>().join(";")).unwrap_or_default()
    };
    let gaps = model.map(|model| model.gaps.iter().map(|gap| gap.name.as_str()).collect::<Vec<_>>().join(";"));
    [
        ("experiment", record.experiment.clone()),
        ("mode", record.mode.clone()),
        ("params", map(&record.params)),
        ("contender", record.contender.clone()),
        ("contender_version", record.contender_version.clone()),
        ("compiler", record.compiler.clone()),
        ("chip", record.chip.clone().unwrap_or_default()),
        ("clock_hz", record.clock_hz.map(|hz| hz.to_string()).unwrap_or_default()),
        ("settings", map(&record.settings)),
        ("opt", record.opt.clone()),
        ("metric", record.metric.clone()),
        ("unit", record.unit.to_string()),
        ("n", record.n.to_string()),
        ("mean", record.mean.to_string()),
        ("stddev", record.stddev.to_string()),
        ("min", record.min.to_string()),
        ("median", record.median.to_string()),
        ("p99", record.p99.to_string()),
        ("max", record.max.to_string()),
        ("histogram", record.histogram.as_ref().map(histogram).unwrap_or_default()),
        ("source", record.source.to_string()),
        ("image_sha256", record.image_sha256.clone().unwrap_or_default()),
        ("model", model.map(|model| format!("{} {}", model.name, model.version)).unwrap_or_default()),
        ("rows_documented", names(model.map(|model| &model.timing_rows.documented))),
        ("rows_measured", names(model.map(|model| &model.timing_rows.measured))),
        ("rows_assumed", names(model.map(|model| &model.timing_rows.assumed))),
        ("gaps", gaps.unwrap_or_default()),
    ]
}

fn map(entries: &BTreeMap<String, Scalar>) -> String {
    entries.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(";")
}

fn histogram(histogram: &Histogram) -> String {
    let bucket = |bucket: &cyclescope_records::stats::Bucket| format!("{}-{}:{}", bucket.from, bucket.to, bucket.count);
    histogram.buckets.iter().map(bucket).collect::<Vec<_>>().join(";")
}
