//! Flash is asked for lines, and instructions wait for them.

use cyclescope_machine::{Bus, Peripherals};

use crate::code::{Fetch, FetchKind, FetchRun, Refill};
use crate::cpu::Cpu;

impl Cpu {
    /// Makes the fetches of `run`.
    pub(super) fn fetch_run<P: Peripherals>(&mut self, bus: &mut Bus<P>, run: &FetchRun) {
        // Those beside a barrier change nothing about where fetching begins.
        let refills = matches!(run.steps.first(), Some(Fetch { kind: FetchKind::Refill(_), .. }));
        let number = if refills || !self.refill { run.number } else { 0 };
        bus.memory.flash.interface_mut().begin_run(number, self.now, self.refill);
        self.fetch_each(bus, run.steps.iter());
        bus.memory.flash.interface_mut().end_run(self.now, run.last);
    }

    /// Makes those of the `fetches` that are made beside an instruction behind which the block is left.
    pub(super) fn fetch_beside<'a, P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        fetches: impl Iterator<Item = &'a Fetch>,
    ) {
        bus.memory.flash.interface_mut().write_out();
        self.fetch_each(bus, fetches.take_while(|fetch| matches!(fetch.kind, FetchKind::Request { .. })));
    }

    fn fetch_each<'a, P: Peripherals>(&mut self, bus: &mut Bus<P>, fetches: impl Iterator<Item = &'a Fetch>) {
        match (bus.memory.flash.interface().caches_many(), self.config.timing.fetches_aside) {
            (true, true) => fetches.for_each(|fetch| self.fetch::<P, true>(bus, *fetch)),
            (false, true) => fetches.for_each(|fetch| self.fetch::<P, false>(bus, *fetch)),
            (true, false) => fetches.for_each(|fetch| self.fetch_and_wait::<P, true>(bus, *fetch)),
            (false, false) => fetches.for_each(|fetch| self.fetch_and_wait::<P, false>(bus, *fetch)),
        }
    }

    /// One of them, where fetches go on beside execution. `MANY` is [`FlashInterface::caches_many`].
    ///
    /// [`FlashInterface::caches_many`]: cyclescope_machine::FlashInterface::caches_many
    fn fetch<P: Peripherals, const MANY: bool>(&mut self, bus: &mut Bus<P>, fetch: Fetch) {
        let Fetch { kind, line, before, .. } = fetch;
        let at = self.address_phase(before);
        match kind {
            FetchKind::Refill(refill) if self.begins_anew(bus, &refill) => {
                self.refill = false;
                let Refill { earlier, words, lines, line_words, .. } = refill;
                let stall = bus.memory.flash.interface_mut().jump::<MANY>(line, at - u64::from(earlier));
                self.stall(bus, stall);
                for further in 0..lines {
                    let at = self.address_phase(before + words + further * line_words - earlier);
                    let gap = if further == 0 { words } else { line_words };
                    bus.memory.flash.interface_mut().request::<MANY>(line + 1 + further, at, gap);
                }
            }
            FetchKind::Request { gap, beside_load } => {
                let flash = bus.memory.flash.interface_mut();
                let late = if beside_load { flash.stalled_before(at) } else { 0 };
                flash.request::<MANY>(line, at - u64::from(late), gap);
            }
            FetchKind::Refill(_) | FetchKind::Await => {
                let stall = bus.memory.flash.interface_mut().wait::<MANY>(line, at);
                self.stall(bus, stall);
            }
        }
    }

    /// One of them, where each fetch is waited for.
    fn fetch_and_wait<P: Peripherals, const MANY: bool>(&mut self, bus: &mut Bus<P>, fetch: Fetch) {
        let Fetch { kind, line, before, .. } = fetch;
        let at = self.address_phase(before);
        let earlier = match kind {
            FetchKind::Refill(refill) if self.begins_anew(bus, &refill) => {
                self.refill = false;
                u64::from(refill.earlier)
            }
            FetchKind::Refill(_) if bus.memory.flash.interface().has_fetched(line) => return,
            _ => 0,
        };
        let stall = bus.memory.flash.interface_mut().fetch::<MANY>(line, at - earlier);
        self.stall(bus, stall);
    }

    /// The cycle that is `before` as [`Fetch`] counts it, as flash counts those of fetches.
    fn address_phase(&self, before: u32) -> u64 {
        self.now.wrapping_add(u64::from(before))
    }

    /// Tells whether fetching begins anew: also where flash was set up anew, and has forgotten what was asked for.
    fn begins_anew<P: Peripherals>(&self, bus: &Bus<P>, refill: &Refill) -> bool {
        self.refill || refill.inside || bus.memory.flash.interface().is_unused()
    }

    fn stall<P: Peripherals>(&mut self, bus: &Bus<P>, stall: u32) {
        debug_assert!(stall <= bus.memory.flash.interface().worst_stall(), "a fetch stalls {stall} cycles");
        self.now += u64::from(stall);
    }
}
