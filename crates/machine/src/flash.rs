//! The time flash takes: wait states, prefetch and a small cache in front of the array.
//!
//! The array delivers whole lines. A read occupies it for `wait_states + 1` cycles, the first of which the core's own
//! timing already charges; what is returned here is the stall on top. One read is under way at a time. Of what waits for
//! the array, data goes first, then fetches in their order, then the line after the one last fetched, which is read ahead
//! while nothing else wants the array. Instruction and data lines are cached apart, and of each kind the least recently
//! used makes room; or both share a cache in two ways.

mod flow;
mod foresee;
mod lines;
mod recall;
mod repeat;
mod sets;
mod timing;

pub use foresee::{Foreseen, Standing as FlashStanding};
pub use repeat::Phase as FlashPhase;
pub use timing::FlashTiming;

use flow::{Flow, NEVER, REMEMBERED, place};
use lines::{FEW, Lines, NONE};
use recall::{READ, Recall};

/// The flash interface's state: which lines it holds, what was asked of it and until when the array is busy.
///
/// Cycles here are those of a request's address phase; those of fetches count from [`Self::AHEAD`] cycles before the core's
/// own, those of data are the core's. Work that nobody has looked at yet (a request that waits for the
/// array, a line that may be read ahead) begins when the next call shows that its cycle has passed, so that what arrives
/// in the meantime can go before it.
#[derive(Debug)]
pub struct FlashInterface {
    timing: FlashTiming,
    line_shift: u32,
    /// As in `timing`, ready to be added to a cycle.
    wait_states: u64,
    flow: Flow,
    instructions: Lines,
    data: Lines,
    /// The latest read of data that stalled: the cycle in which it was delivered, and how long it stalled.
    delivered: u64,
    stalled: u32,
    recall: Recall,
    /// The core that fetches, and the state of what the other one has fetched.
    core: usize,
    other: Flow,
}

impl FlashInterface {
    /// The offset, in cycles, of the count for fetches. It begins this many cycles before the core's cycle 0, because the
    /// code that runs there was asked for earlier.
    pub const AHEAD: u32 = 4;

    /// An interface with nothing cached.
    pub fn new(timing: FlashTiming) -> Self {
        Self {
            timing,
            line_shift: timing.line_bytes.trailing_zeros(),
            wait_states: u64::from(timing.wait_states),
            flow: Flow::START,
            instructions: match timing.shared_sets {
                0 => Lines::new(timing.instruction_lines),
                sets => Lines::in_ways(sets),
            },
            data: Lines::new(timing.data_lines),
            delivered: 0,
            stalled: 0,
            recall: Recall::new(timing.wait_states),
            core: 0,
            other: Flow::START,
        }
    }

    /// The core that fetches.
    #[inline]
    pub(crate) fn core(&self) -> usize {
        self.core
    }

    /// The core `core`, one of two, fetches from now on. They have the cache and the array in common.
    #[inline]
    pub fn turn_to(&mut self, core: usize) {
        if core != self.core {
            self.write_out();
            std::mem::swap(&mut self.flow, &mut self.other);
            (self.core, self.flow.busy_until) = (core, self.other.busy_until);
        }
    }

    /// The settings in force.
    #[inline]
    pub fn timing(&self) -> FlashTiming {
        self.timing
    }

    /// Forgets the cached instruction lines (`true` for the first) or data lines, as the caches' reset bits do.
    pub fn forget(&mut self, instructions: bool, data: bool) {
        self.write_out();
        if instructions {
            self.instructions.clear();
        }
        if data {
            self.data.clear();
        }
    }

    /// The number of the line that holds `offset`, a byte offset from the start of flash.
    #[inline]
    pub fn line(&self, offset: u32) -> u32 {
        offset >> self.line_shift
    }

    /// Tells whether the instruction cache holds more lines than are compared one by one. This is the `MANY` of the methods
    /// below; the caller knows it beforehand.
    #[inline]
    pub fn caches_many(&self) -> bool {
        self.timing.instruction_lines > FEW || self.timing.shared_sets > 0
    }

    /// The most cycles that any access stalls, with one other master reading beside the core.
    pub fn worst_stall(&self) -> u32 {
        self.timing.worst_stall()
    }

    /// Stall of a fetch from `line` in the cycle `at` by a core that waits for each of its fetches, and so has none that wait
    /// for the array.
    pub fn fetch<const MANY: bool>(&mut self, line: u32, at: u64) -> u32 {
        debug_assert!(self.is_written_out(), "the state is in an outcome");
        debug_assert!(self.flow.waiting == 0, "a fetch waits for the array");
        if line != self.flow.current && !self.take::<MANY>(line, at, 0) {
            let ready = self.serve::<MANY>(line, at, NEVER).unwrap_or(at);
            self.go_to::<MANY>(line, ready, 0);
        }
        self.flow.ready[place(line)].saturating_sub(at) as u32
    }

