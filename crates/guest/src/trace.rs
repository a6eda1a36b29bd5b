//! `trace` and `profile`: a guest's run, and an account of its instructions.

use std::io;

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_machine::{Line, Position, Retire, Signal, SignalKind, Sink as RetireSink, State, Stop};
use cyclescope_scope::{
    CoreAttributions, Event, Names, Observer, OutputSink, Pace, Pulse, Session, Snapshot, run_guest,
};

use crate::exit::Exit;
use crate::post_mortem::at_end;
use crate::steps::{apply, begin_at, failed, load, run_up_to, watch};
use crate::tracing::{Occurrence, TraceOutcome, TraceRequest};
use crate::{Failure, Guest, RunSummary, Scenario};

/// The most lengths of occurrences that are kept one by one.
const MOST_LENGTHS: usize = 1 << 20;

/// The length of a slice while every instruction is written to a listing, which is slow.
const LISTED_SLICE: Cycles = Cycles::new(200_000);

/// The occurrences of a span's first event that begin it, each by its number from 1.
enum Beginnings<'b> {
    /// The first, and the first after each end.
    First,
    /// Those that are found to be the last before an end; nothing is counted meanwhile.
    Sought(&'b mut Vec<u64>),
    /// These, in order.
    Known(&'b [u64]),
}

/// Counts between the span's events.
struct Recorder<'i, 'b, L> {
    attribution: CoreAttributions<'i>,
    listing: Option<L>,
    beginnings: Beginnings<'b>,
    /// The number of first events so far.
    first_events: u64,
    /// The span's events and which occurrence of it; none: the whole run.
    span: Option<(usize, usize, Occurrence)>,
    /// The number of all occurrences.
    most: u64,
    /// The first event may happen inside an instruction, which must be known then.
    follows: bool,
    begun: u64,
    /// The cycle and the time at which the span under way began.
    since: Option<(Cycles, Picoseconds)>,
    ended_first: Option<Cycles>,
    again: u64,
    elapsed: Vec<Cycles>,
    /// The time of all occurrences that count.
    time: Picoseconds,
    done: bool,
}

impl<L: Listing> Recorder<'_, '_, L> {
    fn is_wanted(&self, number: u64) -> bool {
        match self.span {
            Some((_, _, Occurrence::Number(wanted))) => number == wanted.get(),
            _ => number <= self.most,
        }
    }

    fn began(&mut self, at: Cycles, time: Picoseconds) {
        self.first_events += 1;
        match &self.beginnings {
            Beginnings::Known(known) if known.binary_search(&self.first_events).is_err() => return,
            Beginnings::Sought(_) => {
                self.begun += u64::from(self.since.is_none());
                self.since = Some((at, time));
                return;
            }
            Beginnings::First | Beginnings::Known(_) => {}
        }
        if self.since.is_some() {
            self.again += 1;
            return;
        }
        self.begun += 1;
        self.since = Some((at, time));
        if self.is_wanted(self.begun) {
            self.attribution.open(at);
            if let Some(listing) = &mut self.listing {
                listing.begin(self.begun, at);
            }
        }
    }

    fn ended(&mut self, at: Cycles, time: Picoseconds) {
        let Some((since, began)) = self.since.take() else {
            if self.begun == 0 {
                self.ended_first.get_or_insert(at);
            }
            return;
        };
        if let Beginnings::Sought(found) = &mut self.beginnings {
            found.push(self.first_events);
            self.done = matches!(self.span, Some((_, _, Occurrence::Number(number))) if number.get() == self.begun);
        }
        if self.attribution.is_open() {
            self.attribution.close(at);
            if let Some(listing) = &mut self.listing {
                listing.end(at);
            }
            self.time = self.time.saturating_add(time.saturating_sub(began));
            if self.elapsed.len() < MOST_LENGTHS {
                self.elapsed.push(at - since);
            }
            self.done = matches!(self.span, Some((_, _, Occurrence::Number(_)))) || self.begun == self.most;
        }
    }
}

/// A listing of instructions, while a trace is made.
pub trait Listing: RetireSink {
    /// True once it cannot be written.
    fn has_failed(&self) -> bool;
    /// The occurrence `number` begins at the cycle `at`.
    fn begin(&mut self, number: u64, at: Cycles);
    /// The occurrence under way ends at the cycle `at`.
    fn end(&mut self, at: Cycles);
    /// The run ends before the occurrence under way.
    fn cut_off(&mut self);
    /// Takes a `signal` of the core numbered `core`.
    fn signal(&mut self, at: Cycles, core: u8, signal: Signal);
    /// Writes what is left.
    ///
    /// # Errors
    /// Those of writing.
    fn finish(self) -> io::Result<()>;
}

/// The machine of a listing.
#[derive(Clone, Debug)]
pub struct Listed<'i> {
    /// The image.
    pub image: &'i Image,
    /// The exceptions by number and name.
    pub exceptions: Vec<(u16, &'static str)>,
    /// The number of cores.
    pub cores: usize,
    /// The names of the lines whose transfers are seen.
    pub lines: Vec<(String, Line)>,
}

/// The listing of a trace that has none.
enum NoListing {}

impl RetireSink for NoListing {
    const OBSERVES: bool = true;

    fn retire(&mut self, _: Retire) {
        match *self {}
    }
}

impl Listing for NoListing {
    fn has_failed(&self) -> bool {
        match *self {}
    }

    fn begin(&mut self, _: u64, _: Cycles) {
        match *self {}
    }

    fn end(&mut self, _: Cycles) {
        match *self {}
    }

    fn cut_off(&mut self) {
        match *self {}
    }

    fn signal(&mut self, _: Cycles, _: u8, _: Signal) {
        match *self {}
    }

    fn finish(self) -> io::Result<()> {
        match self {}
    }
}

/// Hands instructions to two sinks.
struct Both<'a, A, B>(&'a mut A, &'a mut B);

impl<A: RetireSink, B: RetireSink> RetireSink for Both<'_, A, B> {
    const OBSERVES: bool = true;

    #[inline(always)]
    fn retire(&mut self, retire: Retire) {
        self.0.retire(retire);
        self.1.retire(retire);
    }

    #[inline(always)]
    fn state(&mut self, state: State<'_>) {
        self.0.state(state);
        self.1.state(state);
    }

    fn turn_to(&mut self, core: u8) {
        self.0.turn_to(core);
        self.1.turn_to(core);
    }
}

