//! Experiments on chips: jobs over the processors, results as tables or as a digest.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use cyclescope_experiments::{
    Arrivals, Dump, Experiment, Failed, ImageJob, Job, RunError, Selection, View, Watch, trust,
};
use cyclescope_host::HostError;
use cyclescope_image::Image;
use cyclescope_machine::{Gap, Stop, Wait};
use cyclescope_report::Table;
use cyclescope_scope::ArrivalsError;

use crate::backend::{Failure, RunOutcome, RunRequest};
use crate::exit::Exit;
use crate::progress::Progress;
use cyclescope_guest::gaps::Told;

/// Nothing is left of what could be run.
#[derive(Debug, thiserror::Error)]
#[error("no bundled image matches this choice of chip, contender, mode and optimisation level")]
struct NothingChosen;

/// Images of other chips are left, and their chips.
#[derive(Debug, thiserror::Error)]
#[error("no bundled image of this choice is for {}; there are some for {}", asked.join(", "), chips.join(", "))]
struct NotForChip {
    asked: Vec<String>,
    chips: Vec<&'static str>,
}

/// An experiment has nothing for what was chosen.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refused(String);

/// The reasons why a run has no trace, or an ELF no place.
#[derive(Debug, thiserror::Error)]
enum Unseen {
    #[error("--vcd writes the trace of one run, but {0} runs are chosen: {1}")]
    Many(usize, String),
    #[error("an ELF takes the place of one image, but this chooses {0}: {1}")]
    Places(usize, String),
    #[error("--vcd writes the trace of one run, but each arrival is a run of its own")]
    Arrivals,
    #[error(
        "--vcd has no trace of this run of {0}; only runs that are timed from event to event have one, such as those of button"
    )]
    Nothing(String),
}

/// The base of a comparison is not in it.
#[derive(Debug, thiserror::Error)]
#[error("--base names `{0}`, which is not among the contenders that are chosen")]
struct NoBase(String);

/// The most names of runs in a message.
const MOST_NAMES: usize = 4;

