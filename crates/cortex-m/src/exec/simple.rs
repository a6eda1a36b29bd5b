//! Simple attempts of one of two cores: the part of the state that calm instructions change is remembered, and no other is copied.

use std::ops::Range;

use cyclescope_machine::RowSet;

use super::BegunFetch;
use crate::cpu::{Cpu, Entry};

/// The part of the state that calm instructions change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    r: [u32; 16],
    nz: i64,
    c: bool,
    v: bool,
    q: bool,
    ge: u8,
    thumb: bool,
    lowest_sp: [u32; 2],
    entry: Entry,
    loaded_from: Range<u32>,
    refill: bool,
    fetched: u32,
    begun: [Option<BegunFetch>; 2],
    now: u64,
    instructions: u64,
    rows: RowSet,
}

impl Cpu {
    /// Remembers what a simple attempt changes.
    #[inline]
    pub(crate) fn keep_simple(&mut self) {
        let kept = &mut self.kept;
        (kept.r, kept.nz, kept.c, kept.v, kept.q, kept.ge) = (self.r, self.nz, self.c, self.v, self.q, self.ge);
        (kept.thumb, kept.lowest_sp, kept.entry) = (self.thumb, self.lowest_sp, self.entry);
        kept.loaded_from.clone_from(&self.loaded_from);
        (kept.refill, kept.fetched, kept.now) = (self.refill, self.fetched, self.now);
        (kept.instructions, kept.rows) = (self.instructions, self.rows);
        // Mostly there are none.
        if kept.begun[0].is_some() || self.begun[0].is_some() {
            kept.begun = self.begun;
        }
    }

    /// Goes back to that.
    #[inline]
    pub(crate) fn give_simple_back(&mut self) {
        let Kept { r, nz, c, v, q, ge, thumb, lowest_sp, entry, ref loaded_from, .. } = self.kept;
        (self.r, self.nz, self.c, self.v, self.q, self.ge, self.thumb) = (r, nz, c, v, q, ge, thumb);
        (self.lowest_sp, self.entry, self.loaded_from) = (lowest_sp, entry, loaded_from.clone());
        let Kept { refill, fetched, begun, now, instructions, rows, .. } = self.kept;
        (self.refill, self.fetched, self.begun) = (refill, fetched, begun);
        (self.now, self.instructions, self.rows) = (now, instructions, rows);
    }
}
