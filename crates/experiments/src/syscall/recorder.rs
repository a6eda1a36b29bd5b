//! Calls as they happen: from event to event, and whose the instructions between are.

use std::collections::HashMap;
use std::sync::Arc;

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles, Instructions, Picoseconds};
use cyclescope_machine::{Position, Retire, Signal, SignalKind, Sink, State, Stop};
use cyclescope_scope::{Attribution, Cost, Event, EventError, Names, Observer, Resolved, Session};
use serde::Deserialize;

use super::parts::Parts;
use crate::definition::{parsed, parsed_if_any};

/// A call as events.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The name.
    pub name: String,
    /// The event that must happen before `from` counts, each time.
    #[serde(default, deserialize_with = "parsed_if_any")]
    pub after: Option<Event>,
    /// The first event: the trap.
    #[serde(deserialize_with = "parsed")]
    pub from: Event,
    /// The first instruction of what answers the trap; none: that of the first exception after `from`.
    #[serde(default, deserialize_with = "parsed_if_any")]
    pub vector: Option<Event>,
    /// The event that it leads to: the driver's first instruction.
    #[serde(deserialize_with = "parsed")]
    pub to: Event,
    /// The instruction behind the trap.
    #[serde(default, deserialize_with = "parsed_if_any")]
    pub back: Option<Event>,
}

/// When something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The cycle.
    pub at: Cycles,
    /// The instructions before it.
    pub instructions: Instructions,
}

impl Moment {
    /// Returns the cost from `earlier` to this.
    pub fn since(self, earlier: Self) -> Cost {
        Cost { instructions: self.instructions - earlier.instructions, cycles: self.at - earlier.at }
    }
}

/// One time that a call was made.
#[derive(Clone, Debug)]
pub struct Occurrence {
    pub from: Moment,
    /// None where no exception was taken.
    pub vector: Option<Moment>,
    pub to: Moment,
    /// The driver's end, if it is a function.
    pub left: Option<Moment>,
    pub back: Option<Moment>,
    /// The cost of each part from `from` to the end, in the order of [`Parts::names`]; their sum is the call.
    pub parts: Vec<Cost>,
    /// The cost of each part of functions inside others, which count it.
    pub within: Vec<Cost>,
}

impl Occurrence {
    /// Its last moment: back, or where nobody asked for that, at the driver.
    pub fn end(&self) -> Moment {
        self.back.unwrap_or(self.to)
    }
}

/// The indices of a call's events.
#[derive(Clone, Copy, Debug)]
struct Watched {
    after: Option<usize>,
    from: usize,
    vector: Option<usize>,
    to: usize,
    left: Option<usize>,
    back: Option<usize>,
}

/// Whose the instructions of a stretch are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stretch {
    /// Before the vector.
    Trap,
    /// To the driver and back.
    Way,
    /// The driver.
    Driver,
}

/// A call under way.
#[derive(Clone, Debug)]
struct Open {
    from: Moment,
    vector: Option<Moment>,
    to: Option<Moment>,
    left: Option<Moment>,
    /// The trap's exception.
    trap: Option<u16>,
    parts: Vec<Cost>,
    within: Vec<Cost>,
}

/// One call's occurrences.
pub struct Tracker<'i> {
    watched: Watched,
    attribution: Attribution<'i>,
    /// The cost of each path before the stretch under way.
    counted: HashMap<Vec<Arc<str>>, Cost>,
    armed: bool,
    open: Option<Open>,
    /// All that are complete.
    pub occurrences: Vec<Occurrence>,
    /// The first time that it ended before it had begun.
    pub ended_first: Option<Cycles>,
    /// The number of times that it began anew before it had ended.
    pub again: u64,
}

impl Tracker<'_> {
    /// Since when it is under way, and what comes next of `call`.
    pub fn unfinished<'c>(&self, call: &'c Call) -> Option<(Cycles, String, &'c Event)> {
        let open = self.open.as_ref()?;
        let (next, event) = match (open.to, &call.back) {
            (None, _) | (_, None) => (call.to.to_string(), &call.to),
            (Some(_), Some(back)) if open.left.is_none() && self.watched.left.is_some() => {
                (format!("the end of {}", call.to), back)
            }
            (Some(_), Some(back)) => (back.to_string(), back),
        };
        Some((open.from.at, next, event))
    }
}

/// Follows calls while a session runs.
pub struct Recorder<'i> {
    parts: Parts,
    exceptions: Vec<(u16, &'static str)>,
    /// Some events may happen while an instruction is under way, which must be known then.
    follows: bool,
    now: Moment,
    most: usize,
    pub trackers: Vec<Tracker<'i>>,
}

/// An event that the image or the part does not have.
#[derive(Debug)]
pub struct Lacking {
    /// The event.
    pub event: Event,
    /// Why.
    pub error: EventError,
}

