//! The variants, in rounds, on one tree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cyclescope_host::process::{self, Load, Ran, SystemCalls};
use cyclescope_host::spec::{Counts, Spec, Work};
use cyclescope_host::tree::{self, Shape, lines};
use cyclescope_host::walk::{self, Variant};
use cyclescope_host::{HostError, built};
use cyclescope_records::stats::{Bootstrap, Summary};
use cyclescope_records::{Record, Scalar, Unit};

use super::super::job::HostJob;
use super::super::measure::{Amount, Measured, Planned, Rounds, Series};
use super::super::origin;
use super::super::question::OnHost;
use super::tree::{Tree, WALK};
use crate::{RunError, Selection, Watch};

/// The number of runs that one under strace counts as in progress messages: it takes about as much longer.
const TRACED: usize = 15;

/// The expected output of all variants: their lines, each once, and the folders that they could not read.
struct Expected {
    lines: Vec<Vec<u8>>,
    complaints: Vec<String>,
}

/// The counts of a variant beside its walk, as far as they can be known.
struct Reasons {
    counts: Option<Counts>,
    calls: Option<SystemCalls>,
}

pub(super) fn run(definition: &OnHost<Tree>, job: &HostJob, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
    let mode = job.mode.as_deref().unwrap_or(WALK);
    let (made, root, what) = root(definition, job)?;
    let mut rounds = Rounds::of(job, &definition.method)?;
    // Tracing takes longer than all else, so that it is done once and not for each value of an axis.
    let tracer = if traces(job, mode) { process::tracer() } else { None };
    let planned = plan(job, mode);
    rounds.before = 1;
    rounds.after = planned.len() * (1 + if tracer.is_some() { TRACED } else { 0 });

    let expected = expected(&rounds, &root)?;
    rounds.report_progress(planned.len(), watch, 1, None);
    let load = (mode == "contend").then(|| Load::new(job.value.unwrap_or(0)));
    let measured = rounds.run(&planned, Some(&root), watch, &|_, ran| check(&expected, ran))?;
    let mut done = 0;
    let mut report = |runs: usize| {
        done += runs;
        rounds.report_progress(planned.len(), watch, 1, Some(done));
    };
    let mut reasons = Vec::new();
    for (one, series) in planned.iter().zip(&measured.series) {
        let (mut counts, mut calls) = (None, None);
        // What this machine cannot do has nothing to count.
        let stop = || series.absent.is_some() || (watch.stop)();
        if !stop() {
            let spec = Spec { count: true, ..one.spec.clone() };
            let ran = process::run(rounds.program, &spec, Some(&root), rounds.limit);
            counts = ran.ok().and_then(|ran| ran.account.counts);
        }
        report(1);
        if let Some(tracer) = &tracer {
            if !stop() {
                let root = Some(root.as_path());
                calls = process::count_system_calls(tracer, rounds.program, &one.spec, root, rounds.limit).ok();
            }
            report(TRACED);
        }
        reasons.push(Reasons { counts, calls });
    }
    drop((load, made));

    let mut settings = origin::settings(&rounds);
    settings.extend(what);
    let mut set = |name: &str, value: u64| settings.insert(name.to_owned(), value.into());
    set("lines", expected.lines.len() as u64);
    set("complaints", expected.complaints.len() as u64);
    if let (Some(value), true) = (job.value, mode != WALK) {
        set(&mode.replace('-', "_"), value as u64);
    }
    let bootstrap = Bootstrap {
        confidence: definition.method.confidence,
        resamples: definition.method.resamples,
        seed: rounds.seed,
    };
    let params: BTreeMap<String, Scalar> =
        job.value.map(|value| (mode.replace('-', "_"), Scalar::from(value as u64))).into_iter().collect();
    let sync = planned.iter().position(|one| one.contender == Variant::Sync.name());
    let mut records = Vec::new();
    for (index, one) in planned.iter().enumerate() {
        let mut base = origin::base(&definition.name, one, &settings);
        base.params = params.clone();
        if index == 0 {
            records.push(origin::order(&base, &planned, &|one| one.contender.to_owned(), &measured));
        }
        let series = &measured.series[index];
        records.extend(of_series(&base, series, bootstrap)?);
        records.extend(sync.and_then(|sync| ratio(&base, &measured, index, sync, bootstrap)));
        records.extend(of_reasons(&base, &reasons[index]));
        records.extend(origin::failed(&base, &series.failures));
        records.extend(origin::absent(&base, series.absent.as_ref()));
    }
    Ok(records)
}

