//! Rounds of contenders.

use std::path::Path;
use std::time::Duration;

use cyclescope_host::process::{self, Program, Ran, Usage};
use cyclescope_host::rounds::orders;
use cyclescope_host::spec::{Account, Spec};
use serde::Deserialize;

use super::job::HostJob;
use super::setup::HostSetup;
use crate::{RunError, Watch};

/// After so many failures without a success a contender is given up.
const PATIENCE: usize = 3;

/// The method of an experiment, as its file says.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MethodText {
    pub runs: usize,
    pub warmup: usize,
    /// The rounds, and those of warm-up, of a run with `--quick`.
    pub quick_runs: usize,
    pub quick_warmup: usize,
    /// The same with `--thorough`; none where that is nothing else.
    #[serde(default)]
    pub thorough_runs: Option<usize>,
    #[serde(default)]
    pub thorough_warmup: Option<usize>,
    /// The time of one run in the mean on an idle machine, for what is said before the work begins.
    pub seconds_a_run: f64,
    pub seed: u64,
    #[serde(default = "confidence")]
    pub confidence: f64,
    #[serde(default = "resamples")]
    pub resamples: usize,
    pub limit_seconds: u64,
}

impl MethodText {
    /// The rounds and those of warm-up before them under `setup`.
    pub fn rounds(&self, setup: &HostSetup) -> (usize, usize) {
        let thorough = |often: Option<usize>, usual: usize| often.filter(|_| setup.thorough).unwrap_or(usual);
        let (runs, warmup) = if setup.quick {
            (self.quick_runs, self.quick_warmup)
        } else {
            (thorough(self.thorough_runs, self.runs), thorough(self.thorough_warmup, self.warmup))
        };
        (setup.runs.unwrap_or(runs).max(1), setup.warmup.unwrap_or(warmup))
    }
}

/// The rounds and checks of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// The ways that each round runs once.
    pub(super) ways: usize,
    /// Runs before and after the rounds.
    pub(super) more: usize,
    /// The length of a run against that of one with the experiment's own work; `None` if nobody knows.
    pub(super) length: Option<f64>,
}

fn confidence() -> f64 {
    0.95
}

fn resamples() -> usize {
    2000
}

/// A contender and the way in which it is measured.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    /// Its name.
    pub contender: &'static str,
    /// The version of its library.
    pub version: &'static str,
    /// The mode that its records have.
    pub mode: String,
    /// The task.
    pub spec: Spec,
}

/// One run that was right.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub usage: Usage,
    pub account: Account,
}

/// All runs of one contender.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    /// The sample of each round; none if the round failed, or did not come.
    pub rounds: Vec<Option<Sample>>,
    /// Why runs gave no number, warm-up included.
    pub failures: Vec<String>,
    /// The reason if this machine lacks or forbids something, for which the contender did nothing.
    pub absent: Option<String>,
    succeeded: bool,
}

impl Series {
    /// The runs that were right, in the order of rounds.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.rounds.iter().flatten()
    }

    fn given_up(&self) -> bool {
        self.absent.is_some() || !self.succeeded && self.failures.len() >= PATIENCE
    }
}

/// The results of the rounds.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// One for each planned.
    pub series: Vec<Series>,
    /// The order in each round that was begun, warm-up left out.
    pub orders: Vec<Vec<usize>>,
    /// Rounds that are complete.
    pub complete: usize,
}

/// The plan of the rounds.
pub(super) struct Rounds<'a> {
    pub program: &'a Program,
    pub runs: usize,
    pub warmup: usize,
    pub seed: u64,
    pub quick: bool,
    pub limit: Duration,
    /// Runs of children before and after the rounds, which count in what is told of progress.
    pub before: usize,
    pub after: usize,
}

impl<'a> Rounds<'a> {
    pub fn of(job: &'a HostJob, method: &MethodText) -> Result<Self, RunError> {
        let (runs, warmup) = method.rounds(&job.options.setup);
        Ok(Self {
            program: job.options.program()?,
            runs,
            warmup,
            quick: job.options.setup.quick,
            seed: job.seed.unwrap_or(method.seed),
            limit: Duration::from_secs(method.limit_seconds),
            before: 0,
            after: 0,
        })
    }

    /// Tells that `done` runs of those before the rounds are done, or of those after.
    pub fn report_progress(&self, planned: usize, watch: Watch<'_>, done_before: usize, done_after: Option<usize>) {
        let within = (self.runs + self.warmup) * planned;
        let done = done_after.map_or(done_before, |after| self.before + within + after);
        (watch.progress)(done as u64, (self.before + within + self.after) as u64);
    }

