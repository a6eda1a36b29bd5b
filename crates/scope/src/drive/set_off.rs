//! The stimuli that events have set off.

use cyclescope_chips::Machine;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{GapKind, Moment, Timebase};

use crate::stimulus::Action;

/// The most stimuli that wait for their delay at once, and the most bytes of them.
const MOST: usize = 1 << 16;
const MOST_BYTES: usize = 16 << 20;

/// The name of the gap where there would be more.
const LOST: &str = "more than 65,536 stimuli or 16 MiB of them set off by events wait for their time; these are lost";

/// Counts the stimuli that events have set off, and bounds those that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct SetOff {
    /// The moment and the bytes of each that may still wait.
    waiting: Vec<(Moment, usize)>,
    bytes: usize,
    /// The number of those that were due and are not in `waiting` any more.
    past: u64,
    /// The cycle at which the next one that waits is due, where all places are taken.
    full_until: Cycles,
}

impl SetOff {
    /// Returns the number of stimuli due at `now` and of those due later.
    pub(super) fn counted(&self, now: Cycles, timebase: &Timebase) -> (u64, u64) {
        let due = self.waiting.iter().filter(|(at, _)| timebase.cycle(*at) <= now).count() as u64;
        (self.past + due, self.waiting.len() as u64 - due)
    }

    /// Takes a place for `action` at the moment `at`. Where there is none, counts a gap and returns `false`.
    pub(super) fn add(&mut self, at: Moment, action: &Action, target: &mut Machine) -> bool {
        let bytes = if let Action::Serial(_, bytes) = action { bytes.len() } else { 0 };
        let full = |own: &Self| own.waiting.len() == MOST || own.bytes + bytes > MOST_BYTES;
        let (now, timebase) = (target.now(), target.timebase());
        if full(self) && now >= self.full_until {
            self.forget_past(now, &timebase);
            let due = self.waiting.iter().map(|(at, _)| timebase.cycle(*at)).min();
            self.full_until = if full(self) { due.unwrap_or(now) } else { Cycles::ZERO };
        }
        if full(self) {
            let pc = target.pc();
            target.shared().gaps.meet(GapKind::Setting, LOST, pc, now);
            return false;
        }
        self.waiting.push((at, bytes));
        self.bytes += bytes;
        true
    }

    fn forget_past(&mut self, now: Cycles, timebase: &Timebase) {
        let before = self.waiting.len();
        self.waiting.retain(|(at, _)| timebase.cycle(*at) > now);
        self.past += (before - self.waiting.len()) as u64;
        self.bytes = self.waiting.iter().map(|(_, bytes)| bytes).sum();
    }
}
