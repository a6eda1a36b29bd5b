//! One guest on one chip, measured.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::Target;
use cyclescope_records::{Record, Scalar, Source, Unit};
use cyclescope_scope::{End, Event, EventError, Limits, Names, Plan, Sample, Session, Span};
use cyclescope_stats::{Histogram, Summary};
use cyclescope_units::Cycles;

use super::passed::Passed;
use crate::backend::{Failure, MeasureEnd, MeasureOutcome, MeasureRequest, Sink, SpanFailure};
use crate::exit::Exit;

/// How often the probe reads RTT and output is passed on: a millisecond at 48 MHz.
pub(super) const POLL: Cycles = Cycles::new(48_000);

/// How often the caller is asked whether to stop.
pub(super) const SLICE: Cycles = Cycles::new(10_000_000);

/// The most entries of a trace: about 100 MB.
const MOST_TRACED: usize = 4_000_000;

/// The most buckets of a histogram.
const BUCKETS: NonZeroU16 = NonZeroU16::new(20).expect("not zero");

/// Runs the guest of `request`.
pub(super) fn measure(
    request: &MeasureRequest<'_>,
    sink: &mut Sink<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<MeasureOutcome, Failure> {
    let refused = |error: Box<dyn std::error::Error + Send + Sync>| Failure {
        subject: format!("{} on {}", request.name, request.chip),
        error,
        help: None,
        exit: Exit::BadInput,
    };
    let part = Part::load(request.chip).map_err(|error| refused(error.into()))?;
    let settings = Settings {
        memory: request.memory.into(),
        output_budget: request.max_output,
        halt_on_fault: !request.guest_handles_faults,
        halt_on_reset: true,
        ..Settings::default()
    };
    let mut machine = Machine::load(&part, settings, request.image).map_err(|error| refused(error.into()))?;
    let exceptions = machine.exceptions();
    let names = Names { exceptions: &exceptions, clock: part.clock };
    let window = request.window.cycles(part.clock);
    let plan = Plan::resolve(request.rules, request.image, names, window).map_err(|error| refused(error.into()))?;
    let task = request.task_pointer.map(|name| request.image.symbol(name)).transpose();
    let task = task.map_err(|error| refused(error.into()))?.map(|symbol| symbol.address);

    let mut session = Session::new(&mut machine, request.image);
    if request.trace {
        session.trace(MOST_TRACED, task);
    }
    session.count_sleep();
    session.apply(&plan).map_err(|error| refused(error.into()))?;
    let spans: Vec<Result<usize, SpanFailure>> = request
        .spans
        .iter()
        .map(|span| {
            let mut watch = |event| {
                self::watch(event, request.image, names, &mut session)
                    .map_err(|error| SpanFailure::Event(span.name.clone(), error))
            };
            let (from, to) = (watch(&span.from)?, watch(&span.to)?);
            let index = session.span(Span { name: span.name.clone(), from, to });
            session.begins_again(index, span.again);
            Ok(index)
        })
        .collect();
    if let Some(event) = request.until {
        let event = watch(event, request.image, names, &mut session).map_err(|error| refused(error.into()))?;
        session.end_at(event);
    }

    let mut passed = Passed::default();
    let end = loop {
        let slice = session.target().now().saturating_add(SLICE).min(window);
        let ended = session.run(Limits { cycles: slice, poll: POLL }, |console| !passed.pass(console, sink));
        passed.pass(&session.target().shared().console, sink);
        match ended {
            End::Stopped(stop) => break MeasureEnd::Stopped(stop),
            End::Satisfied if passed.refused() => break MeasureEnd::Interrupted,
            End::Satisfied => break MeasureEnd::Reached,
            End::CycleBudget if slice >= window => break MeasureEnd::Window,
            End::CycleBudget if stop() => break MeasureEnd::Interrupted,
            End::CycleBudget => {}
        }
    };
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
    Ok(MeasureOutcome {
        spans,
        records,
        end,
        pc: machine.pc(),
        cycles: machine.now(),
        instructions: machine.instructions(),
        sleep,
        stimuli,
        stimuli_left,
        part: machine.part().name.to_string(),
        nominal_clock: part.clock,
        clock: machine.clock(),
        exceptions,
        trace,
        gaps: machine.gaps().to_vec(),
    })
}

/// Watches for an event as written.
fn watch(
    event: &Event,
    image: &Image,
    names: Names<'_>,
    session: &mut Session<'_, Machine>,
) -> Result<usize, EventError> {
    let event = event.resolve(image, names)?;
    session.check(event)?;
    Ok(session.watch(event))
}

/// A span's cycles and instructions.
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
    metrics.into_iter().filter_map(record).collect()
}

/// A record with everything about its origin and no number yet.
fn base(request: &MeasureRequest<'_>, machine: &Machine) -> Record {
    let mut params: BTreeMap<String, Scalar> = BTreeMap::new();
    params.insert("for".to_owned(), request.window.to_string().into());
    if let Some(until) = request.until {
        params.insert("until".to_owned(), until.to_string().into());
    }
    for span in request.spans {
        let text = span.to_string();
        let events = text.split_once('=').map(|(_, events)| events.to_owned()).unwrap_or(text);
        params.insert(format!("span.{}", span.name), events.into());
    }
    for (index, rule) in request.rules.iter().enumerate() {
        params.insert(format!("stimulus.{:02}", index + 1), rule.to_string().into());
    }
    let Summary { n, mean, stddev, min, median, p99, max } = Summary::exact(0u64);
    Record {
        experiment: "measure".to_owned(),
        mode: "span".to_owned(),
        params,
        contender: request.name.to_owned(),
        contender_version: String::new(),
        compiler: request.image.compilers().join("; "),
        chip: Some(machine.part().name.to_string()),
        clock_hz: Some(machine.clock().get()),
        settings: cyclescope_experiments::memory_settings(request.memory.into(), machine),
        opt: String::new(),
        metric: String::new(),
        unit: Unit::Count,
        n,
        mean,
        stddev,
        min,
        median,
        p99,
        max,
        histogram: None,
        source: Source::Simulated,
        image_sha256: Some(request.image.file_sha256().to_string()),
        model: Some(cyclescope_experiments::model(machine)),
    }
}
