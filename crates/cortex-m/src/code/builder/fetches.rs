//! Fetches of a block: which lines of flash are asked for beside which instruction, and waited for before which.

use cyclescope_machine::RegionKind;

use super::super::block::{Fetch, FetchKind, FetchRun, Refill};
use super::{Builder, Placed};
use crate::cpu::Entry;
use crate::decode::{Instruction, Op};
use crate::timing::{Redirect, redirect};

/// Tells whether `placed` is a branch whose target is fetched while it is being decoded.
fn turns_decoded(placed: &Placed) -> bool {
    matches!(redirect(&placed.i), Some(Redirect::Decode))
}

impl Builder<'_, '_> {
    /// Asks for the lines that `placed` is in, and waits for them, before it begins.
    pub(super) fn reach(&mut self, placed: &Placed, cycles: u32, follower: Option<&Placed>) {
        let Some((first, last)) = self.lines_of(placed) else { return };
        let latency = self.timing.cycles(self.timing.fetch_latency);
        if let Some(inside) = self.arrives.take() {
            let aside = self.timing.fetches_aside;
            // A target across words has its second fetch before it can begin, which its branch was charged for.
            let across = placed.wide && placed.at & 2 != 0 && self.timing.unaligned_target > 0;
            let earlier = if aside { u32::from(across) } else { latency };
            let word = placed.at / 4;
            // Lines begin where a word does.
            let line_words = self.flash.line_bytes / 4;
            let mut refill = Refill { inside, earlier, words: line_words - word % line_words, lines: 0, line_words };
            (self.asked, self.awaited) = (first, first);
            if aside {
                // A word a cycle since then.
                let through = match redirect(&placed.i) {
                    Some(Redirect::Decode) => word + 1,
                    Some(Redirect::Execute) => word + 2,
                    // Room that it makes itself comes in the cycle in which the next may turn.
                    None if cycles == 1 && follower.is_some_and(turns_decoded) => word + 2,
                    None => self.filled_behind(placed),
                };
                let last = self.line_at(through.wrapping_mul(4)).unwrap_or(first);
                refill.lines = last - first;
                if inside {
                    // Otherwise what comes before may have left it to this one to ask.
                    self.asked = last;
                }
            }
            let before = Fetch::EARLIEST - if aside { latency } else { 0 };
            self.fetch(placed, FetchKind::Refill(refill), first, before);
        }
        if !self.timing.fetches_aside {
            // Behind a branch that was not taken nothing has asked for it.
            self.ask_and_wait(placed, placed.at / 4, Fetch::EARLIEST);
        }
        // Without a bus of its own each fetch was waited for when it was made.
        for line in [first, last] {
            if line != self.awaited && self.timing.fetches_aside {
                self.awaited = line;
                self.fetch(placed, FetchKind::Await, line, Fetch::EARLIEST - latency);
            }
        }
    }

    /// The last word that the buffer has room for while `placed` is being executed and is there no more.
    fn filled_behind(&self, placed: &Placed) -> u32 {
        placed.next_at() / 4 + self.timing.cycles(self.timing.fetch_buffer) - 1
    }

    /// Fetches beside `placed`, `late` cycles into it.
    pub(super) fn fetch_on(&mut self, placed: &Placed, cycles: u32, follower: Option<&Placed>, late: u32) {
        if self.timing.fetches_aside {
            self.fetch_ahead(placed, cycles, follower);
        } else {
            self.fetch_beside(placed, late);
        }
    }

    /// Tells whether fetches go on beside execution, and flash waits.
    pub(super) fn asks(&self) -> bool {
        self.timing.fetches_aside && self.flash.wait_states > 0
    }

    /// Fetches while `placed`, which takes `cycles`, is being executed, so that `follower` can be decoded.
    fn fetch_ahead(&mut self, placed: &Placed, cycles: u32, follower: Option<&Placed>) {
        let Some(follower) = follower.filter(|_| self.asks() && self.arrives.is_none()) else { return };
        // A branch may turn no later than the request could come, which then comes behind it if it is not taken: the follower
        // itself, or one behind it.
        let least = match redirect(&follower.i) {
            Some(Redirect::Decode) => 3,
            Some(Redirect::Execute) => 2,
            None if cycles == 1 && self.turns_behind(placed, follower) => 2,
            None => 0,
        };
        if cycles >= least {
            self.ask(placed, follower);
        }
    }

