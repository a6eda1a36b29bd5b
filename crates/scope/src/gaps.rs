//! News of a run while it goes on: model gaps, and an interrupt without a handler.

use std::fmt::Debug;

use cyclescope_image::Image;
use cyclescope_machine::{Gap, Target, Wait};

use crate::driver::behind;
use crate::post_mortem::stuck;

/// Hears of model gaps as the guest meets them: a register's behind the instruction, others within a period of reading RTT, by
/// simulated time.
pub trait GapListener: Debug {
    /// Takes all gaps met so far, of which some are new or turned out to have an effect or to be polled. `wait` finds the register
    /// that the guest polls now, which takes a copy of the machine.
    fn heard(&self, gaps: &[Gap], wait: &dyn Fn() -> Option<Wait>);

    /// The guest stands for ever in a handler that stands in for those it lacks, as `_why` says in words. Heard once.
    fn stuck(&self, _why: &str) {}
}

/// The listener of a session, and what it has heard.
pub(crate) struct Listening<'t> {
    listener: &'t dyn GapListener,
    image: &'t Image,
    news: u64,
    /// The gaps whose drivers were looked for.
    known: usize,
    /// The listener knows that the guest has an interrupt without a handler.
    stuck: bool,
}

impl<'t> Listening<'t> {
    pub(crate) fn new(listener: &'t dyn GapListener, image: &'t Image) -> Self {
        Self { listener, image, news: 0, known: 0, stuck: false }
    }

    /// Passes on what is new among the gaps of `target`.
    pub(crate) fn listen(&mut self, target: &mut impl Target) {
        let gaps = &target.shared().gaps;
        if gaps.news() != self.news {
            self.news = gaps.news();
            self.attribute(target);
            let gaps = target.shared().gaps.all().to_vec();
            self.listener.heard(&gaps, &|| target.waits_for());
        }
    }

    /// Looks if `target` stands in a handler that is no one's, and says so once.
    pub(crate) fn look(&mut self, target: &impl Target) {
        let why = target.probe().filter(|_| !self.stuck).and_then(|probe| stuck(probe, self.image));
        if let Some(why) = why {
            self.stuck = true;
            self.listener.stuck(&why);
        }
    }

    /// Finds the drivers behind new gaps, whose accesses `target` has just made.
    fn attribute(&mut self, target: &mut impl Target) {
        let gaps = target.shared().gaps.all();
        let new: Vec<(usize, _)> = gaps.iter().map(|gap| gap.pc).enumerate().skip(self.known).collect();
        self.known = gaps.len();
        for (place, pc) in new {
            let driver = target.probe().and_then(|probe| behind(probe, self.image, pc));
            if let Some(driver) = driver {
                target.shared().gaps.attribute(place, driver);
            }
        }
    }
}