impl<L: Listing> Observer for Recorder<'_, '_, L> {
    fn step(&mut self, machine: &mut Machine, until: Cycles) -> Stop {
        match &mut self.listing {
            Some(listing) if self.follows || self.attribution.is_open() => {
                machine.run_into(until, &mut Both(&mut self.attribution, listing))
            }
            None if self.follows || self.attribution.is_open() => machine.run_into(until, &mut self.attribution),
            _ => machine.run(until),
        }
    }

    fn signal(&mut self, at: Cycles, core: u8, signal: Signal) {
        self.attribution.signal(at, core, signal);
        if let Some(listing) = &mut self.listing {
            listing.signal(at, core, signal);
        }
    }

    fn happened(&mut self, event: usize, at: Cycles, time: Picoseconds) {
        let Some((from, to, _)) = self.span.filter(|_| !self.done) else { return };
        // One that is both ends the span before it begins it anew.
        if event == to && (self.since.is_some() || from != to) {
            self.ended(at, time);
        }
        if event == from && !self.done {
            self.began(at, time);
        }
    }

    fn stopped(&mut self, core: u8, pc: Address, stack_pointer: Address) {
        self.attribution.stopped(core, pc, stack_pointer);
    }

    fn is_done(&self) -> bool {
        self.done || self.listing.as_ref().is_some_and(L::has_failed)
    }
}

/// Runs the guest of `request`.
///
/// # Errors
/// [`Failure`] where the image does not fit the chip, or has no such events.
pub fn trace(
    request: &TraceRequest<'_>,
    sink: &mut OutputSink<'_>,
    pulse: &Pulse<'_>,
) -> Result<TraceOutcome, Failure> {
    run::<NoListing, fn(&Listed<'_>) -> io::Result<NoListing>>(request, None, sink, pulse)
}

/// Runs the guest of `request` with each instruction going to the listing that `listing` makes.
///
/// # Errors
/// As [`trace`], and those of the listing.
pub fn trace_listed<'r, L: Listing, F: FnOnce(&Listed<'r>) -> io::Result<L>>(
    request: &TraceRequest<'r>,
    listing: F,
    sink: &mut OutputSink<'_>,
    pulse: &Pulse<'_>,
) -> Result<TraceOutcome, Failure> {
    run(request, Some(listing), sink, pulse)
}

fn run<'r, L: Listing, F: FnOnce(&Listed<'r>) -> io::Result<L>>(
    request: &TraceRequest<'r>,
    listing: Option<F>,
    sink: &mut OutputSink<'_>,
    pulse: &Pulse<'_>,
) -> Result<TraceOutcome, Failure> {
    if request.span.is_some_and(|span| span.from.last) {
        // Only the end tells which beginning was the last. The guest does the same again.
        let mut found = Vec::new();
        let found_in = Beginnings::Sought(&mut found);
        let sought = observe::<L, F>(request, u64::MAX, found_in, None, &mut |_, _| true, pulse)?;
        if found.is_empty() {
            return Ok(sought);
        }
        let outcome = observe(request, u64::MAX, Beginnings::Known(&found), listing, sink, pulse)?;
        return Ok(TraceOutcome { begun: sought.begun, ..outcome });
    }
    let outcome = observe(request, u64::MAX, Beginnings::First, listing, sink, pulse)?;
    let finished = outcome.account.occurrences;
    let all = request.span.is_some_and(|span| span.occurrence == Occurrence::All);
    if !all || finished == 0 || outcome.unfinished.is_none() {
        return Ok(outcome);
    }
    // What the one took that the run's end cut off is among the counts. The guest does the same again, up to there.
    let whole = observe::<L, F>(request, finished, Beginnings::First, None, &mut |_, _| true, &|_, _| false)?;
    Ok(TraceOutcome { account: whole.account, time: whole.time, ..outcome })
}

