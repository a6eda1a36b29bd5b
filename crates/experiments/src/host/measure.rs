//! Rounds of contenders.

use std::path::Path;
use std::time::Duration;

use cyclescope_host::process::{self, Program, Ran, Usage};
use cyclescope_host::rounds::orders;
use cyclescope_host::spec::{Account, Spec};

use super::{HostJob, MethodText};
use crate::{RunError, Watch};

/// After so many failures without a success a contender is given up.
const PATIENCE: usize = 3;

/// Who is measured, and how it is asked.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    /// Its name.
    pub contender: &'static str,
    /// The version of its library.
    pub version: &'static str,
    /// The mode that its records have.
    pub mode: String,
    /// What it does.
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
    /// What each round gave; none where it failed, or there was no such round any more.
    pub rounds: Vec<Option<Sample>>,
    /// Why runs gave no number, warm-up included.
    pub failures: Vec<String>,
    succeeded: bool,
}

impl Series {
    /// The runs that were right, in the order of rounds.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.rounds.iter().flatten()
    }

    fn given_up(&self) -> bool {
        !self.succeeded && self.failures.len() >= PATIENCE
    }
}

/// What the rounds gave.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// One for each planned.
    pub series: Vec<Series>,
    /// The order in each round that was begun, warm-up left out.
    pub orders: Vec<Vec<usize>>,
    /// Rounds that are complete.
    pub complete: usize,
}

/// How the rounds are run.
pub(super) struct Rounds<'a> {
    pub program: &'a Program,
    pub runs: usize,
    pub warmup: usize,
    pub seed: u64,
    pub limit: Duration,
    /// Runs of children before and after the rounds, which count in what is told of progress.
    pub before: usize,
    pub after: usize,
}

impl<'a> Rounds<'a> {
    pub fn of(job: &'a HostJob, method: &MethodText) -> Result<Self, RunError> {
        Ok(Self {
            program: job.options.program()?,
            runs: job.options.runs.unwrap_or(method.runs).max(1),
            warmup: job.options.warmup.unwrap_or(method.warmup),
            seed: job.seed.unwrap_or(method.seed),
            limit: Duration::from_secs(method.limit_seconds),
            before: 0,
            after: 0,
        })
    }

    /// Tells that `done` runs of those before the rounds are done, or of those after.
    pub fn told(&self, planned: usize, watch: Watch<'_>, done_before: usize, done_after: Option<usize>) {
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
