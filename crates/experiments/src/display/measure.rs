//! One run of one image: watched, checked, recorded.

use cyclescope_attached::ssd1306::Ssd1306;
use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_machine::{Position, Signal, SignalKind, Stop, Wire};
use cyclescope_records::stats::{Number, Summary};
use cyclescope_records::{Record, Unit};
use cyclescope_scope::{
    Account, CoreAttributions, Edge, End, Limits, Names, Observer, Resolved, Session, Span, explain, place,
};

use super::definition::Display;
use super::{parts, picture};
use crate::experiment::JobGaps;
use crate::{ImageJob, RunError, Watch, subject};

/// The most edges of the clock line that are kept.
const MOST_EDGES: usize = 1_000_000;

/// The end is looked for so many times a second.
const POLLS: u64 = 200;

/// The observations of one run.
struct Seen {
    /// From marker to marker, a sample a frame.
    frames: Vec<(Cycles, Cycles)>,
    /// Rising edges of the line that clocks the wires.
    clocks: Vec<Cycles>,
    account: Account,
}

/// Counts what retires between the markers.
struct Counter<'i> {
    attribution: CoreAttributions<'i>,
    from: usize,
    to: usize,
    frames: usize,
    done: usize,
}

impl Observer for Counter<'_> {
    fn step(&mut self, machine: &mut Machine, until: Cycles) -> Stop {
        if self.attribution.is_open() { machine.run_into(until, &mut self.attribution) } else { machine.run(until) }
    }

    fn signal(&mut self, at: Cycles, core: u8, signal: Signal) {
        self.attribution.signal(at, core, signal);
    }

    fn happened(&mut self, event: usize, at: Cycles, _: Picoseconds) {
        if event == self.to && self.attribution.is_open() {
            self.attribution.close(at);
            self.done += 1;
        } else if event == self.from && !self.attribution.is_open() {
            self.attribution.open(at);
        }
    }

    fn stopped(&mut self, core: u8, pc: Address, stack_pointer: Address) {
        self.attribution.stopped(core, pc, stack_pointer);
    }

    fn is_done(&self) -> bool {
        self.done >= self.frames
    }
}

/// Runs `job` under `from` and records it.
pub fn run(definition: &Display, job: &ImageJob, from: Watch<'_>) -> Result<Vec<Record>, RunError> {
    let mode = definition.mode(&job.mode).ok_or_else(|| RunError::NoMode(job.mode.clone()))?;
    let text = definition.device(job.image.chip, mode).ok_or(RunError::NoPlaces(job.image.chip))?;
    let device = cyclescope_attached::attach(&text)?;
    // The first wire is SCL or SCK.
    let Some(Some(Wire::Pin(clock))) = device.wires.first().cloned() else {
        return Err(RunError::NoPlaces(job.image.chip));
    };
    let (image, mut machine) = subject::load(job)?;
    machine.attach(vec![device])?;
    let seen = watch(definition, &image, &mut machine, Resolved::Pin(clock, Edge::Rise), &from.gaps_of(job, &image))?;
    check(definition, &machine)?;
    let mut base = subject::record(job, &image, &machine);
    base.experiment.clone_from(&definition.name);
    base.params.insert("attach.01".to_owned(), text.into());
    let mut records = records(definition, &base, &image, &machine, &seen)?;
    let written = [("source.lines", job.image.source_lines), ("source.unsafe", job.image.unsafe_blocks)];
    let written = written.into_iter().filter_map(|(metric, count)| Some((metric, count?)));
    records.extend(written.map(|(metric, count)| subject::exact(&base, metric, Unit::Count, count.into())));
    Ok(records)
}

