//! The time flash takes: wait states, prefetch and a small cache in front of the array.
//!
//! The array delivers whole lines. A read occupies it for `wait_states + 1` cycles, the first of which the core's own
//! timing already charges; what is returned here is the stall on top. One read is under way at a time: a demand read
//! waits for a prefetch that has begun. With prefetch on, the line after the one just delivered is read as soon as the
//! array is free. Instruction lines are kept least-recently-used; data reads go past the instruction cache.

/// How a part's flash is set up at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashTiming {
    /// Bytes the array delivers at once; a power of two.
    pub line_bytes: u32,
    /// Extra cycles of a read of the array; 0 makes everything else irrelevant.
    pub wait_states: u32,
    /// Whether the next line is read ahead.
    pub prefetch: bool,
    /// Instruction lines the cache holds: 0 when it is off or absent, at most [`Self::MAX_LINES`].
    pub instruction_lines: usize,
    /// Data lines the cache holds: 0 when it is off or absent, at most [`Self::MAX_LINES`].
    pub data_lines: usize,
}

impl FlashTiming {
    /// The most lines a cache of this kind holds.
    pub const MAX_LINES: usize = 2;

    /// Flash as fast as the core.
    pub const IDEAL: Self =
        Self { line_bytes: 8, wait_states: 0, prefetch: false, instruction_lines: 0, data_lines: 0 };
}

/// No line: lines are numbered from address 0 and never reach this.
const NONE: u32 = u32::MAX;

/// The flash interface's state: which lines it holds and until when the array is busy.
#[derive(Clone, Debug)]
pub struct FlashInterface {
    timing: FlashTiming,
    line_shift: u32,
    /// As in `timing`, ready to be added to a cycle.
    wait_states: u64,
    /// The line last delivered to the core.
    current: u32,
    /// The line read ahead, and the cycle from which a request for it stalls no more.
    prefetched: u32,
    prefetched_at: u64,
    busy_until: u64,
    /// Cached instruction lines, most recently used first.
    cache: [u32; FlashTiming::MAX_LINES],
}

impl FlashInterface {
    /// An interface with nothing cached.
    pub fn new(timing: FlashTiming) -> Self {
        Self {
            timing,
            line_shift: timing.line_bytes.trailing_zeros(),
            wait_states: u64::from(timing.wait_states),
            current: NONE,
            prefetched: NONE,
            prefetched_at: 0,
            busy_until: 0,
            cache: [NONE; FlashTiming::MAX_LINES],
        }
    }

    /// The settings in force.
    pub fn timing(&self) -> FlashTiming {
        self.timing
    }

    /// The number of the line that holds `offset`, a byte offset from the start of flash.
    pub fn line(&self, offset: u32) -> u32 {
        offset >> self.line_shift
    }

    /// Stall of an instruction fetch from `line` that begins at the cycle `now`.
    #[inline(always)]
    pub fn fetch(&mut self, line: u32, now: u64) -> u32 {
        if line == self.current { 0 } else { self.fetch_other(line, now) }
    }

    #[inline]
    fn fetch_other(&mut self, line: u32, now: u64) -> u32 {
        let [newer, older] = self.cache;
        let delivered = if line == newer || line == older {
            now
        } else if line == self.prefetched {
            self.prefetched_at.max(now)
        } else {
            self.read_array(now)
        };
        self.current = line;
        match self.timing.instruction_lines {
            0 => {}
            1 => self.cache[0] = line,
            _ if line == newer => {}
            _ => self.cache = [line, newer],
        }
        if self.timing.prefetch {
            self.read_ahead(line + 1, delivered + 1);
        }
        (delivered - now) as u32
    }

    /// Stall of a data read that begins at the cycle `now`.
    pub fn read_data(&mut self, now: u64) -> u32 {
        (self.read_array(now) - now) as u32
    }

    /// Reads the array as soon as it is free from the cycle `now` on; the cycle in which the read delivers.
    #[inline(always)]
    fn read_array(&mut self, now: u64) -> u64 {
        let delivered = self.busy_until.max(now) + self.wait_states;
        self.busy_until = delivered + 1;
        delivered
    }

    #[inline(always)]
    fn read_ahead(&mut self, line: u32, from: u64) {
        if line == self.prefetched || self.cache.contains(&line) {
            return;
        }
        self.prefetched = line;
        self.prefetched_at = self.read_array(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(wait_states: u32, prefetch: bool, instruction_lines: usize) -> FlashInterface {
        FlashInterface::new(FlashTiming { line_bytes: 8, wait_states, prefetch, instruction_lines, data_lines: 0 })
    }

    #[test]
    fn without_prefetch_each_new_line_costs_its_wait_states() {
        let mut flash = interface(1, false, 0);
        assert_eq!([flash.fetch(0, 0), flash.fetch(0, 2), flash.fetch(1, 5), flash.fetch(0, 10)], [1, 0, 1, 1]);
    }

    #[test]
    fn prefetch_hides_the_wait_of_straight_code_but_not_of_a_jump() {
        let mut flash = interface(1, true, 0);
        assert_eq!(flash.fetch(0, 0), 1);
        assert_eq!(flash.fetch(1, 5), 0, "read ahead since cycle 2");
        assert_eq!(flash.fetch(9, 20), 1, "a jump misses");
    }

    #[test]
    fn a_demand_read_waits_for_a_prefetch_under_way() {
        let mut flash = interface(2, true, 0);
        assert_eq!(flash.fetch(0, 0), 2);
        // Line 1 is being read from cycle 3 to 6; a jump at cycle 4 waits 2 cycles for the array, then 2 of its own.
        assert_eq!(flash.fetch(9, 4), 4);
    }

    #[test]
    fn a_loop_that_fits_the_cache_stalls_once_a_line() {
        let mut flash = interface(1, false, 2);
        let stalls: u32 = (0..10).map(|turn| flash.fetch(turn % 2, u64::from(turn) * 4)).sum();
        assert_eq!(stalls, 2);
        assert_eq!(flash.fetch(2, 50), 1);
        assert_eq!(flash.fetch(1, 54), 0, "most recently used, still there");
        assert_eq!(flash.fetch(0, 58), 1, "evicted");
    }

    #[test]
    fn data_reads_go_past_the_instruction_cache() {
        let mut flash = interface(1, false, 2);
        flash.fetch(0, 0);
        assert_eq!(flash.read_data(10), 1);
        assert_eq!(flash.read_data(12), 1);
    }
}
