//! The instruction cache: one way of lines of 32 bytes, of which only the tags are kept.

/// The shift from an address to its line.
const LINE: u32 = 5;
/// The tags and what the line loader is doing.
#[derive(Clone, Debug)]
pub(crate) struct InstructionCache {
    /// The line at each place, and one that no address has where there is none.
    lines: Vec<u32>,
    /// The address that is being loaded, and the cycle in which its last word comes.
    load: Option<(u32, u64)>,
    flush: bool,
    /// Cycles from a miss to the line's last word.
    fill: u64,
    /// Lines that a flush has invalidated; all if none is under way.
    flushed: usize,
    flushed_before: bool,
}

impl InstructionCache {
    pub fn new(lines: usize, fill: u32) -> Self {
        let fill = fill.into();
        Self { lines: vec![u32::MAX; lines], load: None, flush: true, fill, flushed: 0, flushed_before: false }
    }

    fn place(&self, address: u32) -> usize {
        (address >> LINE) as usize & (self.lines.len() - 1)
    }

    pub fn hits(&self, address: u32) -> bool {
        self.lines[self.place(address)] == address >> LINE
    }

    /// Tells whether no fetch may begin.
    #[inline]
    pub fn halts(&self) -> bool {
        self.load.is_some() || self.flush || self.flushed < self.lines.len() || !self.flushed_before
    }

    /// Ends the cycle `cycle`: a line that is `missed` is to be loaded, a FENCE.I asks for a `flush`, a fetch is `busy` in the first
    /// stage.
    #[inline]
    pub fn end(&mut self, cycle: u64, missed: Option<u32>, flush: bool, busy: bool) {
        let (loads, flushing, all) = (self.load.is_some(), self.flush, self.flushed == self.lines.len());
        if !loads && missed.is_none() && !flush && !flushing && all && self.flushed_before {
            return;
        }
        if let Some((address, until)) = self.load
            && until == cycle
        {
            // Until all lines are invalid, the tags' only port does nothing else.
            if all {
                let place = self.place(address);
                self.lines[place] = address >> LINE;
            }
            self.load = None;
        }
        if let Some(address) = missed {
            self.load = Some((address, self.load.map_or(cycle + self.fill, |(_, until)| until)));
        }
        self.flushed_before = all;
        if !all {
            self.lines[self.flushed] = u32::MAX;
            self.flushed += 1;
        }
        self.flush |= flush;
        if flushing && !(loads || busy) {
            (self.flush, self.flushed) = (false, 0);
        }
    }

    pub fn repeats(&self, now: u64, earlier: &Self, then: u64) -> bool {
        let load = |cache: &Self, now: u64| cache.load.map(|(address, until)| (address, until - now));
        let of = |cache: &Self| (cache.flush, cache.flushed, cache.flushed_before);
        load(self, now) == load(earlier, then) && of(self) == of(earlier) && self.lines == earlier.lines
    }

    pub fn postpone(&mut self, cycles: u64) {
        if let Some((_, until)) = &mut self.load {
            *until += cycles;
        }
    }
}
