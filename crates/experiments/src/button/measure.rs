//! One run of one image under the generator's presses: watched, checked, recorded.

use std::num::NonZeroU16;
use std::ops::Range;

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Memory, Moment, Stimulus, Width};
use cyclescope_records::stats::{Histogram, Number, Summary};
use cyclescope_records::{Record, Unit};
use cyclescope_scope::{
    Edge as PinEdge, End, Limits, Names, Phase, Plan, Resolved, RunningTask, Session, Span, explain,
};

use super::definition::{Button, ChipText, ModeText};
use super::messages::{self, Edge, Lamp};
use crate::{Dump, ImageJob, RunError, Watch, subject};

/// The period at which the end is looked for, in parts of a second.
const POLLS: u64 = 100;

/// The most ranges of a histogram.
const RANGES: NonZeroU16 = NonZeroU16::new(64).expect("not zero");

/// The most futures of an executor that are looked at.
const MOST_FUTURES: u32 = 64;

/// The most entries of a trace: about 100 MB.
pub const MOST_TRACED: usize = 4_000_000;

/// Runs `job` and records it.
pub fn run(definition: &Button, job: &ImageJob, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
    let (chip, mode) = places(definition, job)?;
    let (image, mut machine) = subject::load(job)?;
    let exceptions = machine.exceptions();
    let clock = machine.part().clock;
    let names: Names<'_> = &exceptions;

    let presses = definition.presses(chip, mode, job.seed);
    let plan = Plan::resolve(std::slice::from_ref(&presses), &image, names)?;
    let levels: Vec<(Moment, bool)> = plan.levels(chip.button()).collect();

    // The button is up, whatever the board does with its pin; that is no edge to be counted.
    machine.stimulate(Cycles::ZERO, Stimulus::Pin { pin: chip.button(), high: Some(true) });
    let phase = Phase::Seed(job.seed.unwrap_or(definition.stimulus.seed)).cycles();
    machine.stimulate(Cycles::ZERO, Stimulus::Phase { cycles: phase });
    machine.run(Cycles::new(1));
    let stacks = stacks(definition, job, &image)?;
    machine.watch_stacks(&stacks.iter().map(|stack| stack.range.clone()).collect::<Vec<_>>());
    let gaps = watch.gaps_of(job, &image);
    let mut session = Session::new(&mut machine, &image);
    session.tell_gaps(&gaps, &image);
    let spans = definition.spans(chip, mode);
    let mut watched = Vec::new();
    for text in &spans {
        let mut event = |event: &cyclescope_scope::Event| {
            let event = event.resolve(&image, names)?;
            session.check(event)?;
            Ok::<usize, RunError>(session.watch(event))
        };
        let (from, to) = (event(&text.from)?, event(&text.to)?);
        let span = session.span(Span { name: text.name.clone(), from, to });
        watched.push(span);
    }
    let led = [PinEdge::Rise, PinEdge::Fall].map(|edge| session.watch(Resolved::Pin(chip.led(), edge)));
    led.iter().for_each(|event| session.record(*event));
    let waits = session.watch(Resolved::Pin(chip.probes().1, PinEdge::Fall));
    session.record(waits);
    let running = running(definition, job, &image)?;
    session.count_exceptions(running.map(|pointer| RunningTask { pointer, task: pointer }));
    session.count_sleep();
    if watch.dump.is_some() {
        session.trace(MOST_TRACED, running);
    }
    session.apply(&plan)?;

    let poll = Cycles::new(clock.get() / POLLS);
    let run = |session: &mut Session<'_>, until: Moment| match session.run(Limits::until(until, poll), |_| false) {
        End::Limit | End::Paused | End::Listens(_) | End::Satisfied => Ok(session.target().now()),
        End::Stopped(stop) => Err(RunError::Ended(stop, explain(stop, &image, session.target().now()))),
    };
    run(&mut session, definition.stimulus.from.after_reset())?;
    // From here on the firmware leaves its clock alone, so edges have cycles.
    let timebase = session.target().timebase();
    let edges: Vec<Edge> = levels.iter().map(|(at, high)| (timebase.cycle(*at), *high)).collect();
    let Some((last, _)) = edges.last() else { return Err(RunError::Repeated(0)) };
    let start = timebase.cycle(definition.stimulus.from.after_reset());
    let end = timebase.cycle(definition.limits.after.after(*last, &timebase));
    let (asleep_before, counted_before) = (session.sleep_time(), session.exceptions().cloned().unwrap_or_default());
    run(&mut session, end.into())?;
    if session.target().timebase() != timebase {
        return Err(RunError::ClockChanged(session.target().timebase().since()));
    }
    let recorded = |event| session.recorded(event).map(<[Cycles]>::to_vec);
    let [rises, falls, waits] = [recorded(led[0])?, recorded(led[1])?, recorded(waits)?];
    let trace = session.take_trace();
    let (sleep, counted) = (session.sleep_time(), session.exceptions().cloned().unwrap_or_default());
    let samples = session.finish();

    let text = machine.shared().console.bytes(subject::channel(job)?);
    let text = String::from_utf8_lossy(&text);
    let reported = if mode.bounce {
        messages::check_bounced(&text, edges.len())?
    } else {
        messages::check_each(&text, &edges)?;
        edges.iter().map(|(_, high)| *high).collect()
    };
    // What the LED task can know is what the button task has last reported, by the time it waits again.
    let known: Vec<Edge> = if waits.len() == reported.len() {
        waits.into_iter().zip(reported.iter().copied()).collect()
    } else if mode.pins {
        let span = format!("pin {} falls", chip.probes().1);
        return Err(RunError::Samples { span, edges: reported.len(), found: waits.len() });
    } else {
        edges.clone()
    };
    let settle = definition.limits.settle.cycles(clock);
    // Where the probe tells when the task has done, the LED's task knows at once.
    let late = if mode.pins { definition.limits.late.cycles(clock) } else { settle };
    messages::check_led(&rises, &falls, &known, &Lamp::new(clock, late, end))?;
    if let (Some(dump), Some(trace)) = (watch.dump, trace) {
        let part = machine.part().name.to_string();
        dump(Dump { trace, part, exceptions });
    }

    let mut base = subject::record(job, &image, &machine);
    base.params.insert("stimulus".to_owned(), presses.to_string().into());
    base.params.insert("phase".to_owned(), u64::from(phase).into());
    let mut records = Vec::new();
    for (span, text) in watched.iter().zip(&spans) {
        let samples = samples.get(*span).cloned().expect("each span has an index of its own")?;
        if !mode.bounce && samples.len() != edges.len() {
            return Err(RunError::Samples { span: text.to_string(), edges: edges.len(), found: samples.len() });
        }
        let cycles: Vec<u64> = samples.iter().map(|sample| sample.cycles.get()).collect();
        records.push(distribution(&base, &text.name, &cycles)?);
    }
    let count = definition.stimulus.presses;
    let time = end.saturating_sub(start).get();
    let asleep = sleep.asleep.saturating_sub(asleep_before.asleep).get();
    let per_press = |events: u64| Number::ratio(i128::from(events), i128::from(count)).unwrap_or(Number::ZERO);
    let mut interrupts = 0;
    for number in counted.numbers().filter(|number| *number > LAST_SYSTEM) {
        interrupts += counted.entries(number) - counted_before.entries(number);
    }
    let share = |part: u64| Number::ratio(i128::from(part), i128::from(time)).unwrap_or(Number::ZERO);
    let ratios = [
        ("awake", Unit::Ratio, share(time.saturating_sub(asleep))),
        ("asleep", Unit::Ratio, share(asleep)),
        ("wakes.per_press", Unit::Count, per_press(sleep.wakes - asleep_before.wakes)),
        ("interrupts.per_press", Unit::Count, per_press(interrupts)),
        ("switches.per_press", Unit::Count, per_press(counted.switches() - counted_before.switches())),
        ("messages", Unit::Count, Number::Integer(reported.len() as i64)),
        ("edges.missed", Unit::Count, Number::Integer((edges.len() - reported.len()) as i64)),
        ("levels.misjudged", Unit::Count, Number::Integer(messages::misjudged(&known, &edges, settle) as i64)),
    ];
    records.extend(ratios.map(|(metric, unit, value)| base.with_metric(metric, unit, Summary::exact(value))));
    records.extend(stack_records(&stacks, &machine, &base)?);
    records.extend(still(definition, job, &image, &mut machine, &base));
    Ok(records)
}