impl<'i> Recorder<'i> {
    /// Watches in `session` for the events of `calls`, each up to `most` times.
    ///
    /// # Errors
    /// The first event that the image or the part does not have.
    pub fn new(
        session: &mut Session<'_>,
        image: &'i Image,
        calls: &[Call],
        parts: Parts,
        most: usize,
    ) -> Result<Self, Lacking> {
        let exceptions = session.target().exceptions();
        let names: Names<'_> = &exceptions;
        session.want(SignalKind::Exception);
        session.want(SignalKind::Sleep);
        let mut trackers = Vec::new();
        for call in calls {
            let mut watch = |event: &Event| {
                let lacking = |error| Lacking { event: event.clone(), error };
                session.watch_event(event, image, names).map_err(lacking)
            };
            let mut watched = Watched {
                after: call.after.as_ref().map(&mut watch).transpose()?,
                from: watch(&call.from)?,
                vector: call.vector.as_ref().map(&mut watch).transpose()?,
                to: watch(&call.to)?,
                left: None,
                back: call.back.as_ref().map(&mut watch).transpose()?,
            };
            // A function's end is where its caller goes on.
            let entry = match call.to.resolve(image, names) {
                Ok(Resolved::At(entry)) => Some(entry),
                _ => None,
            };
            watched.left = entry.filter(|_| call.back.is_some()).map(|entry| session.watch(Resolved::Left(entry)));
            trackers.push(Tracker {
                watched,
                attribution: Attribution::new(image),
                counted: HashMap::new(),
                armed: false,
                open: None,
                occurrences: Vec::new(),
                ended_first: None,
                again: 0,
            });
        }
        let events = |call: &Call| {
            let all = [&call.after, &call.vector, &call.back].map(Option::as_ref);
            all.into_iter().flatten().chain([&call.from, &call.to]).any(Event::comes_inside)
        };
        let follows = calls.iter().any(events);
        let now = moment(session.target());
        let mut recorder = Self { parts, exceptions, follows, now, most, trackers };
        let Position { pc, stack_pointer, .. } = session.target().position(CORE.into());
        Observer::stopped(&mut recorder, CORE, pc, stack_pointer);
        Ok(recorder)
    }

    /// The parts that are told apart.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The moment of what happened at `at`: of an instruction under way the next event's side has the cycles only.
    fn moment(&self, at: Cycles) -> Moment {
        let inside = u64::from(at < self.now.at);
        Moment { at, instructions: Instructions::new(self.now.instructions.get().saturating_sub(inside)) }
    }
}

/// The parts of a recorder that a tracker needs.
#[derive(Clone, Copy)]
struct Context<'a> {
    parts: &'a Parts,
    exceptions: &'a [(u16, &'static str)],
}

impl Tracker<'_> {
    fn began(&mut self, from: Moment, parts: usize) {
        self.armed = false;
        let none = vec![Cost::default(); parts];
        self.open =
            Some(Open { from, vector: None, to: None, left: None, trap: None, parts: none.clone(), within: none });
        self.attribution.open(from.at);
    }

    /// Ends a stretch at `at` and begins the next one there.
    fn cut(&mut self, at: Cycles, stretch: Stretch, context: Context<'_>) {
        self.close(at, stretch, context);
        self.attribution.open(at);
    }

    /// Ends a stretch.
    fn close(&mut self, at: Cycles, stretch: Stretch, context: Context<'_>) {
        self.attribution.close(at);
        let mut now: HashMap<Vec<Arc<str>>, Cost> = HashMap::new();
        for path in self.attribution.paths(context.exceptions) {
            now.entry(path.functions).or_default().add(path.own);
        }
        let Some(open) = &mut self.open else { return };
        let trap = open.trap.map(|number| {
            let known = context.exceptions.iter().find(|(other, _)| *other == number);
            format!("(exception {})", known.map_or_else(|| number.to_string(), |(_, name)| (*name).to_owned()))
        });
        for (path, cost) in &now {
            let before = self.counted.get(path).copied().unwrap_or_default();
            let cost =
                Cost { instructions: cost.instructions - before.instructions, cycles: cost.cycles - before.cycles };
            let whose = context.parts.whose(path, trap.as_deref());
            let (part, within) = match stretch {
                Stretch::Trap => (context.parts.entry(), None),
                Stretch::Way => (whose.part, whose.within),
                Stretch::Driver => (context.parts.driver(), context.parts.of_functions(whose)),
            };
            open.parts[part].add(cost);
            if let Some(within) = within {
                open.within[within].add(cost);
            }
        }
        self.counted = now;
    }

    fn finish(&mut self, back: Option<Moment>) {
        if let Some(Open { from, vector, to: Some(to), left, parts, within, .. }) = self.open.take() {
            self.occurrences.push(Occurrence { from, vector, to, left, back, parts, within });
        }
    }

    /// Tells if the trap's vector is still to come.
    fn at_trap(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.vector.is_none() && open.to.is_none())
    }

    fn at_vector(&mut self, moment: Moment, context: Context<'_>) {
        self.cut(moment.at, Stretch::Trap, context);
        if let Some(open) = &mut self.open {
            open.vector = Some(moment);
        }
    }

    fn signal(&mut self, moment: Moment, signal: Signal, context: Context<'_>) {
        self.attribution.signal(moment.at, signal);
        if let (Signal::ExceptionEntered { number }, true) = (signal, self.at_trap()) {
            if let Some(open) = &mut self.open {
                open.trap.get_or_insert(number);
            }
            if self.watched.vector.is_none() {
                self.at_vector(moment, context);
            }
        }
    }

    fn happened(&mut self, event: usize, moment: Moment, context: Context<'_>) {
        let Watched { after, from, vector, to, left, back } = self.watched;
        if self.at_trap() && vector == Some(event) {
            self.at_vector(moment, context);
        }
        let stage = self.open.as_ref().map(|open| (open.to.is_some(), open.left.is_some()));
        match stage {
            None => {
                if event == to && self.occurrences.is_empty() {
                    self.ended_first.get_or_insert(moment.at);
                }
            }
            Some((false, _)) if event == to => {
                self.cut(moment.at, Stretch::Way, context);
                if let Some(open) = &mut self.open {
                    open.to = Some(moment);
                }
                if back.is_none() {
                    self.close(moment.at, Stretch::Way, context);
                    self.finish(None);
                }
            }
            Some((true, false)) if left == Some(event) => {
                self.cut(moment.at, Stretch::Driver, context);
                if let Some(open) = &mut self.open {
                    open.left = Some(moment);
                }
            }
            Some((true, was_left)) if back == Some(event) && (was_left || left.is_none()) => {
                self.close(moment.at, Stretch::Way, context);
                self.finish(Some(moment));
            }
            Some((false, _)) if event == from => self.again += 1,
            Some(_) => {}
        }
        if self.open.is_none() {
            if event == from && (self.armed || after.is_none()) {
                self.began(moment, context.parts.names().len());
            }
            self.armed |= after == Some(event);
        }
    }
}

