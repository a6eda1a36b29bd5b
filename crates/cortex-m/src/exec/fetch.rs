//! Flash is asked for lines, and instructions wait for them.

use cyclescope_machine::{Bus, Peripherals};

use crate::code::{Fetch, FetchKind, FetchRun, Place, Refill};
use crate::cpu::Cpu;

impl Cpu {
    /// Makes the fetches of `run`.
    pub(super) fn fetch_run<P: Peripherals>(&mut self, bus: &mut Bus<P>, run: &FetchRun) {
        self.make(bus, run.number, &run.steps, run.last);
    }

    /// Makes those of `run` that are made beside the instruction at `place`, behind which the block is left.
    pub(super) fn fetch_beside<P: Peripherals>(&mut self, bus: &mut Bus<P>, run: &FetchRun, place: &Place) {
        let is_beside = |fetch: &&Fetch| fetch.index == place.index && matches!(fetch.kind, FetchKind::Request { .. });
        let beside = &run.steps[..run.steps.iter().take_while(is_beside).count()];
        if beside.is_empty() {
            return;
        }
        match bus.memory.flash.interface_mut().recall(run.beside, self.now, self.refill) {
            Some(stall) => self.pass(stall.into()),
            None => self.make(bus, run.beside, beside, place.before),
        }
    }

    /// Makes `fetches`, the run with the number `run` whose last is made in the block's cycle `last`.
    fn make<P: Peripherals>(&mut self, bus: &mut Bus<P>, run: u32, fetches: &[Fetch], last: u32) {
        // Beside another core each is made in its turn (`planned.rs`).
        if bus.shared.turns.are_taken() {
            return;
        }
        // Those beside a barrier change nothing about where fetching begins.
        let refills = matches!(fetches.first(), Some(Fetch { kind: FetchKind::Refill(_), .. }));
        let number = if refills || !self.refill { run } else { 0 };
        bus.memory.flash.interface_mut().begin_run(number, self.now, self.refill);
        let fetches = fetches.iter().copied();
        match (bus.memory.flash.interface().caches_many(), self.config.timing.fetches_aside) {
            (true, true) => fetches.for_each(|fetch| self.fetch::<P, true>(bus, fetch)),
            (false, true) => fetches.for_each(|fetch| self.fetch::<P, false>(bus, fetch)),
            (true, false) => fetches.for_each(|fetch| self.fetch_and_wait::<P, true>(bus, fetch)),
            (false, false) => fetches.for_each(|fetch| self.fetch_and_wait::<P, false>(bus, fetch)),
        }
        bus.memory.flash.interface_mut().end_run(self.now, last);
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
        let at = at - earlier;
        let stall = bus.memory.flash.interface_mut().fetch::<MANY>(line, at);
        self.stall(bus, stall);
    }

    /// The cycle that is `before` as [`Fetch`] counts it, as flash counts those of fetches. Fetches beside a load that a condition skips
    /// lie before that load's end; in the first cycles of a run, before cycle 0 too, and are made in it.
    fn address_phase(&self, before: u32) -> u64 {
        (self.now.wrapping_add(u64::from(before)) as i64).max(0) as u64
    }

    /// Tells whether fetching begins anew: also where flash was set up anew, and has forgotten what was asked for.
    fn begins_anew<P: Peripherals>(&self, bus: &Bus<P>, refill: &Refill) -> bool {
        self.refill || refill.inside || bus.memory.flash.interface().is_unused()
    }

    fn stall<P: Peripherals>(&mut self, bus: &Bus<P>, stall: u32) {
        debug_assert!(stall <= bus.memory.flash.interface().worst_stall(), "a fetch stalls {stall} cycles");
        self.pass(stall.into());
    }
}
