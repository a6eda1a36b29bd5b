//! One arrival, looked at: where the core was, what delayed the answer, and how long interrupts could not be taken.

use cyclescope_chips::{Hold, Machine};
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_machine::{Signal, SignalKind, Stop};

use super::steps::{Boundary, Steps};
use super::stretch::{Stretch, Stretches};
use super::{Arrival, Question, WorstError};
use crate::arrivals::AHEAD;
use crate::attribution::{Account, CoreAttributions};
use crate::guest::Pace;
use crate::limits::Limits;
use crate::observer::Observer;
use crate::session::Session;
use crate::span::Sample;

/// A reason for which not every interrupt could be taken, and since when it was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The reason.
    pub hold: Hold,
    /// The cycle and the instruction that brought it; `None` if that was before what was looked at.
    pub since: Option<(Cycles, Address)>,
}

/// A core at the moment of a stimulus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stand {
    /// The stimulus, by its place among those that arrive.
    pub stimulus: usize,
    /// Its cycle.
    pub at: Cycles,
    /// The core.
    pub core: usize,
    /// The instruction under way.
    pub pc: Address,
    /// The core slept behind it.
    pub asleep: bool,
    /// The reasons for which it would not have taken every interrupt.
    pub holds: Vec<Held>,
}

/// An interrupt that came behind the stimulus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waited {
    /// The core.
    pub core: usize,
    /// The exception's number.
    pub number: u16,
    /// The cycle at which it became pending.
    pub at: Cycles,
    /// The cycle at which its handler began, if that was before the span's end.
    pub taken: Option<Cycles>,
    /// The reasons that kept it waiting, in order.
    pub holds: Vec<Hold>,
}

/// The most interrupts that are kept of those that came behind the stimulus.
const MOST_WAITED: usize = 64;

/// One arrival, looked at in a run of its own from reset.
#[derive(Clone, Debug)]
pub struct Look {
    /// The span's occurrence.
    pub sample: Sample,
    /// The cores at the moment of each stimulus.
    pub stands: Vec<Stand>,
    /// The interrupts that came behind the stimulus, up to the span's end.
    pub waited: Vec<Waited>,
    /// The span's cycles by function.
    pub account: Account,
    /// The longest time in which each interrupt could not be taken, from [`Look::from`] to the span's end.
    pub stretches: Vec<Stretch>,
    /// The cycle from which on stretches were looked for.
    pub from: Cycles,
}

/// Looks at the run while it goes on.
struct Looker<'i> {
    steps: Steps,
    attribution: CoreAttributions<'i>,
    /// The cycles from which on instructions are counted, and from which on each is looked at.
    counts_from: Cycles,
    looks_from: Cycles,
    /// The span's events, and the cycles between which it lies.
    events: (usize, usize),
    span: (Cycles, Cycles),
    arrival: Arrival,
    /// The last boundary of each core, and the reasons there.
    last: [Option<Boundary>; 2],
    holds: [Vec<Held>; 2],
    stands: Vec<Stand>,
    /// Interrupts that came, each with the cycle at which a reason was added last.
    waited: Vec<(Waited, Cycles)>,
    stretches: Stretches,
}

impl Looker<'_> {
    /// Notes an interrupt that comes behind the stimulus or is taken.
    fn note(&mut self, at: Cycles, core: usize, signal: Signal) {
        match signal {
            Signal::ExceptionPended { number } if at >= self.arrival.earliest() && self.waited.len() < MOST_WAITED => {
                self.waited.push((Waited { core, number, at, taken: None, holds: Vec::new() }, Cycles::ZERO));
            }
            Signal::ExceptionEntered { number } => {
                let of =
                    |(one, _): &&mut (Waited, Cycles)| (one.core, one.number) == (core, number) && one.taken.is_none();
                if let Some((one, added)) = self.waited.iter_mut().find(of) {
                    one.taken = Some(at);
                    // Its own handler, which has begun, was seen before the signal.
                    if *added >= at {
                        one.holds.pop();
                    }
                }
            }
            _ => {}
        }
    }

    fn look(
        last: &mut [Option<Boundary>; 2],
        holds: &mut [Vec<Held>; 2],
        stands: &mut Vec<Stand>,
        stretches: &mut Stretches,
        arrival: Arrival,
        (machine, boundary): (&Machine, Boundary),
    ) {
        let core = boundary.core;
        for (stimulus, at) in arrival.cycles().enumerate() {
            let known = stands.iter().any(|stand| (stand.stimulus, stand.core) == (stimulus, core));
            if let Some(before) = last[core].filter(|before| !known && before.at <= at && boundary.at > at) {
                // What is asleep, or waits behind the instruction that put it to sleep.
                let pc = if before.asleep { before.before } else { before.pc };
                let holds = holds[core].clone();
                stands.push(Stand { stimulus, at, core, pc, asleep: before.asleep, holds });
            }
        }
        let first = last[core].is_none();
        let known = std::mem::take(&mut holds[core]);
        holds[core] = (machine.holds(core).into_iter())
            .map(|hold| {
                let since = known.iter().find(|held| held.hold == hold).map(|held| held.since);
                Held { hold, since: since.unwrap_or((!first).then_some((boundary.at, boundary.before))) }
            })
            .collect();
        stretches.look(machine, boundary);
        last[core] = Some(boundary);
    }
}

