//! The instruction cache: one way of lines of 32 bytes, of which only the tags are kept, and what loads and invalidates them.

/// The shift from an address to its line.
const LINE: u32 = 5;
/// Words of a line.
const WORDS: u8 = 8;

/// The tags, and what the line loader is doing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Lines {
    /// The line at each place, and one that no address has where there is none.
    pub tags: Vec<u32>,
    /// The address that is being loaded.
    load: Option<u32>,
    /// The bus has acknowledged the first word of that.
    sent: bool,
    /// The next word of the burst, 0 before the first.
    word: u8,
    /// A word that the bus acknowledged comes in this cycle; words that have come.
    comes: bool,
    come: u8,
    flush: bool,
    /// Lines that a flush has invalidated; all if none is under way.
    flushed: usize,
    flushed_before: bool,
}

impl Lines {
    pub fn new(lines: usize) -> Self {
        Self {
            tags: vec![u32::MAX; lines],
            load: None,
            sent: false,
            word: 0,
            comes: false,
            come: 0,
            flush: true,
            flushed: 0,
            flushed_before: false,
        }
    }

    fn place(&self, address: u32) -> usize {
        (address >> LINE) as usize & (self.tags.len() - 1)
    }

    pub fn hits(&self, address: u32) -> bool {
        self.tags[self.place(address)] == address >> LINE
    }

    /// Tells whether no fetch may begin.
    #[inline]
    pub fn halts(&self) -> bool {
        self.load.is_some() || self.flush || self.flushed < self.tags.len() || !self.flushed_before
    }

    /// Tells whether it does nothing.
    pub fn is_idle(&self) -> bool {
        let loads = self.load.is_some() || self.sent || self.word != 0 || self.comes || self.come != 0;
        !loads && !self.halts()
    }

    /// The word that the loader asks for.
    #[inline]
    pub fn request(&self) -> Option<u32> {
        let address = self.load.filter(|_| !self.sent);
        match (address, self.word) {
            (None, 0) => None,
            // Its burst goes on, whatever the loader does.
            (_, word) => Some((self.load.unwrap_or(0) >> LINE << LINE) + 4 * u32::from(word)),
        }
    }

    /// Ends a cycle: the bus has `acknowledged` the request, a line that is `missed` is to be loaded, a FENCE.I asks for a `flush`, a
    /// fetch is `busy` in the first stage.
    #[inline]
    pub fn end(&mut self, acknowledged: bool, missed: Option<u32>, flush: bool, busy: bool) {
        let (loads, flushing, all) = (self.load.is_some(), self.flush, self.flushed == self.tags.len());
        if !loads && missed.is_none() && !flush && !flushing && all && self.flushed_before {
            return;
        }
        if acknowledged {
            self.sent |= loads;
            self.word = (self.word + 1) % WORDS;
        }
        if std::mem::replace(&mut self.comes, acknowledged) {
            self.come += 1;
        }
        if self.come == WORDS {
            // Until all lines are invalid, the tags' only port does nothing else.
            if let Some(address) = self.load.filter(|_| all) {
                let place = self.place(address);
                self.tags[place] = address >> LINE;
            }
            (self.load, self.sent, self.come) = (None, false, 0);
        }
        if missed.is_some() {
            self.load = missed;
        }
        self.flushed_before = all;
        if !all {
            self.tags[self.flushed] = u32::MAX;
            self.flushed += 1;
        }
        self.flush |= flush;
        if flushing && !(loads || busy) {
            (self.flush, self.flushed) = (false, 0);
        }
    }
}
