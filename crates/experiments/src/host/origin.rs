//! The origin of a host's numbers, and the records made of samples.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use cyclescope_host::built;
use cyclescope_records::stats::{Histogram, Outliers, Summary};
use cyclescope_records::{Record, Scalar, Source, Unit};

use super::measure::{Measured, Planned, Rounds};
use crate::RunError;

/// The most buckets of a histogram.
const BUCKETS: NonZeroU16 = NonZeroU16::new(20).expect("not zero");

/// The name of the record that holds the order of rounds, as its contender.
pub(super) const ALL: &str = "(all)";

/// The setting of records whose run had fewer rounds than the experiment asks for.
const QUICK: &str = "quick";

/// Returns a sentence that says that `records` are of a quick run; `None` if none is.
pub(super) fn quick(records: &[&Record]) -> Option<String> {
    let of = |record: &&&Record| record.settings.contains_key(QUICK);
    let rounds = records.iter().filter(of).find(|record| record.metric == "rounds");
    let rounds = rounds.map(|record| counted(&record.mean.to_string(), "round"));
    records.iter().any(|record| of(&record)).then(|| {
        let few = rounds.unwrap_or_else(|| "a few rounds".to_owned());
        format!("A quick run (--quick): {few} only; a whole run's figures may differ.")
    })
}

/// Returns the least and the greatest of the figures in words, each with its name.
pub(super) fn span<'r>(figures: impl IntoIterator<Item = (f64, &'r str)>, unit: &str) -> Option<String> {
    let ranked = crate::digest::ranked(figures);
    let ((least, first), (most, last)) = (ranked.first()?, ranked.last()?);
    let digits = |value: f64| {
        let places = if value.abs() >= 100.0 { 0 } else { 2 - usize::from(value.abs() >= 10.0) };
        cyclescope_report::format::decimal(value, places)
    };
    Some(match ranked.len() {
        1 => format!("{} {unit} ({first})", digits(*least)),
        _ => format!("{} {unit} ({first}) to {} {unit} ({last})", digits(*least), digits(*most)),
    })
}

/// Tells if `record` is of one contender, and not of the rounds of all.
pub(super) fn is_contender(record: &Record) -> bool {
    record.contender != ALL
}

/// A record of `planned` without a number.
pub(super) fn base(experiment: &str, planned: &Planned, settings: &BTreeMap<String, Scalar>) -> Record {
    Record {
        experiment: experiment.to_owned(),
        mode: planned.mode.clone(),
        contender: planned.contender.to_owned(),
        contender_version: planned.version.to_owned(),
        compiler: built::COMPILER.to_owned(),
        settings: settings.clone(),
        opt: built::OPT.to_owned(),
        ..Record::empty(Source::Host)
    }
}

/// Returns the settings that decide a host's numbers: the machine, and the plan of the rounds.
pub(super) fn settings(rounds: &Rounds<'_>) -> BTreeMap<String, Scalar> {
    let mut settings = machine_settings();
    settings.insert("seed".to_owned(), rounds.seed.into());
    settings.insert("warmup".to_owned(), (rounds.warmup as u64).into());
    if rounds.quick {
        settings.insert(QUICK.to_owned(), true.into());
    }
    settings
}

