//! What the outside is yet to do to a part.

use std::collections::VecDeque;

use cyclescope_machine::{EventId, EventQueue, Stimulus};
use cyclescope_units::Cycles;

/// The event under which stimuli come, beyond all blocks' own. At its cycle it comes first, whenever it was asked for.
pub(super) const STIMULUS: EventId = EventId { priority: 0, number: 0xFF00 };

/// Stimuli to come, the next one first.
#[derive(Clone, Debug, Default)]
pub(super) struct Stimuli(VecDeque<(Cycles, Stimulus)>);

impl Stimuli {
    /// Adds `stimulus` at the cycle `at`, after those already there at that cycle.
    pub(super) fn add(&mut self, at: Cycles, stimulus: Stimulus, events: &mut EventQueue) {
        let behind = self.0.iter().rev().take_while(|(other, _)| *other > at).count();
        self.0.insert(self.0.len() - behind, (at, stimulus));
        self.schedule(events);
    }

    /// Takes the next one that is due at `now`.
    pub(super) fn due(&mut self, now: Cycles) -> Option<Stimulus> {
        self.0.pop_front_if(|(at, _)| *at <= now).map(|(_, stimulus)| stimulus)
    }

    /// Has the next one come.
    pub(super) fn schedule(&self, events: &mut EventQueue) {
        match self.0.front() {
            Some((at, _)) => events.schedule(*at, STIMULUS),
            None => events.cancel(STIMULUS),
        }
    }
}
