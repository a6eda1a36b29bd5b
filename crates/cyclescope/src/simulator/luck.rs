//! `luck`: a guest's run in other layouts, and what they do to its spans.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use cyclescope_chips::Part;
use cyclescope_layout::{Layout, Units};
use cyclescope_machine::units::Address;
use cyclescope_records::stats::{Number, Summary};
use cyclescope_records::{Record, Statistic, Unit};
use cyclescope_scope::{Again, Snapshot, SpanError, SpanText};

use crate::backend::{
    Devices, Failure, Guest, MeasureOutcome, MeasureRequest, OutputSink, Pulse, RunEnd, TraceRequest,
};
use crate::exit::Exit;
use crate::luck::{Advice, FunctionLuck, LuckOutcome, LuckRequest, LuckSpan};
use crate::tracing::{Beginning, Occurrence, TraceSpan};
use cyclescope_guest::steps::{failed, refused};
use cyclescope_guest::{measure, trace};

/// The most functions that a linker is advised about.
const ADVISED: usize = 8;

/// The least share of a span's spread that a function has to have to be in the advice.
const WORTH_ADVICE: f64 = 0.02;

/// A linker can be told where in a stretch of this many bytes a function begins: the longest line of any flash here.
const PERIOD: u32 = 64;

/// The figures of a layout: for each span its figure, or why there is none.
type Figures = Vec<Result<f64, String>>;

/// Runs the guest of `request` in its layouts. Its output goes to `sink` of the first run only, which is that of the image as it
/// was linked; `progress` hears how many layouts are done.
pub(super) fn luck(
    request: &LuckRequest<'_>,
    sink: &mut OutputSink<'_>,
    pulse: &Pulse<'_>,
    stop: &(dyn Fn() -> bool + Sync),
    progress: &(dyn Fn(u64) + Sync),
) -> Result<LuckOutcome, Failure> {
    let guest = &request.measure.guest;
    let part = Part::load(guest.chip).map_err(|error| refused(guest, error))?;
    let units = cyclescope_guest::units(&part, guest.image, request.map).map_err(|error| refused(guest, error))?;
    let depends = units.is_some();
    let units = units.unwrap_or_default();
    let start = request.from.map(|event| measure::start(&request.measure, event, pulse)).transpose()?;
    let measure = MeasureRequest { start: start.as_ref(), ..request.measure };
    let linked = measure::measure(&measure, sink, pulse)?;
    let as_linked = figures(&linked, request.statistic);
    let moving = units.all().iter().filter(|unit| !unit.fixed).count();
    let mut outcome = LuckOutcome {
        units: (units.all().len(), moving),
        bytes: units.bytes_that_move(),
        depends,
        ran: 0,
        interrupted: linked.run.end == RunEnd::Interrupted,
        spans: Vec::new(),
        records: Vec::new(),
        run: linked.run.clone(),
    };
    let count = if depends && moving > 0 && !outcome.interrupted { request.layouts } else { 0 };
    let layouts = (1..=count).map(|number| units.layout(request.seed, number)).collect::<Result<Vec<Layout>, _>>();
    let layouts = layouts.map_err(|error| refused(guest, error))?;
    let runs = measured(request, start.as_ref(), &units, &layouts, stop, progress)?;
    outcome.ran = runs.len() as u64;
    outcome.interrupted |= outcome.ran < count;
    for (index, span) in request.measure.spans.iter().enumerate() {
        let Ok(as_linked) = as_linked[index] else { return Err(span_failed(guest, &linked, index)) };
        let (mut ran, mut figures, mut missing) = (Vec::new(), Vec::new(), None);
        for (number, found) in &runs {
            match &found[index] {
                Ok(figure) => {
                    figures.push(*figure);
                    ran.push(&layouts[*number]);
                }
                Err(why) => missing.get_or_insert_with(|| (why.clone(), 0)).1 += 1,
            }
        }
        let name = span.name.clone();
        let mut found = LuckSpan { name, as_linked, layouts: figures, missing, functions: Vec::new(), advice: None };
        if found.figures().spread() > 0.0 && request.traced > 0 && !outcome.interrupted {
            explain(request, start.as_ref(), &units, span, &ran, &mut found, stop)?;
        }
        outcome.records.extend(record(request, &linked, &found));
        outcome.spans.push(found);
    }
    Ok(outcome)
}

/// Returns the failure of the span of the number `index` in the image as it was linked.
fn span_failed(guest: &Guest<'_>, linked: &MeasureOutcome, index: usize) -> Failure {
    let (name, samples) = &linked.spans[index];
    let why = match samples {
        Err(error) => error.to_string(),
        Ok(_) => format!("span `{name}` has no sample"),
    };
    let help = matches!(linked.run.end, RunEnd::Window).then(|| "raise --for if it needs more time".to_owned());
    Failure { help, ..failed(guest, why, Exit::WrongOutput) }
}

