//! One operation of a walk, taken apart: in rounds, on one entry.

use cyclescope_host::hop::{Account, Part, Spec as Hop, VARIANTS};
use cyclescope_host::process::{self, Program, Ran};
use cyclescope_host::spec::{Spec, Work};
use cyclescope_host::walk::Variant;
use cyclescope_host::{HostError, built};
use cyclescope_records::stats::{Number, Summary};
use cyclescope_records::{Record, Unit};
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::super::job::HostJob;
use super::super::measure::{Amount, Planned, Rounds, Series};
use super::super::origin;
use super::super::question::OnHost;
use super::tables::Of;
use super::tree::{OPERATION, Tree};
use crate::{RunError, Selection, Watch};

/// The length of a run against that of a walk.
const LENGTH: f64 = 0.25;

/// Tells if one of `contenders`, which are all if there are none, tells of an operation beside the plain one.
pub(super) fn is_chosen(contenders: &[String]) -> bool {
    VARIANTS.iter().any(|variant| *variant != Variant::Sync && Selection::takes(contenders, variant.name()))
}

/// The amount of work in `job`.
pub(super) fn amount(job: &HostJob) -> Amount {
    let ways = plan(job, 1).len();
    let more = if job.options.counting.is_some() { ways } else { 0 };
    Amount { ways, more, length: Some(LENGTH) }
}

/// The variants that `job` asks for, and always the plain call, which the others are held against.
fn plan(job: &HostJob, times: u32) -> Vec<Planned> {
    let chosen = |variant: &Variant| Selection::takes(&job.contenders, variant.name()) || *variant == Variant::Sync;
    let planned = |variant: Variant| Planned {
        contender: variant.name(),
        version: built::version(variant.library()),
        mode: OPERATION.to_owned(),
        spec: spec(Hop { variant, times, blocks: 0, block_bytes: 0 }),
    };
    VARIANTS.into_iter().filter(chosen).map(planned).collect()
}

fn spec(hop: Hop) -> Spec {
    Spec { work: Work::Hop(hop), cpus: None, count: false }
}

pub(super) fn run(definition: &OnHost<Tree>, job: &HostJob, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
    let times = definition.work.operations;
    let mut rounds = Rounds::of(job, &definition.method)?;
    let mut planned = plan(job, times);
    let failed = |error| RunError::Host(HostError::Tree { path: std::env::temp_dir().display().to_string(), error });
    let folder = tempfile::Builder::new().prefix("cyclescope-entry-").tempdir().map_err(failed)?;
    let entry = job.options.setup.root.clone().unwrap_or_else(|| folder.path().to_owned());
    let counting = job.options.counting.as_ref();
    rounds.before = counting.map_or(0, |_| planned.len());
    let mut allocated = Vec::new();
    for (index, one) in planned.iter_mut().enumerate() {
        let count = |program: &Program| process::run(program, &one.spec, Some(&entry), rounds.limit).ok()?.account.hop;
        let counted = counting.filter(|_| !(watch.stop)()).and_then(count);
        if let (Some(account), Work::Hop(hop)) = (&counted, &mut one.spec.work) {
            (hop.blocks, hop.block_bytes) = blocks(account);
        }
        allocated.push(counted);
        if counting.is_some() {
            rounds.report_progress(VARIANTS.len(), watch, index + 1, None);
        }
    }
    let measured = rounds.run(&planned, Some(&entry), watch, &|_, ran| check(ran, times))?;

    let settings = origin::settings(&rounds);
    let mut records = Vec::new();
    for (index, one) in planned.iter().enumerate() {
        let base = origin::base(&definition.name, one, &settings);
        if index == 0 {
            records.push(origin::order(&base, &planned, &|one| one.contender.to_owned(), &measured));
        }
        let series = &measured.series[index];
        records.extend(of_series(&base, series)?);
        records.extend(allocated[index].as_ref().map(|account| of_allocations(&base, account)).unwrap_or_default());
        records.extend(origin::failed(&base, &series.failures));
        records.extend(origin::absent(&base, series.absent.as_ref()));
    }
    Ok(records)
}

/// The blocks that one operation allocates, and their size.
fn blocks(account: &Account) -> (u32, u32) {
    let (Some(blocks), Some(bytes)) = (account.allocations, account.allocated_bytes) else { return (0, 0) };
    let whole = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    (whole(blocks.div_ceil(account.times.max(1))), whole(bytes / blocks.max(1)))
}

/// Returns an error unless each operation of a run succeeded and its parts add up.
fn check(ran: &Ran, times: u32) -> Result<(), String> {
    let account = ran.account.hop.as_ref().ok_or("it did not tell of its operations")?;
    if account.times != u64::from(times) {
        return Err(format!("{} of {times} operations succeeded", account.times));
    }
    let sum: u64 = account.parts.iter().map(|(_, sum)| sum).sum();
    if sum != account.whole_ns {
        return Err(format!("its parts are {sum} ns and the whole {} ns", account.whole_ns));
    }
    Ok(())
}

/// The metric of the sum of all that a pool of threads adds.
const HAND_OVER: &str = "hand_over";

