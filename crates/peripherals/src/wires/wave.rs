//! The levels of a peripheral's signal during a transfer.

use crate::framework::{Bus, Time};
use crate::{Instant, Span, Words};

/// The event of each block at which a level of one of its waves changes; the owner of the devices plays it.
pub const WAVE: u16 = 15;

/// The levels of one signal over the time of a transfer, at most 64. Odd and even levels may last differently long.
#[derive(Clone, Copy, Debug)]
pub struct Wave<B: Bus> {
    /// The signal.
    pub signal: B::Signal,
    /// The time of the first level.
    pub start: B::Time,
    /// The time that the first, third, … level lasts, and that of the others.
    pub steps: [<B::Time as Time>::Span; 2],
    /// The levels, the first in bit 0.
    pub levels: u64,
    /// The number of levels. The last one stays.
    pub count: u8,
}

impl<B: Bus> Wave<B> {
    /// The time of the level `index`.
    fn time(&self, index: u8) -> B::Time {
        let index = u64::from(index);
        self.start.later(self.steps[0], index.div_ceil(2)).later(self.steps[1], index / 2)
    }

    /// The level `index`.
    const fn level(&self, index: u8) -> bool {
        self.levels >> (index & 63) & 1 != 0
    }
}

/// A wave that is not over.
#[derive(Clone, Copy, Debug)]
struct Playing<B: Bus> {
    slot: u16,
    wave: Wave<B>,
    /// The level that comes next.
    next: u8,
    /// An input of the part or an attached device hears the edges, not only observers; `None`: not known yet.
    heard: Option<bool>,
    /// Observers want the edges.
    seen: bool,
}

impl<B: Bus> Playing<B> {
    /// Passes over levels that are the same as the one before.
    fn skip(&mut self) {
        while self.next > 0
            && self.next < self.wave.count
            && self.wave.level(self.next) == self.wave.level(self.next - 1)
        {
            self.next += 1;
        }
    }
}

/// An edge of a wave.
#[derive(Clone, Copy, Debug)]
pub struct Edge<B: Bus> {
    /// The block.
    pub slot: u16,
    /// The signal.
    pub signal: B::Signal,
    /// The new level.
    pub high: bool,
    /// Its time.
    pub at: B::Time,
    /// True if the part hears it: an input that listens, or an attached device. The last edge of a wave always counts.
    pub heard: bool,
}

/// The waves of a part's blocks that are not over; of one signal, one after the other.
#[derive(Clone, Debug)]
pub struct Waves<B: Bus> {
    playing: Vec<Playing<B>>,
    /// The count of [`Self::forget_before`] for which listeners were found.
    asked: u32,
}

impl<B: Bus> Default for Waves<B> {
    fn default() -> Self {
        Self { playing: Vec::new(), asked: 0 }
    }
}

impl<B: Bus> Waves<B> {
    /// True if no wave is under way.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.playing.is_empty()
    }

    /// Begins `wave` of the block in `slot`, in the place of an earlier one of the same signal.
    pub fn begin(&mut self, slot: u16, wave: Wave<B>) {
        self.end(slot, Some(wave.signal));
        self.append(slot, wave);
    }

    /// Begins `wave` of the block in `slot` behind an earlier one of the same signal, which it does not touch.
    pub fn append(&mut self, slot: u16, wave: Wave<B>) {
        if wave.count > 0 {
            self.playing.push(Playing { slot, wave, next: 0, heard: None, seen: false });
        }
    }

    /// Drops the waves of the block in `slot`, or only that of `signal`.
    pub fn end(&mut self, slot: u16, signal: Option<B::Signal>) {
        self.playing
            .retain(|playing| playing.slot != slot || signal.is_some_and(|signal| signal != playing.wave.signal));
    }

    /// Returns the present level of `signal` of the block in `slot`, if a wave of it has begun.
    pub fn level(&self, slot: u16, signal: B::Signal) -> Option<bool> {
        let playing = self.playing.iter().find(|playing| playing.slot == slot && playing.wave.signal == signal)?;
        playing.next.checked_sub(1).map(|index| playing.wave.level(index))
    }

    /// Observers have asked for more `asked` times: if that is news, it is to be found out anew who hears the waves.
    pub fn forget_before(&mut self, asked: u32) {
        if std::mem::replace(&mut self.asked, asked) != asked {
            self.playing.iter_mut().for_each(|playing| playing.heard = None);
        }
    }

    /// Finds a wave of which it is not known if it is heard: its block and signal.
    pub fn unknown(&self) -> Option<(u16, B::Signal)> {
        let playing = self.playing.iter().find(|playing| playing.heard.is_none())?;
        Some((playing.slot, playing.wave.signal))
    }

    /// Notes if the part hears the wave of `signal` of the block in `slot`, and if observers want to see it.
    pub fn note(&mut self, slot: u16, signal: B::Signal, heard: bool, seen: bool) {
        for playing in &mut self.playing {
            if playing.slot == slot && playing.wave.signal == signal {
                (playing.heard, playing.seen) = (Some(heard), seen);
            }
        }
    }

    /// Returns the time of the next edge of the block in `slot` that is heard or seen; `NEVER` if there is none.
    pub fn next_at(&self, slot: u16) -> B::Time {
        let of_block = self.playing.iter().filter(|playing| playing.slot == slot);
        let counted = of_block.filter(|playing| playing.heard == Some(true) || playing.seen);
        counted.map(|playing| playing.wave.time(playing.next)).min().unwrap_or(B::Time::NEVER)
    }

    /// The blocks with waves, each as often as it has some.
    pub fn slots(&self) -> impl Iterator<Item = u16> {
        self.playing.iter().map(|playing| playing.slot)
    }

    /// Takes the earliest edge due at `now`, in order of time, then of the waves' beginning.
    pub fn due(&mut self, now: B::Time) -> Option<Edge<B>> {
        let due = self.playing.iter().map(|playing| playing.wave.time(playing.next)).enumerate();
        let (index, at) = due.filter(|(_, at)| *at <= now).min_by_key(|(index, at)| (*at, *index))?;
        let playing = &mut self.playing[index];
        let high = playing.wave.level(playing.next);
        let (slot, signal, heard) = (playing.slot, playing.wave.signal, playing.heard == Some(true));
        playing.next += 1;
        playing.skip();
        let last = playing.next >= playing.wave.count;
        if last {
            self.playing.remove(index);
        }
        Some(Edge { slot, signal, high, at, heard: heard || last })
    }
}

impl Waves<Words> {
    /// The clock that the waves of the block in `slot` count has changed at `now` from a period of `before` to `after`.
    pub fn rescale(&mut self, slot: u16, now: Instant, before: Span, after: Span) {
        for Playing { wave, next, .. } in self.playing.iter_mut().filter(|playing| playing.slot == slot) {
            let at = wave.time(*next).rescaled(now, before, after);
            // The levels that are over are dropped, but the present one.
            let over = next.saturating_sub(1);
            if over % 2 != 0 {
                wave.steps.swap(0, 1);
            }
            wave.steps = wave.steps.map(|step| step.rescaled(before, after));
            (wave.levels, wave.count, *next) = (wave.levels >> over, wave.count - over, *next - over);
            wave.start = if *next == 0 { at } else { at.before(wave.steps[0]) };
        }
    }

    /// The unit of time has become `times` smaller.
    pub fn refine(&mut self, times: u64) {
        for Playing { wave, .. } in &mut self.playing {
            wave.start = wave.start.refined(times);
            wave.steps = wave.steps.map(|step| step.times(times));
        }
    }
}
