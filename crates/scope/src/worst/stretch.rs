//! The longest stretches in which interrupts could not be taken.

use std::collections::BTreeMap;

use cyclescope_chips::{Hold, Machine};
use cyclescope_machine::units::{Address, Cycles};

use super::steps::Boundary;

/// An end of a stretch: a boundary between two instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound {
    /// The cycle.
    pub at: Cycles,
    /// The instruction that ended there: the one that set or cleared a mask, or returned from a handler.
    pub pc: Address,
    /// The stretch goes on beyond what was looked at.
    pub cut: bool,
}

/// The longest time in which an interrupt could not have been taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The interrupts, by exception number, of which this is true in the same words.
    pub numbers: Vec<u16>,
    /// The core.
    pub core: usize,
    /// Its beginning.
    pub from: Bound,
    /// Its end.
    pub to: Bound,
    /// The reasons, in order.
    pub holds: Vec<Hold>,
}

impl Stretch {
    /// Returns its length.
    pub fn cycles(&self) -> Cycles {
        self.to.at.saturating_sub(self.from.at)
    }
}

/// A stretch under way, or the longest so far.
#[derive(Clone, Debug)]
struct One {
    from: Bound,
    to: Bound,
    holds: Vec<Hold>,
}

impl One {
    fn cycles(&self) -> Cycles {
        self.to.at.saturating_sub(self.from.at)
    }
}

/// The stretches of one interrupt on one core.
#[derive(Clone, Debug, Default)]
struct Track {
    open: Option<One>,
    longest: Option<One>,
    /// It came, or is on.
    counts: bool,
}

/// Follows all interrupts.
#[derive(Clone, Debug, Default)]
pub(super) struct Stretches {
    numbers: Vec<u16>,
    tracks: BTreeMap<(usize, u16), Track>,
}

impl Stretches {
    /// Returns a follower of the exceptions `numbers`.
    pub fn new(numbers: Vec<u16>) -> Self {
        Self { numbers, tracks: BTreeMap::new() }
    }

    /// Tells that the exception `number` came to `core`.
    pub fn came(&mut self, core: usize, number: u16) {
        if let Some(track) = self.tracks.get_mut(&(core, number)) {
            track.counts = true;
        }
    }

    /// Looks at a core of `machine` at `boundary`.
    pub fn look(&mut self, machine: &Machine, boundary: Boundary) {
        let Boundary { core, at, before, .. } = boundary;
        for number in &self.numbers {
            let hold = machine.held(core, *number);
            let first = !self.tracks.contains_key(&(core, *number));
            let track = self.tracks.entry((core, *number)).or_default();
            track.counts |= machine.is_enabled(core, *number);
            match (hold, &mut track.open) {
                (Some(hold), None) => {
                    let bound = Bound { at, pc: before, cut: first };
                    track.open = Some(One { from: bound, to: bound, holds: vec![hold] });
                }
                (Some(hold), Some(open)) => {
                    if open.holds.last() != Some(&hold) && open.holds.len() < MOST_HOLDS {
                        open.holds.push(hold);
                    }
                }
                (None, Some(_)) => track.end(Bound { at, pc: before, cut: false }),
                (None, None) => {}
            }
        }
    }

    /// Returns the longest stretches, the longest first. `ends` has the last boundary of each core.
    pub fn finish(mut self, ends: &[Option<Boundary>]) -> Vec<Stretch> {
        let mut all: Vec<Stretch> = Vec::new();
        for ((core, number), track) in &mut self.tracks {
            if let Some(end) = ends.get(*core).copied().flatten() {
                track.end(Bound { at: end.at, pc: end.before, cut: true });
            }
            let longest = track.longest.take().filter(|one| track.counts && one.cycles() > Cycles::ZERO);
            let Some(One { from, to, holds }) = longest else { continue };
            let same = |known: &&mut Stretch| {
                known.core == *core && known.from == from && known.to == to && known.holds == holds
            };
            match all.iter_mut().find(same) {
                Some(known) => known.numbers.push(*number),
                None => all.push(Stretch { numbers: vec![*number], core: *core, from, to, holds }),
            }
        }
        all.sort_by_key(|stretch| (std::cmp::Reverse(stretch.cycles()), stretch.core, stretch.numbers.clone()));
        all
    }
}

/// The most reasons that are kept of one stretch.
const MOST_HOLDS: usize = 8;

impl Track {
    fn end(&mut self, to: Bound) {
        let Some(mut one) = self.open.take() else { return };
        one.to = to;
        if self.longest.as_ref().is_none_or(|longest| one.cycles() > longest.cycles()) {
            self.longest = Some(one);
        }
    }
}