/// Returns what stands for a layout: the estimate asked for of each span.
fn figures(outcome: &MeasureOutcome, statistic: Statistic) -> Figures {
    let of = |(name, samples): &(String, Result<_, SpanError>)| match samples {
        Err(error) => Err(error.to_string()),
        Ok(_) => {
            let record = outcome.records.iter().find(|one| one.metric == *name && one.unit == Unit::Cycles);
            let figure = record.map(|record| statistic.of(record).as_f64());
            figure.ok_or_else(|| format!("span `{name}` has no sample"))
        }
    };
    outcome.spans.iter().map(of).collect()
}

/// Has `run` run the guest in each of `layouts`, several at once. Returns what it returned, by the layout's place in the list;
/// those that were not run to their end are left out.
fn in_layouts<T: Send>(
    request: &LuckRequest<'_>,
    units: &Units,
    layouts: &[Layout],
    stop: &(dyn Fn() -> bool + Sync),
    progress: &(dyn Fn(u64) + Sync),
    run: impl Fn(Guest<'_>) -> Result<Option<T>, Failure> + Sync,
) -> Result<BTreeMap<usize, T>, Failure> {
    let next = AtomicUsize::new(0);
    let given_up = AtomicBool::new(false);
    let done: Mutex<(BTreeMap<usize, T>, Option<Failure>)> = Mutex::new((BTreeMap::new(), None));
    let Guest { image, name, chip, memory, max_output, guest_handles_faults, devices, .. } = request.measure.guest;
    let hung = devices.map(|devices| devices.hung.clone()).unwrap_or_default();
    let copies: Vec<_> = (0..request.jobs.get().min(layouts.len())).map(|_| hung.clone()).collect();
    std::thread::scope(|scope| {
        for hung in copies {
            let (next, given_up, done, run) = (&next, &given_up, &done, &run);
            scope.spawn(move || {
                let devices = Devices::new(hung);
                while !given_up.load(Ordering::Relaxed) && !stop() {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(layout) = layouts.get(index) else { return };
                    let placement = units.placement(layout);
                    let guest = Guest {
                        max_output,
                        guest_handles_faults,
                        devices: Some(&devices),
                        placement: Some(&placement),
                        ..Guest::new(image, name, chip, memory)
                    };
                    let result = run(guest);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    match result {
                        Ok(found) => {
                            done.0.extend(found.map(|found| (index, found)));
                            progress(done.0.len() as u64);
                        }
                        Err(failure) => {
                            given_up.store(true, Ordering::Relaxed);
                            done.1.get_or_insert(failure);
                        }
                    }
                }
            });
        }
    });
    match done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        (_, Some(failure)) => Err(failure),
        (found, None) => Ok(found),
    }
}

/// Returns the figures of the guest in each of `layouts`.
fn measured(
    request: &LuckRequest<'_>,
    start: Option<&Snapshot>,
    units: &Units,
    layouts: &[Layout],
    stop: &(dyn Fn() -> bool + Sync),
    progress: &(dyn Fn(u64) + Sync),
) -> Result<BTreeMap<usize, Figures>, Failure> {
    let MeasureRequest { scenario, spans, .. } = request.measure;
    let statistic = request.statistic;
    in_layouts(request, units, layouts, stop, progress, |guest| {
        let request = MeasureRequest { guest, scenario, spans, trace: false, task_pointer: None, arrival: &[], start };
        let outcome = measure::measure(&request, &mut |_, _| true, &|_, _| stop())?;
        Ok((outcome.run.end != RunEnd::Interrupted).then(|| figures(&outcome, statistic)))
    })
}

