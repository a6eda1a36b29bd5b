//! Lines inside a part over which one block starts another: a timer's TRGO, an edge that the external interrupts have seen.
//!
//! A block says which signals of which blocks its inputs hear ([`Env::hear`]), and a block that makes such signals makes
//! only those that somebody hears: one that nobody hears costs nothing.

use crate::framework::Env;
use crate::{Effect, Words};

/// A signal of a block: the block's name in the part, and the signal's.
pub type Trigger = (&'static str, &'static str);

/// An input of a block and what it hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Heard {
    slot: u16,
    input: u8,
    from: Trigger,
    /// The level that the input has got last.
    high: bool,
}

/// The triggers that somebody hears at the moment.
#[derive(Clone, Debug, Default)]
pub struct Triggers {
    heard: Vec<Heard>,
}

impl Triggers {
    /// The inputs that hear `signal` of the block `block`: slot and number.
    pub fn hearers(&self, block: &str, signal: &str) -> impl Iterator<Item = (u16, u8)> {
        self.heard
            .iter()
            .filter(move |heard| heard.from.0 == block && heard.from.1 == signal)
            .map(|heard| (heard.slot, heard.input))
    }

    /// `signal` of the block `block` has the level `high` now; returns the inputs that had the other one.
    pub fn change(&mut self, block: &str, signal: &str, high: bool) -> Vec<(u16, u8)> {
        let heard = self.heard.iter_mut().filter(|heard| heard.from.0 == block && heard.from.1 == signal);
        let changed = heard.filter(|heard| heard.high != high);
        changed
            .map(|heard| {
                heard.high = high;
                (heard.slot, heard.input)
            })
            .collect()
    }

    /// True if somebody hears `signal` of the block `block`.
    pub fn is_heard(&self, block: &str, signal: &str) -> bool {
        !self.heard.is_empty() && self.hearers(block, signal).next().is_some()
    }
}

impl Env<'_, '_, Words> {
    /// The block's trigger input `input` hears `from` from now on, or nothing. Both ends of a change are told: see
    /// [`Block::heard`](crate::Block::heard).
    pub fn hear(&mut self, input: u8, from: Option<Trigger>) {
        let slot = self.slot;
        let known = &mut self.wires.triggers.heard;
        let place = known.iter().position(|heard| (heard.slot, heard.input) == (slot, input));
        let before = place.map(|place| known[place].from);
        if before == from {
            return;
        }
        if let Some(place) = place {
            known.remove(place);
        }
        known.extend(from.map(|from| Heard { slot, input, from, high: false }));
        for (block, _) in [before, from].into_iter().flatten() {
            self.effect(Effect::Heard { block });
        }
    }

    /// True if somebody hears the block's trigger `signal`.
    pub fn is_heard(&self, signal: &str) -> bool {
        self.wires.triggers.is_heard(self.instance.name, signal)
    }

    /// The block's trigger `signal` has the level `high`. It may be told again, as to somebody who hears it from now on
    /// ([`Block::heard`](crate::Block::heard)): only those hear it who had the other one.
    pub fn trigger(&mut self, signal: &'static str, high: bool) {
        if self.is_heard(signal) {
            self.effect(Effect::Trigger { signal, high });
        }
    }

    /// A pulse of the block's trigger `signal`, too short to matter.
    pub fn pulse(&mut self, signal: &'static str) {
        self.trigger(signal, true);
        self.trigger(signal, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_is_heard_by_its_two_names() {
        let heard = [(4, 0, ("TIM3", "TRGO")), (5, 1, ("TIM3", "TRGO")), (4, 1, ("TIM2", "TRGO"))];
        let heard = heard.map(|(slot, input, from)| Heard { slot, input, from, high: false }).to_vec();
        let mut triggers = Triggers { heard };
        assert_eq!(triggers.hearers("TIM3", "TRGO").collect::<Vec<_>>(), [(4, 0), (5, 1)]);
        assert!(triggers.is_heard("TIM2", "TRGO") && !triggers.is_heard("TIM2", "CH1"));
        triggers.heard[1].high = true;
        assert_eq!(triggers.change("TIM3", "TRGO", true), [(4, 0)], "the other one has it already");
        assert!(triggers.change("TIM3", "TRGO", true).is_empty());
        assert_eq!(triggers.change("TIM3", "TRGO", false), [(4, 0), (5, 1)]);
    }
}
