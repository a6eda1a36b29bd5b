//! The run loop between instructions: events, faults, stops, sleep, interrupts, and the next horizon.

use cyclescope_machine::{Bus, Stop};

use crate::core::Core;
use crate::instruction_set::{Hooks, Rest, Turn};

impl<I: Hooks<P>, P> Core<I, P> {
    /// Does everything that is due now, and sets the horizon up to which nothing more can happen; the reason if the run stops.
    #[cold]
    pub(crate) fn service(&mut self, bus: &mut Bus<P>, until: u64) -> Option<Stop> {
        loop {
            self.cpu.settle(bus);
            self.code.refresh(&mut bus.memory, self.cpu.guards_data());
            self.fetch_key = self.cpu.fetch_key();
            self.set_margin(bus);
            match self.cpu.pending_fault(bus) {
                Turn::Settled => {}
                Turn::Again => continue,
                Turn::Stop(stop) => return Some(stop),
            }
            if let Some(stop) = self.asked_to_stop(bus) {
                return Some(stop);
            }
            // What concerns the other core is not this one's to do.
            if bus.shared.interrupts.called().is_some() {
                return Some(Stop::Horizon);
            }
            // From now on each access is to be seen.
            if bus.shared.traffic.take_began() && bus.shared.turns.are_several() {
                return Some(Stop::Horizon);
            }
            match self.cpu.rest(bus, until) {
                Rest::Awake => {}
                Rest::Woken => continue,
                Rest::Halted(stop) => return Some(stop),
                Rest::Until(wakes_at) => {
                    let now = self.cpu.progress().now;
                    let next = self.cpu.next_event(bus).min(wakes_at);
                    if next == u64::MAX {
                        return Some(Stop::Deadlock(self.cpu.pc()));
                    }
                    if now >= until {
                        return Some(Stop::Horizon);
                    }
                    self.cpu.sleep_until(next.min(until).max(now));
                    continue;
                }
            }
            if self.cpu.progress().now >= until {
                return Some(Stop::Horizon);
            }
            match self.cpu.take_pending(bus) {
                Turn::Settled => {}
                Turn::Again => continue,
                Turn::Stop(stop) => return Some(stop),
            }
            let (now, horizon) = (self.cpu.progress().now, self.cpu.next_event(bus).min(until));
            if horizon > now {
                // One that must run by itself is looked behind.
                *self.cpu.progress_mut().horizon = if self.cpu.is_careful() { now + 1 } else { horizon };
                return None;
            }
        }
    }

    /// The reason if the guest or who watches it wants the run to stop.
    pub(crate) fn asked_to_stop(&mut self, bus: &mut Bus<P>) -> Option<Stop> {
        if let Some(cause) = bus.shared.reset.take() {
            return Some(Stop::Reset(cause));
        }
        if let Some(code) = self.cpu.take_exit() {
            return Some(Stop::Exit(code));
        }
        if bus.shared.signals.stop() {
            return Some(Stop::Signal);
        }
        bus.shared.console.over_budget().then_some(Stop::OutputBudget)
    }
}
