//! News of model gaps while a run goes on.

use std::fmt::Debug;

use cyclescope_machine::Gap;

/// Hears of model gaps as the guest meets them: within a period of reading RTT, by simulated time.
pub trait GapListener: Debug {
    /// Takes all gaps met so far, of which some are new or turned out to have an effect or to be polled.
    fn heard(&self, gaps: &[Gap]);
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

    /// Passes on what is new among `gaps`.
    pub(crate) fn listen(&mut self, gaps: &cyclescope_machine::Gaps) {
        if gaps.news() != self.news {
            self.news = gaps.news();
            self.listener.heard(gaps.all());
        }
    }
}
