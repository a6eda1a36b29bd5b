//! The stages of a cache that answers in the stage behind the request. That stage finds where instructions begin, of two bytes or
//! four, and fills the register before the decode stage.

use super::{Behind, Lines};
use crate::pipeline::{Slot, Surroundings};

/// A word in the stage that the cache answers in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fetched {
    pc: u32,
    hit: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::pipeline) struct Compressed {
    pub(super) lines: Lines,
    /// The address that the next fetch begins at.
    next: u32,
    booted: bool,
    fetched: Option<Fetched>,
    /// The first half of an instruction of four bytes is kept.
    kept: bool,
    /// The lower half of the word has been given.
    upper: bool,
    /// An instruction, the one at `pc`, is in the decode stage; decoded, once it has been looked at.
    decodes: bool,
    slot: Option<Slot>,
    /// The address of the decode stage.
    pc: u32,
}

impl Compressed {
    pub fn new(lines: usize, pc: u32) -> Self {
        Self {
            lines: Lines::new(lines),
            next: pc,
            booted: false,
            fetched: None,
            kept: false,
            upper: false,
            decodes: false,
            slot: None,
            pc,
        }
    }

    pub fn restart(&mut self, pc: u32) {
        let empty = Self::new(0, pc);
        let lines = std::mem::replace(self, empty).lines;
        self.lines = lines;
    }

    pub fn begins_at(&self, pc: u32) -> bool {
        self.next == pc && self.pc == pc && self.fetched.is_none() && !self.decodes
    }

    pub fn is_simple(&self) -> bool {
        self.booted && self.lines.is_idle() && self.fetched.is_none_or(|word| word.hit)
    }

    pub fn has_only_asked(&self) -> bool {
        self.slot.is_none()
    }

    pub fn fetched(&self) -> Option<u32> {
        self.fetched.map(|word| word.pc)
    }

    pub fn undecoded(&self) -> [Option<u32>; 2] {
        [self.fetched.map(|word| word.pc), (self.decodes || self.kept).then_some(self.pc)]
    }

    #[inline]
    pub fn decoded(&mut self, surroundings: &impl Surroundings, leaving: bool) -> Option<Slot> {
        if !self.decodes {
            // A word that must not be executed raises its exception where the decode stage is empty.
            let denied = self.fetched.is_some_and(|word| word.hit && surroundings.denies(word.pc, leaving));
            return denied.then(|| Slot::denied(self.pc));
        }
        let pc = self.pc;
        Some(*self.slot.get_or_insert_with(|| surroundings.slot(pc)))
    }

    #[inline]
    pub fn end(&mut self, behind: &Behind, acknowledged: bool, surroundings: &impl Surroundings) {
        let missed = self.fetched.filter(|word| !word.hit).map(|word| word.pc);
        let here = self.fetched.filter(|word| word.hit && !surroundings.denies(word.pc, behind.leaving));
        let ready = !behind.stuck;

        // The halves of the word, and the instruction that the decode stage gets.
        let word = here.map_or(0, |word| word.pc & !3);
        let narrow = |at: u32| here.is_some() && !surroundings.is_wide(at);
        let (low, high) = (narrow(word), narrow(word + 2));
        let upper = self.upper || here.is_some_and(|word| word.pc & 2 != 0);
        let aligned = !upper && !self.kept;
        let gives = here.is_some() && (!upper || self.kept || high);
        let is_narrow = !self.kept && if upper { high } else { low };
        let another = self.kept && high || aligned && low && high;
        let word_ends = ready && (self.fetched.is_none() || !another);
        let stage_ready = word_ends && (self.fetched.is_none() || here.is_some());
        let kept = aligned && low && !high || self.kept && !high || upper && !is_narrow && !high;
        if ready && gives {
            self.upper = another;
        }
        let redo = missed.map(|pc| if self.upper { pc | 2 } else { pc });
        if ready && here.is_some() {
            self.kept = kept;
        }
        if behind.jumps {
            (self.upper, self.kept) = (false, false);
        }

        // The decode stage.
        if self.decodes && !behind.stuck && !behind.removed {
            self.pc = self.slot.map_or(self.pc, |slot| slot.pc.wrapping_add(slot.bytes.into()));
        }
        if let Some(target) = behind.target.filter(|_| ready || behind.removed) {
            self.pc = target;
        }
        if behind.removed {
            (self.decodes, self.slot) = (false, None);
        }
        if ready {
            (self.decodes, self.slot) = (gives && !behind.jumps, None);
        }

        // The next fetch.
        let busy = self.fetched.is_some();
        let begins = stage_ready && self.booted && !behind.halted && !self.lines.halts() && !behind.fence;
        self.next = behind.target.or(redo).unwrap_or(self.next);
        self.booted = true;
        if behind.jumps || missed.is_some() {
            self.fetched = None;
        }
        if stage_ready {
            self.fetched = None;
            if begins {
                let pc = self.next;
                self.fetched = Some(Fetched { pc, hit: self.lines.hits(pc) });
                self.next = (pc & !3).wrapping_add(4);
            }
        }
        self.lines.end(acknowledged, missed, behind.fence, busy);
    }
}
