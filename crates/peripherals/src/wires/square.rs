//! A clock at a pin: a square wave without an end, of which edges are computed only for who looks.

use super::Edge;
use crate::Words;
use crate::framework::{Bus, Time};

/// A clock that a block puts on one of its signals.
#[derive(Clone, Copy, Debug)]
pub struct Square<B: Bus> {
    /// The signal.
    pub signal: B::Signal,
    /// The time of a rising edge, the first one.
    pub start: B::Time,
    /// The time that it is high, and that it is low.
    pub steps: [<B::Time as Time>::Span; 2],
}

/// The clock of a block, and what is known of its listeners.
#[derive(Clone, Copy, Debug)]
struct Running<B: Bus> {
    slot: u16,
    square: Square<B>,
    /// The edge that comes next; even ones rise.
    next: u64,
    /// The signal reaches a pin; `None`: not known yet.
    reaches: Option<bool>,
    /// An input of the part or an attached device hears the edges.
    heard: bool,
    /// Observers want the edges.
    seen: bool,
}

impl<B: Bus> Running<B> {
    /// True if its edges count: at a pin, all do if `all`, else those that are heard or seen.
    fn counts(&self, all: bool) -> bool {
        self.reaches == Some(true) && (all || self.heard || self.seen)
    }

    /// The time of the edge `index`.
    fn time(&self, index: u64) -> B::Time {
        let [high, low] = self.square.steps;
        self.square.start.later(high, index.div_ceil(2)).later(low, index / 2)
    }

    /// The number of edges up to `now`.
    fn passed(&self, now: B::Time) -> u64 {
        let [high, low] = self.square.steps;
        let whole = now.whole(self.square.start, [high, low]);
        (2 * whole..=2 * whole + 2).take_while(|index| self.time(*index) <= now).count() as u64 + 2 * whole
    }
}

/// The clocks of a part's blocks, at most one a signal.
#[derive(Clone, Debug)]
pub struct Squares<B: Bus> {
    running: Vec<Running<B>>,
}

impl<B: Bus> Default for Squares<B> {
    fn default() -> Self {
        Self { running: Vec::new() }
    }
}

impl<B: Bus> Squares<B> {
    /// True if no clock reaches a pin, as far as is known.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.running.iter().all(|running| running.reaches == Some(false))
    }

    /// Pins have been switched: which signals reach them is to be found out anew.
    pub fn forget(&mut self) {
        self.running.iter_mut().for_each(|running| running.reaches = None);
    }

    /// Begins `square` of the block in `slot`, in the place of an earlier one of the same signal.
    pub fn begin(&mut self, slot: u16, square: Square<B>) {
        self.end(slot, square.signal);
        self.running.push(Running { slot, square, next: 0, reaches: None, heard: false, seen: false });
    }

    /// Ends the clock at `signal` of the block in `slot`.
    pub fn end(&mut self, slot: u16, signal: B::Signal) {
        self.running.retain(|running| (running.slot, running.square.signal) != (slot, signal));
    }

    /// The signals, each with its slot, and whether it reaches a pin.
    pub fn signals(&self) -> impl Iterator<Item = (u16, B::Signal, Option<bool>)> {
        self.running.iter().map(|running| (running.slot, running.square.signal, running.reaches))
    }

    /// Notes if the clock of number `place` among [`Self::signals`] reaches a pin, and if it is heard and seen there.
    pub fn note(&mut self, place: usize, reaches: bool, heard: bool, seen: bool) {
        if let Some(running) = self.running.get_mut(place) {
            (running.reaches, running.heard, running.seen) = (Some(reaches), heard, seen);
        }
    }

    /// The time of the next edge of the block in `slot` that is heard or seen.
    pub fn next_at(&self, slot: u16) -> B::Time {
        let counted = self.running.iter().filter(|running| running.slot == slot && running.counts(false));
        counted.map(|running| running.time(running.next)).min().unwrap_or(B::Time::NEVER)
    }

    /// The level of `signal` of the block in `slot`, if a clock is there.
    pub fn level(&self, slot: u16, signal: B::Signal) -> Option<bool> {
        let running = self.running.iter().find(|running| (running.slot, running.square.signal) == (slot, signal))?;
        Some(running.next % 2 == 1)
    }

    /// Takes an edge due at `now`, of clocks that are heard or seen or, if `all`, of any. Of edges that nobody has looked at only the last
    /// two come, so that a clock as fast as the core's has both of its edges in each cycle.
    pub fn due(&mut self, now: B::Time, all: bool) -> Option<Edge<B>> {
        // Behind the end of time all edges lie at the same point.
        let is_due = |running: &Running<B>| running.counts(all) && running.time(running.next) <= now;
        let running = self.running.iter_mut().find(|running| now < B::Time::NEVER && is_due(running))?;
        let index = running.next.max(running.passed(now).saturating_sub(2));
        running.next = index + 1;
        let (slot, signal, heard) = (running.slot, running.square.signal, running.heard);
        Some(Edge { slot, signal, high: index % 2 == 0, at: running.time(index), heard })
    }
}

impl Squares<Words> {
    /// The unit of time has become `times` smaller.
    pub fn refine(&mut self, times: u64) {
        for Running { square, .. } in &mut self.running {
            square.start = square.start.refined(times);
            square.steps = square.steps.map(|step| step.times(times));
        }
    }
}
