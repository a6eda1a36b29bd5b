//! News of a run while it goes on: model gaps, and an interrupt without a handler.

use std::fmt::Debug;

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::Address;
use cyclescope_machine::{Gap, Wait};

use crate::driver::behind;
use crate::post_mortem::{starts_anew, stuck, vectors_without_handler};

/// Hears of model gaps as the guest meets them: a register's behind the instruction, others within a period of reading RTT, by
/// simulated time.
pub trait GapListener: Debug {
    /// Takes all gaps met so far, of which some are new or turned out to have an effect or to be polled. `wait` finds the register
    /// that the guest polls now, which takes a copy of the machine.
    fn heard(&self, gaps: &[Gap], wait: &dyn Fn() -> Option<Wait>);

    /// An interrupt without a handler has stopped the guest or started it anew, as `_why` says in words. Heard once.
    fn unhandled(&self, _why: &str) {}
}

/// The listener of a session, and what it has heard.
pub(crate) struct Listening<'t> {
    listener: &'t dyn GapListener,
    image: &'t Image,
    news: u64,
    /// The gaps whose drivers were looked for.
    known: usize,
    /// The vectors of interrupts without a handler that start an AVR's program anew.
    vectors: Vec<(u16, Address)>,
    /// The listener knows of an interrupt without a handler.
    unhandled: bool,
}

impl<'t> Listening<'t> {
    /// `target` runs `image`. It stops at the vectors of which `listener` is to hear.
    pub(crate) fn new(listener: &'t dyn GapListener, image: &'t Image, target: &mut Machine) -> Self {
        let vectors = vectors_without_handler(target, image);
        vectors.iter().for_each(|(_, at)| target.watch(*at));
        Self { listener, image, news: 0, known: 0, vectors, unhandled: false }
    }

    /// Passes on what is new among the gaps of `target`.
    pub(crate) fn listen(&mut self, target: &mut Machine) {
        if !self.unhandled
            && let Some((number, _)) = self.vectors.iter().find(|(_, at)| *at == target.pc())
        {
            self.unhandled = true;
            self.listener.unhandled(&starts_anew(target, *number));
        }
        let gaps = &target.shared().gaps;
        if gaps.news() != self.news {
            self.news = gaps.news();
            self.attribute(target);
            let gaps = target.shared().gaps.all().to_vec();
            self.listener.heard(&gaps, &|| target.waits_for());
        }
    }

    /// Looks if `target` stands in a handler that is no one's, and says so once.
    pub(crate) fn look(&mut self, target: &Machine) {
        if self.unhandled {
            return;
        }
        if let Some(why) = stuck(target, self.image) {
            self.unhandled = true;
            self.listener.unhandled(&why);
        }
    }

    /// Finds the drivers behind new gaps, whose accesses `target` has just made.
    fn attribute(&mut self, target: &mut Machine) {
        let gaps = target.shared().gaps.all();
        let new: Vec<(usize, _)> = gaps.iter().map(|gap| gap.pc).enumerate().skip(self.known).collect();
        self.known = gaps.len();
        for (place, pc) in new {
            if let Some(driver) = behind(target, self.image, pc) {
                target.shared().gaps.attribute(place, driver);
            }
        }
    }
}
