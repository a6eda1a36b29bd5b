//! The run of one point.

use std::collections::BTreeMap;
use std::sync::Arc;

use cyclescope_chips::MemorySetting;
use cyclescope_guest::measure::Arriving;
use cyclescope_guest::{Exit, Failure, Guest, MeasureOutcome, MeasureRequest, Scenario, measure};
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Placement, Stop};
use cyclescope_records::{Model, Unit};
use cyclescope_scope::{RunEnd, explain, explain_spin, named};

use crate::columns::{Figures, Row, Rows};
use crate::{Point, Sweep, SweepError};

/// The most seeds of which each has a copy of its own, from before its arrivals.
const MOST_SEEDS: u64 = 16;

/// The places of an image's code, or why there is no such layout.
type Placed = Result<Option<Arc<Placement>>, String>;

/// The latest points of a chunk, as far as the next ones go on from them.
#[derive(Default)]
pub(crate) struct Latest {
    /// A point without arrival and seed, and the places of its code.
    placed: Option<(Point, Placed)>,
    /// Of each seed, the run of its latest arrival.
    arriving: BTreeMap<u64, Option<Arriving>>,
}

impl Sweep {
    /// Runs the point of that number and adds its rows to `rows`. `latest` has the points before, if they were run. Returns `false` if `stop` ended it, which then has no rows.
    ///
    /// # Errors
    /// [`SweepError::Failure`] for a measurement that cannot be made.
    pub(crate) fn run_point(
        &self,
        number: u64,
        latest: &mut Latest,
        stop: &dyn Fn() -> bool,
        rows: &mut Rows,
    ) -> Result<bool, SweepError> {
        let point = self.axes.point(number);
        let (image, chip) = &self.targets[point.target as usize];
        let seed = self.plan.seeds.get(point.seed);
        let mut row = Row {
            point: number,
            image: &self.plan.image[*image].elf,
            chip,
            memory: self.question.memories[point.memory as usize].name(),
            clock: self.plan.clock.get(point.clock),
            layout: point.layout,
            arrival: self.plan.arrivals.get(point.arrival),
            seed,
            ..Row::default()
        };
        let outcome = match self.measured(point, latest, stop)? {
            Measured::Interrupted => return Ok(false),
            Measured::NoLayout(why) => {
                row.problem = Some(&why);
                self.without_figures(row, rows);
                return Ok(true);
            }
            Measured::Ran(outcome) => outcome,
        };
        (row.cycles, row.instructions) = (Some(outcome.run.cycles.get()), Some(outcome.run.instructions.get()));
        row.core_hz = Some(outcome.run.clock.get());
        let model = outcome.records.last().and_then(|record| record.model.as_ref());
        let (gaps, assumed) = (model.map(gaps), model.map(assumed));
        row.gaps = gaps.as_deref().filter(|gaps| !gaps.is_empty());
        row.assumed = assumed.as_deref().filter(|assumed| !assumed.is_empty());
        if let Some(why) = self.ended_badly(&outcome, &self.images[*image]) {
            row.problem = Some(&why);
            self.without_figures(row, rows);
            return Ok(true);
        }
        if outcome.spans.is_empty() {
            rows.push(row);
        }
        for (name, samples) in &outcome.spans {
            let record = outcome.records.iter().find(|one| one.metric == *name && one.unit == Unit::Cycles);
            let why = match samples {
                Err(error) => Some(error.to_string()),
                Ok(_) => record.is_none().then(|| format!("span `{name}` has no sample")),
            };
            let figures = record.filter(|_| why.is_none()).map(Figures::of);
            rows.push(Row { span: Some(name), figures, problem: why.as_deref(), ..row });
        }
        Ok(true)
    }

    /// Runs the point of that number for what it costs. Returns its cycles awake, or `None` if `stop` ended it.
    ///
    /// # Errors
    /// [`SweepError`] for an image that does not fit its chip, for events, stimuli and spans that they do not have, and if nothing
    /// tells what a layout can move.
    pub(crate) fn pilot(&self, number: u64, stop: &dyn Fn() -> bool) -> Result<Option<u64>, SweepError> {
        let point = self.axes.point(number);
        if self.axes.layouts > 1 {
            self.units(point.target, point.clock)?;
        }
        Ok(match self.measured(point, &mut Latest::default(), stop)? {
            Measured::Ran(outcome) => Some(outcome.run.cycles.saturating_sub(outcome.sleep.asleep).get()),
            // The first layout is the image's own.
            Measured::Interrupted | Measured::NoLayout(_) => None,
        })
    }

