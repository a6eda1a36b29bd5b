//! The stages of a cache whose tags are compared in the first stage and answer in the second, which is the decode stage.

use super::{Behind, Lines};
use crate::pipeline::{Slot, Surroundings};

/// An instruction in a fetch stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fetched {
    pc: u32,
    hit: bool,
    /// Decoded, once it has been looked at.
    slot: Option<Slot>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::pipeline) struct Cached {
    pub(super) lines: Lines,
    /// The address that the next fetch begins at.
    next: u32,
    booted: bool,
    first: Option<Fetched>,
    second: Option<Fetched>,
}

impl Cached {
    pub fn new(lines: usize, pc: u32) -> Self {
        Self { lines: Lines::new(lines), next: pc, booted: false, first: None, second: None }
    }

    pub fn restart(&mut self, pc: u32) {
        (self.next, self.booted, self.first, self.second) = (pc, false, None, None);
    }

    pub fn begins_at(&self, pc: u32) -> bool {
        self.next == pc && self.first.is_none() && self.second.is_none()
    }

    pub fn is_simple(&self) -> bool {
        let hits = |fetched: &Option<Fetched>| fetched.is_none_or(|fetched| fetched.hit);
        self.booted && self.lines.is_idle() && hits(&self.first) && hits(&self.second)
    }

    pub fn has_only_asked(&self) -> bool {
        let is_new = |fetched: &Option<Fetched>| fetched.is_none_or(|fetched| fetched.slot.is_none());
        is_new(&self.first) && is_new(&self.second)
    }

    pub fn fetched(&self) -> Option<u32> {
        self.first.map(|fetched| fetched.pc)
    }

    pub fn undecoded(&self) -> [Option<u32>; 2] {
        [self.first, self.second].map(|fetched| fetched.map(|fetched| fetched.pc))
    }

    #[inline]
    pub fn decoded(&mut self, surroundings: &impl Surroundings, leaving: bool) -> Option<Slot> {
        let fetched = self.second.as_mut().filter(|fetched| fetched.hit)?;
        let pc = fetched.pc;
        Some(*fetched.slot.get_or_insert_with(|| {
            if surroundings.denies(pc, leaving) { Slot::denied(pc) } else { surroundings.slot(pc) }
        }))
    }

    #[inline]
    pub fn end(&mut self, behind: &Behind, acknowledged: bool) {
        let missed = self.second.filter(|fetched| !fetched.hit).map(|fetched| fetched.pc);
        let flush = behind.removed || behind.decode_jumps && !behind.stuck || missed.is_some();
        let ready = !behind.stuck && missed.is_none();
        let begins = ready && self.booted && !behind.halted && !self.lines.halts() && !behind.fence;
        let busy = self.first.is_some();
        self.next = behind.target.or(missed).unwrap_or(self.next);
        self.booted = true;
        if ready {
            self.second = self.first.filter(|_| !flush);
            self.first = None;
            if begins {
                let pc = self.next;
                self.first = Some(Fetched { pc, hit: self.lines.hits(pc), slot: None });
                self.next = pc.wrapping_add(4);
            }
        } else if flush {
            (self.first, self.second) = (None, None);
        }
        self.lines.end(acknowledged, missed, behind.fence, busy);
    }
}