/// Returns the settings that describe this machine, as far as it tells: processors, system, kernel.
pub fn machine_settings() -> BTreeMap<String, Scalar> {
    let mut settings: BTreeMap<String, Scalar> = BTreeMap::new();
    let mut set = |name: &str, value: Scalar| settings.insert(name.to_owned(), value);
    if let Ok(processors) = std::thread::available_parallelism() {
        set("processors", (processors.get() as u64).into());
    }
    set("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH).into());
    if let Ok(release) = std::fs::read_to_string("/proc/sys/kernel/osrelease") {
        set("kernel", release.trim().into());
    }
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    if let Some((_, model)) =
        cpuinfo.lines().find_map(|line| line.split_once(':').filter(|(key, _)| key.trim() == "model name"))
    {
        set("processor", model.trim().into());
    }
    settings
}

/// The record of how the rounds went: how many are complete, and in its settings the order of each, by name.
pub(super) fn order(
    base: &Record,
    planned: &[Planned],
    names: &dyn Fn(&Planned) -> String,
    measured: &Measured,
) -> Record {
    let mut record = base.with_metric("rounds", Unit::Count, Summary::exact(measured.complete as u64));
    record.contender = ALL.to_owned();
    record.contender_version = String::new();
    let legend: Vec<String> =
        planned.iter().enumerate().map(|(index, one)| format!("{index} {}", names(one))).collect();
    let order = |order: &Vec<usize>| order.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    record.settings.insert("contenders".to_owned(), legend.join(", ").into());
    record.settings.insert("order".to_owned(), measured.orders.iter().map(order).collect::<Vec<_>>().join("; ").into());
    record
}

/// The record of `samples`, with a histogram and, in its settings, the outliers; none without samples.
///
/// # Errors
/// Never for whole numbers; the type is the summary's.
pub fn of(base: &Record, metric: &str, unit: Unit, samples: &[u64]) -> Result<Option<Record>, RunError> {
    if samples.is_empty() {
        return Ok(None);
    }
    let mut record = base.with_metric(metric, unit, Summary::of_integers(samples)?);
    if samples.len() > 1 && unit == Unit::Nanoseconds {
        record.histogram = Some(Histogram::linear(samples, BUCKETS));
        let outliers = Outliers::of(&samples.iter().map(|sample| *sample as f64).collect::<Vec<_>>());
        record.settings.insert("outliers.mild".to_owned(), (outliers.mild as u64).into());
        record.settings.insert("outliers.severe".to_owned(), (outliers.severe as u64).into());
    }
    Ok(Some(record))
}

/// The record of runs that gave no number, with the first reason in its settings; none where there are none.
pub(super) fn failed(base: &Record, failures: &[String]) -> Option<Record> {
    let first = failures.first()?;
    let mut record = base.with_metric("failed", Unit::Count, Summary::exact(failures.len() as u64));
    record.settings.insert("why".to_owned(), first.as_str().into());
    Some(record)
}

/// The record of a contender that this machine lacks something for, which its settings name; none where it lacks nothing.
pub(super) fn absent(base: &Record, why: Option<&String>) -> Option<Record> {
    let mut record = base.with_metric("absent", Unit::Count, Summary::exact(1));
    record.settings.insert("why".to_owned(), why?.as_str().into());
    Some(record)
}

/// A line for each record of failed runs.
pub(super) fn problems(records: &[Record]) -> Vec<String> {
    let failed = records.iter().filter(|record| record.metric == "failed");
    failed
        .map(|record| {
            let why = record.settings.get("why").map(Scalar::to_string).unwrap_or_default();
            let set: Vec<String> = record.params.iter().map(|(name, value)| format!("{name} {value}")).collect();
            let at = if set.is_empty() { String::new() } else { format!(" ({})", set.join(", ")) };
            format!(
                "{} {}{at}: {} gave no number, the first because {why}",
                record.contender,
                record.mode,
                counted(&record.mean.to_string(), "run")
            )
        })
        .collect()
}

/// `1 run`, `2 runs`.
fn counted(count: &str, what: &str) -> String {
    format!("{count} {what}{}", if count == "1" { "" } else { "s" })
}

/// The lines that stand below every table of a host.
pub(super) fn foot(records: &[&Record]) -> Vec<String> {
    let Some(record) = records.first() else { return Vec::new() };
    let setting = |name: &str| record.settings.get(name).map(Scalar::to_string).unwrap_or_else(|| "unknown".to_owned());
    let rounds =
        records.iter().find(|record| record.metric == "rounds").map_or(record.n.to_string(), |r| r.mean.to_string());
    let mut lines = vec![format!(
        "Host: {}, kernel {}, {} processors ({}); {}, opt {}. {} after {} of warm-up, contenders in an order drawn \
         anew for each, seed {}.",
        setting("system"),
        setting("kernel"),
        setting("processors"),
        setting("processor"),
        record.compiler,
        record.opt,
        counted(&rounds, "round"),
        setting("warmup"),
        setting("seed"),
    )];
    let owned: Vec<Record> = records.iter().filter(|record| record.metric == "failed").map(|r| (*r).clone()).collect();
    lines.extend(problems(&owned));
    let absent = records.iter().filter(|record| record.metric == "absent");
    lines.extend(absent.map(|record| {
        let why = record.settings.get("why").map(Scalar::to_string).unwrap_or_default();
        format!("{}: no figures, because {why}.", record.contender)
    }));
    lines
}

/// `nanoseconds` in whole numbers of nanoseconds.
pub(super) fn nanoseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