    /// Tells whether no fetch has come since it was set up.
    #[inline]
    pub fn is_unused(&self) -> bool {
        self.current() == NONE
    }

    /// Tells whether a core that waits for each of its fetches has waited for `line`, its last or the one before.
    #[inline]
    pub fn has_fetched(&self, line: u32) -> bool {
        self.current().wrapping_sub(line) <= 1
    }

    /// The core's fetches go on at `line` from the cycle `at`: what was asked for and has not begun is dropped, what has
    /// begun stays under way.
    pub fn redirect<const MANY: bool>(&mut self, line: u32, at: u64) {
        debug_assert!(self.is_written_out(), "the state is in an outcome");
        if self.flow.waiting == 0 && (line == self.flow.current || self.take::<MANY>(line, at, 0)) {
            return;
        }
        self.settle::<MANY>(at);
        if self.flow.waiting > 0 {
            let asked = self.flow.ready[place(self.first_waiting())] < at;
            (self.flow.current, self.flow.waiting, self.flow.before) = (self.flow.held, 0, 0);
            self.flow.ready[place(self.flow.held)] = self.flow.held_at;
            if asked {
                self.plan_ahead::<MANY>(self.flow.held, at);
            }
        }
        if line != self.flow.current {
            self.flow.before = 0;
            self.ask::<MANY>(line, at);
        }
    }

    /// The same, and the core waits for `line`: the stall.
    pub fn jump<const MANY: bool>(&mut self, line: u32, at: u64) -> u32 {
        self.redirect::<MANY>(line, at);
        self.wait::<MANY>(line, at)
    }

    /// Makes `line`, asked for in the cycle `at`, the current one, with `before` remembered before it, if it is cached or was read
    /// ahead and is not to be cached then. Nothing waits.
    fn take<const MANY: bool>(&mut self, line: u32, at: u64, before: u32) -> bool {
        self.begin_ahead(at);
        if self.instructions.hit::<MANY>(line) {
            self.go_to::<MANY>(line, at, before);
        } else if line == self.flow.prefetched && !self.timing.caches_prefetched {
            self.flow.prefetched = NONE;
            self.go_to::<MANY>(line, self.flow.prefetched_at.max(at), before);
        } else {
            return false;
        }
        true
    }

    fn go_to<const MANY: bool>(&mut self, line: u32, ready: u64, before: u32) {
        (self.flow.current, self.flow.before, self.flow.ready[place(line)]) = (line, before, ready);
        self.plan_ahead::<MANY>(line, ready);
    }

    /// The core's fetches reach `line`, the one after the last asked for, in the cycle `at`, and at the earliest `gap` cycles, 1 to
    /// [`FlashTiming::MOST_GAP`], after the last one was there; nothing happens if it was asked for before. A read of data in the
    /// same cycle goes before it.
    pub fn request<const MANY: bool>(&mut self, line: u32, at: u64, gap: u32) {
        debug_assert!(self.is_written_out(), "the state is in an outcome");
        if line != self.flow.current.wrapping_add(1) {
            return;
        }
        let before = (self.flow.before + 1).min(REMEMBERED as u32 - 1);
        if self.flow.waiting == 0 && self.follows(at, gap) == at && self.take::<MANY>(line, at, before) {
            return;
        }
        self.settle::<MANY>(at);
        let from = if self.flow.waiting > 0 { at } else { self.follows(at, gap) };
        if self.flow.waiting as usize == REMEMBERED {
            return;
        }
        self.flow.before = before;
        self.hold();
        (self.flow.current, self.flow.ready[place(line)], self.flow.gaps[place(line)]) = (line, from, gap as u8);
        self.flow.waiting += 1;
        // What needs no array need not wait.
        if self.flow.waiting == 1 && from == at {
            self.serve_waiting::<MANY>(at);
        }
    }

    /// Returns the cycle of a request made at `at`, but at the earliest `gap` cycles after the last line was there.
    fn follows(&self, at: u64, gap: u32) -> u64 {
        at.max(self.flow.ready[place(self.flow.current)] + u64::from(gap))
    }