    /// Runs all of `planned` in rounds, on `root` for walks, and lets `check` say what is wrong with a run.
    ///
    /// # Errors
    /// [`RunError::Interrupted`] if no round was complete when `watch` asked for the end.
    pub fn run(
        &self,
        planned: &[Planned],
        root: Option<&Path>,
        watch: Watch<'_>,
        check: &dyn Fn(usize, &Ran) -> Result<(), String>,
    ) -> Result<Measured, RunError> {
        let mut series = vec![Series::default(); planned.len()];
        let all = orders(self.seed, planned.len(), self.warmup + self.runs);
        let (mut begun, mut complete) = (0, 0);
        'rounds: for (round, order) in all.iter().enumerate() {
            let warm = round < self.warmup;
            begun += usize::from(!warm);
            for (place, &who) in order.iter().enumerate() {
                if (watch.stop)() {
                    break 'rounds;
                }
                let series = &mut series[who];
                let result = if series.given_up() {
                    None
                } else {
                    self.one(&planned[who].spec, root, &|ran| check(who, ran), series)
                };
                if !warm {
                    series.rounds.push(result);
                }
                let done = (round * planned.len() + place + 1 + self.before) as u64;
                let of = (all.len() * planned.len() + self.before + self.after) as u64;
                (watch.progress)(done, of);
            }
            complete += usize::from(!warm);
        }
        if complete == 0 {
            return Err(RunError::Interrupted);
        }
        let orders = all.into_iter().skip(self.warmup).take(begun).collect();
        for series in &mut series {
            series.rounds.resize(begun, None);
        }
        Ok(Measured { series, orders, complete })
    }

    fn one(
        &self,
        spec: &Spec,
        root: Option<&Path>,
        check: &dyn Fn(&Ran) -> Result<(), String>,
        series: &mut Series,
    ) -> Option<Sample> {
        let ran = process::run(self.program, spec, root, self.limit).map_err(|error| error.to_string());
        if let Ok(Some(why)) = ran.as_ref().map(|ran| &ran.account.absent) {
            series.absent = Some(why.clone());
            return None;
        }
        match ran.and_then(|ran| check(&ran).map(|()| ran)) {
            Ok(ran) => {
                series.succeeded = true;
                Some(Sample { usage: ran.usage, account: ran.account })
            }
            Err(why) => {
                series.failures.push(why);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use cyclescope_host::spec::Work;
    use cyclescope_host::yielding;

    use super::*;

    /// A shell in the contender's place.
    fn program(script: &str) -> Program {
        Program { path: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] }
    }

    const DONE: &str = r#"echo 'cyclescope-account {"peak_bytes":null,"counts":null,"join":null,"yielding":null}' >&2"#;

    fn run(
        script: &str,
        stop_after: usize,
        check: &dyn Fn(usize, &Ran) -> Result<(), String>,
    ) -> Result<Measured, RunError> {
        let (runtime, mode) = (yielding::Runtime::Smol, yielding::Mode::Plain);
        let work = Work::Yield(yielding::Spec { runtime, mode, primes: 1, trips: 1 });
        let spec = Spec { work, cpus: None, count: false };
        let planned =
            ["a", "b"].map(|contender| Planned { contender, version: "1", mode: "m".to_owned(), spec: spec.clone() });
        let program = program(script);
        let limit = Duration::from_secs(60);
        let rounds =
            Rounds { program: &program, runs: 4, warmup: 1, seed: 1, quick: false, limit, before: 0, after: 0 };
        let ran = AtomicUsize::new(0);
        let progress = |done: u64, of: u64| {
            assert!(done <= of);
            ran.store(usize::try_from(done).unwrap(), Ordering::SeqCst);
        };
        let stop = || ran.load(Ordering::SeqCst) >= stop_after;
        rounds.run(&planned, None, Watch { stop: &stop, progress: &progress, ..Watch::NOBODY }, check)
    }

    #[test]
    fn what_is_complete_when_it_is_interrupted_stays() {
        // Two of warm-up, two whole rounds, and one of the third.
        let measured = run(DONE, 7, &|_, _| Ok(())).unwrap();
        assert_eq!((measured.complete, measured.orders.len()), (2, 3));
        let runs: Vec<usize> = measured.series.iter().map(|series| series.samples().count()).collect();
        assert_eq!(runs.iter().sum::<usize>(), 5);
        assert!(measured.series.iter().all(|series| series.rounds.len() == 3), "a place for each round");
        assert!(run(DONE, 3, &|_, _| Ok(())).is_err_and(|error| error.is_interrupted()), "no round is complete");
    }

    #[test]
    fn what_a_machine_lacks_is_no_failure_and_is_asked_once() {
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("count");
        let script = format!("echo >> {}; {}", count.display(), DONE.replace("null}", r#"null,"absent":"no rings"}"#));
        let measured = run(&script, usize::MAX, &|_, _| Err("there is nothing to check".to_owned())).unwrap();
        assert_eq!(std::fs::read(count).unwrap(), b"\n\n", "each of two contenders");
        for series in &measured.series {
            assert_eq!((series.absent.as_deref(), series.failures.len()), (Some("no rings"), 0));
            assert_eq!(series.samples().count(), 0);
        }
    }

    #[test]
    fn runs_that_fail_or_are_wrong_are_counted_and_leave_the_others_theirs() {
        let wrong = |who: usize, _: &Ran| if who == 0 { Err("wrong lines".to_owned()) } else { Ok(()) };
        let measured = run(DONE, usize::MAX, &wrong).unwrap();
        assert_eq!(measured.series[0].failures, ["wrong lines"; PATIENCE], "then it is given up");
        assert_eq!((measured.series[0].samples().count(), measured.series[1].samples().count()), (0, 4));
        let killed = run("kill -9 $$", usize::MAX, &|_, _| Ok(())).unwrap();
        assert!(
            killed
                .series
                .iter()
                .all(|series| series.failures[0].contains("signal: 9") && series.samples().count() == 0)
        );
    }
}
