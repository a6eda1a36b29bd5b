//! The forms, in rounds; before them the probes, after them what is counted.

use std::collections::BTreeMap;

use cyclescope_host::built;
use cyclescope_host::join::{Account, Form, Order, Runtime, Spec as JoinSpec};
use cyclescope_host::process::{self, Program, Ran};
use cyclescope_host::spec::{Spec, Work};
use cyclescope_records::stats::Summary;
use cyclescope_records::{Record, Scalar, Unit};

use super::super::job::HostJob;
use super::super::measure::{Planned, Rounds};
use super::super::origin;
use super::super::question::OnHost;
use super::Sleeps;
use crate::{RunError, Selection, Watch};

/// A form on a runtime, and what the probe found.
pub(super) struct Way {
    spec: JoinSpec,
    order: Option<Order>,
    one_by_one: bool,
}

pub(super) fn run(definition: &OnHost<Sleeps>, job: &HostJob, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
    let work = definition.work;
    let count = job.options.setup.count.unwrap_or(work.count).max(1);
    let sleep_ns = job.options.setup.sleep.map_or(work.sleep_ms * 1_000_000, origin::nanoseconds);
    let mut rounds = Rounds::of(job, &definition.method)?;
    let mut ways = plan(job, count, sleep_ns);
    rounds.before = ways.len();
    rounds.after = ways.len();
    for index in 0..ways.len() {
        if (watch.stop)() {
            return Err(RunError::Interrupted);
        }
        probe(&rounds, definition, &mut ways[index])?;
        rounds.report_progress(ways.len(), watch, index + 1, None);
    }
    let planned: Vec<Planned> = ways.iter().map(planned).collect();
    let measured = rounds.run(&planned, None, watch, &|_, ran| {
        if account(ran)?.complete { Ok(()) } else { Err("not each number came back once".to_owned()) }
    })?;
    let mut counted = Vec::new();
    for (index, way) in ways.iter().enumerate() {
        let stopped = (watch.stop)();
        // How long they sleep changes neither polls nor allocations, and need not be waited for once more.
        let most = work.sleep_ms * 1_000_000;
        let spec = JoinSpec { sleep_ns: sleep_ns.min(most), ..way.spec.clone() };
        counted.push(if stopped { None } else { count_one(&rounds, job.options.counting.as_ref(), &spec) });
        rounds.report_progress(ways.len(), watch, ways.len(), Some(index + 1));
    }

    let mut settings = origin::settings(&rounds);
    settings.insert("sleep_ns".to_owned(), sleep_ns.into());
    let mut records = Vec::new();
    for (index, (one, way)) in planned.iter().zip(&ways).enumerate() {
        let mut base = origin::base(&definition.name, one, &settings);
        base.params = params(way);
        if let Some(order) = way.order {
            base.settings.insert("order_of_results".to_owned(), order.name().into());
        }
        base.settings.insert("one_by_one".to_owned(), way.one_by_one.into());
        if index == 0 {
            let mut order = origin::order(&base, &planned, &name, &measured);
            order.params = BTreeMap::new();
            records.push(order);
        }
        let series = &measured.series[index];
        let accounts = || series.samples().filter_map(|sample| sample.account.join.as_ref());
        let elapsed: Vec<u64> = accounts().map(|account| account.elapsed_ns).collect();
        let above: Vec<u64> = elapsed.iter().map(|elapsed| elapsed.saturating_sub(sleep_ns)).collect();
        records.extend(origin::of(&base, "elapsed", Unit::Nanoseconds, &elapsed)?);
        records.extend(origin::of(&base, "elapsed.above_sleep", Unit::Nanoseconds, &above)?);
        records.extend(of_counts(&base, way, counted[index].as_ref()));
        records.extend(origin::failed(&base, &series.failures));
    }
    Ok(records)
}

fn name(one: &Planned) -> String {
    let Work::Join(spec) = &one.spec.work else { return one.contender.to_owned() };
    format!("{} {} {}", one.contender, one.mode, if spec.spawned { "spawned" } else { "plain" })
}