/// The last exception that is the core's own and no interrupt or tick (PendSV).
const LAST_SYSTEM: u16 = 14;

/// The word that names `job`'s running task, where its contender has one.
pub fn running(definition: &Button, job: &ImageJob, image: &Image) -> Result<Option<Address>, RunError> {
    let name = definition.contender(job.image.contender).and_then(|contender| contender.running.as_ref());
    Ok(name.map(|name| image.symbol(name)).transpose()?.map(|symbol| symbol.address))
}

/// Returns the pins of `job`'s chip, and its mode.
pub fn places<'d>(definition: &'d Button, job: &ImageJob) -> Result<(&'d ChipText, &'d ModeText), RunError> {
    let chip = definition.chip(job.image.chip).ok_or_else(|| RunError::NoPlaces(job.image.chip))?;
    let mode = definition.mode(&job.mode).ok_or_else(|| RunError::NoMode(job.mode.clone()))?;
    Ok((chip, mode))
}

/// The record of many samples in cycles, with their histogram.
pub fn distribution(base: &Record, metric: &str, cycles: &[u64]) -> Result<Record, RunError> {
    let mut record = base.with_metric(metric, Unit::Cycles, Summary::of_integers(cycles)?);
    record.histogram = Some(Histogram::linear(cycles, RANGES));
    Ok(record)
}

