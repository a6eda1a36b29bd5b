//! Stimuli from outside that a part has yet to receive.

use std::collections::VecDeque;

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{EventId, EventQueue, Stimulus};

/// The event under which stimuli come, beyond all blocks' own. At its cycle it comes first, whenever it was asked for.
pub(crate) const STIMULUS: EventId = EventId { priority: 0, number: 0xFF00 };

/// Stimuli to come, the next one first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stimuli {
    entries: VecDeque<(Cycles, Stimulus)>,
}

impl Stimuli {
    /// Adds `stimulus` at the cycle `at`, after those already there at that cycle. Quick where stimuli come in order.
    pub(crate) fn add(&mut self, at: Cycles, stimulus: Stimulus, events: &mut EventQueue) {
        let place = match self.entries.back() {
            Some((last, _)) if *last > at => self.entries.partition_point(|(other, _)| *other <= at),
            _ => self.entries.len(),
        };
        self.entries.insert(place, (at, stimulus));
        self.schedule(events);
    }

    /// Takes the next one that is due at `now`.
    pub(crate) fn due(&mut self, now: Cycles) -> Option<Stimulus> {
        self.entries.pop_front_if(|(at, _)| *at <= now).map(|(_, stimulus)| stimulus)
    }

    pub(crate) fn schedule(&self, events: &mut EventQueue) {
        match self.entries.front() {
            Some((at, _)) => events.schedule(*at, STIMULUS),
            None => events.cancel(STIMULUS),
        }
    }
}
