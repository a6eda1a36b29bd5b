//! Stores to registers that wait for a shared bus, and the cycles ahead of a pipeline in which they and others come to it.
//!
//! Such a store leaves the pipeline before the bus carries it out, and what the core does meanwhile decides when that is: it fetches
//! over the same bus, branches, takes interrupts. So it is kept here until the pipeline comes to the cycle. All else of the pipeline
//! that has a cycle of its own waits in a stage: that cycle is found ahead, with the events and stores that come before it.

use std::collections::VecDeque;

use cyclescope_engine::Execute as _;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Access, Bus, GapKind, Peripherals};

use crate::cpu::Cpu;
use crate::pipeline::Pipeline;

/// The most cycles that anything takes to come to the bus or to be executed: far more than lines that are loaded before it.
const MOST: usize = 4000;

/// The stores that wait, the oldest first: each with its value, and a time that does not count.
pub(crate) type Stores = VecDeque<(Access, u32)>;

impl Cpu {
    /// Keeps the store of `value` if it happens later. `store.at` does not count then.
    pub(super) fn defer(&mut self, store: Access, value: u32) -> bool {
        self.settle_pipeline();
        let defers = self.pipeline.as_mut().is_some_and(|pipeline| pipeline.defer(store.address.get()));
        if defers {
            self.stores.push_back((store, value & store.width.mask()));
        }
        defers
    }

    /// Carries out the oldest store in the cycle `at`.
    #[cold]
    fn carry_out<P: Peripherals>(&mut self, bus: &mut Bus<P>, at: u64) {
        let Some((store, value)) = self.stores.pop_front() else { return };
        let store = Access { at: Cycles::new(at), ..store };
        self.reach(bus, store);
        if bus.write(store, value).is_err() {
            // The bus acknowledges it all the same.
            let (_, mut context) = bus.with_context(store.at, store.pc);
            context.gap(GapKind::RegisterWrite, "address without register");
        }
        self.accessed(bus, store, true);
        self.is_unsettled(bus);
    }

    /// Does what comes before the cycle that `pipeline` passes next: events that are due, and a store that the bus carries out.
    #[inline]
    pub(super) fn before_cycle<P: Peripherals>(&mut self, bus: &mut Bus<P>, pipeline: &Pipeline) -> bool {
        if pipeline.cycle >= self.horizon {
            self.run_events(bus, pipeline.cycle);
        }
        let carries_out = !self.stores.is_empty() && pipeline.carries_out();
        if carries_out {
            self.carry_out(bus, pipeline.cycle);
        }
        carries_out
    }

    /// Carries out all stores at once if none is on its way any more: `pipeline` has been emptied.
    #[inline]
    pub(super) fn recover_stores<P: Peripherals>(&mut self, bus: &mut Bus<P>, pipeline: &Pipeline) {
        while !self.stores.is_empty() && pipeline.has_no_stores() {
            self.carry_out(bus, pipeline.cycle);
        }
    }

    /// Passes cycles ahead of the pipeline until `found`: events that are due happen meanwhile, and stores that the bus carries out.
    /// Returns that cycle.
    fn ahead<P: Peripherals>(&mut self, bus: &mut Bus<P>, found: impl Fn(&Self, &Pipeline) -> bool) -> Option<u64> {
        self.settle_pipeline();
        let mut ahead = self.pipeline.as_ref()?.seeker();
        for _ in 0..MOST {
            if found(self, &ahead) {
                return Some(ahead.cycle);
            }
            if self.before_cycle(bus, &ahead) {
                ahead.has_carried_out();
                if let Some(pipeline) = &mut self.pipeline {
                    pipeline.has_carried_out();
                }
            }
            ahead.pass(&self.around(bus));
        }
        None
    }

    /// The cycle in which the latest instruction is executed, in a pipeline; what comes before has happened.
    pub(super) fn executes_at<P: Peripherals>(&mut self, bus: &mut Bus<P>) -> Option<u64> {
        self.pipeline.as_ref()?;
        let at = self.ahead(bus, |_, ahead| ahead.has_executed() || ahead.has_passed());
        Some(at.map_or_else(|| self.next_cycle(), |cycle| cycle - 1))
    }

    /// The cycle in which the bus carries out the latest instruction, a load or a store that is not deferred, or in which that is
    /// executed if it does not come to the bus; what comes before has happened.
    pub(super) fn asks_at<P: Peripherals>(&mut self, bus: &mut Bus<P>) -> u64 {
        let at = |ahead: &Pipeline| ahead.is_carried_out() || ahead.has_passed();
        self.ahead(bus, |_, ahead| at(ahead)).unwrap_or_else(|| self.next_cycle())
    }

    fn next_cycle(&self) -> u64 {
        // It is in no phase behind `ahead`.
        self.pipeline.as_ref().map_or(self.now, |pipeline| pipeline.cycle)
    }

    /// Carries out stores that come to the bus while the latest instruction, a WFI, waits.
    pub(super) fn finish_stores_of_sleep<P: Peripherals>(&mut self, bus: &mut Bus<P>) {
        if !self.stores.is_empty() {
            self.ahead(bus, |cpu, ahead| cpu.stores.is_empty() || ahead.has_executed());
        }
    }

    /// Carries out all stores before the host looks at their effects.
    pub(crate) fn finish_stores<P: Peripherals>(&mut self, bus: &mut Bus<P>) {
        if !self.stores.is_empty() {
            self.ahead(bus, |cpu, _| cpu.stores.is_empty());
        }
        while !self.stores.is_empty() {
            self.carry_out(bus, self.next_cycle());
        }
    }
}