    /// Tells whether `follower`, right behind `placed`, takes a cycle in which a branch behind it turns.
    fn turns_behind(&self, placed: &Placed, follower: &Placed) -> bool {
        let cost = (self.timing.cost)(&follower.i, &self.context(follower, Some(placed)));
        let next = || self.place_at(follower.next_pc, follower.next_it());
        cost.cycles == 1 && cost.most_extra == 0 && next().is_some_and(|next| turns_decoded(&next))
    }

    /// Asks for the lines that there is room for once `follower` can be decoded while `placed` is being executed.
    fn ask(&mut self, placed: &Placed, follower: &Placed) {
        let Some(through) = self.line_at(self.filled_behind(follower).wrapping_mul(4)) else { return };
        let decoded = self.line_at(follower.next_at().wrapping_sub(2));
        while through > self.asked {
            // Room for it comes in the cycle after decoding, or it follows the words before it.
            let latency = self.timing.cycles(self.timing.fetch_latency);
            let gap = if decoded == Some(self.asked) { latency } else { self.flash.line_bytes / 4 };
            let beside_load = placed.i.reads_memory();
            self.asked += 1;
            self.fetch(placed, FetchKind::Request { gap, beside_load }, self.asked, Fetch::EARLIEST + 1);
        }
    }

    /// On a core that has one bus: the word behind `placed`, which is fetched while that is being executed.
    fn fetch_beside(&mut self, placed: &Placed, late: u32) {
        if self.flash.wait_states == 0 || self.lines_of(placed).is_none() {
            return;
        }
        let word = if redirect(&placed.i).is_some() { (placed.next_at() - 2) / 4 } else { placed.at / 4 + 1 };
        self.ask_and_wait(placed, word, Fetch::EARLIEST + late);
    }

    /// The first and the last line that `placed` is in, if it is in flash that makes the core wait.
    fn lines_of(&self, placed: &Placed) -> Option<(u32, u32)> {
        let waits = self.flash.wait_states > 0;
        let first = self.line_at(placed.at).filter(|_| waits)?;
        Some((first, self.line_at(placed.next_at().wrapping_sub(2)).unwrap_or(first)))
    }

    /// The line at `address`, which counts for timing.
    fn line_at(&self, address: u32) -> Option<u32> {
        match self.draft.memory.region(address) {
            Some(RegionKind::Flash(offset)) => Some(self.draft.memory.flash.interface().line(offset)),
            _ => None,
        }
    }

    /// Asks for the lines up to `word`, a word's number, `before` cycles after the earliest before `placed`, and waits for them.
    fn ask_and_wait(&mut self, placed: &Placed, word: u32, before: u32) {
        let Some(through) = self.line_at(word.wrapping_mul(4)) else { return };
        while through > self.asked {
            self.asked += 1;
            self.fetch(placed, FetchKind::Request { gap: 1, beside_load: false }, self.asked, before);
        }
    }

    /// A step of fetching: `before` as [`Fetch`] counts, from the start of `placed`. It joins the run before it, if nobody sees
    /// the difference.
    fn fetch(&mut self, placed: &Placed, kind: FetchKind, line: u32, before: u32) {
        if self.draft.beside {
            return;
        }
        if !matches!(kind, FetchKind::Request { .. }) || !self.timing.fetches_aside {
            self.waits += 1;
            self.draft.extra += self.worst_stall();
        }
        if !std::mem::replace(&mut self.joins, true) {
            let run = FetchRun::new();
            let step = Instruction::new(Op::Fetches).place(self.runs.len() as u32).imm(run.number);
            self.draft.step(step, self.place(placed, 0, Entry::PLAIN));
            self.runs.push(run);
        }
        let index = self.draft.count();
        if let Some(run) = self.runs.last_mut() {
            run.steps.push(Fetch { kind, line, before: self.draft.cycles + before, index });
            run.last = self.draft.cycles;
        }
    }
}