/// Runs what `request` asks for.
pub(super) fn run(
    request: &RunRequest,
    progress: &dyn Progress,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<RunOutcome, Failure> {
    let selection = &request.selection;
    // A run of all arrivals takes all processors itself.
    let at_once = if matches!(selection.arrivals, Arrivals::Exhaustive(..)) { NonZeroUsize::MIN } else { request.jobs };
    let view = View { base: request.base.clone(), details: request.details };
    let mut planned: Vec<(Box<dyn Experiment>, Vec<Job>)> = cyclescope_experiments::all()
        .into_iter()
        .filter(|experiment| Selection::takes(&request.experiments, experiment.name()))
        .filter(|experiment| !request.digest() || !experiment.is_host())
        .map(|experiment| {
            let jobs = experiment.jobs(selection);
            (experiment, jobs)
        })
        .collect();
    let total = planned.iter().map(|(_, jobs)| jobs.len()).sum::<usize>();
    if total == 0 {
        let reasons: Vec<String> = planned.iter().filter_map(|(asked, _)| asked.refuses(selection)).collect();
        if !reasons.is_empty() {
            return Err(usage(Refused(reasons.join("; ")), None));
        }
        let all = Selection { chips: Vec::new(), ..selection.clone() };
        let others = planned.iter().flat_map(|(experiment, _)| experiment.jobs(&all));
        let chips: BTreeSet<&'static str> = others.filter_map(|job| Some(job.image().ok()?.image.chip)).collect();
        if !selection.chips.is_empty() && !chips.is_empty() {
            let chips = NotForChip { asked: selection.chips.clone(), chips: chips.into_iter().collect() };
            return Err(usage(chips, Some("`cyclescope exec`, `measure` and `profile` run your own ELF on any chip")));
        }
        return Err(usage(NothingChosen, Some("`cyclescope list images` shows the combinations there are")));
    }
    idle(request, &planned)?;
    if let Some(elf) = &request.elf {
        replace(&mut planned, elf)?;
    }
    if request.trace {
        can_be_seen(&planned)?;
    }
    let jobs = || planned.iter().flat_map(|(_, jobs)| jobs);
    if let Some(base) = request.base.as_ref().filter(|base| jobs().all(|job| !job.has(base))) {
        return Err(usage(NoBase(base.clone()), Some("choose it too, with --contender")));
    }
    let seen: Mutex<Option<Dump>> = Mutex::new(None);
    let look = |dump| *lock(&seen) = Some(dump);
    let look: &(dyn Fn(Dump) + Sync) = &look;
    let step = |done, of| progress.step(done, of);
    // Hundreds of runs meet the same gaps: each chip's are told once.
    let told: Mutex<BTreeMap<&'static str, Told>> = Mutex::new(BTreeMap::new());
    let gaps = |job: &ImageJob, image: &Image, gaps: &[Gap], wait: &dyn Fn() -> Option<Wait>| {
        let news = lock(&told).entry(job.image.chip).or_default().news(gaps, wait, crate::output::shown(image));
        news.iter().for_each(|line| progress.note(&format!("{}: {line}", job.image.name)));
    };
    let watch = Watch { stop, progress: &step, dump: request.trace.then_some(look), gaps: &gaps };
    if request.digest() {
        progress.announce(&announcement(&planned, at_once));
    }
    for text in planned.iter().filter_map(|(experiment, jobs)| experiment.announcement(jobs)) {
        progress.announce(&text);
    }
    let on_chips = || planned.iter().filter(|(experiment, _)| !experiment.is_host());
    let moving = on_chips().map(|(_, jobs)| jobs.len() as u64).sum::<u64>();
    progress.begin(total as u64 + request.luck.map_or(0, |luck| moving * luck.layouts));
    let mut outcome = RunOutcome::default();
    for (experiment, jobs) in &planned {
        let experiment = experiment.as_ref();
        let done = |job: &Job| progress.done(&job.name());
        // What is timed by the host's clock has the host to itself.
        let threads = if experiment.is_host() { NonZeroUsize::MIN } else { at_once };
        let mut ran = cyclescope_experiments::run(experiment, jobs, threads, watch, &done);
        if let Some(luck) = request.luck.filter(|_| !experiment.is_host()) {
            luck.run(experiment, jobs, threads, watch, &done, &mut ran);
        }
        outcome.failures.extend(ran.failed.into_iter().map(|failed| failure(experiment.name(), failed)));
        let partly = experiment.problems(&ran.records).into_iter().map(|why| Failure {
            subject: experiment.name().to_owned(),
            error: why.into(),
            help: None,
            exit: Exit::WrongOutput,
        });
        outcome.failures.extend(partly);
        if request.digest() {
            let table = experiment.digest(&ran.records).map(|digest| digest.table);
            table.iter().for_each(|table| progress.finished(table));
            outcome.tables.extend(table);
        } else {
            outcome.tables.extend(experiment.tables(&ran.records, &view));
        }
        outcome.records.extend(ran.records);
    }
    let on_chips = on_chips().any(|(_, jobs)| !jobs.is_empty());
    if request.digest() {
        outcome.tables.push(trust(&outcome.records, outcome.failures.len()));
    } else if on_chips && !request.details && !outcome.records.is_empty() {
        outcome.tables.push(paragraphs([DETAILS.to_owned()]));
    }
    outcome.dump = lock(&seen).take();
    Ok(outcome)
}

/// Refuses an option that would change nothing of what is to be run.
fn idle(request: &RunRequest, planned: &[(Box<dyn Experiment>, Vec<Job>)]) -> Result<(), Failure> {
    let run = || planned.iter().filter(|(_, jobs)| !jobs.is_empty()).map(|(experiment, _)| experiment);
    let names = || run().map(|experiment| experiment.name()).collect::<Vec<_>>().join(", ");
    if request.luck.is_some() && request.digest() {
        let why = "--luck has no effect: the digest shows no luck of placement".to_owned();
        return Err(usage(Refused(why), Some("name an experiment, such as `run primes --luck`")));
    }
    if request.luck.is_some() && run().all(|experiment| experiment.is_host()) {
        let why = format!("--luck has no effect: {} runs on the host, where nobody places code", names());
        return Err(usage(Refused(why), None));
    }
    if request.selection.seed.is_some() && request.luck.is_none() && !run().any(|experiment| experiment.draws()) {
        let why = format!("--seed has no effect: {} draws nothing at random", names());
        return Err(usage(Refused(why), None));
    }
    if request.base.is_some() && request.digest() {
        let why = "--base has no effect: the digest shows no differences".to_owned();
        return Err(usage(Refused(why), Some("name an experiment that shows differences, such as `run button`")));
    }
    if request.base.is_some() && !run().any(|experiment| experiment.shows_differences()) {
        let why = format!("--base has no effect: the tables of {} show no differences", names());
        return Err(usage(
            Refused(why),
            Some("`cyclescope compare` shows the differences between two files of records"),
        ));
    }
    Ok(())
}

/// A choice that cannot be run.
fn usage(error: impl std::error::Error + Send + Sync + 'static, help: Option<&str>) -> Failure {
    let (subject, help) = (String::new(), help.map(str::to_owned));
    Failure { subject, error: Box::new(error), help, exit: Exit::Usage }
}

/// A thread that panics ends all.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Checks that there is one run, of which there is something to be seen.
fn can_be_seen(planned: &[(Box<dyn Experiment>, Vec<Job>)]) -> Result<(), Failure> {
    let mut all = planned.iter().flat_map(|(experiment, jobs)| jobs.iter().map(move |job| (experiment, job)));
    match (all.next(), all.next()) {
        (Some((experiment, job)), None) if experiment.dumps(job) => Ok(()),
        (Some((_, Job::Image(job))), None) if matches!(job.arrivals, Arrivals::Exhaustive(..)) => {
            Err(usage(Unseen::Arrivals, Some("choose one arrival with --arrival, such as the worst in the table")))
        }
        (Some((experiment, _)), None) => Err(usage(Unseen::Nothing(experiment.name().to_owned()), None)),
        _ => {
            let (count, listed) = listed(planned);
            Err(usage(Unseen::Many(count, listed), Some(CHOOSE)))
        }
    }
}

/// Puts `elf` in the place of the one image that is to be run.
fn replace(planned: &mut [(Box<dyn Experiment>, Vec<Job>)], elf: &Arc<[u8]>) -> Result<(), Failure> {
    let mut all = planned.iter_mut().flat_map(|(_, jobs)| jobs);
    if let (Some(Job::Image(job)), None) = (all.next(), all.next()) {
        job.elf = Some(Arc::clone(elf));
        return Ok(());
    }
    let (count, listed) = listed(planned);
    Err(usage(Unseen::Places(count, listed), Some(CHOOSE)))
}

/// Returns the number of runs, and the first of them in words.
fn listed(planned: &[(Box<dyn Experiment>, Vec<Job>)]) -> (usize, String) {
    let names: Vec<String> = planned.iter().flat_map(|(_, jobs)| jobs).map(described).collect();
    let more = if names.len() > MOST_NAMES { ", …" } else { "" };
    (names.len(), names.iter().take(MOST_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ") + more)
}

/// The advice for too many runs.
const CHOOSE: &str = "choose one with --chip, --contender, --mode and --opt";

/// A run in words.
fn described(job: &Job) -> String {
    match job {
        Job::Image(job) => format!("{} in mode {} with {} memory", job.image.name, job.mode, job.memory.name()),
        Job::Host(job) => format!("{} on the host", job.name),
    }
}

/// The end of results without details.
const DETAILS: &str =
    "`--details` adds how the figures vary, what they consist of, and each contender's settings and tools.";

/// The processor time of a run of a bundled image, in the mean: 238 of them took 130 to 170 s.
const SECONDS: f64 = 0.6;

/// Returns what a digest is going to run, and about how long that takes.
fn announcement(planned: &[(Box<dyn Experiment>, Vec<Job>)], at_once: NonZeroUsize) -> String {
    let jobs = || planned.iter().flat_map(|(_, jobs)| jobs).filter_map(|job| job.image().ok());
    let chips: BTreeSet<&str> = jobs().map(|job| job.image.chip).collect();
    let names: Vec<&str> =
        planned.iter().filter(|(_, jobs)| !jobs.is_empty()).map(|(experiment, _)| experiment.name()).collect();
    let (runs, s) = (jobs().count(), if chips.len() == 1 { "" } else { "s" });
    let seconds = (runs as f64 * SECONDS / at_once.get() as f64).ceil();
    format!(
        "Running {runs} bundled programs on {} simulated chip{s}, {at_once} at once: about {seconds:.0} s on an idle \
         machine. Each experiment ({}) is shown when it is done.",
        chips.len(),
        names.join(", ")
    )
}

/// Returns text as a table without columns.
fn paragraphs(lines: impl IntoIterator<Item = String>) -> Table {
    Table { foot: lines.into_iter().collect(), ..Table::default() }
}

/// Returns the exit code that `error` asks for.
fn exit(error: &RunError) -> Exit {
    match error {
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
        | RunError::EmptyWindow
        | RunError::Arrivals(ArrivalsError::TooLate { .. })
        | RunError::Setup(_)
        | RunError::Device(_)
        | RunError::Attach(_)
        | RunError::Units(_)
        | RunError::Layout(_)
        | RunError::Host(HostError::Tree { .. })
        | RunError::Event(_) => Exit::BadInput,
        // A program that exits, or sleeps for ever, before its result line has not done its work.
        RunError::Ended(Stop::Exit(_) | Stop::Deadlock(_), _) => Exit::WrongOutput,
        RunError::Ended(stop, _) => Exit::of_stop(*stop),
        RunError::Arrivals(ArrivalsError::Ended { stop, .. }) => Exit::of_stop(*stop),
        RunError::Arrivals(ArrivalsError::Stopped { .. }) | RunError::Interrupted => Exit::Interrupted,
        RunError::Budget(..) => Exit::CycleBudget,
        RunError::InLayout { error, .. } => exit(error),
        RunError::Stats(_) | RunError::Channel(_) | RunError::OtherPlace => Exit::Internal,
        RunError::Span(_)
        | RunError::Record(_)
        | RunError::Host(_)
        | RunError::Defmt(_)
        | RunError::Output { .. }
        | RunError::Figure { .. }
        | RunError::Clock { .. }
        | RunError::ClockChanged(_)
        | RunError::Counter { .. }
        | RunError::RowClock { .. }
        | RunError::Rows { .. }
        | RunError::Flooded(_)
        | RunError::Samples { .. }
        | RunError::Led { .. }
        | RunError::Arrival { .. }
        | RunError::ArrivalOutput { .. }
        | RunError::StackOverflow { .. }
        | RunError::Call(_)
        | RunError::Frames { .. }
        | RunError::Picture { .. }
        | RunError::Repeated(_) => Exit::WrongOutput,
    }
}

fn failure(experiment: &str, failed: Failed) -> Failure {
    let Failed { job, error } = failed;
    let exit = exit(&error);
    let subject = match &job {
        Job::Image(job) => {
            let mode = if job.mode == job.image.mode { String::new() } else { format!(" in mode {}", job.mode) };
            format!("{experiment}: {}{mode} with {} memory", job.image.name, job.memory.name())
        }
        Job::Host(job) => job.name.clone(),
    };
    Failure { subject, error: Box::new(error), help: None, exit }
}