/// The core whose calls are followed.
const CORE: u8 = 0;

/// Hands instructions of the core that is followed to the calls under way.
struct Sinks<'a, 'i> {
    trackers: &'a mut [Tracker<'i>],
    follows: bool,
    core: u8,
}

impl Sinks<'_, '_> {
    fn each(&mut self, tell: impl Fn(&mut Attribution<'_>)) {
        if self.core != CORE {
            return;
        }
        for tracker in self.trackers.iter_mut() {
            if self.follows || tracker.attribution.is_open() {
                tell(&mut tracker.attribution);
            }
        }
    }
}

impl Sink for Sinks<'_, '_> {
    const OBSERVES: bool = true;

    fn retire(&mut self, retire: Retire) {
        self.each(|one| one.retire(retire));
    }

    fn state(&mut self, state: State<'_>) {
        self.each(|one| one.state(state));
    }

    fn turn_to(&mut self, core: u8) {
        self.core = core;
    }
}

/// Returns the present of the core that is followed.
fn moment(machine: &Machine) -> Moment {
    let Position { now, instructions, .. } = machine.position(CORE.into());
    Moment { at: now, instructions }
}

impl Observer for Recorder<'_> {
    fn step(&mut self, machine: &mut Machine, until: Cycles) -> Stop {
        let stop = match self.follows || self.trackers.iter().any(|tracker| tracker.attribution.is_open()) {
            true => {
                let sinks = &mut Sinks { trackers: &mut self.trackers, follows: self.follows, core: CORE };
                machine.run_into(until, sinks)
            }
            false => machine.run(until),
        };
        self.now = moment(machine);
        stop
    }

    fn signal(&mut self, at: Cycles, core: u8, signal: Signal) {
        if core != CORE {
            return;
        }
        let moment = self.moment(at);
        let context = Context { parts: &self.parts, exceptions: &self.exceptions };
        self.trackers.iter_mut().for_each(|tracker| tracker.signal(moment, signal, context));
    }

    fn happened(&mut self, event: usize, at: Cycles, _: Picoseconds) {
        let moment = self.moment(at);
        let context = Context { parts: &self.parts, exceptions: &self.exceptions };
        let most = self.most;
        let wanted = self.trackers.iter_mut().filter(|tracker| tracker.occurrences.len() < most);
        wanted.for_each(|tracker| tracker.happened(event, moment, context));
    }

    fn stopped(&mut self, core: u8, pc: Address, stack_pointer: Address) {
        if core == CORE {
            self.trackers.iter_mut().for_each(|tracker| tracker.attribution.stopped(pc, stack_pointer));
        }
    }

    fn is_done(&self) -> bool {
        self.trackers.iter().all(|tracker| tracker.occurrences.len() >= self.most)
    }
}