    /// Stall of decoding, which wants `line` as if it had asked for it in the cycle `at`. A line that was not asked for, or
    /// that the interface has left behind, is asked for now.
    pub fn wait<const MANY: bool>(&mut self, line: u32, at: u64) -> u32 {
        debug_assert!(self.is_written_out(), "the state is in an outcome");
        if self.flow.current.wrapping_sub(line) > self.flow.before {
            self.redirect::<MANY>(line, at);
        }
        while self.flow.current.wrapping_sub(line) < self.flow.waiting {
            self.serve_waiting::<MANY>(NEVER);
        }
        self.flow.ready[place(line)].saturating_sub(at) as u32
    }

    /// Stall of a data read at `offset`, a byte offset from the start of flash, whose address phase is the core's cycle `at`.
    /// It goes before whatever has not begun by then.
    #[inline]
    pub fn read_data(&mut self, offset: u32, at: u64) -> u32 {
        let at = at + u64::from(Self::AHEAD);
        if self.timing.shared_sets > 0 {
            self.read_data_shared(self.line(offset), at)
        } else if self.timing.data_lines == 0 {
            self.read_data_again(at)
        } else if self.timing.data_lines > FEW {
            self.read_data_through::<true>(self.line(offset), at)
        } else {
            self.read_data_through::<false>(self.line(offset), at)
        }
    }

    /// The same without a cache of data: the stall depends on the state alone, and is recalled as that of a run is.
    fn read_data_again(&mut self, at: u64) -> u32 {
        if !self.has_number() {
            self.settle_any(at);
            return self.deliver(at);
        }
        if let Some(stall) = self.recall(READ, at, false) {
            (self.delivered, self.stalled) = (at + u64::from(stall), stall);
            return stall;
        }
        self.begin_run(READ, at, false);
        self.settle_any(at);
        let stall = self.deliver(at);
        self.end_read(at, stall);
        stall
    }

    /// Tells whether the cache of data has `line`, which then counts as used last.
    fn hits_data(&mut self, line: u32) -> bool {
        if self.timing.data_lines > FEW { self.data.hit::<true>(line) } else { self.data.hit::<false>(line) }
    }

    fn read_data_through<const MANY: bool>(&mut self, line: u32, at: u64) -> u32 {
        if self.data.hit::<MANY>(line) {
            return 0;
        }
        self.write_out();
        self.settle_any(at);
        self.data.insert::<MANY>(line);
        self.deliver(at)
    }

    /// The same of a cache that instructions and data share.
    fn read_data_shared(&mut self, line: u32, at: u64) -> u32 {
        if self.instructions.hold::<true>(line) {
            return 0;
        }
        self.write_out();
        self.settle_any(at);
        self.instructions.insert::<true>(line);
        self.deliver(at)
    }

    /// Stall of a data read at `offset`, as [`Self::read_data`] has it, that asks no cache and fills none.
    pub fn read_uncached(&mut self, at: u64) -> u32 {
        let at = at + u64::from(Self::AHEAD);
        self.write_out();
        self.settle_any(at);
        self.deliver(at)
    }

    /// Tells whether the cache of instructions, or the one for both, holds `line`.
    #[inline]
    pub fn holds(&self, line: u32) -> bool {
        if self.caches_many() { self.instructions.hold::<true>(line) } else { self.instructions.hold::<false>(line) }
    }

    /// Begins a read past the caches in the core's cycle `at`, if nothing has the array then; returns the cycles that it takes.
    ///
    /// # Errors
    /// The cycles until the array is free.
    pub fn read_idle(&mut self, at: u64) -> Result<u64, u64> {
        let at = at + u64::from(Self::AHEAD);
        self.write_out();
        self.settle_any(at);
        match self.flow.busy_until.saturating_sub(at) {
            0 => Ok(self.read_array(at) + 1 - at),
            busy => Err(busy),
        }
    }

    /// The array delivers data that is wanted in the cycle `at`: the stall.
    fn deliver(&mut self, at: u64) -> u32 {
        let delivered = self.read_array(self.flow.busy_until.max(at));
        (self.delivered, self.stalled) = (delivered, (delivered - at) as u32);
        self.stalled
    }

    /// Forgets the line at `offset` and the one beside it, where instructions and data share a cache.
    pub fn forget_line(&mut self, offset: u32) {
        self.write_out();
        let line = self.line(offset);
        self.instructions.forget(line);
    }

    /// The cycles that a load has stalled for data that, by the cycles of fetches, comes one or two cycles before `at`; else 0.
    pub fn stalled_before(&self, at: u64) -> u32 {
        if (1..=2).contains(&at.wrapping_sub(self.delivered)) { self.stalled } else { 0 }
    }

