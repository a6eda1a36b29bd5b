//! Stimuli from outside that a part has yet to receive.

use std::collections::VecDeque;

use cyclescope_machine::units::{Cycles, Picoseconds};
use cyclescope_machine::{EventId, EventQueue, Moment, Pin, Stimulus, Timebase};

/// The event under which stimuli come, beyond all blocks' own. At its cycle it comes first, whenever it was asked for.
pub(crate) const STIMULUS: EventId = EventId { priority: 0, number: 0xFF00 };

/// Stimuli to come. Those with a time stand apart from those with a cycle, because a change of the clock moves them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stimuli {
    at_cycles: Queue<Cycles>,
    at_times: Queue<Picoseconds>,
    /// The number of stimuli so far.
    asked: u64,
    /// The level applied last to each pin that a stimulus has driven.
    applied: Vec<(Pin, bool)>,
    /// The stimuli so far that put a pin to the level that it had, by pin and level.
    idle: Vec<(Pin, bool, u64)>,
}

/// Stimuli in order of their moments; with the number of each, by which those of one moment come.
type Queue<T> = VecDeque<(T, u64, Stimulus)>;

impl Stimuli {
    /// Adds `stimulus` at the moment `at`, after those already there at that moment. Quick where stimuli come in order.
    pub(crate) fn add(&mut self, at: Moment, stimulus: Stimulus) {
        let asked = self.keep_place();
        self.add_at_place(at, asked, stimulus);
    }

    /// Keeps a place in the order of stimuli of one moment: behind those already there, before all later ones.
    pub(crate) fn keep_place(&mut self) -> u64 {
        self.asked += 1;
        self.asked - 1
    }

    /// Adds `stimulus` at the moment `at`, at a place that was kept.
    pub(crate) fn add_at_place(&mut self, at: Moment, place: u64, stimulus: Stimulus) {
        match at {
            Moment::Cycle(at) => insert(&mut self.at_cycles, at, place, stimulus),
            Moment::Time(at) => insert(&mut self.at_times, at, place, stimulus),
        }
    }

    /// Takes back the stimulus at `place`, if it is still to come.
    pub(crate) fn withdraw(&mut self, place: u64) {
        self.at_cycles.retain(|(_, asked, _)| *asked != place);
        self.at_times.retain(|(_, asked, _)| *asked != place);
    }

    /// Takes the next one that is due at `now`.
    pub(crate) fn due(&mut self, now: Cycles, timebase: &Timebase) -> Option<Stimulus> {
        let by_cycle = self.at_cycles.front().map(|(at, asked, _)| (*at, *asked));
        let by_time = self.at_times.front().map(|(at, asked, _)| (timebase.cycle((*at).into()), *asked));
        let (at, _) = by_cycle.into_iter().chain(by_time).min()?;
        if at > now {
            return None;
        }
        let by_cycle_first = by_time.is_none_or(|by_time| by_cycle.is_some_and(|by_cycle| by_cycle < by_time));
        if by_cycle_first {
            take(&mut self.at_cycles, |at, period| Cycles::new(at.get().saturating_add(period)))
        } else {
            take(&mut self.at_times, |at, period| Picoseconds::new(at.get().saturating_add(period)))
        }
    }

    /// Schedules the event of the next one.
    pub(crate) fn schedule(&self, timebase: &Timebase, events: &mut EventQueue) {
        let by_cycle = self.at_cycles.front().map(|(at, ..)| *at);
        let by_time = self.at_times.front().map(|(at, ..)| timebase.cycle((*at).into()));
        match by_cycle.into_iter().chain(by_time).min() {
            Some(at) => events.schedule(at, STIMULUS),
            None => events.cancel(STIMULUS),
        }
    }

    /// Notes that a stimulus applies the level `high` to `pin`.
    pub(crate) fn apply(&mut self, pin: Pin, high: bool) {
        match self.applied.iter_mut().find(|(known, _)| *known == pin) {
            Some((_, level)) => *level = high,
            None => self.applied.push((pin, high)),
        }
    }

    /// Notes that a stimulus puts `pin` to the level `high`, which it has.
    pub(crate) fn note_idle(&mut self, pin: Pin, high: bool) {
        match self.idle.iter_mut().find(|(known, level, _)| (*known, *level) == (pin, high)) {
            Some((.., count)) => *count += 1,
            None => self.idle.push((pin, high, 1)),
        }
    }

    /// Returns the stimuli so far that put a pin to the level that it had: the pin, the level, their number.
    pub(crate) fn idle(&self) -> &[(Pin, bool, u64)] {
        &self.idle
    }

    /// Returns the level that a stimulus applied last to `pin`.
    pub(crate) fn applied(&self, pin: Pin) -> Option<bool> {
        self.applied.iter().find(|(known, _)| *known == pin).map(|(_, high)| *high)
    }
}

/// Takes the first one. One that comes again goes back to its next moment, which `later` computes.
fn take<T: Ord + Copy>(queue: &mut Queue<T>, later: impl Fn(T, u64) -> T) -> Option<Stimulus> {
    let (at, asked, stimulus) = queue.pop_front()?;
    if let Stimulus::Every { period, .. } = stimulus
        && later(at, period.max(1)) > at
    {
        insert(queue, later(at, period.max(1)), asked, stimulus.clone());
    }
    Some(stimulus)
}

fn insert<T: Ord + Copy>(queue: &mut Queue<T>, at: T, asked: u64, stimulus: Stimulus) {
    let place = match queue.back() {
        Some((last, before, _)) if (*last, *before) > (at, asked) => {
            queue.partition_point(|(other, before, _)| (*other, *before) <= (at, asked))
        }
        _ => queue.len(),
    };
    queue.insert(place, (at, asked, stimulus));
}
