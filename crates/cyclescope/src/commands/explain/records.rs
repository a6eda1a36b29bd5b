//! The records of explained commands.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use cyclescope_experiments::{machine_settings, sampled};
use cyclescope_explain::Source as Watcher;
use cyclescope_explain::account::Account;
use cyclescope_explain::parts::{Parts, Rule};
use cyclescope_explain::rounds::{Outcome, Plan, Series};
use cyclescope_explain::scheduler::Schedule;
use cyclescope_explain::strace::SystemCalls;
use cyclescope_explain::waits::{Place, State, Waits};
use cyclescope_records::stats::Summary;
use cyclescope_records::{Record, Scalar, Source, Unit};

use super::Divided;

/// The experiment's name.
const EXPERIMENT: &str = "explain";

/// The mode of runs that nothing watches; those of the others are the names of their sources.
const ACCOUNT: &str = "account";

/// The contender of the record of all rounds.
const ALL: &str = "(all)";

/// A metric with its value in one run.
type Metric<T> = (&'static str, Unit, fn(&T) -> Option<u64>);

/// The kernel's account.
pub(super) const OWN: [Metric<Account>; 16] = [
    ("elapsed", Unit::Nanoseconds, |one| Some(nanos(one.wall))),
    ("time.user", Unit::Nanoseconds, |one| Some(nanos(one.user))),
    ("time.system", Unit::Nanoseconds, |one| Some(nanos(one.system))),
    ("main.running", Unit::Nanoseconds, |one| Some(nanos(one.main?.running))),
    ("main.queued", Unit::Nanoseconds, |one| Some(nanos(one.main?.queued))),
    ("switches", Unit::Count, |one| Some(one.voluntary + one.involuntary)),
    ("switches.voluntary", Unit::Count, |one| Some(one.voluntary)),
    ("switches.involuntary", Unit::Count, |one| Some(one.involuntary)),
    ("faults.minor", Unit::Count, |one| Some(one.minor_faults)),
    ("faults.major", Unit::Count, |one| Some(one.major_faults)),
    ("memory.peak", Unit::Bytes, |one| one.peak_bytes),
    ("bytes.read", Unit::Bytes, |one| one.read),
    ("bytes.written", Unit::Bytes, |one| one.written),
    ("disk.read", Unit::Bytes, |one| Some(one.disk_read)),
    ("disk.written", Unit::Bytes, |one| Some(one.disk_written)),
    ("startup", Unit::Nanoseconds, |one| Some(nanos(one.startup))),
];

/// System calls, all names together.
pub(super) const CALLS: [Metric<SystemCalls>; 5] = [
    ("syscalls", Unit::Count, |one| Some(one.total())),
    ("syscall_time", Unit::Nanoseconds, |one| Some(nanos(one.time()))),
    ("futex.waits", Unit::Count, |one| Some(one.futex_waits)),
    ("futex.wakes", Unit::Count, |one| Some(one.futex_wakes)),
    ("threads", Unit::Count, |one| Some(one.threads)),
];

/// The states of all threads.
pub(super) const STATES: [Metric<Schedule>; 5] = [
    ("threads.started", Unit::Count, |one| Some(one.threads)),
    ("threads.running", Unit::Nanoseconds, |one| Some(nanos(one.running))),
    ("threads.queued", Unit::Nanoseconds, |one| Some(nanos(one.queued))),
    ("threads.blocked", Unit::Nanoseconds, |one| Some(nanos(one.blocked))),
    ("migrations", Unit::Count, |one| Some(one.migrations)),
];

/// The waits of all threads, by what runtimes' frames say of them.
const WAITS: [Metric<Waits>; 8] = [
    ("waits.blocked.times", Unit::Count, |one| Some(one.of(State::Blocked).times)),
    ("waits.blocked", Unit::Nanoseconds, |one| Some(nanos(one.of(State::Blocked).total))),
    ("waits.blocked.longest", Unit::Nanoseconds, |one| Some(nanos(one.of(State::Blocked).longest))),
    ("waits.allowed", Unit::Nanoseconds, |one| Some(nanos(one.of(State::Rightly).total))),
    ("waits.idle", Unit::Nanoseconds, |one| Some(nanos(one.of(State::Idle).total))),
    ("waits.runtime", Unit::Nanoseconds, |one| Some(nanos(one.of(State::Runtime).total))),
    ("waits.other", Unit::Nanoseconds, |one| Some(nanos(one.of(State::Other).total))),
    ("waits.unknown", Unit::Nanoseconds, |one| Some(nanos(one.of(State::Unknown).total))),
];

/// Returns the records of all commands.
pub(super) fn records(plan: &Plan, outcome: &Outcome, divided: &Divided) -> Vec<Record> {
    let mut settings = machine_settings();
    settings.insert("seed".to_owned(), plan.seed.into());
    settings.insert("warmup".to_owned(), (plan.warmup as u64).into());
    if let Some(prepare) = &plan.prepare {
        settings.insert("prepare".to_owned(), prepare.name.as_str().into());
    }
    if plan.cold {
        settings.insert("cold".to_owned(), true.into());
    }
    let base = Record { experiment: EXPERIMENT.to_owned(), settings, ..Record::empty(Source::Host) };
    let mut records = vec![order(&base, plan, outcome)];
    for ((command, series), parts) in plan.commands.iter().zip(&outcome.series).zip(&divided.parts) {
        let base = Record { contender: command.name.clone(), ..base.clone() };
        records.extend(of_command(&base, outcome, series, parts, divided.rule));
    }
    records
}

fn of_command(base: &Record, outcome: &Outcome, series: &Series, parts: &[Parts], rule: Option<Rule>) -> Vec<Record> {
    let account = Record { mode: ACCOUNT.to_owned(), ..base.clone() };
    let mut records = all(&account, &OWN, &series.accounts.iter().collect::<Vec<_>>());
    if let Some(rule) = rule {
        let mut base = account.clone();
        base.settings.insert(
            "rule".to_owned(),
            Scalar::from(match rule {
                Rule::MainThread => "main thread",
                Rule::AllThreads => "all threads",
            }),
        );
        for (place, name) in Parts::NAMES.iter().enumerate() {
            let samples: Vec<u64> = parts.iter().map(|parts| parts.all()[place]).collect();
            records.extend(one(&base, &format!("part.{name}"), Unit::Nanoseconds, &samples));
        }
    }
    let calls: Vec<&SystemCalls> = series.calls.iter().map(|(_, calls)| calls).collect();
    let base_of = |source| watched(base, outcome, series, source);
    let base = base_of(Watcher::SystemCalls);
    records.extend(all(&base, &CALLS, &calls));
    let names: BTreeSet<&String> = calls.iter().flat_map(|calls| calls.by_name.keys()).collect();
    for name in names {
        let of = |calls: &&SystemCalls| calls.by_name.get(name).copied().unwrap_or_default();
        let counts: Vec<u64> = calls.iter().map(|calls| of(calls).count).collect();
        let times: Vec<u64> = calls.iter().map(|calls| nanos(of(calls).time)).collect();
        records.extend(one(&base, &format!("syscalls.{name}"), Unit::Count, &counts));
        records.extend(one(&base, &format!("syscall_time.{name}"), Unit::Nanoseconds, &times));
    }
    let schedules: Vec<&Schedule> = series.schedules.iter().map(|(_, schedule)| schedule).collect();
    records.extend(all(&base_of(Watcher::Scheduler), &STATES, &schedules));
    let waits: Vec<&Waits> = series.waits.iter().map(|(_, waits)| waits).collect();
    records.extend(all(&base_of(Watcher::Waits), &WAITS, &waits));
    records.extend(places(&base_of(Watcher::Waits), &waits));
    let counts: Vec<u64> = series.instructions.iter().map(|(_, count)| *count).collect();
    records.extend(one(&base_of(Watcher::Instructions), "instructions", Unit::Instructions, &counts));
    records
}

/// Returns a record for each function by which a task blocks its worker. The lines are in its settings: they move with each change of
/// the program, and the metric pairs runs.
fn places(base: &Record, runs: &[&Waits]) -> Vec<Record> {
    let name = |place: &Place| {
        let word = |name: &Option<String>| name.clone().unwrap_or_else(|| "(unknown)".to_owned());
        format!("waits.blocked.{}.{}", word(&place.task), word(&place.call))
    };
    let mut found: BTreeMap<String, (Vec<u64>, BTreeSet<String>, &str)> = BTreeMap::new();
    for (run, waits) in runs.iter().enumerate() {
        for ((runtime, place), sum) in &waits.blocks {
            let new = || (vec![0; runs.len()], BTreeSet::new(), *runtime);
            let (samples, lines, _) = found.entry(name(place)).or_insert_with(new);
            samples[run] += nanos(sum.total);
            lines.extend(place.caller.iter().filter_map(|frame| {
                let (file, line) = frame.line.as_ref()?;
                Some(format!("{file}:{line}"))
            }));
        }
    }
    let record = |(metric, (samples, lines, runtime)): (String, (Vec<u64>, BTreeSet<String>, &str))| {
        let mut record = one(base, &metric, Unit::Nanoseconds, &samples)?;
        record.settings.insert("runtime".to_owned(), runtime.into());
        if !lines.is_empty() {
            let lines: Vec<String> = lines.into_iter().collect();
            record.settings.insert("lines".to_owned(), lines.join(", ").into());
        }
        Some(record)
    };
    found.into_iter().filter_map(record).collect()
}

/// Returns the records of `metrics` of all `runs`; a metric that a run lacks has none.
fn all<T>(base: &Record, metrics: &[Metric<T>], runs: &[&T]) -> Vec<Record> {
    let record = |(name, unit, of): &Metric<T>| {
        let samples: Option<Vec<u64>> = runs.iter().map(|run| of(run)).collect();
        one(base, name, *unit, &samples?)
    };
    metrics.iter().filter_map(record).collect()
}

fn one(base: &Record, name: &str, unit: Unit, samples: &[u64]) -> Option<Record> {
    // Whole numbers always have a summary.
    sampled(base, name, unit, samples).ok().flatten()
}

/// Returns `base` for the runs that `source` watched.
fn watched(base: &Record, outcome: &Outcome, series: &Series, source: Watcher) -> Record {
    let mut record = Record { mode: source.name().to_owned(), ..base.clone() };
    let tool = outcome.sources.iter().find(|one| one.source == source).and_then(|one| one.tool.as_ref().ok());
    if let Some(tool) = tool {
        record.settings.insert("tool".to_owned(), tool.as_str().into());
    }
    let cost = series.cost(source).and_then(cyclescope_records::stats::Number::real);
    if let Some(cost) = cost {
        record.settings.insert("slowdown".to_owned(), Scalar::Number(cost));
    }
    record
}

/// The record of how many rounds are complete, and in its settings the order of each.
fn order(base: &Record, plan: &Plan, outcome: &Outcome) -> Record {
    let mut record = base.with_metric("rounds", Unit::Count, Summary::exact(outcome.complete as u64));
    record.mode = ACCOUNT.to_owned();
    record.contender = ALL.to_owned();
    let names: Vec<String> =
        plan.commands.iter().enumerate().map(|(place, command)| format!("{place} {}", command.name)).collect();
    let order = |order: &Vec<usize>| order.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let orders = outcome.orders.iter().map(order).collect::<Vec<_>>().join("; ");
    let more: BTreeMap<String, Scalar> =
        [("contenders".to_owned(), names.join(", ").into()), ("order".to_owned(), orders.into())].into();
    record.settings.extend(more);
    record
}

/// `time` in whole nanoseconds.
pub(super) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use cyclescope_explain::waits::{Frame, Sum};

    use super::*;

    #[test]
    fn a_place_has_one_record_whose_lines_are_settings() {
        let place = |line| Place {
            call: Some("std::thread::sleep".to_owned()),
            caller: Some(Frame { name: "app::pause".to_owned(), line: Some(("src/main.rs".to_owned(), line)) }),
            task: Some("app::work".to_owned()),
        };
        let sum = |nanos| Sum { times: 1, total: Duration::from_nanos(nanos), longest: Duration::from_nanos(nanos) };
        let first =
            Waits { blocks: [(("tokio", place(7)), sum(5)), (("tokio", place(9)), sum(6))].into(), ..Waits::default() };
        let second = Waits { blocks: [(("tokio", Place::default()), sum(3))].into(), ..Waits::default() };
        let records = places(&Record::empty(Source::Host), &[&first, &second]);
        let [unknown, known] = records.as_slice() else { panic!("{records:?}") };
        assert_eq!(known.metric, "waits.blocked.app::work.std::thread::sleep");
        assert_eq!((known.n, known.max.as_f64(), known.min.as_f64()), (2, 11.0, 0.0));
        assert_eq!(known.settings["lines"].to_string(), "src/main.rs:7, src/main.rs:9");
        assert_eq!(known.settings["runtime"].to_string(), "tokio");
        assert_eq!(unknown.metric, "waits.blocked.(unknown).(unknown)");
        assert_eq!(unknown.max.as_f64(), 3.0);
    }
}
