//! The state of a flash interface beside its caches: requests, lines at hand, and the time of its array.

use super::lines::NONE;

/// No cycle: what waits for this one never happens.
pub(super) const NEVER: u64 = u64::MAX;

/// The number of lines in a row that fetches may have asked for and not decoded: a buffer of three words may span four.
pub(super) const REMEMBERED: usize = 4;

/// The state of the interface beside its caches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    /// The line last asked for by the core's fetches.
    pub(super) current: u32,
    /// While lines wait: the last that does not, and the cycle from which a request for it stalls no more.
    pub(super) held: u32,
    pub(super) held_at: u64,
    /// Of `current` and of the lines before it, by the last bits of their numbers: the cycle from which a request stalls no
    /// more, or while the line is among those `waiting`, the first in which it is asked for.
    pub(super) ready: [u64; REMEMBERED],
    /// Likewise of the lines that wait: how many cycles after the line before it each is asked for at the earliest.
    pub(super) gaps: [u8; REMEMBERED],
    /// The number of lines up to `current` that wait for their cycle or for the array.
    pub(super) waiting: u32,
    /// The number of lines before `current` that were asked for on the way to it and are remembered.
    pub(super) before: u32,
    /// The cycle from which the line after the last that does not wait may be read ahead; [`NEVER`] if it need not.
    pub(super) ahead_from: u64,
    /// The line read ahead, and the cycle from which a request for it stalls no more.
    pub(super) prefetched: u32,
    pub(super) prefetched_at: u64,
    pub(super) busy_until: u64,
}

impl Flow {
    /// Nothing was asked for.
    pub(super) const START: Self = Self {
        current: NONE,
        held: NONE,
        held_at: 0,
        ready: [0; REMEMBERED],
        gaps: [0; REMEMBERED],
        waiting: 0,
        before: 0,
        ahead_from: NEVER,
        prefetched: NONE,
        prefetched_at: 0,
        busy_until: 0,
    };

    /// The same seen from `cycle`, from which on it will be asked, and up to which it has been settled: what is over, or counts no
    /// more, is alike. What was `over` cycles before is over.
    pub(super) fn seen_from(&self, cycle: u64, over: u32) -> Seen {
        let counted = |at: u64| match at {
            NEVER => u32::MAX,
            at => (at + u64::from(over)).saturating_sub(cycle).min(u64::from(u32::MAX - 1)) as u32,
        };
        let (mut ready, mut gaps) = ([0; REMEMBERED], [0; REMEMBERED]);
        for behind in 0..(self.before + 1).max(self.waiting) {
            let place = place(self.current.wrapping_sub(behind));
            ready[place] = counted(self.ready[place]);
            if behind < self.waiting {
                gaps[place] = self.gaps[place];
            }
        }
        let waits = self.waiting > 0;
        let ahead = self.prefetched != NONE;
        Seen {
            current: self.current,
            held: if waits { self.held } else { NONE },
            held_at: if waits { counted(self.held_at) } else { 0 },
            ready,
            gaps,
            waiting: self.waiting as u8,
            before: self.before as u8,
            ahead_from: counted(self.ahead_from),
            prefetched: self.prefetched,
            prefetched_at: if ahead { counted(self.prefetched_at) } else { 0 },
            busy_until: counted(self.busy_until),
        }
    }
}

/// A [`Flow`] with its cycles counted from one that is so many before that from which it is seen; `u32::MAX` is [`NEVER`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Seen {
    current: u32,
    held: u32,
    held_at: u32,
    ready: [u32; REMEMBERED],
    gaps: [u8; REMEMBERED],
    waiting: u8,
    before: u8,
    ahead_from: u32,
    prefetched: u32,
    prefetched_at: u32,
    busy_until: u32,
}

impl Seen {
    /// The line last asked for by the core's fetches.
    pub(super) fn current(&self) -> u32 {
        self.current
    }

    /// The flow that is this, seen from `cycle`, as [`Flow::seen_from`] has it.
    pub(super) fn at(&self, cycle: u64, over: u32) -> Flow {
        let cycle_of = |counted: u32| match counted {
            u32::MAX => NEVER,
            counted => (cycle + u64::from(counted)).saturating_sub(u64::from(over)),
        };
        Flow {
            current: self.current,
            held: self.held,
            held_at: cycle_of(self.held_at),
            ready: self.ready.map(cycle_of),
            gaps: self.gaps,
            waiting: u32::from(self.waiting),
            before: u32::from(self.before),
            ahead_from: cycle_of(self.ahead_from),
            prefetched: self.prefetched,
            prefetched_at: cycle_of(self.prefetched_at),
            busy_until: cycle_of(self.busy_until),
        }
    }
}

/// The place of `line` among those that follow each other.
#[inline(always)]
pub(super) fn place(line: u32) -> usize {
    line as usize % REMEMBERED
}
