//! Loops that nothing can end, found now or ahead.

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Console, POLLS, Shared, Spin, Stop};

use super::Session;

/// The cycles that a copy runs on to see if the guest is in a loop: those of several looks for one.
pub(crate) const FORESIGHT: Cycles = Cycles::new(1 << 16);

/// The bytes of RAM of the largest machine that is copied for a look ahead.
const MOST_COPIED: u32 = 16 << 20;

impl Session<'_> {
    /// Returns the loop that the guest is in if nothing can end it any more but input from the caller: no event is ahead, neither
    /// the part's nor a stimulus nor a watched time, and the probe has nothing to take from RTT. A loop that polls what the model
    /// lacks counts from [`POLLS`] reads on.
    pub fn spins(&mut self) -> Option<Spin> {
        let spin = self.target.spins().filter(|_| self.times.is_empty() && !self.drained)?;
        is_for_ever(spin, self.target.shared()).then_some(spin)
    }

    /// Returns the loop that the guest is in or comes to soon and that nothing can end, as [`Session::spins`] does, of a run that has
    /// not looked for loops: a copy of the machine runs on for a while. No watched event or signal may come meanwhile, nothing for
    /// RTT, and no call of the host's files, which a copy does not have. `None` for a machine that is too large to copy.
    pub(crate) fn will_spin(&mut self) -> Option<Spin> {
        let ram = &self.target.memory().ram;
        let bytes = ram.end().get().wrapping_sub(ram.base().get());
        if bytes > MOST_COPIED || !self.times.is_empty() || self.drained {
            return None;
        }
        let mut copy = self.target.clone();
        let end = copy.now().saturating_add(FORESIGHT);
        let stop = copy.run(end);
        let shared = copy.shared();
        if stop != Stop::Horizon || !shared.signals.is_empty() || shared.files.are_missed() {
            return None;
        }
        let spin = copy.spins().filter(|spin| is_for_ever(*spin, copy.shared()))?;
        // It keeps nothing, and tells that there was something.
        let mut console = Console::new(0);
        if let Some(rtt) = self.rtt {
            rtt.drain(copy.memory(), &mut console);
        }
        (!console.over_budget()).then_some(spin)
    }
}

/// Tells if the loop `spin` counts as one without an end: registers without a model must have been read often.
fn is_for_ever(spin: Spin, shared: &Shared) -> bool {
    spin != Spin::Polling || shared.gaps.register_reads() >= POLLS
}