/// Gives `session` what `request` asks for. Returns the span's events and its occurrence.
fn prepare(
    request: &TraceRequest<'_>,
    names: Names<'_>,
    session: &mut Session<'_>,
) -> Result<Option<(usize, usize, Occurrence)>, Failure> {
    let guest = &request.guest;
    session.want(SignalKind::Exception);
    session.want(SignalKind::Sleep);
    apply(guest, &request.scenario, names, session)?;
    let mut watch = |event: &Event| watch(guest, event, names, session);
    Ok(match request.span {
        Some(span) => Some((watch(&span.from.event)?, watch(&span.to)?, span.occurrence)),
        None => None,
    })
}

/// Runs the guest of `request` up to the next time that `event` happens. Returns the state there.
pub fn start(request: &TraceRequest<'_>, event: &Event, pulse: &Pulse<'_>) -> Result<Snapshot, Failure> {
    let mut machine = load(&request.guest)?;
    let exceptions = machine.exceptions();
    let mut session = Session::new(&mut machine, request.guest.image);
    prepare(request, &exceptions, &mut session)?;
    run_up_to(&request.guest, &request.scenario, event, &exceptions, &mut session, pulse)
}

/// Of all occurrences, the first `most`.
fn observe<'r, L: Listing, F: FnOnce(&Listed<'r>) -> io::Result<L>>(
    request: &TraceRequest<'r>,
    most: u64,
    beginnings: Beginnings<'_>,
    listing: Option<F>,
    sink: &mut OutputSink<'_>,
    pulse: &Pulse<'_>,
) -> Result<TraceOutcome, Failure> {
    let guest = &request.guest;
    let Guest { image, .. } = *guest;
    let mut machine = load(guest)?;
    let exceptions = machine.exceptions();
    let names: Names<'_> = &exceptions;
    let cores = machine.cores();
    let listing = listing.map(|make| {
        let exceptions = exceptions.clone();
        make(&Listed { image, exceptions, cores, lines: machine.lines() })
    });
    let listing = listing.transpose();
    let listing = listing.map_err(|error| failed(guest, error, Exit::Internal))?;
    let mut session = Session::new(&mut machine, image);
    guest.tell_gaps(&mut session);
    let span = prepare(request, names, &mut session)?;
    begin_at(guest, request.start, &mut session);

    let mut recorder = Recorder {
        attribution: CoreAttributions::new(image, cores),
        listing,
        span,
        most,
        follows: match beginnings {
            Beginnings::Sought(_) => false,
            _ => request.span.is_none_or(|span| span.from.event.comes_inside()),
        },
        beginnings,
        first_events: 0,
        begun: 0,
        since: None,
        ended_first: None,
        again: 0,
        elapsed: Vec::new(),
        time: Picoseconds::ZERO,
        done: false,
    };
    if request.span.is_none() {
        // What the core does before its first instruction counts.
        recorder.began(Cycles::ZERO, Picoseconds::ZERO);
    }
    for core in 0..cores {
        let Position { pc, stack_pointer, .. } = session.target().position(core);
        recorder.stopped(core as u8, pc, stack_pointer);
    }
    let slice = if recorder.listing.is_some() { LISTED_SLICE } else { Pace::SLICE };
    let Scenario { window, whole, .. } = request.scenario;
    let pace = Pace { slice, whole, ..Pace::until(window.after_reset()) };
    let end = run_guest(&mut session, pace, &mut recorder, sink, pulse);
    if request.span.is_none() {
        recorder.ended(session.target().now(), session.time());
    }
    drop(session);
    guest.keep_devices(&machine);
    if let Some(mut listing) = recorder.listing.take() {
        if recorder.attribution.is_open() {
            listing.cut_off();
        }
        listing.finish().map_err(|error| failed(guest, error, Exit::NoOutput))?;
    }
    Ok(TraceOutcome {
        account: recorder.attribution.account(&exceptions),
        elapsed: recorder.elapsed,
        time: recorder.time,
        begun: recorder.begun,
        unfinished: recorder.since.map(|(at, _)| at),
        ended_first: recorder.ended_first,
        again: recorder.again,
        run: RunSummary::of(end, &machine, at_end(&machine, image, end)),
        model: crate::model(&machine),
        flash_written: machine.flash_settings_written(),
    })
}