impl Observer for Looker<'_> {
    fn step(&mut self, machine: &mut Machine, until: Cycles) -> Stop {
        let now = machine.now();
        if now < self.counts_from.min(self.looks_from) {
            return machine.run(until.min(self.counts_from).min(self.looks_from));
        }
        if now < self.looks_from {
            return machine.run_into(until.min(self.looks_from), &mut self.attribution);
        }
        let Self { steps, attribution, last, holds, stands, waited, stretches, arrival, .. } = self;
        steps.run(machine, until, attribution, |machine, boundary| {
            let waiting = waited.iter_mut().filter(|(one, _)| one.core == boundary.core && one.taken.is_none());
            for (one, added) in waiting {
                let hold = machine.held(one.core, one.number).filter(|hold| one.holds.last() != Some(hold));
                *added = hold.map_or(*added, |_| boundary.at);
                one.holds.extend(hold);
            }
            Self::look(last, holds, stands, stretches, *arrival, (machine, boundary));
        })
    }

    fn signal(&mut self, at: Cycles, core: u8, signal: Signal) {
        self.steps.signal(core, signal);
        self.attribution.signal(at, core, signal);
        if at >= self.looks_from
            && let Signal::ExceptionPended { number } | Signal::ExceptionEntered { number } = signal
        {
            self.stretches.came(usize::from(core), number);
        }
        self.note(at, usize::from(core), signal);
    }

    fn happened(&mut self, event: usize, at: Cycles, _: Picoseconds) {
        // One event may be both.
        if event == self.events.1 && at == self.span.1 && self.attribution.is_open() {
            self.attribution.close(at);
        } else if event == self.events.0 && at == self.span.0 && !self.attribution.is_open() {
            self.attribution.open(at);
        }
    }

    fn stopped(&mut self, core: u8, pc: Address, stack_pointer: Address) {
        self.attribution.stopped(core, pc, stack_pointer);
    }
}

/// Runs `question` from its start with the one arrival `arrival`, and looks at the occurrence `found` of the span at `place`.
/// `looks_from` is the first cycle of the windows. Returns the session of that run too, which stands at its end.
///
/// # Errors
/// [`WorstError::Disagrees`] if the run takes another time than `found`.
pub fn look_at(
    question: Question<'_>,
    image: &Image,
    (arrival, place, found): (Arrival, usize, Sample),
    looks_from: Cycles,
) -> Result<(Look, Session<'static>), WorstError> {
    let mut session = question.begin.session();
    for (index, at) in arrival.cycles().enumerate() {
        session.arrive(index, at);
    }
    session.want(SignalKind::Sleep);
    session.want(SignalKind::Exception);
    let span = question.spans.get(place).copied().unwrap_or_default();
    session.end_with(&[span], arrival.earliest());
    let ahead = |at: Cycles| at.saturating_sub(Cycles::new(AHEAD));
    let exceptions = session.machine().exceptions();
    let cores = session.machine().cores();
    let from = ahead(looks_from);
    let mut looker = Looker {
        steps: Steps::default(),
        attribution: CoreAttributions::new(image, cores),
        counts_from: ahead(found.start),
        looks_from: from,
        events: session.span_events(span).unwrap_or_default(),
        span: (found.start, found.start.saturating_add(found.cycles)),
        arrival,
        last: [None; 2],
        holds: Default::default(),
        stands: Vec::new(),
        waited: Vec::new(),
        stretches: Stretches::new(session.machine().interrupts()),
    };
    let limits = Limits::until(question.limit, Pace::POLL);
    while !matches!(
        session.run_observed(limits, &mut looker, |_| false),
        crate::limits::End::Satisfied | crate::limits::End::Limit | crate::limits::End::Stopped(_)
    ) {}
    let sample = session.ended_behind(span, arrival.earliest()).ok().flatten();
    let Some(sample) = sample.filter(|sample| *sample == found) else {
        let alone = sample.map_or(0, |sample| sample.cycles.get());
        return Err(WorstError::Disagrees { at: arrival.earliest(), found: found.cycles.get(), alone });
    };
    looker.stands.sort_by_key(|stand| (stand.stimulus, stand.core));
    let account = looker.attribution.account(&exceptions);
    let waited = looker.waited.into_iter().map(|(one, _)| one).collect();
    let stretches = looker.stretches.finish(&looker.last);
    Ok((Look { sample, stands: looker.stands, waited, account, stretches, from }, session))
}