    fn measured(&self, point: Point, latest: &mut Latest, stop: &dyn Fn() -> bool) -> Result<Measured, SweepError> {
        let (image, chip) = &self.targets[point.target as usize];
        let memory: MemorySetting = self.question.memories[point.memory as usize];
        // The last axes do not change the machine that a run begins with.
        let machine = Point { arrival: 0, seed: 0, ..point };
        let placed = match latest.placed.take() {
            Some((of, placed)) if of == machine => placed,
            _ => {
                latest.arriving.clear();
                self.placement(point)?
            }
        };
        latest.placed = Some((machine, placed.clone()));
        let placement = match placed {
            Ok(placement) => placement,
            Err(why) => return Ok(Measured::NoLayout(why)),
        };
        let devices = self.question.devices();
        let guest = Guest {
            devices: Some(&devices),
            guest_handles_faults: self.plan.guest_handles_faults,
            placement: placement.as_ref(),
            part: Some(&self.subject(point.target, point.clock).part),
            ..Guest::new(&self.images[*image], &self.plan.image[*image].elf, chip, memory)
        };
        let rules = self.question.rules(self.plan.seeds.get(point.seed));
        let arrival: Vec<Cycles> = self.plan.arrivals.get(point.arrival).map(Cycles::new).into_iter().collect();
        let until = self.question.until.as_ref();
        let request = MeasureRequest {
            guest,
            scenario: Scenario { rules: &rules, window: self.question.window, until, whole: false },
            spans: &self.question.spans,
            trace: false,
            task_pointer: None,
            arrival: &arrival,
            start: None,
        };
        let mut alone = None;
        let arriving = match self.axes.seeds {
            ..=MOST_SEEDS => latest.arriving.entry(point.seed).or_default(),
            _ => &mut alone,
        };
        let outcome = measure::measure_arriving(&request, arriving, &mut |_, _| true, &|_, _| stop()).map_err(first)?;
        if outcome.run.end == RunEnd::Interrupted {
            return Ok(Measured::Interrupted);
        }
        Ok(Measured::Ran(Box::new(outcome)))
    }

    /// Returns the places of the code of a point, or the reason why there is no such layout.
    fn placement(&self, point: Point) -> Result<Placed, SweepError> {
        let units = if point.layout > 0 { self.units(point.target, point.clock)? } else { None };
        Ok(units.map_or(Ok(None), |units| match units.layout(self.plan.layout_seed, point.layout) {
            Ok(layout) => Ok(Some(units.placement(&layout))),
            Err(error) => Err(error.to_string()),
        }))
    }

    /// Adds the row of a point without a number for each span.
    fn without_figures(&self, row: Row<'_>, rows: &mut Rows) {
        if self.question.spans.is_empty() {
            rows.push(row);
        }
        for span in &self.question.spans {
            rows.push(Row { span: Some(&span.name), ..row });
        }
    }

    /// Returns how the run of `outcome` ended, if that withholds its numbers.
    fn ended_badly(&self, outcome: &MeasureOutcome, image: &Image) -> Option<String> {
        let run = &outcome.run;
        let until = self.question.until.as_ref();
        match (run.end, until) {
            (RunEnd::Reached | RunEnd::Interrupted, _) | (RunEnd::Window | RunEnd::Spins(_), None) => None,
            (RunEnd::Stopped(Stop::Exit(0) | Stop::Deadlock(_)), None) => None,
            (RunEnd::Window, Some(until)) => Some(format!("{until} did not happen within {}", self.question.window)),
            (RunEnd::Spins(_), Some(until)) => {
                let why = explain_spin(run.core, image, run.pc, run.cycles);
                Some(format!("{why}; {until} did not happen"))
            }
            (RunEnd::Stopped(stop), _) => Some(named(run.core, stop, explain(stop, image, run.cycles))),
        }
    }
}

/// The outcome of a point.
enum Measured {
    Ran(Box<MeasureOutcome>),
    /// There is no such layout.
    NoLayout(String),
    Interrupted,
}

/// Returns the first of several failures.
fn first(failure: Failure) -> Failure {
    let Failure { subject, error, help, exit } = failure;
    match error.downcast::<cyclescope_guest::Several>() {
        Ok(mut several) if !several.0.is_empty() => several.0.remove(0),
        Ok(several) => Failure { subject, error: several, help, exit: Exit::BadInput },
        Err(error) => Failure { subject, error, help, exit },
    }
}

/// Returns the gaps of the model that a run met, in their order.
fn gaps(model: &Model) -> String {
    let gaps: Vec<String> = model.gaps.iter().map(|gap| format!("{} {}", gap.kind, gap.name)).collect();
    gaps.join(", ")
}

/// Returns the timing rows that a run rests on and that are assumed.
fn assumed(model: &Model) -> String {
    let assumed: Vec<&str> = model.timing_rows.assumed.iter().map(String::as_str).collect();
    assumed.join(", ")
}
