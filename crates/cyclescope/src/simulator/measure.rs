//! `measure`: a guest's run, and the samples of its spans.

use std::num::NonZeroU16;

use cyclescope_chips::Machine;
use cyclescope_machine::Target;
use cyclescope_records::stats::{Histogram, Number, Summary};
use cyclescope_records::{Record, Unit};
use cyclescope_scope::{Event, Names, Pace, Sample, Session, Span, Unobserved, run_guest};

use super::guest::{apply, load, refused};
use crate::backend::{Failure, Guest, MeasureOutcome, MeasureRequest, OutputSink, RunSummary, SpanFailure};

/// The most entries of a trace: about 100 MB.
const MOST_TRACED: usize = 4_000_000;

/// The most buckets of a histogram.
const BUCKETS: NonZeroU16 = NonZeroU16::new(20).expect("not zero");

/// Runs the guest of `request`.
pub(super) fn measure(
    request: &MeasureRequest<'_>,
    sink: &mut OutputSink<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<MeasureOutcome, Failure> {
    let Guest { image, .. } = request.guest;
    let mut machine = load(&request.guest)?;
    let exceptions = machine.exceptions();
    let names: Names<'_> = &exceptions;
    let task = request.task_pointer.map(|name| image.symbol(name)).transpose();
    let task = task.map_err(|error| refused(&request.guest, error))?.map(|symbol| symbol.address);
    let mut session = Session::new(&mut machine, image);
    request.guest.tell_gaps(&mut session);
    if request.trace {
        session.trace(MOST_TRACED, task);
    }
    apply(&request.guest, &request.scenario, names, &mut session)?;
    session.count_sleep();
    let spans: Vec<Result<usize, SpanFailure>> = request
        .spans
        .iter()
        .map(|span| {
            let mut watch = |event: &Event| {
                session.watch_event(event, image, names).map_err(|error| SpanFailure::Event(span.name.clone(), error))
            };
            let (from, to) = (watch(&span.from)?, watch(&span.to)?);
            let index = session.span(Span { name: span.name.clone(), from, to });
            session.begins_again(index, span.again);
            Ok(index)
        })
        .collect();
    let end = run_guest(&mut session, Pace::until(request.scenario.window.after_reset()), &mut Unobserved, sink, stop);
    let (sleep, trace) = (session.sleep_time(), session.take_trace());
    let (stimuli, stimuli_left) = session.stimuli();
    let mut samples: Vec<_> = session.finish().into_iter().map(Some).collect();
    let spans: Vec<(String, Result<Vec<Sample>, SpanFailure>)> = request
        .spans
        .iter()
        .zip(spans)
        .map(|(span, index)| {
            let result = index.and_then(|index| {
                let samples = samples.get_mut(index).and_then(Option::take).expect("each span has an index of its own");
                Ok(samples?)
            });
            (span.name.clone(), result)
        })
        .collect();

    let mut records = Vec::new();
    let base = base(request, &machine);
    for (name, samples) in &spans {
        if let Ok(samples) = samples {
            records.extend(of_span(&base, name, samples));
        }
    }
    let summary = RunSummary::of(end, &machine);
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
    Ok(MeasureOutcome { spans, records, run: summary, sleep, stimuli, stimuli_left, exceptions, trace })
}

/// A span's cycles, instructions and time.
fn of_span(base: &Record, name: &str, samples: &[Sample]) -> Vec<Record> {
    let cycles: Vec<u64> = samples.iter().map(|sample| sample.cycles.get()).collect();
    let instructions: Vec<u64> = samples.iter().map(|sample| sample.instructions.get()).collect();
    let metrics =
        [(name.to_owned(), Unit::Cycles, cycles), (format!("{name}.instructions"), Unit::Instructions, instructions)];
    let record = |(metric, unit, values): (String, Unit, Vec<u64>)| {
        let summary = Summary::of_integers(&values).ok()?;
        let mut record = base.with_metric(&metric, unit, summary);
        record.histogram = (values.len() > 1).then(|| Histogram::linear(&values, BUCKETS));
        Some(record)
    };
    let mut records: Vec<Record> = metrics.into_iter().filter_map(record).collect();
    let times: Vec<u64> = samples.iter().map(|sample| sample.time.get()).collect();
    records.extend(
        Summary::of_integers(&times)
            .ok()
            .map(|picoseconds| base.with_metric(&format!("{name}.time"), Unit::Nanoseconds, nanoseconds(picoseconds))),
    );
    records
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
fn base(request: &MeasureRequest<'_>, machine: &Machine) -> Record {
    let mut record = request.guest.record("measure", "span", machine);
    let mut set = |name: String, value: String| record.params.insert(name, value.into());
    set("for".to_owned(), request.scenario.window.to_string());
    if let Some(until) = request.scenario.until {
        set("until".to_owned(), until.to_string());
    }
    for span in request.spans {
        let text = span.to_string();
        let events = text.split_once('=').map(|(_, events)| events.to_owned()).unwrap_or(text);
        set(format!("span.{}", span.name), events);
    }
    for (index, rule) in request.scenario.rules.iter().enumerate() {
        set(format!("stimulus.{:02}", index + 1), rule.to_string());
    }
    record
}