/// Adds to `found`, of `span`, which functions make the difference, and how a linker can be told. `ran` are the layouts whose
/// figures `found` has.
fn explain(
    request: &LuckRequest<'_>,
    start: Option<&Snapshot>,
    units: &Units,
    span: &SpanText,
    ran: &[&Layout],
    found: &mut LuckSpan,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), Failure> {
    let by_figure = |one: &usize, other: &usize| found.layouts[*one].total_cmp(&found.layouts[*other]);
    let places = 0..ran.len();
    let (Some(best), Some(worst)) = (places.clone().min_by(by_figure), places.clone().max_by(by_figure)) else {
        return Ok(());
    };
    let others = places.filter(|place| ![best, worst].contains(place)).take(request.traced.saturating_sub(2));
    let looked: Vec<Layout> = [best, worst].into_iter().chain(others).map(|place| ran[place].clone()).collect();
    let beginning = Beginning { event: span.from.clone(), last: span.again == Again::Last };
    let trace_span = TraceSpan { from: beginning, to: span.to.clone(), occurrence: Occurrence::All };
    let MeasureRequest { guest, scenario, .. } = request.measure;
    let plain = TraceRequest { guest, scenario, span: Some(&trace_span), start: None };
    let begun = match request.from.map(|event| trace::start(&plain, event, &|_, _| stop())).transpose() {
        // The figures of the layouts that ran are not lost.
        Err(failure) if failure.exit == Exit::Interrupted => return Ok(()),
        begun => begun?,
    };
    let traces = in_layouts(request, units, &looked, stop, &|_| {}, |guest| {
        let request = TraceRequest { guest, start: begun.as_ref(), ..plain };
        let outcome = trace::trace(&request, &mut |_, _| true, &|_, _| stop())?;
        Ok((outcome.run.end != RunEnd::Interrupted).then_some(outcome.account))
    })?;
    let mut functions: BTreeMap<u32, FunctionLuck> = BTreeMap::new();
    for (place, account) in &traces {
        let occurrences = account.occurrences.max(1) as f64;
        for function in &account.functions {
            let Some(address) = function.address.map(Address::get) else { continue };
            let own = function.own.cycles.get() as f64 / occurrences;
            let luck = functions.entry(address).or_insert_with(|| FunctionLuck {
                name: function.name.clone(),
                address,
                best: 0.0,
                worst: 0.0,
                least: own,
                most: own,
            });
            (luck.least, luck.most) = (luck.least.min(own), luck.most.max(own));
            match place {
                0 => luck.best = own,
                1 => luck.worst = own,
                _ => {}
            }
        }
    }
    found.functions = functions.into_values().filter(|function| function.most > function.least).collect();
    found.functions.sort_by(|one, other| (other.most - other.least).total_cmp(&(one.most - one.least)));
    found.advice = advice(request, start, units, ran[best], found, stop)?;
    Ok(())
}

/// Returns how a linker can be told to place the functions that matter most as in the layout `best`, and what comes of it: the image
/// with these functions first, each as far into its line of flash as there, and the rest behind them in the order of the image.
fn advice(
    request: &LuckRequest<'_>,
    start: Option<&Snapshot>,
    units: &Units,
    best: &Layout,
    found: &LuckSpan,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Advice>, Failure> {
    let least = found.functions.first().map_or(0.0, |first| (first.most - first.least) * WORTH_ADVICE);
    let worth = found.functions.iter().filter(|function| function.most - function.least > least);
    let mut first: Vec<usize> = Vec::new();
    for function in worth {
        let place = units.all().iter().position(|unit| (unit.from..unit.to).contains(&function.address));
        // Those of one section, the one of what matters most.
        let section = |place: usize| units.all()[place].section;
        let fits = |place: &usize| {
            let home = first.first().is_none_or(|first| section(*first) == section(*place));
            !units.all()[*place].fixed && !first.contains(place) && home
        };
        first.extend(place.filter(fits));
        if first.len() == ADVISED {
            break;
        }
    }
    let Some(pinned) = units.pinned(&first, best, PERIOD) else { return Ok(None) };
    let figures = measured(request, start, units, std::slice::from_ref(&pinned), stop, &|_| {})?;
    let index = request.measure.spans.iter().position(|span| span.name == found.name);
    let figure = index.and_then(|index| figures.get(&0)?.get(index)?.as_ref().ok().copied());
    let Some(figure) = figure.filter(|figure| *figure < found.as_linked) else { return Ok(None) };
    let mut script = String::new();
    let image = request.measure.guest.image;
    for place in first {
        let unit = &units.all()[place];
        let known = image.function_at(Address::new(unit.from));
        let name = known.map_or_else(|| unit.names[0].as_str(), |known| known.name.as_str());
        let offset = pinned.places[place] % PERIOD;
        let _ = writeln!(script, "  . += ({offset} - ABSOLUTE(.)) & {}; *(.text.{name})", PERIOD - 1);
    }
    Ok(Some(Advice { script, figure }))
}

/// Returns the record of the layouts of `found`.
fn record(request: &LuckRequest<'_>, linked: &MeasureOutcome, found: &LuckSpan) -> Option<Record> {
    let of = linked.records.iter().find(|record| record.metric == found.name && record.unit == Unit::Cycles)?;
    let all: Vec<f64> = std::iter::once(found.as_linked).chain(found.layouts.iter().copied()).collect();
    let summary = Summary::of_reals(&all).ok()?;
    let mut record = of.with_metric(&found.name, Unit::Cycles, summary);
    record.mode = "luck".to_owned();
    record.layouts = Some(all.iter().map(|figure| number(*figure)).collect());
    record.params.insert("layouts".to_owned(), request.layouts.into());
    record.params.insert("seed".to_owned(), request.seed.into());
    if let Some(from) = request.from {
        record.params.insert("from".to_owned(), from.to_string().into());
    }
    record.params.insert("statistic".to_owned(), request.statistic.name().into());
    Some(record)
}

/// Returns `figure` as an integer if it is one.
fn number(figure: f64) -> Number {
    let whole = figure.fract() == 0.0 && figure.abs() < 9e15;
    if whole { Number::Integer(figure as i64) } else { Number::Real(figure) }
}
