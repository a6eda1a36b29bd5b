//! Experiments on chips: jobs over the processors, results as tables or as a digest.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use cyclescope_chips::Part;
use cyclescope_experiments::{Arrivals, Experiment, Failed, Job, RunError, Selection, Trust, View};
use cyclescope_machine::Stop;
use cyclescope_records::Record;
use cyclescope_report::Table;

use crate::backend::{ArrivalsRequest, Failure, RunOutcome, RunRequest};
use crate::exit::Exit;
use crate::progress::Progress;

/// Nothing is left of what could be run.
#[derive(Debug, thiserror::Error)]
#[error("no bundled image matches this choice of chip, contender, mode and optimisation level")]
struct NothingChosen;

/// Runs what `request` asks for.
pub(super) fn run(
    request: &RunRequest,
    progress: &dyn Progress,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<RunOutcome, Failure> {
    let (described, chips): (Vec<&String>, Vec<&String>) = request.chips.iter().partition(|chip| Part::is_file(chip));
    let selection = Selection {
        chips: chips.into_iter().cloned().collect(),
        parts: described.into_iter().map(|path| described_part(path)).collect::<Result<_, _>>()?,
        contenders: request.contenders.clone(),
        modes: request.modes.clone(),
        opts: request.opts.clone(),
        memory: request.memory.iter().map(|&setting| setting.into()).collect(),
        arrivals: match request.arrivals {
            ArrivalsRequest::Random => Arrivals::Random,
            ArrivalsRequest::Exhaustive(window) => Arrivals::Exhaustive(window, request.jobs),
            ArrivalsRequest::At(cycle) => Arrivals::At(cycle),
        },
        seed: request.seed,
        digest: request.digest(),
    };
    // A run of all arrivals takes all processors itself.
    let at_once = if matches!(selection.arrivals, Arrivals::Exhaustive(..)) { NonZeroUsize::MIN } else { request.jobs };
    let view = View { base: request.base.clone() };
    let planned: Vec<(Box<dyn Experiment>, Vec<Job>)> = cyclescope_experiments::all()
        .into_iter()
        .filter(|experiment| Selection::takes(&request.experiments, experiment.name()))
        .map(|experiment| {
            let jobs = experiment.jobs(&selection);
            (experiment, jobs)
        })
        .collect();
    let total = planned.iter().map(|(_, jobs)| jobs.len()).sum::<usize>();
    if total == 0 {
        return Err(Failure {
            subject: "run".to_owned(),
            error: Box::new(NothingChosen),
            help: Some("`cyclescope list images` shows the combinations there are".to_owned()),
            exit: Exit::Usage,
        });
    }
    progress.begin(total as u64);
    let mut outcome = RunOutcome::default();
    for (experiment, jobs) in &planned {
        let experiment = experiment.as_ref();
        let done = |job: &Job| progress.done(job.image.name);
        let ran = cyclescope_experiments::run(experiment, jobs, at_once, stop, &done);
        outcome.failures.extend(ran.failed.into_iter().map(|failed| failure(experiment.name(), failed)));
        outcome.tables.extend(if request.digest() {
            digest(experiment, &ran.records)
        } else {
            experiment.tables(&ran.records, &view)
        });
        outcome.records.extend(ran.records);
    }
    if request.digest() {
        outcome.tables.push(trust(&outcome));
    }
    Ok(outcome)
}

/// The part that the file at `path` describes.
fn described_part(path: &str) -> Result<Arc<Part>, Failure> {
    let part = Part::from_file(Path::new(path)).map_err(|error| Failure {
        subject: "--chip".to_owned(),
        error: Box::new(error),
        help: None,
        exit: Exit::BadInput,
    })?;
    Ok(Arc::new(part))
}

/// An experiment in a few lines, its conclusion below its table.
fn digest(experiment: &dyn Experiment, records: &[Record]) -> Vec<Table> {
    let digest = experiment.digest(records);
    digest
        .map(|mut digest| {
            digest.table.note(digest.conclusion);
            digest.table
        })
        .into_iter()
        .collect()
}

/// How far to trust the digest, and where to go from it.
fn trust(outcome: &RunOutcome) -> Table {
    let Trust { checked, assumed, gaps } = Trust::of(&outcome.records);
    let named = |names: std::collections::BTreeSet<String>| match names.len() {
        0 => "none".to_owned(),
        count => format!("{count} ({})", names.into_iter().collect::<Vec<_>>().join(", ")),
    };
    let mut lines = Table::default();
    lines.note(format!(
        "Trust: the output of {checked} programs checked, {} wrong; timing rows assumed: {}; model gaps: {}.",
        outcome.failures.len(),
        named(assumed),
        named(gaps)
    ));
    if let Some(record) = outcome.records.first() {
        lines.note(format!(
            "Next: `cyclescope run {0}` for the whole table, `cyclescope run {0} --memory all` for what flash costs.",
            record.experiment
        ));
    }
    lines
}

fn failure(experiment: &str, failed: Failed) -> Failure {
    let Failed { job, error } = failed;
    let exit = match &error {
        RunError::Unpack(_)
        | RunError::Image(_)
        | RunError::Part(_)
        | RunError::Load(_)
        | RunError::Symbol(_)
        | RunError::Stimulus(_)
        | RunError::NoPlaces(_)
        | RunError::NoMode(_)
        | RunError::NoInterrupt(_)
        | RunError::Window { .. }
        | RunError::Arrivals(_)
        | RunError::Event(_) => Exit::BadInput,
        // A program that exits, or sleeps for ever, before its result line has not done its work.
        RunError::Ended(Stop::Exit(_) | Stop::Deadlock(_), _) => Exit::WrongOutput,
        RunError::Ended(stop, _) => Exit::of_stop(*stop),
        RunError::Budget(..) => Exit::CycleBudget,
        RunError::Stats(_) | RunError::Channel(_) => Exit::Internal,
        RunError::Span(_)
        | RunError::Defmt(_)
        | RunError::Output { .. }
        | RunError::Figure { .. }
        | RunError::Clock { .. }
        | RunError::Samples { .. }
        | RunError::Led { .. }
        | RunError::Arrival { .. }
        | RunError::StackOverflow { .. }
        | RunError::Repeated(_) => Exit::WrongOutput,
    };
    let mode = if job.mode == job.image.mode { String::new() } else { format!(" in mode {}", job.mode) };
    let subject = format!("{experiment}: {}{mode} with {} memory", job.image.name, job.memory.name());
    Failure { subject, error: Box::new(error), help: None, exit }
}