fn params(way: &Way) -> BTreeMap<String, Scalar> {
    let mut params: BTreeMap<String, Scalar> = BTreeMap::new();
    params.insert("spawned".to_owned(), way.spec.spawned.into());
    params.insert("count".to_owned(), (way.spec.count as u64).into());
    params
}

/// All forms on all runtimes, of spawned tasks and of plain futures, that are chosen and exist.
pub(super) fn plan(job: &HostJob, count: usize, sleep_ns: u64) -> Vec<Way> {
    let mut ways = Vec::new();
    for form in Form::ALL.into_iter().filter(|form| Selection::takes(&job.modes, form.name())) {
        for runtime in Runtime::ALL.into_iter().filter(|runtime| Selection::takes(&job.contenders, runtime.name())) {
            for spawned in [true, false].into_iter().filter(|spawned| runtime.has(form, *spawned)) {
                let spec = JoinSpec { runtime, form, spawned, count, sleep_ns, step_ns: 0, watch: false };
                ways.push(Way { spec, order: None, one_by_one: false });
            }
        }
    }
    ways
}

fn planned(way: &Way) -> Planned {
    Planned {
        contender: way.spec.runtime.name(),
        version: built::version(Some(way.spec.runtime.library())),
        mode: way.spec.form.name().to_owned(),
        spec: spec(way.spec.clone()),
    }
}

fn spec(join: JoinSpec) -> Spec {
    Spec { work: Work::Join(join), cpus: None, count: false }
}

fn account(ran: &Ran) -> Result<&Account, String> {
    ran.account.join.as_ref().ok_or_else(|| "it did not say how it waited".to_owned())
}

/// Finds out in which order a form gives its results, and whether it waits one by one: then the probe takes no less than the
/// sum of all sleeps, which forms that wait for all at once stay far below.
fn probe(rounds: &Rounds<'_>, definition: &OnHost<Sleeps>, way: &mut Way) -> Result<(), RunError> {
    let work = definition.work;
    let step_ns = work.order_step_ms * 1_000_000;
    let probe = JoinSpec { count: work.order_count, sleep_ns: step_ns, step_ns, watch: true, ..way.spec.clone() };
    let ran = process::run(rounds.program, &spec(probe), None, rounds.limit)?;
    let account = account(&ran).map_err(RunError::Setup)?;
    let steps = (1..=work.order_count as u64).sum::<u64>();
    way.order = account.order;
    way.one_by_one = account.elapsed_ns >= steps * step_ns;
    if way.one_by_one {
        way.spec.count = way.spec.count.min(work.one_by_one);
    }
    Ok(())
}

/// Polls, and allocations where there is a program that counts them.
fn count_one(rounds: &Rounds<'_>, counting: Option<&Program>, way: &JoinSpec) -> Option<(Account, Option<Account>)> {
    let run = |program: &Program, watch: bool| {
        let spec = spec(JoinSpec { watch, ..way.clone() });
        process::run(program, &spec, None, rounds.limit).ok()?.account.join
    };
    Some((run(rounds.program, true)?, counting.and_then(|program| run(program, false))))
}

fn of_counts(base: &Record, way: &Way, counted: Option<&(Account, Option<Account>)>) -> Vec<Record> {
    let Some((watched, allocated)) = counted else { return Vec::new() };
    let each = |metric: &str, unit, value: Option<u64>| {
        let mean = cyclescope_records::stats::Number::ratio(i128::from(value?), way.spec.count as i128)?;
        Some(base.with_metric(metric, unit, Summary::exact(mean)))
    };
    let allocated = allocated.as_ref();
    let records = [
        each("polls", Unit::Count, watched.polls),
        each("polls.awaited", Unit::Count, watched.awaited_polls),
        each("allocations", Unit::Count, allocated.and_then(|account| account.allocations)),
        each("allocations.bytes", Unit::Bytes, allocated.and_then(|account| account.allocated_bytes)),
    ];
    records.into_iter().flatten().collect()
}
