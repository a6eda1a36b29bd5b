//! `measure`: a guest's run, and the samples of its spans.

use std::num::NonZeroU16;

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_records::stats::{Histogram, Number, Summary};
use cyclescope_records::{Record, Unit};
use cyclescope_scope::{
    Event, Extent, Names, OutputSink, Pace, Pulse, Rule, RunEnd, Samples, Session, Snapshot, SpanError, Unobserved,
    run_guest,
};

use crate::exit::Exit;
use crate::post_mortem::at_end;
use crate::steps::{apply_arriving, apply_rules, begin_at, failed, load, refused, run_up_to, watch, watch_span};
use crate::{Failure, MeasureOutcome, MeasureRequest, RunSummary, Scenario, Several};

/// The most entries of a trace: about 100 MB.
const MOST_TRACED: usize = 4_000_000;

/// The most wrong stimuli that are told.
const MOST_TOLD: usize = 100;

/// The most buckets of a histogram.
const BUCKETS: NonZeroU16 = NonZeroU16::new(20).expect("not zero");

/// Runs the guest of `request`.
pub fn measure(
    request: &MeasureRequest<'_>,
    sink: &mut OutputSink<'_>,
    pulse: &Pulse<'_>,
) -> Result<MeasureOutcome, Failure> {
    let mut run = Run::at_reset(request, Session::owning)?;
    request.guest.tell_gaps(&mut run.session);
    run.arrive(request)?;
    begin_at(&request.guest, request.start, &mut run.session);
    let end = run_guest(&mut run.session, pace(request), &mut Unobserved, sink, pulse);
    Ok(run.outcome(request, end))
}

/// A run with arrivals, and a copy of it from before them, from which others go on that differ in their arrivals alone.
pub struct Arriving {
    run: Run<'static>,
    before: Snapshot,
}

/// The least distance in cycles for which a copy is made: running it again would take longer.
const WORTH: Cycles = Cycles::new(2_000);

/// Runs the guest of `request`, which has arrivals, as [`measure`] does. It goes on from the copy in `arriving` if that is before them, and
/// leaves one there that is as near to them as can be. All requests with one `arriving` differ in their arrivals alone, and have no
/// start. The guest's listener hears nothing.
pub fn measure_arriving(
    request: &MeasureRequest<'_>,
    arriving: &mut Option<Arriving>,
    sink: &mut OutputSink<'_>,
    pulse: &Pulse<'_>,
) -> Result<MeasureOutcome, Failure> {
    let Some(earliest) = request.arrival.iter().min().copied() else { return measure(request, sink, pulse) };
    let mut known = match arriving.take().filter(|known| known.before.is_before(earliest)) {
        Some(mut known) => {
            known.run.session.restore(&known.before);
            known
        }
        None => {
            let run = Run::at_reset(request, Session::owning)?;
            Arriving { before: run.session.snapshot(), run }
        }
    };
    known.run.arrive(request)?;
    if earliest.saturating_sub(known.before.now()) > WORTH {
        let window = request.scenario.window.after_reset();
        if known.run.session.go_before(earliest, window, pulse) {
            known.run.session.snapshot_into(&mut known.before);
        } else {
            // It ends as from the copy, and not in the midst of a step.
            known.run.session.restore(&known.before);
            known.run.arrive(request)?;
        }
    }
    let end = run_guest(&mut known.run.session, pace(request), &mut Unobserved, sink, pulse);
    let outcome = known.run.outcome(request, end);
    *arriving = Some(known);
    Ok(outcome)
}

/// Returns the pace of a run of `request`.
fn pace(request: &MeasureRequest<'_>) -> Pace {
    let Scenario { window, whole, .. } = request.scenario;
    let looks_from = request.arrival.iter().max().copied().unwrap_or_default();
    Pace { whole, looks_from, ..Pace::until(window.after_reset()) }
}

/// A run of a request.
struct Run<'s> {
    session: Session<'s>,
    /// The index of each span.
    spans: Vec<usize>,
    exceptions: Vec<(u16, &'static str)>,
}

impl<'s> Run<'s> {
    /// The run of `request` at its start, in the session that `session` makes.
    fn at_reset(
        request: &MeasureRequest<'_>,
        session: impl FnOnce(Machine, &Image) -> Session<'s>,
    ) -> Result<Self, Failure> {
        let machine = load(&request.guest)?;
        let exceptions = machine.exceptions();
        let mut session = session(machine, request.guest.image);
        let arrives = !request.arrival.is_empty();
        let spans = prepare(request, arrives, &exceptions, &mut session)?;
        if arrives {
            session.poll_steadily(Pace::POLL);
        }
        Ok(Self { session, spans, exceptions })
    }