/// Tells if `job` counts system calls where that can be done.
fn traces(job: &HostJob, mode: &str) -> bool {
    mode == WALK && job.options.setup.thorough && !job.options.setup.no_syscalls
}

/// The amount of work in `job`.
pub(super) fn amount(definition: &OnHost<Tree>, job: &HostJob) -> Amount {
    let mode = job.mode.as_deref().unwrap_or(WALK);
    let ways = plan(job, mode).len();
    let setup = &job.options.setup;
    let traced = if traces(job, mode) && process::tracer().is_some() { TRACED } else { 0 };
    let entries = |dirs: u32, files: u32, links: u32| f64::from(dirs) + f64::from(files) + f64::from(links);
    let Tree { dirs, files, links, .. } = definition.work;
    let made = entries(setup.dirs.unwrap_or(dirs), setup.files.unwrap_or(files), setup.links.unwrap_or(links));
    // A process takes some milliseconds, however small the tree.
    let length = setup.root.is_none().then(|| (made / entries(dirs, files, links)).max(0.02));
    Amount { ways, more: 1 + ways * (1 + traced), length }
}

/// The variants that `job` asks for, and always the plain one, which the others are held against.
fn plan(job: &HostJob, mode: &str) -> Vec<Planned> {
    let of = |axis: &str| job.value.filter(|_| mode == axis);
    let tokio_only = matches!(mode, "workers" | "blocking-threads");
    Variant::all()
        .filter(|variant| {
            let chosen = Selection::takes(&job.contenders, variant.name()) && (!tokio_only || variant.is_tokio());
            *variant == Variant::Sync || chosen
        })
        .map(|variant| {
            let spec = walk::Spec { variant, workers: of("workers"), blocking_threads: of("blocking-threads") };
            Planned {
                contender: variant.name(),
                version: built::version(variant.library()),
                mode: mode.to_owned(),
                spec: Spec { work: Work::Walk(spec), cpus: of("cpus"), count: false },
            }
        })
        .collect()
}

/// Returns the folder to walk, named or made for as long as the first value lasts, and the settings that say so.
#[allow(clippy::type_complexity, reason = "three values for one caller")]
fn root(
    definition: &OnHost<Tree>,
    job: &HostJob,
) -> Result<(Option<tempfile::TempDir>, PathBuf, BTreeMap<String, Scalar>), RunError> {
    let options = &job.options.setup;
    if let Some(root) = &options.root {
        let refused = |error| RunError::Setup(format!("{} cannot be walked: {error}", root.display()));
        let whole = std::fs::canonicalize(root).map_err(refused)?;
        std::fs::read_dir(&whole).map_err(refused)?;
        let what = [("root".to_owned(), Scalar::from(root.to_string_lossy().into_owned()))];
        return Ok((None, whole, what.into_iter().collect()));
    }
    let shape = Shape {
        dirs: options.dirs.unwrap_or(definition.work.dirs),
        files: options.files.unwrap_or(definition.work.files),
        links: options.links.unwrap_or(definition.work.links),
        depth: options.depth.unwrap_or(definition.work.depth),
        seed: job.seed.unwrap_or(definition.work.seed),
    };
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error| RunError::Host(HostError::Tree { path, error })
    };
    let folder = tempfile::Builder::new().prefix("cyclescope-tree-").tempdir();
    let folder = folder.map_err(failed(&std::env::temp_dir()))?;
    tree::make(folder.path(), shape).map_err(failed(folder.path()))?;
    let root = std::fs::canonicalize(folder.path()).map_err(failed(folder.path()))?;
    let number = |name: &str, value: u64| (format!("tree.{name}"), Scalar::from(value));
    let what = [
        number("dirs", shape.dirs.into()),
        number("files", shape.files.into()),
        number("links", shape.links.into()),
        number("depth", shape.depth.into()),
        number("seed", shape.seed),
    ];
    Ok((Some(folder), root, what.into_iter().collect()))
}

