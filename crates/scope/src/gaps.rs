//! News of model gaps while a run goes on.

use std::fmt::Debug;

use cyclescope_machine::{Gap, Target, Wait};

/// Hears of model gaps as the guest meets them: within a period of reading RTT, by simulated time.
pub trait GapListener: Debug {
    /// Takes all gaps met so far, of which some are new or turned out to have an effect or to be polled. `wait` finds the register
    /// that the guest polls now, which takes a copy of the machine.
    fn heard(&self, gaps: &[Gap], wait: &dyn Fn() -> Option<Wait>);
}

/// The listener of a session, and what it has heard.
pub(crate) struct Listening<'t> {
    listener: &'t dyn GapListener,
    news: u64,
}

impl<'t> Listening<'t> {
    pub(crate) fn new(listener: &'t dyn GapListener) -> Self {
        Self { listener, news: 0 }
    }

    /// Passes on what is new among the gaps of `target`.
    pub(crate) fn listen(&mut self, target: &mut impl Target) {
        let gaps = &target.shared().gaps;
        if gaps.news() != self.news {
            self.news = gaps.news();
            let gaps = gaps.all().to_vec();
            self.listener.heard(&gaps, &|| target.waits_for());
        }
    }
}
