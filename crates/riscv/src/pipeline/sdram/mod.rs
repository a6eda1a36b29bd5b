//! SDRAM behind LiteX's L2 cache: the cache, and the bridge from its lines to words of LiteDRAM's controller.
//!
//! The cache (`wishbone.Cache`) has one way and writes back. A line that it lacks is loaded when the one in its place has been
//! written, if that was changed. The bridge (`LiteDRAMWishbone2Native` with a converter from lines to words) gives one word's access a
//! cycle and waits for the answers to all: the cache does nothing else meanwhile.

mod controller;

use controller::Controller;

/// The most cycles between a read that the memory takes and its word.
const MOST: u32 = 31;
/// Words of a line.
const WORDS: u32 = 4;
/// The shift from an address to its line, and to its word.
const LINE: u32 = 4;
const WORD: u32 = 2;

/// The times of an SDRAM and of the PHY before it, in cycles, as LiteDRAM's `TimingSettings` and `PhySettings` have them.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// tRP: from a precharge to an activation or a refresh.
    pub precharge: u32,
    /// tRCD: from an activation to an access.
    pub activate: u32,
    /// tWR: from the end of a write to a precharge.
    pub write_recovery: u32,
    /// tWTR: from the end of a write to a read.
    pub write_to_read: u32,
    /// tREFI: from a refresh to the next.
    pub refresh_interval: u32,
    /// tRFC: from a refresh to an activation.
    pub refresh: u32,
    /// tCCD: from an access to the next.
    pub column: u32,
    /// tRRD: from an activation to that of another bank.
    pub row_to_row: u32,
    /// tRC: from an activation to the next of the same bank.
    pub row_cycle: u32,
    /// tRAS: from an activation to a precharge.
    pub row_active: u32,
    /// CAS latency: from a read, or by LiteDRAM's settings a write, to its first word.
    pub cas_latency: u32,
    /// The PHY's, from a read to its word.
    pub read_latency: u32,
    /// Bits of a column's address.
    pub column_bits: u32,
}

impl Part {
    const fn write_latency(&self) -> u32 {
        self.cas_latency
    }
}

/// An SDRAM with its cache.
#[derive(Debug)]
pub struct Sdram {
    /// The memory.
    pub part: Part,
    /// The bytes of the cache, a power of two.
    pub cache: u32,
}

/// The states of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cache {
    Idle,
    /// It compares the tag: the line is there or not.
    Test(bool),
    Evict,
    Refill,
}

/// The states of the bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bridge {
    Idle,
    /// It gives accesses, and awaits answers.
    Busy,
}

/// A place of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    tag: u32,
    dirty: bool,
}

/// The state at the beginning of a cycle.
#[derive(Clone, Debug)]
pub(super) struct State {
    sdram: &'static Sdram,
    cache: Cache,
    places: Vec<Place>,
    /// Counts what has changed the places: loops that do so do not repeat.
    changes: u64,
    bridge: Bridge,
    /// The line's first word that is accessed, the words that have been given to the controller, and whether they are written.
    word: u32,
    given: u32,
    writes: bool,
    converts: bool,
    /// Answers that have come, those of reads on their way by the cycles left, and whether a write was taken in the cycle before.
    answers: u32,
    coming: u32,
    written: bool,
    controller: Controller,
}

impl PartialEq for State {
    /// Compares what decides on answers while nothing changes the cache: the controller goes on refreshing meanwhile.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.sdram, other.sdram) && (self.cache, self.changes) == (other.cache, other.changes)
    }
}

impl State {
    pub fn new(sdram: &'static Sdram) -> Self {
        assert!(sdram.part.read_latency < MOST && sdram.cache.is_power_of_two() && sdram.cache >= 1 << (LINE + 1));
        Self {
            sdram,
            cache: Cache::Idle,
            places: vec![Place { tag: 0, dirty: false }; (sdram.cache >> LINE) as usize],
            changes: 0,
            bridge: Bridge::Idle,
            word: 0,
            given: 0,
            writes: false,
            converts: false,
            answers: 0,
            coming: 0,
            written: false,
            controller: Controller::new(sdram),
        }
    }

    /// Tells whether a request is acknowledged in this cycle.
    pub fn acknowledges(&self) -> bool {
        self.cache == Cache::Test(true)
    }

    /// Passes a cycle in which a master requests an address, counted from the memory's first one, to read or to write. It does so until
    /// it is acknowledged.
    #[inline]
    pub fn step(&mut self, request: Option<(u32, bool)>) {
        let ends = self.access(request);
        let Some((address, write)) = request else {
            // Only a core that a debugger moves withdraws one.
            self.cache = if self.cache == Cache::Test(true) { Cache::Idle } else { self.cache };
            return;
        };
        let line = address >> LINE;
        let index = line as usize & (self.places.len() - 1);
        // No line of the memory has the tag of a place that has none.
        let tag = line / self.places.len() as u32 + 1;
        let place = &mut self.places[index];
        self.cache = match self.cache {
            Cache::Idle => Cache::Test(place.tag == tag),
            Cache::Test(true) => {
                self.changes += u64::from(write && !place.dirty);
                place.dirty |= write;
                Cache::Idle
            }
            Cache::Test(false) if place.dirty => Cache::Evict,
            Cache::Evict if !ends => Cache::Evict,
            Cache::Test(false) | Cache::Evict => {
                *place = Place { tag, dirty: false };
                self.changes += 1;
                Cache::Refill
            }
            Cache::Refill if ends => Cache::Test(true),
            Cache::Refill => Cache::Refill,
        };
    }