/// Returns the output of the plain walk.
fn expected(rounds: &Rounds<'_>, root: &Path) -> Result<Expected, RunError> {
    let work = Work::Walk(walk::Spec { variant: Variant::Sync, workers: None, blocking_threads: None });
    let spec = Spec { work, cpus: None, count: false };
    let ran = process::run(rounds.program, &spec, Some(root), rounds.limit)?;
    if ran.output.is_empty() {
        return Err(RunError::Setup(ran.complaints.join("; ")));
    }
    Ok(Expected { lines: lines(&ran.output).into_iter().map(<[u8]>::to_vec).collect(), complaints: ran.complaints })
}

/// Returns an error with the first difference in a variant's output.
fn check(expected: &Expected, ran: &Ran) -> Result<(), String> {
    let found = lines(&ran.output);
    let count = ran.output.iter().filter(|byte| **byte == b'\n').count();
    if count != found.len() {
        return Err(format!("it prints {} lines twice", count - found.len()));
    }
    let known: std::collections::BTreeSet<&[u8]> = expected.lines.iter().map(Vec::as_slice).collect();
    if found != known {
        let (missing, other) = (known.difference(&found).count(), found.difference(&known).count());
        let example = known.symmetric_difference(&found).next().copied().unwrap_or_default();
        return Err(format!(
            "its lines are not sync's: {missing} are missing and {other} are others, such as {}",
            String::from_utf8_lossy(example)
        ));
    }
    if ran.complaints != expected.complaints {
        let example = ran.complaints.iter().find(|one| !expected.complaints.contains(one));
        let example = example.map_or_else(|| "it lacks some".to_owned(), |one| format!("such as {one}"));
        return Err(format!(
            "it could not read {} things, and sync {}: {example}",
            ran.complaints.len(),
            expected.complaints.len()
        ));
    }
    Ok(())
}

/// Times, switches and memory of the runs that were right.
fn of_series(base: &Record, series: &Series, bootstrap: Bootstrap) -> Result<Vec<Record>, RunError> {
    let each = |value: &dyn Fn(&super::super::measure::Sample) -> Option<u64>| -> Vec<u64> {
        series.samples().filter_map(value).collect()
    };
    let time = |duration| Some(origin::nanoseconds(duration));
    let metrics = [
        ("elapsed", Unit::Nanoseconds, each(&|sample| time(sample.usage.real))),
        ("time.user", Unit::Nanoseconds, each(&|sample| time(sample.usage.user))),
        ("time.system", Unit::Nanoseconds, each(&|sample| time(sample.usage.system))),
        ("switches.voluntary", Unit::Count, each(&|sample| Some(sample.usage.voluntary))),
        ("switches.involuntary", Unit::Count, each(&|sample| Some(sample.usage.involuntary))),
        ("memory.peak", Unit::Bytes, each(&|sample| sample.account.peak_bytes)),
    ];
    let mut records = Vec::new();
    for (metric, unit, samples) in metrics {
        let mut record = origin::of(base, metric, unit, &samples)?;
        if let Some(record) = record.as_mut().filter(|_| metric == "elapsed") {
            interval(record, &samples, bootstrap);
        }
        records.extend(record);
    }
    Ok(records)
}

/// Puts the interval of the mean into the settings of `record`; none of a single sample.
fn interval(record: &mut Record, samples: &[u64], bootstrap: Bootstrap) {
    // A mean is its ratio to one.
    let pairs: Vec<(f64, f64)> = samples.iter().map(|sample| (*sample as f64, 1.0)).collect();
    let Some(mean) = bootstrap.ratio_of_means(&pairs).filter(|_| samples.len() > 1) else { return };
    for (name, value) in [("low", mean.low), ("high", mean.high), ("confidence", bootstrap.confidence)] {
        let number = cyclescope_records::stats::Number::real(value).map(Scalar::Number);
        record.settings.extend(number.map(|number| (format!("mean.{name}"), number)));
    }
}

