//! All runs of some commands: rounds of warm-up, measured rounds, and runs that a source slows down.

use std::fs;
use std::time::Duration;

use cyclescope_host::rounds::orders;

use crate::account::Account;
use crate::command::Command;
use crate::error::RunError;
use crate::instructions::Counter;
use crate::process::{self, Limits, Ran};
use crate::scheduler::{Bpftrace, Schedule};
use crate::source::{Source, Unavailable, one_line};
use crate::strace::{Strace, SystemCalls};
use crate::waits::{Perf, Waits};

/// The time that the runs of one source may take unless the user asks for all, in seconds.
const AFFORDABLE: f64 = 60.0;

/// The most times that a run which a source slows down may exceed the limit.
const SLOWER: u32 = 100;

/// The plan of all runs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The commands.
    pub commands: Vec<Command>,
    /// The measured rounds.
    pub runs: usize,
    /// The rounds of warm-up before them.
    pub warmup: usize,
    /// The runs of each command for each source.
    pub traced: usize,
    /// The seed of the orders.
    pub seed: u64,
    /// The most time of one run.
    pub timeout: Duration,
    /// A command before each run.
    pub prepare: Option<Command>,
    /// Tells if the page cache is emptied before each run.
    pub cold: bool,
    /// The sources to leave out.
    pub without: Vec<Source>,
    /// Tells if sources are used however long they take.
    pub all_sources: bool,
}

/// The runs of one command that a source watched, each with its time.
pub type Watched<T> = Vec<(Duration, T)>;

/// The runs of one command.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// The account of each measured run.
    pub accounts: Vec<Account>,
    /// System calls.
    pub calls: Watched<SystemCalls>,
    /// The states of threads.
    pub schedules: Watched<Schedule>,
    /// The waits of runtimes' threads.
    pub waits: Watched<Waits>,
    /// Instruction counts.
    pub instructions: Watched<u64>,
}

impl Series {
    /// Returns the number of times that the runs which `source` watched took as long; `None` without such runs.
    pub fn cost(&self, source: Source) -> Option<f64> {
        let walls: Vec<Duration> = match source {
            Source::SystemCalls => self.calls.iter().map(|one| one.0).collect(),
            Source::Scheduler => self.schedules.iter().map(|one| one.0).collect(),
            Source::Waits => self.waits.iter().map(|one| one.0).collect(),
            Source::Instructions => self.instructions.iter().map(|one| one.0).collect(),
        };
        let own = middle(self.accounts.iter().map(|account| account.wall).collect())?;
        Some(middle(walls)?.as_secs_f64() / own.as_secs_f64().max(1e-9))
    }
}

fn middle(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len().saturating_sub(1) / 2).copied()
}

/// A source and its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceUse {
    /// The source.
    pub source: Source,
    /// The program with its version, or the reason why there are no runs.
    pub tool: Result<String, Unavailable>,
}

/// A run that ended all.
#[derive(Debug)]
pub struct Failure {
    /// The place of its command; `None` for what comes before a run.
    pub command: Option<usize>,
    /// The error.
    pub error: RunError,
}

/// The results of a plan.
#[derive(Debug)]
pub struct Outcome {
    /// One for each command.
    pub series: Vec<Series>,
    /// The order of commands in each measured round that was begun.
    pub orders: Vec<Vec<usize>>,
    /// The rounds that are complete.
    pub complete: usize,
    /// The sources that the plan came to.
    pub sources: Vec<SourceUse>,
    /// The reason why the plan was not carried out to its end.
    pub failure: Option<Failure>,
}

/// The interest of others in a plan under way.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Tells if the user wants the end.
    pub stop: &'a dyn Fn() -> bool,
    /// Hears how many runs are done, and of how many.
    pub progress: &'a dyn Fn(u64, u64),
}

impl Plan {
    /// Carries the plan out, up to the first run that fails.
    pub fn run(&self, watch: Watch<'_>) -> Outcome {
        let mut outcome = Outcome {
            series: vec![Series::default(); self.commands.len()],
            orders: Vec::new(),
            complete: 0,
            sources: Vec::new(),
            failure: None,
        };
        let mut work = Work { plan: self, watch, done: 0 };
        outcome.failure = work.rounds(&mut outcome).and_then(|()| work.sources(&mut outcome)).err();
        outcome
    }

    /// Returns the number of all runs.
    fn count(&self) -> u64 {
        let sources = Source::ALL.iter().filter(|source| !self.without.contains(source)).count();
        ((self.warmup + self.runs + sources * self.traced) * self.commands.len()) as u64
    }
}

/// The runs that a source watched, each with the place of its command and its time.
type Told<T> = Result<Vec<(usize, Duration, T)>, Unavailable>;

struct Work<'a> {
    plan: &'a Plan,
    watch: Watch<'a>,
    done: u64,
}

