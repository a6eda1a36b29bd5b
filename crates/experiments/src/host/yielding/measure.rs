//! All executors in all modes, in rounds.

use cyclescope_host::built;
use cyclescope_host::process::Ran;
use cyclescope_host::spec::{Spec, Work};
use cyclescope_host::yielding::{self, Account, Mode, Runtime};
use cyclescope_records::stats::Summary;
use cyclescope_records::{Record, Scalar, Unit};

use super::super::job::HostJob;
use super::super::measure::{Measured, Planned, Rounds};
use super::super::origin;
use super::super::question::OnHost;
use super::Search;
use crate::{RunError, Selection, Watch};

/// The greatest distance of the second task's turns from the search's, if the executor takes its tasks in turn.
const SLACK: u64 = 2;

pub(super) fn run(definition: &OnHost<Search>, job: &HostJob, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
    let rounds = Rounds::of(job, &definition.method)?;
    let ways = plan(definition.work.primes.len(), definition.work.trips, job);
    let planned: Vec<Planned> = ways.iter().map(planned).collect();
    let measured = rounds.run(&planned, None, watch, &|who, ran| check(definition, &ways[who], ran))?;
    let settings = origin::settings(&rounds);
    let mut records = Vec::new();
    for (index, one) in planned.iter().enumerate() {
        let base = origin::base(&definition.name, one, &settings);
        if index == 0 {
            let name = |one: &Planned| format!("{} {}", one.contender, one.mode);
            records.push(origin::order(&base, &planned, &name, &measured));
        }
        let of = |value: &dyn Fn(&Account) -> Option<u64>| -> Vec<u64> {
            let samples = measured.series[index].samples();
            samples.filter_map(|sample| sample.account.yielding.as_ref()).filter_map(value).collect()
        };
        let switches: Vec<u64> = measured.series[index].samples().map(|sample| sample.usage.voluntary).collect();
        let metrics = [
            ("elapsed", Unit::Nanoseconds, of(&|account| Some(account.elapsed_ns))),
            ("instructions", Unit::Instructions, of(&|account| account.instructions)),
            ("dispatches", Unit::Count, of(&|account| Some(account.dispatches))),
            ("counter", Unit::Count, of(&|account| Some(account.counter))),
            ("switches.voluntary", Unit::Count, switches),
        ];
        for (metric, unit, samples) in metrics {
            records.extend(origin::of(&base, metric, unit, &samples)?);
        }
        records.extend(derived(&base, &ways, &measured, index));
        records.extend(origin::failed(&base, &measured.series[index].failures));
    }
    Ok(records)
}

/// The executors and modes that `job` asks for, each with a search of `primes` or `trips` to and fro.
pub(super) fn plan(primes: usize, trips: u64, job: &HostJob) -> Vec<yielding::Spec> {
    let modes: Vec<Mode> = Mode::ALL.into_iter().filter(|mode| Selection::takes(&job.modes, mode.name())).collect();
    let runtimes = Runtime::ALL.into_iter().filter(|runtime| Selection::takes(&job.contenders, runtime.name()));
    let of = |runtime| modes.iter().map(move |mode| yielding::Spec { runtime, mode: *mode, primes, trips });
    runtimes.flat_map(of).collect()
}

fn planned(way: &yielding::Spec) -> Planned {
    Planned {
        contender: way.runtime.name(),
        version: built::version(way.runtime.library()),
        mode: way.mode.name().to_owned(),
        spec: Spec { work: Work::Yield(way.clone()), cpus: None, count: false },
    }
}

/// Returns an error with the first difference in a program's output.
fn check(definition: &OnHost<Search>, way: &yielding::Spec, ran: &Ran) -> Result<(), String> {
    let account = ran.account.yielding.as_ref().ok_or("it did not say what it did")?;
    let workload = &definition.work;
    let is = |what: &str, found: u64, expected: u64| {
        if found == expected {
            Ok(())
        } else {
            Err(format!("it counts {found} {what}; the work makes that {expected}"))
        }
    };
    if way.mode == Mode::PingPong {
        is("values handed over", account.dispatches, 2 * workload.trips)?;
        return is("turns of the second task", account.counter, workload.trips);
    }
    if account.primes != workload.primes {
        return Err(format!("it finds the primes {:?}", account.primes));
    }
    is("turns", account.loops, workload.loops)?;
    is("dispatches", account.dispatches, if way.mode == Mode::Plain { 0 } else { workload.loops })?;
    match way.mode {
        // A worker of tokio's multi-thread runtime does not take its tasks strictly in turn, and two may take one each.
        Mode::Two if matches!(way.runtime, Runtime::TokioOne | Runtime::TokioTwo) => Ok(()),
        Mode::Two if account.counter.abs_diff(account.dispatches) > SLACK => {
            is("turns of the second task", account.counter, account.dispatches)
        }
        _ => Ok(()),
    }
}

/// Returns the cost of a switch, round by round: `one` less `plain`, `two` less `one`, over the dispatches; and a ping-pong
/// over the values that were handed over. Rounds in which noise makes it negative count as they are.
fn derived(base: &Record, ways: &[yielding::Spec], measured: &Measured, index: usize) -> Vec<Record> {
    let way = &ways[index];
    let less = match way.mode {
        Mode::Plain => return Vec::new(),
        Mode::One => Some(Mode::Plain),
        Mode::Two => Some(Mode::One),
        Mode::PingPong => None,
    };
    let other = less.map(|mode| ways.iter().position(|other| other.runtime == way.runtime && other.mode == mode));
    let other = match other {
        // The mode to take off was not chosen.
        Some(None) => return Vec::new(),
        Some(Some(other)) => Some(other),
        None => None,
    };
    let at = |who: usize, round: usize| measured.series[who].rounds.get(round)?.as_ref()?.account.yielding.as_ref();
    let of = |value: &dyn Fn(&Account) -> Option<u64>| -> Vec<f64> {
        let one = |round| {
            let own = at(index, round)?;
            let taken = match other {
                Some(other) => value(at(other, round)?)?,
                None => 0,
            };
            (own.dispatches > 0).then(|| Some((value(own)? as f64 - taken as f64) / own.dispatches as f64))?
        };
        (0..measured.orders.len()).filter_map(one).collect()
    };
    let metrics = [
        ("switch", Unit::Nanoseconds, of(&|account| Some(account.elapsed_ns))),
        ("switch.instructions", Unit::Instructions, of(&|account| account.instructions)),
    ];
    let record = |(metric, unit, samples): (&str, Unit, Vec<f64>)| {
        let mut record = base.with_metric(metric, unit, Summary::of_reals(&samples).ok()?);
        if let Some(less) = less {
            record.params.insert("less".to_owned(), Scalar::from(less.name()));
        }
        Some(record)
    };
    metrics.into_iter().filter_map(record).collect()
}