    /// Begins what would have begun before the cycle `now`.
    fn settle<const MANY: bool>(&mut self, now: u64) {
        if self.flow.waiting > 0 || self.flow.ahead_from != NEVER {
            self.settle_open::<MANY>(now);
        }
    }

    fn settle_any(&mut self, now: u64) {
        if self.caches_many() { self.settle::<true>(now) } else { self.settle::<false>(now) }
    }

    fn settle_open<const MANY: bool>(&mut self, now: u64) {
        while self.flow.waiting > 0 {
            if self.flow.ready[place(self.first_waiting())] >= now {
                // Until then the line may be read ahead.
                return self.begin_ahead(now);
            }
            if !self.serve_waiting::<MANY>(now) {
                return;
            }
        }
        self.begin_ahead(now);
    }

    /// Reads the next line ahead if that would have begun before the cycle `now`.
    fn begin_ahead(&mut self, now: u64) {
        let begins = self.flow.ahead_from.max(self.flow.busy_until);
        if self.flow.ahead_from == NEVER || begins >= now {
            return;
        }
        let last = if self.flow.waiting > 0 { self.flow.held } else { self.flow.current };
        (self.flow.ahead_from, self.flow.prefetched) = (NEVER, last.wrapping_add(1));
        self.flow.prefetched_at = self.read_array(begins);
    }

    /// The first of the lines that wait.
    fn first_waiting(&self) -> u32 {
        self.flow.current - (self.flow.waiting - 1)
    }

    /// Begins the first of the lines that wait, if that is before the cycle `before`; whether it did.
    fn serve_waiting<const MANY: bool>(&mut self, before: u64) -> bool {
        let line = self.first_waiting();
        let asked = self.flow.ready[place(line)];
        // Until then it may be read ahead.
        self.begin_ahead(asked.min(before));
        let Some(ready) = self.serve::<MANY>(line, asked, before) else { return false };
        self.flow.ready[place(line)] = ready;
        self.flow.waiting -= 1;
        if self.flow.waiting > 0 {
            (self.flow.held, self.flow.held_at) = (line, ready);
            let next = place(line + 1);
            self.flow.ready[next] = self.flow.ready[next].max(ready + u64::from(self.flow.gaps[next]));
        }
        self.plan_ahead::<MANY>(line, ready);
        true
    }

    /// Asks for `line` in the cycle `at`: nothing waits.
    fn ask<const MANY: bool>(&mut self, line: u32, at: u64) {
        self.hold();
        self.flow.current = line;
        match self.serve::<MANY>(line, at, at + 1) {
            Some(ready) => {
                self.flow.ready[place(line)] = ready;
                self.plan_ahead::<MANY>(line, ready);
            }
            None => {
                self.flow.ready[place(line)] = at;
                (self.flow.waiting, self.flow.ahead_from) = (1, NEVER);
            }
        }
    }

    /// The cycle from which `line`, asked for in the cycle `asked`, stalls no more; `None` if the array is wanted and is not
    /// free before the cycle `before`.
    fn serve<const MANY: bool>(&mut self, line: u32, asked: u64, before: u64) -> Option<u64> {
        if self.instructions.hit::<MANY>(line) {
            return Some(asked);
        }
        if line == self.flow.prefetched {
            self.flow.prefetched = NONE;
            if self.timing.caches_prefetched {
                self.instructions.insert::<MANY>(line);
            }
            return Some(self.flow.prefetched_at.max(asked));
        }
        let begins = self.flow.busy_until.max(asked);
        if begins >= before {
            return None;
        }
        self.instructions.insert::<MANY>(line);
        Some(self.read_array(begins))
    }

    /// Remembers the current line while others wait, if none does yet.
    fn hold(&mut self) {
        if self.flow.waiting == 0 {
            (self.flow.held, self.flow.held_at) = (self.flow.current, self.flow.ready[place(self.flow.current)]);
        }
    }

    /// With `line` there from the cycle `ready` on, the next may be read ahead.
    fn plan_ahead<const MANY: bool>(&mut self, line: u32, ready: u64) {
        let next = line.wrapping_add(1);
        let wanted = !self.instructions.hold::<MANY>(next)
            && next != self.flow.prefetched
            && self.timing.prefetch
            && line != NONE;
        self.flow.ahead_from = if wanted { ready + 1 } else { NEVER };
    }

    /// Reads the array from the cycle `begins` on; the cycle in which the read delivers.
    fn read_array(&mut self, begins: u64) -> u64 {
        self.flow.busy_until = begins + self.wait_states + 1;
        begins + self.wait_states
    }
}

#[cfg(test)]
mod tests;