impl Work<'_> {
    fn limits(&self, times: u32) -> Limits<'_> {
        Limits { timeout: self.plan.timeout.saturating_mul(times), stop: self.watch.stop }
    }

    fn rounds(&mut self, outcome: &mut Outcome) -> Result<(), Failure> {
        let all = orders(self.plan.seed, self.plan.commands.len(), self.plan.warmup + self.plan.runs);
        for (round, order) in all.into_iter().enumerate() {
            let is_warm = round < self.plan.warmup;
            if !is_warm {
                outcome.orders.push(order.clone());
            }
            for who in order {
                let ran = self.one(who, process::run, 1)?;
                if !is_warm {
                    outcome.series[who].accounts.push(ran.account);
                }
            }
            outcome.complete += usize::from(!is_warm);
        }
        Ok(())
    }

    /// Prepares and carries out one run of the command at `who`.
    fn one<T>(
        &mut self,
        who: usize,
        run: impl Fn(&Command, Limits<'_>) -> Result<T, RunError>,
        times: u32,
    ) -> Result<T, Failure> {
        let failed = |command| move |error| Failure { command, error };
        if (self.watch.stop)() {
            return Err(Failure { command: None, error: RunError::Interrupted });
        }
        if let Some(prepare) = &self.plan.prepare {
            process::run(prepare, self.limits(1)).map_err(failed(None))?;
        }
        if self.plan.cold {
            empty_cache().map_err(failed(None))?;
        }
        let result = run(&self.plan.commands[who], self.limits(times)).map_err(failed(Some(who)))?;
        self.done += 1;
        (self.watch.progress)(self.done, self.plan.count());
        Ok(result)
    }

    fn sources(&mut self, outcome: &mut Outcome) -> Result<(), Failure> {
        for source in Source::ALL {
            if (self.watch.stop)() {
                return Err(Failure { command: None, error: RunError::Interrupted });
            }
            let tool = if self.plan.traced == 0 || self.plan.without.contains(&source) {
                Err(Unavailable::Unwanted)
            } else {
                match source {
                    Source::SystemCalls => self.calls(outcome)?,
                    Source::Scheduler => self.schedules(outcome)?,
                    Source::Waits => self.waits(outcome)?,
                    Source::Instructions => self.instructions(outcome)?,
                }
            };
            outcome.sources.push(SourceUse { source, tool });
        }
        Ok(())
    }

    fn calls(&mut self, outcome: &mut Outcome) -> Result<Result<String, Unavailable>, Failure> {
        let tool = match Strace::find() {
            Ok(tool) => tool,
            Err(why) => return Ok(Err(why)),
        };
        let runs = self.watched(|command, limits| Ok(Ok(tool.run(command, limits)?)))?;
        Ok(kept(runs, tool.version, outcome, |series| &mut series.calls))
    }

    fn schedules(&mut self, outcome: &mut Outcome) -> Result<Result<String, Unavailable>, Failure> {
        let tool = match Bpftrace::find() {
            Ok(tool) => tool,
            Err(why) => return Ok(Err(why)),
        };
        let runs = self.watched(|command, limits| tool.run(command, limits))?;
        Ok(kept(runs, tool.version, outcome, |series| &mut series.schedules))
    }

    fn waits(&mut self, outcome: &mut Outcome) -> Result<Result<String, Unavailable>, Failure> {
        let tool = match Perf::find() {
            Ok(tool) => tool,
            Err(why) => return Ok(Err(why)),
        };
        let runs = self.watched(|command, limits| tool.run(command, limits))?;
        Ok(kept(runs, tool.version, outcome, |series| &mut series.waits))
    }

    fn instructions(&mut self, outcome: &mut Outcome) -> Result<Result<String, Unavailable>, Failure> {
        let tool = match Counter::find() {
            Ok(tool) => tool,
            Err(why) => return Ok(Err(why)),
        };
        let times =
            outcome.series.iter().filter_map(|series| middle(series.accounts.iter().map(Account::processor).collect()));
        // valgrind starts in about a second.
        let seconds: f64 =
            times.map(|time| 1.0 + tool.slowdown() * time.as_secs_f64()).sum::<f64>() * self.plan.traced as f64;
        if seconds > AFFORDABLE && !self.plan.all_sources {
            return Ok(Err(Unavailable::TooLong { seconds: seconds.ceil() as u64 }));
        }
        let runs = self.watched(|command, limits| tool.run(command, limits))?;
        Ok(kept(runs, tool.version, outcome, |series| &mut series.instructions))
    }

    /// Runs each command under a source, as often as the plan says. A command that does not bear the source takes the source away,
    /// not the results.
    fn watched<T>(
        &mut self,
        run: impl Fn(&Command, Limits<'_>) -> Result<Result<(Ran, T), Unavailable>, RunError>,
    ) -> Result<Told<T>, Failure> {
        let mut runs = Vec::new();
        for order in orders(self.plan.seed, self.plan.commands.len(), self.plan.traced) {
            for who in order {
                match self.one(who, &run, SLOWER) {
                    Ok(Ok((ran, told))) => runs.push((who, ran.account.wall, told)),
                    Ok(Err(why)) => return Ok(Err(why)),
                    Err(Failure { command: Some(_), error }) if !error.is_interrupted() => {
                        let words = error.tail().map_or(String::new(), |tail| format!(": {}", one_line(tail)));
                        return Ok(Err(Unavailable::Incomplete(format!("the watched run failed: {error}{words}"))));
                    }
                    Err(failure) => return Err(failure),
                }
            }
        }
        Ok(Ok(runs))
    }
}

/// Puts the runs of a source to their commands.
fn kept<T>(
    runs: Told<T>,
    tool: String,
    outcome: &mut Outcome,
    place: impl Fn(&mut Series) -> &mut Watched<T>,
) -> Result<String, Unavailable> {
    for (who, wall, told) in runs? {
        place(&mut outcome.series[who]).push((wall, told));
    }
    Ok(tool)
}

/// Empties the page cache (the kernel's documentation, sysctl/vm, `drop_caches`).
fn empty_cache() -> Result<(), RunError> {
    rustix::fs::sync();
    fs::write("/proc/sys/vm/drop_caches", "3").map_err(RunError::Cold)
}
