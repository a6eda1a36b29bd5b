//! The bridges between VexRiscv's caches and the bus: what a master presents in the cycle after another.
//!
//! A master raises CYC with STB and keeps address and direction until it is acknowledged. The instruction cache fills a line of eight
//! words from the first to the last without a pause, CTI 2 and at last 7; then it pauses. A data cache fills a line in the same way,
//! and makes single accesses, CTI 0, for stores and for addresses from 0x80000000 on; those follow each other without a pause if the
//! next one waits already. Without instruction cache, so do the fetches of single words; without data cache, a core pauses behind each
//! load and store.

use super::super::rtl::Variant;
use super::caches;
use super::soc::Cycle;

const FETCH: usize = 0;
const DATA: usize = 1;
/// Bytes of a line.
const LINE: u32 = 32;
/// CTI of a single access, of a word of a burst, and of its last.
const SINGLE: u8 = 0;
const BURST: u8 = 2;
const LAST: u8 = 7;
/// Addresses from here on are not cached.
const UNCACHED: u32 = 0x8000_0000;

/// The request of a master, with its CTI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Presented {
    address: u32,
    writes: bool,
    cti: u8,
}

/// The state of both bridges.
#[derive(Debug)]
pub(super) struct Bridges {
    /// It has a cache for instructions, one for data.
    caches: [bool; 2],
    before: [Option<Presented>; 2],
    acknowledged: [bool; 2],
}

impl Bridges {
    pub(super) fn new(core: Variant) -> Self {
        Self { caches: caches(core), before: [None; 2], acknowledged: [false; 2] }
    }

    /// Passes a cycle. Returns what is not as described.
    pub(super) fn step(&mut self, cycle: &Cycle) -> Option<&'static str> {
        let fetch = cycle.requests.fetch.map(|address| (address, false));
        let mut found = None;
        for (master, request) in [fetch, cycle.requests.data].into_iter().enumerate() {
            let now = request.map(|(address, writes)| Presented { address, writes, cti: cycle.requests.cti[master] });
            found = found.or_else(|| self.unexpected(master, now));
            if cycle.cyc[master] != now.is_some() {
                found = Some("CYC without STB, or STB without CYC");
            }
            if cycle.err[master] {
                found = Some("ERR");
            }
            (self.before[master], self.acknowledged[master]) = (now, cycle.acknowledged[master]);
        }
        found
    }

    fn unexpected(&self, master: usize, now: Option<Presented>) -> Option<&'static str> {
        let is_line = |presented: Presented| presented.cti != SINGLE;
        if let Some(before) = self.before[master] {
            if !self.acknowledged[master] {
                return (now != Some(before)).then_some("a request that changes before it is acknowledged");
            }
            if before.cti == BURST {
                let address = before.address + 4;
                let cti = if (address + 4).is_multiple_of(LINE) { LAST } else { BURST };
                let next = Presented { address, writes: false, cti };
                return (now != Some(next)).then_some("a line that is interrupted");
            }
            if now.is_some() && (master == FETCH) == self.caches[master] {
                return Some("no pause behind the last access");
            }
        }
        let now = now?;
        if is_line(now) {
            let begins = now.address.is_multiple_of(LINE) && now.cti == BURST && !now.writes;
            let may = self.caches[master] && (master == FETCH || now.address < UNCACHED);
            return (!begins || !may).then_some("a line that does not begin at its first word, or that is not cached");
        }
        let may = !self.caches[master] || master == DATA && (now.writes || now.address >= UNCACHED);
        (!may).then_some("a single access to what is cached")
    }
}
