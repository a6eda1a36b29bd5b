//! Jobs over the cores, results in the jobs' order.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use cyclescope_records::Record;

use crate::{Experiment, Job, RunError, Watch};

/// A job that gave no number.
#[derive(Debug)]
pub struct Failed {
    /// The job.
    pub job: Job,
    /// Why.
    pub error: RunError,
}

/// The results of the jobs, as far as they went, in their order.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Records of the runs that were right.
    pub records: Vec<Record>,
    /// The others.
    pub failed: Vec<Failed>,
}

/// The result of one job.
pub(crate) type Ran = Result<Vec<Record>, RunError>;

/// Runs `jobs` on `threads` threads, each under `watch`, which is asked before each too; one that it ends halfway is
/// neither a result nor a failure. `done` hears of each that ended, from any thread.
pub fn run(
    experiment: &dyn Experiment,
    jobs: &[Job],
    threads: NonZeroUsize,
    watch: Watch<'_>,
    done: &(dyn Fn(&Job) + Sync),
) -> Outcome {
    let mut outcome = Outcome::default();
    for (job, result) in jobs.iter().zip(each(experiment, jobs, threads, watch, done)) {
        match result {
            Some(Ok(records)) => outcome.records.extend(records),
            Some(Err(error)) if error.is_interrupted() => {}
            Some(Err(error)) => outcome.failed.push(Failed { job: job.clone(), error }),
            None => {}
        }
    }
    experiment.derive(&mut outcome.records);
    outcome
}

/// Runs `jobs` as [`run`] does. Returns the result of each in their order, of those that were run.
pub(crate) fn each(
    experiment: &dyn Experiment,
    jobs: &[Job],
    threads: NonZeroUsize,
    watch: Watch<'_>,
    done: &(dyn Fn(&Job) + Sync),
) -> Vec<Option<Ran>> {
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<Ran>> = jobs.iter().map(|_| OnceLock::new()).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.get().min(jobs.len()) {
            scope.spawn(|| {
                while !(watch.stop)() {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(job), Some(result)) = (jobs.get(index), results.get(index)) else { return };
                    // Each index is handed out once, so that the place is empty.
                    let _ = result.set(experiment.run(job, watch));
                    done(job);
                }
            });
        }
    });
    results.into_iter().map(OnceLock::into_inner).collect()
}
