//! Counts of accesses, for parts that show programs how their bus is used.
//!
//! Nobody counts until a program asks for it: from then on each access goes through the run loop's slow path, where it is seen. A block
//! whose registers keep a core waiting for longer than any access else may ask for that path too.

use crate::Port;

/// The most ports of a bus.
const PORTS: usize = 16;

/// The accesses at each port since counting began, and those of them that had to wait for another master's.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// The blocks that want counts, one bit each.
    wanted: u8,
    /// Somebody has begun to want them, and the run loop has not heard of it.
    began: bool,
    all: [u64; PORTS],
    contested: [u64; PORTS],
    cached: u64,
    hits: u64,
}

impl Traffic {
    /// The block `who`, one bit, wants counts, or (`false`) no longer.
    pub fn want(&mut self, who: u8, wanted: bool) {
        self.began |= wanted && self.wanted == 0;
        self.wanted = if wanted { self.wanted | who } else { self.wanted & !who };
        self.began &= self.wanted != 0;
    }

    /// Tells whether accesses are counted.
    #[inline(always)]
    pub fn is_counted(&self) -> bool {
        self.wanted != 0
    }

    /// Tells whether counting has begun since the last [`Self::take_began`].
    pub fn has_begun(&self) -> bool {
        self.began
    }

    /// The same, and forgets it.
    pub fn take_began(&mut self) -> bool {
        std::mem::take(&mut self.began)
    }

    /// An access at `port` has been made, which had `waited` for another master's.
    #[inline]
    pub fn count(&mut self, port: Port, waited: bool) {
        if self.is_counted() {
            let port = usize::from(port.0) % PORTS;
            self.all[port] += 1;
            self.contested[port] += u64::from(waited);
        }
    }

    /// An access by way of the cache of flash has been made, and was answered from it if `hit`.
    #[inline]
    pub fn count_cached(&mut self, hit: bool) {
        if self.is_counted() {
            self.cached += 1;
            self.hits += u64::from(hit);
        }
    }

    /// The accesses that were counted at `port`, or those of them that were `contested`.
    pub fn at(&self, port: Port, contested: bool) -> u64 {
        let of = if contested { &self.contested } else { &self.all };
        of[usize::from(port.0) % PORTS]
    }

    /// The accesses by way of the cache of flash, and those that were hits.
    pub fn cached(&self) -> [u64; 2] {
        [self.cached, self.hits]
    }
}
