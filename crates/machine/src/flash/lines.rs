//! The lines that a cache of flash holds.

use std::sync::atomic::{AtomicU64, Ordering};

use super::sets::Sets;
use super::timing::FlashTiming;

/// A cache of so many lines compares them all; a larger one looks them up.
pub(super) const FEW: usize = 2;

/// The number of the latest uses that are known.
pub(super) const LATEST: usize = 16;

/// No line: lines are numbered from address 0 and never reach this.
pub(super) const NONE: u32 = u32::MAX;

/// Before the first of the numbers that one cache gives, of which there are enough.
fn first_number() -> u64 {
    static CACHES: AtomicU64 = AtomicU64::new(0);
    CACHES.fetch_add(1, Ordering::Relaxed) << 40
}

/// Lines kept, the least recently used of which makes room for a new one.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    capacity: usize,
    /// Up to two lines are kept here, the one used last first.
    pub(super) recent: [u32; 2],
    /// More are found here: for each line of flash up to the highest met, the slot that holds it plus one; 0 if none.
    slot_of: Vec<u8>,
    /// The last use of the line in each slot plus one, counted in uses: a line may be served before its cycle comes.
    pub(super) used: [u64; 256],
    pub(super) uses: u64,
    /// The slots of the latest uses, by the last bits of their numbers.
    pub(super) latest: [u8; LATEST],
    /// The line in each slot.
    lines: Vec<u32>,
    /// The number of what is in the slots: what has the same number, here or in a copy, is the same.
    pub(super) contents: u64,
    /// The last number given, and no copy gives it.
    given: u64,
    /// In their place, a cache in two ways.
    sets: Option<Box<Sets>>,
}

impl Lines {
    pub(super) fn new(capacity: usize) -> Self {
        let capacity = capacity.min(FlashTiming::MAX_LINES);
        Self {
            capacity,
            recent: [NONE; 2],
            slot_of: Vec::new(),
            used: [0; 256],
            uses: 0,
            latest: [0; LATEST],
            lines: Vec::new(),
            contents: 0,
            given: first_number(),
            sets: None,
        }
    }

    /// A cache in two ways of `sets` sets.
    pub(super) fn in_ways(sets: u32) -> Self {
        Self { sets: Some(Box::new(Sets::new(sets))), ..Self::new(FlashTiming::MAX_LINES) }
    }

    /// The slot of `line` plus one, 0 if it is not here.
    #[inline(always)]
    fn slot(&self, line: u32) -> u8 {
        self.slot_of.get(line as usize).copied().unwrap_or(0)
    }

    /// The line in the slot plus one is used. Uses of one line in a row are one.
    #[inline(always)]
    fn touch(&mut self, slot: u8) {
        if self.latest[self.uses as usize % LATEST] == slot {
            return;
        }
        self.uses += 1;
        self.used[usize::from(slot)] = self.uses;
        self.latest[self.uses as usize % LATEST] = slot;
    }

    /// The count of uses from which a run counts its own: its first is one of these whatever was used before.
    pub(super) fn begin_uses(&mut self) -> u64 {
        self.latest[self.uses as usize % LATEST] = 0;
        self.uses
    }

    /// The slots plus one that were used since there were `uses` of them, the first in the last byte; `None` if they were
    /// too many.
    pub(super) fn used_since(&self, uses: u64) -> Option<u64> {
        // What was not there was looked for in none of them.
        let slots =
            (uses..self.uses).map(|before| self.latest[(before + 1) as usize % LATEST]).filter(|slot| *slot != 0);
        let few = self.uses - uses <= LATEST as u64 && slots.clone().count() <= 8;
        few.then(|| slots.enumerate().fold(0, |used, (place, slot)| used | u64::from(slot) << (8 * place)))
    }

    /// The slots plus one are used as [`Self::used_since`] has them.
    #[inline(always)]
    pub(super) fn use_again(&mut self, mut used: u64) {
        while used != 0 {
            self.uses += 1;
            self.used[usize::from(used as u8)] = self.uses;
            used >>= 8;
        }
        self.latest[self.uses as usize % LATEST] = 0;
    }

    #[inline(always)]
    pub(super) fn hold<const MANY: bool>(&self, line: u32) -> bool {
        match &self.sets {
            Some(sets) if MANY => sets.holds(line),
            None if MANY => self.slot(line) != 0,
            _ => self.recent.contains(&line),
        }
    }

    /// Tells whether `line` is here; if so it counts as used last.
    #[inline(always)]
    pub(super) fn hit<const MANY: bool>(&mut self, line: u32) -> bool {
        if MANY {
            if let Some(sets) = &self.sets {
                return sets.holds(line);
            }
            let slot = self.slot(line);
            self.touch(slot);
            return slot != 0;
        }
        let [newer, older] = self.recent;
        if line == older {
            self.recent = [older, newer];
        }
        line == newer || line == older
    }

    /// Keeps `line`, which is not here.
    #[inline(always)]
    pub(super) fn insert<const MANY: bool>(&mut self, line: u32) {
        match self.capacity {
            _ if MANY => self.make_room_for(line),
            0 => {}
            1 => self.recent[0] = line,
            _ => self.recent = [line, self.recent[0]],
        }
    }

    #[inline(never)]
    fn make_room_for(&mut self, line: u32) {
        if let Some(sets) = &mut self.sets {
            sets.insert(line);
            return self.change();
        }
        let slot = if self.lines.len() < self.capacity {
            self.lines.push(line);
            self.lines.len()
        } else {
            let oldest = (1..=self.lines.len()).min_by_key(|slot| self.used[*slot]).unwrap_or(1);
            let evicted = std::mem::replace(&mut self.lines[oldest - 1], line);
            self.slot_of[evicted as usize] = 0;
            oldest
        };
        if self.slot_of.len() <= line as usize {
            self.slot_of.resize(line as usize + 1, 0);
        }
        self.slot_of[line as usize] = slot as u8;
        self.change();
        self.touch(slot as u8);
    }

    /// The slots in use plus one, the least recently used first.
    pub(super) fn by_use(&self) -> Vec<u8> {
        let mut slots: Vec<u8> = (1..=self.lines.len()).map(|slot| slot as u8).collect();
        slots.sort_by_key(|slot| self.used[usize::from(*slot)]);
        slots
    }

    fn change(&mut self) {
        self.given += 1;
        self.contents = self.given;
    }

    /// A copy, which gives numbers of its own to what comes.
    pub(super) fn copy(&self) -> Self {
        Self { given: first_number(), ..self.clone() }
    }

    /// Becomes as `from`.
    pub(super) fn become_as(&mut self, from: &Self) {
        let given = self.given;
        self.clone_from(from);
        self.given = given;
    }

    pub(super) fn clear(&mut self) {
        let sets = self.sets.take().map(|sets| Box::new(sets.emptied()));
        *self = Self { given: self.given, sets, ..Self::new(self.capacity) };
        self.change();
    }

    /// Forgets `line` and the one that it shares a way with, in a cache in two ways.
    pub(super) fn forget(&mut self, line: u32) {
        if self.sets.as_mut().is_some_and(|sets| sets.forget(line)) {
            self.change();
        }
    }
}