    /// Has the stimuli with windows come at the cycles that `request` names, as they do among others that are tried. The run then ends
    /// with the occurrences of the spans behind them.
    fn arrive(&mut self, request: &MeasureRequest<'_>) -> Result<(), Failure> {
        let Some(earliest) = request.arrival.iter().min() else { return Ok(()) };
        let windows = request.scenario.rules.iter().filter(|rule| matches!(rule, Rule::Arrives { .. })).count();
        if windows != request.arrival.len() {
            let (given, word) = (request.arrival.len(), if windows == 1 { "stimulus has" } else { "stimuli have" });
            let error =
                format!("--arrival gives {given} cycles, and {windows} {word} a window; give one cycle for each");
            return Err(refused(&request.guest, error));
        }
        for (index, at) in request.arrival.iter().enumerate() {
            self.session.arrive(index, *at);
        }
        self.session.end_with(&self.spans, *earliest);
        Ok(())
    }

    /// Returns the outcome of the run, which has ended.
    fn outcome(&mut self, request: &MeasureRequest<'_>, end: RunEnd) -> MeasureOutcome {
        let (session, image) = (&mut self.session, request.guest.image);
        let (sleep, trace) = (session.sleep_time(), session.take_trace());
        let (stimuli, stimuli_left) = session.stimuli();
        let alone: Vec<_> = match request.arrival.iter().min() {
            Some(at) => self.spans.iter().map(|span| session.ended_behind(*span, *at)).collect(),
            None => Vec::new(),
        };
        let mut samples: Vec<_> = session.take_counted().into_iter().map(Some).collect();
        for (span, alone) in self.spans.iter().zip(alone) {
            // Without one behind the arrival, those before it say why.
            if let (Ok(Some(sample)), Some(all)) = (alone, samples.get_mut(*span)) {
                *all = Some(Ok(Samples { first: vec![sample], ..Samples::default() }));
            }
        }
        let spans: Vec<(String, Result<Samples, SpanError>)> = request
            .spans
            .iter()
            .zip(&self.spans)
            .map(|(span, index)| {
                let samples =
                    samples.get_mut(*index).and_then(Option::take).expect("each span has an index of its own");
                (span.name.clone(), samples)
            })
            .collect();
        let machine = session.machine();
        request.guest.keep_devices(machine);
        let base = base(request, machine);
        let mut records = Vec::new();
        for (name, samples) in &spans {
            if let Ok(samples) = samples {
                records.extend(of_span(&base, name, samples));
            }
        }
        let summary = RunSummary::of(end, machine, at_end(machine, image, end));
        let run = [
            ("elapsed", Unit::Cycles, machine.now().get()),
            ("instructions", Unit::Instructions, machine.instructions().get()),
            ("asleep", Unit::Cycles, sleep.asleep.get()),
            ("awake", Unit::Cycles, machine.now().saturating_sub(sleep.asleep).get()),
            ("wakes", Unit::Count, sleep.wakes),
            ("stimuli", Unit::Count, stimuli),
        ];
        records.extend(run.map(|(metric, unit, value)| {
            let mut record = base.with_metric(metric, unit, Summary::exact(value));
            record.mode = "run".to_owned();
            record
        }));
        let time = nanoseconds(Summary::exact(summary.time.get()));
        records.push(Record { mode: "run".to_owned(), ..base.with_metric("elapsed.time", Unit::Nanoseconds, time) });
        MeasureOutcome {
            spans,
            records,
            run: summary,
            sleep,
            stimuli,
            stimuli_left,
            idle_stimuli: machine.idle_stimuli().to_vec(),
            exceptions: self.exceptions.clone(),
            trace,
        }
    }
}

/// Runs the guest of `request` up to the next time that `event` happens. Returns the state there, with spans that have not begun.
pub fn start(request: &MeasureRequest<'_>, event: &Event, pulse: &Pulse<'_>) -> Result<Snapshot, Failure> {
    let mut machine = load(&request.guest)?;
    let exceptions = machine.exceptions();
    let mut session = Session::new(&mut machine, request.guest.image);
    prepare(request, false, &exceptions, &mut session)?;
    run_up_to(&request.guest, &request.scenario, event, &exceptions, &mut session, pulse)
}