/// The ratio to the plain walk, round by round, and in its settings that of the means with its interval.
fn ratio(base: &Record, measured: &Measured, index: usize, sync: usize, bootstrap: Bootstrap) -> Option<Record> {
    let real = |series: &Series, round: usize| {
        series.rounds.get(round)?.as_ref().map(|sample| sample.usage.real.as_secs_f64())
    };
    let rounds = 0..measured.orders.len();
    let both = |round| real(&measured.series[index], round).zip(real(&measured.series[sync], round));
    let pairs: Vec<(f64, f64)> = rounds.filter_map(both).collect();
    let ratio = bootstrap.ratio_of_means(&pairs)?;
    let each: Vec<f64> = pairs.iter().map(|(own, plain)| own / plain).collect();
    let mut record = base.with_metric("ratio.sync", Unit::Ratio, Summary::of_reals(&each).ok()?);
    let number = |value| cyclescope_records::stats::Number::real(value).map(Scalar::Number);
    for (name, value) in [("of_means", ratio.estimate), ("low", ratio.low), ("high", ratio.high)] {
        record.settings.insert(format!("ratio.{name}"), number(value)?);
    }
    record.settings.insert("ratio.confidence".to_owned(), number(bootstrap.confidence)?);
    record.settings.insert("ratio.resamples".to_owned(), (bootstrap.resamples as u64).into());
    Some(record)
}

/// Returns the counts of runs that were not timed.
fn of_reasons(base: &Record, reasons: &Reasons) -> Vec<Record> {
    let exact = |metric: &str, unit, value: u64| base.with_metric(metric, unit, Summary::exact(value));
    let mut records = Vec::new();
    if let Some(counts) = reasons.counts {
        records.push(exact("tasks", Unit::Count, counts.tasks));
        records.extend(counts.hops.map(|hops| exact("hops", Unit::Count, hops)));
        records.push(exact("mutex.locks", Unit::Count, counts.locks));
        records.push(exact("mutex.wait", Unit::Nanoseconds, counts.lock_wait_ns));
        records.extend(counts.threads.map(|threads| exact("threads", Unit::Count, threads)));
    }
    if let Some(calls) = &reasons.calls {
        records.push(exact("system_calls", Unit::Count, calls.total()));
        records.push(exact("system_calls.futex", Unit::Count, calls.of("futex")));
        records.push(exact("system_calls.write", Unit::Count, calls.of("write")));
        records.push(exact("threads.traced", Unit::Count, calls.threads()));
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;
    use cyclescope_host::process::Usage;
    use cyclescope_host::spec::Account;

    fn ran(output: &str, complaints: &[&str]) -> Ran {
        let none = std::time::Duration::ZERO;
        Ran {
            usage: Usage { real: none, user: none, system: none, voluntary: 0, involuntary: 0 },
            output: output.into(),
            complaints: complaints.iter().map(|text| (*text).to_owned()).collect(),
            account: Account::default(),
        }
    }

    #[test]
    fn only_the_same_set_of_lines_and_complaints_gives_a_number() {
        let expected = Expected {
            lines: vec![b"a".to_vec(), b"a/b".to_vec()],
            complaints: vec!["a/c: PermissionDenied".to_owned()],
        };
        let why = |output, complaints: &[&str]| check(&expected, &ran(output, complaints)).unwrap_err();
        let same = ["a/c: PermissionDenied"];
        assert_eq!(check(&expected, &ran("a/b\na\n", &same)), Ok(()), "in any order");
        assert!(why("a\n", &same).contains("1 are missing and 0 are others, such as a/b"));
        assert!(why("a\na/b\na/x\n", &same).contains("0 are missing and 1 are others, such as a/x"));
        assert!(why("a\na\na/b\n", &same).contains("1 lines twice"));
        assert!(why("a\na/b\n", &[]).contains("it lacks some"));
        assert!(why("a\na/b\n", &["a/b: EMFILE", "a/c: PermissionDenied"]).contains("such as a/b: EMFILE"));
    }
}
