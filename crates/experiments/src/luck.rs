//! The same runs in other layouts: how much of each figure is luck of placement.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;

use cyclescope_guest::units;
use cyclescope_layout::Units;
use cyclescope_records::stats::Number;
use cyclescope_records::{Layouts, Record, Unit};
use cyclescope_report::{Cell, Column, format};

use crate::parallel::{Failed, Outcome, Ran, each};
use crate::{Experiment, ImageJob, Job, RunError, Watch, subject};

/// The layouts in which programs run beside their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Luck {
    /// Their number.
    pub layouts: u64,
    /// The seed that they are drawn from.
    pub seed: u64,
}

/// The number of runs for each thread that are planned at once, so that no thread waits for long at the end of a layout.
const PLANNED: usize = 8;

/// A figure, whatever the layout: all of its record that no layout changes.
type Figure = (Option<String>, Option<String>, String, String, String, String);

impl Luck {
    /// Runs `jobs` of `experiment` in the layouts, on `threads` threads, and gives the records of `outcome`, which is theirs as they
    /// were linked, the figures that came of it. Derived figures are those of programs in layouts of the same number. The first
    /// layout in which a job gave no number is told as a failure of that job. `done` hears of each run that ended.
    ///
    /// Layouts that `watch` cut off count for nothing.
    pub fn run(
        self,
        experiment: &dyn Experiment,
        jobs: &[Job],
        threads: NonZeroUsize,
        watch: Watch<'_>,
        done: &(dyn Fn(&Job) + Sync),
        outcome: &mut Outcome,
    ) {
        let failed = |job: &Job| outcome.failed.iter().any(|failed| is_same(&failed.job, job));
        let mut movable = Vec::new();
        let mut failures: BTreeMap<usize, RunError> = BTreeMap::new();
        for (place, job) in jobs.iter().enumerate().filter(|(_, job)| !failed(job)) {
            let Job::Image(image) = job else { continue };
            match of_job(image) {
                Ok(Some(units)) => movable.push((place, image, units)),
                // Its only layout says all.
                Ok(None) => {}
                Err(error) => drop(failures.insert(place, error)),
            }
        }
        let mut figures: HashMap<Figure, Vec<Number>> = HashMap::new();
        let at_once = (PLANNED * threads.get()).div_ceil(movable.len().max(1)) as u64;
        let mut first = 1;
        while first <= self.layouts && !movable.is_empty() && !(watch.stop)() {
            let numbers = first..(first + at_once).min(self.layouts + 1);
            first = numbers.end;
            let mut planned: Vec<(u64, usize, Job)> = Vec::new();
            for number in numbers.clone() {
                for (place, job, units) in &movable {
                    match units.layout(self.seed, number) {
                        Ok(layout) => {
                            let job = ImageJob { placement: Some(units.placement(&layout)), ..(*job).clone() };
                            planned.push((number, *place, Job::Image(job)));
                        }
                        Err(error) => drop(failures.entry(*place).or_insert(error.into())),
                    }
                }
            }
            let all: Vec<Job> = planned.iter().map(|(.., job)| job.clone()).collect();
            // What the run as it was linked met is told.
            let silent = Watch { dump: None, gaps: &|_, _, _, _| {}, ..watch };
            let mut ran: Vec<Option<Ran>> = each(experiment, &all, threads, silent, done);
            for number in numbers {
                let mut records = Vec::new();
                let mut whole = true;
                for ((_, place, _), ran) in planned.iter().zip(&mut ran).filter(|((own, ..), _)| *own == number) {
                    match ran.take() {
                        Some(Ok(own)) => records.extend(own),
                        Some(Err(error)) if !error.is_interrupted() => {
                            let error = RunError::InLayout { number, error: Box::new(error) };
                            failures.entry(*place).or_insert(error);
                        }
                        _ => whole = false,
                    }
                }
                experiment.derive(&mut records);
                for record in records.iter().filter(|record| whole && has_luck(record)) {
                    figures.entry(figure(record)).or_default().push(record.mean);
                }
            }
        }
        for record in outcome.records.iter_mut().filter(|record| has_luck(record)) {
            let others = figures.remove(&figure(record)).unwrap_or_default();
            record.layouts = Some(std::iter::once(record.mean).chain(others).collect());
        }
        outcome.failed.extend(failures.into_iter().map(|(place, error)| Failed { job: jobs[place].clone(), error }));
    }
}

/// Returns the units of `job`.
fn of_job(job: &ImageJob) -> Result<Option<Units>, RunError> {
    Ok(units(subject::part(job)?, &subject::image(job)?, None)?)
}

/// Tells if both are of one program under the same conditions.
fn is_same(one: &Job, other: &Job) -> bool {
    let (Ok(one), Ok(other)) = (one.image(), other.image()) else { return false };
    let of = |job: &ImageJob| (job.image.name, job.memory, job.mode.clone(), job.part.clone());
    of(one) == of(other)
}

/// Tells if `record` is of a simulated time.
fn has_luck(record: &Record) -> bool {
    record.chip.is_some() && matches!(record.unit, Unit::Cycles | Unit::Nanoseconds)
}

fn figure(record: &Record) -> Figure {
    let Record { image_sha256, chip, mode, metric, params, settings, .. } = record;
    let params = params.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    let memory = settings.get("memory").map(ToString::to_string).unwrap_or_default();
    (image_sha256.clone(), chip.clone(), memory, mode.clone(), metric.clone(), params)
}

/// Tells if programs ran in other layouts than their own for any of `records`.
pub(crate) fn any(records: &[&Record]) -> bool {
    records.iter().any(|record| record.layouts.is_some())
}

/// Returns the column of [`spread`], if `records` have what stands in it.
pub(crate) fn column(records: &[&Record]) -> Option<Column> {
    any(records).then(|| Column::quantity("luck", "%"))
}

/// Returns the greatest spread over layouts of `records` in per cent, as a table shows it.
pub(crate) fn spread<'r>(records: impl IntoIterator<Item = &'r Record>) -> Option<String> {
    let spreads = records.into_iter().filter_map(|record| Some(Layouts::of(record)?.spread()));
    Some(format::decimal(100.0 * spreads.reduce(f64::max)?, 1))
}

/// Returns the cell of that column.
pub(crate) fn cell<'r>(records: impl IntoIterator<Item = &'r Record>) -> Cell {
    Cell::or_none(spread(records))
}

/// Returns the cell of the least and the greatest figure over layouts of `record`.
pub(crate) fn range(record: Option<&Record>) -> Cell {
    let [least, most] = match record.and_then(Layouts::of) {
        Some(layouts) => layouts.range().map(|figure| format::decimal(figure, 0)),
        None => return Cell::or_none(None::<String>),
    };
    Cell::from(format!("{least}–{most}"))
}

/// Returns the note that says what that column is, with the number of layouts.
pub(crate) fn note(records: &[&Record]) -> Option<String> {
    let ran = records.iter().filter_map(|record| record.layouts.as_ref());
    let most = ran.map(Vec::len).max()? - 1;
    Some(match most {
        0 => "Luck: no time of this chip depends on an address, so that placement does nothing.".to_owned(),
        _ => format!(
            "Luck: the spread over {most} other layouts of the same program and its own, the greatest less the least in per cent of \
             the middle one (docs/luck.md)."
        ),
    })
}