/// Gives `session` all that `request` asks for. If something `arrives`, stimuli may have windows. Returns the index of each span.
///
/// # Errors
/// [`Failure`] for names that the image or the part lacks; [`Several`] in it if there are more than one, so that no run is
/// needed to find the next.
pub fn prepare(
    request: &MeasureRequest<'_>,
    arrives: bool,
    names: Names<'_>,
    session: &mut Session<'_>,
) -> Result<Vec<usize>, Failure> {
    let (guest, image) = (&request.guest, request.guest.image);
    let mut wrong = Vec::new();
    let task = request.task_pointer.map(|name| image.symbol(name)).transpose();
    match task.map(|symbol| symbol.map(|symbol| symbol.address)) {
        Ok(task) if request.trace => session.trace(MOST_TRACED, task),
        Ok(_) => {}
        Err(error) => wrong.push(refused(guest, error)),
    }
    let apply = if arrives { apply_arriving } else { apply_rules };
    if let Err(first) = apply(guest, request.scenario.rules, names, session) {
        // Each rule by itself tells which are wrong; the session is given up.
        let each = request.scenario.rules.chunks(1).take(MOST_TOLD);
        let alone: Vec<Failure> = each.filter_map(|rule| apply(guest, rule, names, session).err()).collect();
        wrong.extend(if alone.is_empty() { vec![first] } else { alone });
    }
    match request.scenario.until.map(|event| watch(guest, event, names, session)).transpose() {
        Ok(event) => event.into_iter().for_each(|event| session.end_at(event)),
        Err(failure) => wrong.push(failure),
    }
    session.count_sleep();
    let mut spans = Vec::new();
    for span in request.spans {
        match watch_span(guest, span, names, session) {
            Ok(index) => spans.push(index),
            Err(failures) => wrong.extend(failures),
        }
    }
    match wrong.len() {
        0 => Ok(spans),
        1 => Err(wrong.remove(0)),
        _ => Err(failed(guest, Several(wrong), Exit::BadInput)),
    }
}

/// The setting of a record that has more samples than were kept: the number of those that were.
pub const FIRST_SAMPLES: &str = "samples.first";

/// A span's cycles, instructions and time.
pub fn of_span(base: &Record, name: &str, samples: &Samples) -> Vec<Record> {
    let first = || samples.first.iter();
    let record = |metric: String, unit, values: Vec<u64>, all: Extent| {
        let mut summary = Summary::of_integers(&values).ok()?;
        if samples.later.count > 0 {
            let (n, sum) = (samples.count(), i128::try_from(all.sum).ok()?);
            let mean = Number::ratio(sum, n.into())?;
            summary = Summary { n, mean, min: all.least.into(), max: all.greatest.into(), ..summary };
        }
        let time = unit == Unit::Nanoseconds;
        let mut record = base.with_metric(&metric, unit, if time { nanoseconds(summary) } else { summary });
        record.histogram = (values.len() > 1 && !time).then(|| Histogram::linear(&values, BUCKETS));
        if samples.later.count > 0 {
            record.settings.insert(FIRST_SAMPLES.to_owned(), (values.len() as u64).into());
        }
        Some(record)
    };
    // One after the other, because each takes megabytes if there are many samples.
    let cycles = first().map(|sample| sample.cycles.get()).collect();
    let cycles = record(name.to_owned(), Unit::Cycles, cycles, samples.cycles());
    let instructions = first().map(|sample| sample.instructions.get()).collect();
    let instructions = record(format!("{name}.instructions"), Unit::Instructions, instructions, samples.instructions());
    let time = first().map(|sample| sample.time.get()).collect();
    let time = record(format!("{name}.time"), Unit::Nanoseconds, time, samples.time());
    [cycles, instructions, time].into_iter().flatten().collect()
}

/// Turns statistics of picoseconds into nanoseconds.
fn nanoseconds(picoseconds: Summary) -> Summary {
    let nanoseconds = |number: Number| match number {
        Number::Integer(picoseconds) => Number::ratio(picoseconds.into(), 1_000).unwrap_or(Number::ZERO),
        Number::Real(picoseconds) => Number::Real(picoseconds / 1e3),
    };
    let Summary { n, mean, stddev, min, max, median, p99 } = picoseconds;
    let [mean, stddev, min, max, median, p99] = [mean, stddev, min, max, median, p99].map(nanoseconds);
    Summary { n, mean, stddev, min, max, median, p99 }
}

/// Returns a record with the request, the run's origin, and no number.
pub fn base(request: &MeasureRequest<'_>, machine: &Machine) -> Record {
    let mut record = request.guest.record("measure", "span", machine);
    let mut set = |name: String, value: String| record.params.insert(name, value.into());
    set("for".to_owned(), request.scenario.window.to_string());
    if let Some(until) = request.scenario.until {
        set("until".to_owned(), until.to_string());
    }
    if let Some(files) = request.guest.files {
        // The run depends on what is in there.
        set("files".to_owned(), files.path.display().to_string());
    }
    for span in request.spans {
        let text = span.to_string();
        let events = text.split_once('=').map(|(_, events)| events.to_owned()).unwrap_or(text);
        set(format!("span.{}", span.name), events);
    }
    for (name, value) in request.guest.variant.params() {
        set(name.to_owned(), value);
    }
    for (index, device) in request.guest.device_texts().enumerate() {
        set(format!("attach.{:02}", index + 1), device.to_owned());
    }
    for (index, rule) in request.scenario.rules.iter().enumerate() {
        set(format!("stimulus.{:02}", index + 1), rule.to_string());
    }
    for (index, at) in request.arrival.iter().enumerate() {
        set(format!("arrival.{:02}", index + 1), at.get().to_string());
    }
    record
}