    /// Passes a cycle of the bridge and the controller. Returns whether the line's last word has come or gone.
    #[inline]
    fn access(&mut self, request: Option<(u32, bool)>) -> bool {
        let part = &self.sdram.part;
        let asks = matches!(self.cache, Cache::Evict | Cache::Refill);
        if !asks && self.bridge == Bridge::Idle {
            self.controller.step(None, part);
            return false;
        }
        // The converter gives the words' accesses, one a cycle, the first in the cycle behind the request.
        let word = self.word + self.given;
        let bank = (word >> part.column_bits & 3) as usize;
        let added = (self.converts && self.controller.accepts(bank)).then_some((
            bank,
            word >> (part.column_bits + 2),
            self.writes,
        ));
        // A write's word is taken in the cycle behind its command.
        let wrote = std::mem::take(&mut self.written);
        // All words of a line that is read have come when the last one does, a cycle before the converter gives the line.
        let came = self.coming & 1 != 0;
        let ends = self.bridge == Bridge::Busy
            && if self.writes { wrote && self.answers == WORDS - 1 } else { self.answers == WORDS };
        let [read, written] = self.controller.step(added, part);
        self.written = written;
        self.coming = self.coming >> 1 | u32::from(read) << part.read_latency;
        self.answers += u32::from(wrote || came);
        if added.is_some() {
            self.given += 1;
            self.converts = self.given < WORDS;
        }
        if ends {
            self.bridge = Bridge::Idle;
        } else if self.bridge == Bridge::Idle {
            let (address, _) = request.unwrap_or_default();
            self.begin(address);
        }
        ends
    }

    /// The bridge takes the cache's request, of the line at `address` or of the one in its place.
    fn begin(&mut self, address: u32) {
        let line = address >> LINE;
        let lines = self.places.len() as u32;
        let index = line & (lines - 1);
        self.writes = self.cache == Cache::Evict;
        let line = if self.writes {
            self.places[index as usize].tag.wrapping_sub(1).wrapping_mul(lines) | index
        } else {
            line
        };
        self.word = line << (LINE - WORD);
        (self.bridge, self.given, self.answers, self.converts) = (Bridge::Busy, 0, 0, true);
    }

    /// Passes `cycles` without a request.
    pub fn pass(&mut self, cycles: u64) {
        self.controller.pass(cycles, &self.sdram.part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::litedram;

    static SDRAM: Sdram = litedram::mt48lc16m16(8192);

    /// The cycles in which accesses, each behind the other without a pause, are acknowledged.
    fn acknowledged(state: &mut State, accesses: &[(u32, bool)]) -> Vec<u32> {
        let (mut cycle, mut all) = (0, Vec::new());
        for access in accesses {
            let mut ends = false;
            while !ends {
                ends = state.acknowledges();
                state.step(Some(*access));
                cycle += 1;
            }
            all.push(cycle - 1);
        }
        all
    }

    #[test]
    fn hits_misses_and_changed_lines_take_what_the_verilog_takes() {
        // LiteX's SoC under Verilator gave these accesses, from the second cycle after a reset on: each but the last two pairs
        // displaces the line before, which a write has changed. The last ones are to a row that is open.
        let accesses = [
            (0, true),
            (0x2000, false),
            (0x4000, true),
            (0x6000, false),
            (0x1000, true),
            (0x1010, true),
            (0x3000, true),
            (0x3010, false),
        ];
        let mut state = State::new(&SDRAM);
        state.step(None);
        let all = acknowledged(&mut state, &accesses);
        assert_eq!(all, [19, 54, 75, 110, 130, 146, 181, 221]);
        assert_eq!(acknowledged(&mut state, &[(0x3014, false), (0x3018, true), (0x3000, false)]), [1, 3, 5]);
    }

    #[test]
    fn what_a_refresh_precedes_takes_longer() {
        let interval = SDRAM.part.refresh_interval;
        let mut state = State::new(&SDRAM);
        // Lines one behind the other, in open rows: one that a refresh precedes takes longer.
        let accesses: Vec<(u32, bool)> = (0..500).map(|line| (16 * line, false)).collect();
        let all = acknowledged(&mut state, &accesses);
        let gaps: Vec<u32> = all.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let usual = *gaps.iter().min().expect("there are some");
        let late = gaps.iter().filter(|gap| **gap > usual).count() as u32;
        let refreshes = all[499] / interval;
        // Rows are opened, too: one in each bank.
        assert!((refreshes..=refreshes + 4).contains(&late), "{late} of {refreshes}");
    }

    #[test]
    fn cycles_without_a_request_are_passed_at_once() {
        for cycles in [0, 1, 700, 781, 5_000, 123_456] {
            let mut state = State::new(&SDRAM);
            acknowledged(&mut state, &[(0, true), (0x2000, true)]);
            let mut at_once = state.clone();
            (0..cycles).for_each(|_| state.step(None));
            at_once.pass(cycles);
            assert_eq!(at_once.controller, state.controller, "{cycles}");
        }
    }
}