fn watch(
    definition: &Display,
    image: &Image,
    machine: &mut Machine,
    clock: Resolved,
    gaps: &JobGaps<'_>,
) -> Result<Seen, RunError> {
    let exceptions = machine.exceptions();
    let names: Names<'_> = &exceptions;
    let poll = Cycles::new(machine.part().clock.get() / POLLS);
    let mut session = Session::new(machine, image);
    session.tell_gaps(gaps, image);
    session.want(SignalKind::Exception);
    session.want(SignalKind::Sleep);
    session.keep_at_most(MOST_EDGES);
    let from = session.watch(definition.span.from.resolve(image, names)?);
    let to = session.watch(definition.span.to.resolve(image, names)?);
    let frame = session.span(Span { name: "frame".to_owned(), from, to });
    session.check(clock)?;
    let clock = session.watch(clock);
    session.record(clock);
    let cores = session.target().cores();
    let attribution = CoreAttributions::new(image, cores);
    let mut counter = Counter { attribution, from, to, frames: definition.limits.frames, done: 0 };
    for core in 0..cores {
        let Position { pc, stack_pointer, .. } = session.target().position(core);
        counter.stopped(core as u8, pc, stack_pointer);
    }
    let end = definition.limits.window.after_reset();
    match session.run_observed(Limits::until(end, poll), &mut counter, |_| false) {
        End::Satisfied => {}
        End::Stopped(stop) => {
            let now = session.target().now();
            return Err(RunError::Ended(stop, explain(stop, image, now)));
        }
        End::Limit | End::Paused | End::Listens(_) => {
            let now = session.target().now().get();
            return Err(RunError::Budget(now, place(image, session.target().pc())));
        }
    }
    let clocks = session.recorded(clock)?.to_vec();
    let samples = session.finish().swap_remove(frame)?;
    let frames = samples.iter().map(|sample| (sample.start, sample.cycles)).collect();
    Ok(Seen { frames, clocks, account: counter.attribution.account(&exceptions) })
}

/// The panel has shown every frame, each as embedded-graphics draws it.
fn check(definition: &Display, machine: &Machine) -> Result<(), RunError> {
    let display = machine.attached().into_iter().find_map(|(_, device)| device.as_any().downcast_ref::<Ssd1306>());
    let display = display.ok_or(RunError::NoPlaces("the display"))?;
    let expected = definition.limits.frames;
    if display.frames() != expected as u64 {
        return Err(RunError::Frames { expected, found: display.frames() });
    }
    for (number, frame) in display.kept_frames().enumerate() {
        picture::check(number, &frame.rows)?;
    }
    Ok(())
}

fn mean(whole: u64, count: usize) -> Summary {
    Summary::exact(Number::ratio(i128::from(whole), count as i128).unwrap_or(Number::ZERO))
}

fn records(
    definition: &Display,
    base: &Record,
    image: &Image,
    machine: &Machine,
    seen: &Seen,
) -> Result<Vec<Record>, RunError> {
    let count = seen.frames.len();
    let each: Vec<u64> = seen.frames.iter().map(|(_, cycles)| cycles.get()).collect();
    let whole: u64 = each.iter().sum();
    let inside =
        |at: &Cycles| seen.frames.iter().any(|(start, cycles)| *at >= *start && *at < start.saturating_add(*cycles));
    let clocks = seen.clocks.iter().filter(|at| inside(at)).count() as u64;
    // Bits of a byte follow each other at the wire's own pace.
    let period = seen.clocks.windows(2).map(|pair| pair[1].get() - pair[0].get()).min().unwrap_or(0);
    let rate =
        Number::ratio(i128::from(machine.clock().get()) * count as i128, i128::from(whole)).unwrap_or(Number::ZERO);
    let mut records = vec![
        base.with_metric("frame", Unit::Cycles, Summary::of_integers(&each)?),
        base.with_metric("frame.rate", Unit::Count, Summary::exact(rate)),
        base.with_metric("wire", Unit::Cycles, mean(clocks * period, count)),
        base.with_metric("wire.clocks", Unit::Count, mean(clocks, count)),
        subject::exact(base, "wire.period", Unit::Cycles, period),
    ];
    for (name, cycles) in parts::split(&definition.part, &seen.account, image) {
        records.push(base.with_metric(&format!("part.{name}"), Unit::Cycles, mean(cycles.get(), count)));
    }
    let left = Number::ratio(i128::from(seen.account.asleep().get()), i128::from(whole)).unwrap_or(Number::ZERO);
    records.push(base.with_metric("left", Unit::Ratio, Summary::exact(left)));
    let instructions = seen.account.total.instructions.get();
    records.push(base.with_metric("instructions", Unit::Instructions, mean(instructions, count)));
    let sizes = subject::sizes(image).into_iter().chain([("stack.main", Unit::Bytes, machine.main_stack_used().get())]);
    records.extend(sizes.map(|(metric, unit, value)| subject::exact(base, metric, unit, value)));
    Ok(records)
}
