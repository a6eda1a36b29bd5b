//! The owner of a part's devices: what it does whatever the bus.
//!
//! Blocks answer one at a time; what one does to another (a pin's edge, a DMA request, a new clock) it leaves as an
//! effect, carried out here after it has answered. Events that are due come before an access at the same or a later
//! cycle, so that everything happens in the order of time even inside an instruction.

use cyclescope_machine::{Context, EventId, GapKind, Peripherals, Pin, Stimulus};
use cyclescope_peripherals::Slots;
use cyclescope_peripherals::framework::{Block, Bus};

use crate::stimuli::{STIMULUS, Stimuli};

/// More effects than this after one access or event would be a loop in the wiring; the rest is dropped and counted.
const LIMIT: usize = 10_000;

/// The peripherals of a part.
pub(crate) trait Owner: Peripherals {
    type Bus: Bus;
    type Device: Block<Self::Bus> + Clone;

    /// The blocks.
    fn slots(&mut self) -> &mut Slots<Self::Bus, Self::Device>;

    /// Returns the stimuli from outside that are still to come.
    fn stimuli(&mut self) -> &mut Stimuli;

    /// Carries out `effect`, which the block in `slot` asked for.
    fn effect(&mut self, slot: usize, effect: <Self::Bus as Bus>::Effect, context: &mut Context<'_>);

    /// The outside does `stimulus` now.
    fn stimulus(&mut self, stimulus: Stimulus, context: &mut Context<'_>);

    /// Carries out all effects in order, those of effects included.
    #[inline]
    fn carry_out(&mut self, context: &mut Context<'_>) {
        if !self.slots().wires.effects.is_empty() {
            self.carry_out_all(context);
        }
    }

    /// The same where there are any.
    fn carry_out_all(&mut self, context: &mut Context<'_>) {
        let mut next = 0;
        while let Some(&(slot, effect)) = self.slots().wires.effects.get(next) {
            next += 1;
            if next >= LIMIT {
                context.gap(GapKind::Setting, "peripherals feed each other without end");
                break;
            }
            self.effect(usize::from(slot), effect, context);
        }
        self.slots().wires.effects.clear();
    }

    /// Handles the events due before an access; afterwards the context's time is the access's again.
    #[inline]
    fn catch_up(&mut self, context: &mut Context<'_>) {
        let now = context.now;
        while context.events.next_at() <= now {
            let Some((at, id)) = context.events.pop_due(now) else { break };
            context.now = at;
            self.event(id, context);
        }
        context.now = now;
    }

    /// The event `id` is due: of the outside, or of a block.
    fn come(&mut self, id: EventId, context: &mut Context<'_>) {
        if id == STIMULUS {
            while let Some(stimulus) = self.stimuli().due(context.now) {
                self.stimulus(stimulus, context);
                self.carry_out(context);
            }
            self.stimuli().schedule(context.events);
        } else {
            self.slots().event(id, context);
            self.carry_out(context);
        }
    }

    /// The board puts `levels` on pins, as the outside does.
    fn put_levels(&mut self, levels: &[(Pin, bool)], context: &mut Context<'_>) {
        for (pin, high) in levels {
            self.stimulus(Stimulus::Pin { pin: *pin, high: Some(*high) }, context);
            self.carry_out(context);
        }
    }
}