/// Figures of one operation in the mean of each round.
fn of_series(base: &Record, series: &Series) -> Result<Vec<Record>, RunError> {
    let of = |metric: &str, sum: &dyn Fn(&Account) -> Option<u64>| -> Result<Option<Record>, RunError> {
        let accounts = series.samples().filter_map(|sample| sample.account.hop.as_ref());
        let each: Vec<f64> =
            accounts.filter_map(|account| Some(sum(account)? as f64 / account.times.max(1) as f64)).collect();
        if each.is_empty() {
            return Ok(None);
        }
        Ok(Some(base.with_metric(metric, Unit::Nanoseconds, Summary::of_reals(&each)?)))
    };
    let mut records = Vec::new();
    records.extend(of("operation", &|account| Some(account.whole_ns))?);
    for part in Part::ALL {
        records.extend(of(&format!("part.{}", part.name()), &|account| account.part(part))?);
    }
    records.extend(of(HAND_OVER, &|account| {
        account.part(Part::Wake)?;
        Some(account.whole_ns - account.part(Part::Call)? - account.part(Part::Poll)?)
    })?);
    records.extend(of("operation.plain", &|account| Some(account.plain_ns))?);
    records.extend(of("allocation", &|account| account.allocation_ns)?);
    Ok(records)
}

fn of_allocations(base: &Record, account: &Account) -> Vec<Record> {
    let each = |metric: &str, unit, sum: Option<u64>| {
        let mean = Number::ratio(i128::from(sum?), i128::from(account.times.max(1)))?;
        Some(base.with_metric(metric, unit, Summary::exact(mean)))
    };
    let records = [
        each("allocations", Unit::Count, account.allocations),
        each("allocations.bytes", Unit::Bytes, account.allocated_bytes),
    ];
    records.into_iter().flatten().collect()
}

fn microseconds(record: &Record) -> String {
    format::decimal(record.mean.as_f64() / 1e3, 2)
}

/// The operation of a task on tokio's pool in a sentence.
pub(super) fn answer(records: &[Record]) -> Option<String> {
    let of = |metric: &str| {
        records.iter().find(|record| {
            record.mode == OPERATION && record.contender == Variant::TokioAwait.name() && record.metric == metric
        })
    };
    let (whole, call) = (microseconds(of("operation")?), microseconds(of("part.call")?));
    Some(format!("One operation by tokio's pool takes {whole} µs, of which the system call is {call} µs."))
}

/// The parts of one operation, a row each, and the variants side by side.
pub(super) fn table(of: &Of<'_>) -> Table {
    let contenders = of.contenders();
    let columns = std::iter::once(Column::text("part, µs")).chain(contenders.iter().map(|name| Column::number(*name)));
    let mut table = Table::new("One operation of a walk, taken apart", columns);
    let rows = [
        ("submit", "part.submit"),
        ("wake a thread", "part.wake"),
        ("its run queue", "part.queued"),
        ("system call", "part.call"),
        ("in the ring", "part.ring"),
        ("wake back", "part.back"),
        ("its run queue", "part.queued_back"),
        ("poll", "part.poll"),
        ("the whole", "operation"),
        ("unwatched", "operation.plain"),
        ("allocation", "allocation"),
    ];
    for (name, metric) in rows {
        let figures: Vec<Option<String>> =
            contenders.iter().map(|contender| of.get(contender, metric).map(microseconds)).collect();
        if figures.iter().all(Option::is_none) {
            continue;
        }
        let tone = if metric == "operation" { Tone::Strong } else { Tone::Plain };
        table.row(std::iter::once(Cell::toned(name, tone)).chain(figures.into_iter().map(Cell::or_none)));
    }
    let blocks: Vec<String> = contenders
        .iter()
        .filter_map(|contender| {
            let count = of.get(contender, "allocations")?.mean.as_f64();
            Some(format!("{contender} {}", format::decimal(count, 1)))
        })
        .collect();
    table.note(
        "The metadata of one entry, read as a link, asked for again and again; means of all rounds. The parts follow each other \
         and add up to the whole, from the request until the task has the result. Run queue: ready to run and waiting for a \
         processor, by the kernel's account of that thread (/proc/thread-self/schedstat), read between two operations. In \
         the ring: from the submission until the runtime sees the completion; the kernel's own worker makes the call. Unwatched: \
         the library's own call, with no moments taken.",
    );
    if !blocks.is_empty() {
        table.note(format!(
            "Allocation: as many blocks of that size by themselves, each freed on another thread; it is within the parts above. \
             Blocks an operation: {}.",
            blocks.join(", ")
        ));
    }
    for line in origin::foot(&of.records) {
        table.note(line);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_only_if_all_succeeded_and_the_parts_add_up() {
        let ran = |account: Option<Account>| Ran {
            usage: cyclescope_host::process::Usage {
                real: std::time::Duration::ZERO,
                user: std::time::Duration::ZERO,
                system: std::time::Duration::ZERO,
                voluntary: 0,
                involuntary: 0,
            },
            output: Vec::new(),
            complaints: Vec::new(),
            account: cyclescope_host::spec::Account { hop: account, ..Default::default() },
        };
        let parts = vec![(Part::Submit, 3), (Part::Call, 4)];
        let right = Account { times: 2, whole_ns: 7, parts, ..Account::default() };
        let why = |account: Account| check(&ran(Some(account)), 2).unwrap_err();
        assert_eq!(check(&ran(Some(right.clone())), 2), Ok(()));
        assert_eq!(why(Account { times: 1, ..right.clone() }), "1 of 2 operations succeeded");
        assert_eq!(why(Account { whole_ns: 8, ..right.clone() }), "its parts are 7 ns and the whole 8 ns");
        assert!(check(&ran(None), 2).is_err());
    }

    #[test]
    fn blocks_are_those_of_one_operation() {
        let account = |blocks, bytes| Account {
            times: 10,
            allocations: Some(blocks),
            allocated_bytes: Some(bytes),
            ..Account::default()
        };
        assert_eq!(blocks(&account(31, 3_100)), (4, 100), "not fewer than there are");
        assert_eq!(blocks(&account(0, 0)), (0, 0));
        assert_eq!(blocks(&Account { times: 10, ..Account::default() }), (0, 0), "nobody counted");
    }
}