/// Returns the records that do not change during the run: sizes, stacks, and the largest task.
fn still(definition: &Button, job: &ImageJob, image: &Image, machine: &mut Machine, base: &Record) -> Vec<Record> {
    let exact = |metric: &str, unit, value| subject::exact(base, metric, unit, value);
    let mut records: Vec<Record> =
        subject::sizes(image).into_iter().map(|(metric, unit, value)| exact(metric, unit, value)).collect();
    let counts = [("source.lines", job.image.source_lines), ("source.unsafe", job.image.unsafe_blocks)];
    for (metric, count) in counts {
        records.extend(count.map(|count| exact(metric, Unit::Count, count.into())));
    }
    let tasks = definition.contender(job.image.contender).map(|contender| contender.tasks.as_slice());
    let symbols = tasks.unwrap_or_default().iter().flat_map(|pattern| image.symbols_matching(pattern));
    if let Some(largest) = symbols.max_by_key(|symbol| symbol.size) {
        let mut record = exact("task.largest", Unit::Bytes, largest.size.get());
        let name = largest.demangled.as_ref().unwrap_or(&largest.name);
        record.params.insert("symbol".to_owned(), name.clone().into());
        records.push(record);
    }
    let futures = definition.contender(job.image.contender).and_then(|contender| contender.futures.as_ref());
    let largest = futures.and_then(|slice| largest_future(image.find_symbol(slice)?.address, machine.memory()));
    records.extend(largest.map(|bytes| exact("task.largest", Unit::Bytes, bytes)));
    records
}

/// The size of the largest future behind `slice`: a word in use, then the address and length of a slice of wide pointers,
/// each an address and a table whose second word is the size.
fn largest_future(slice: Address, memory: &Memory) -> Option<u64> {
    let word = |address: u32| memory.read(address, Width::Word);
    let (first, length) = (word(slice.get().wrapping_add(4))?, word(slice.get().wrapping_add(8))?);
    let table = |index: u32| word(first.wrapping_add(8 * index + 4));
    (0..length.min(MOST_FUTURES)).filter_map(|index| word(table(index)?.wrapping_add(4))).max().map(u64::from)
}

/// A task's stack.
struct Stack {
    name: String,
    range: Range<Address>,
}

/// The stacks that `job`'s contender has beside the main one.
fn stacks(definition: &Button, job: &ImageJob, image: &Image) -> Result<Vec<Stack>, RunError> {
    let names = definition.contender(job.image.contender).map(|contender| contender.stacks.as_slice());
    let stack = |name: &String| {
        let symbol = image.symbol(name)?;
        let end = Address::new(symbol.address.get().wrapping_add(symbol.size.get() as u32));
        Ok(Stack { name: name.clone(), range: symbol.address..end })
    };
    names.unwrap_or_default().iter().map(stack).collect()
}

/// Returns the records of each stack's greatest depth. A stack that ran over its end gives no number.
fn stack_records(stacks: &[Stack], machine: &Machine, base: &Record) -> Result<Vec<Record>, RunError> {
    let mut records = vec![subject::exact(base, "stack.main", Unit::Bytes, machine.main_stack_used().get())];
    let mut sum = 0;
    for (stack, depth) in stacks.iter().zip(machine.stacks_used()) {
        if depth.used > depth.size {
            return Err(RunError::StackOverflow { stack: stack.name.clone(), size: depth.size, used: depth.used });
        }
        sum += depth.used.get();
        let mut record = subject::exact(base, &format!("stack.{}", stack.name), Unit::Bytes, depth.used.get());
        record.params.insert("stack.bytes".to_owned(), depth.size.get().into());
        records.push(record);
    }
    if !stacks.is_empty() {
        records.push(subject::exact(base, "stack.tasks", Unit::Bytes, sum));
    }
    Ok(records)
}
