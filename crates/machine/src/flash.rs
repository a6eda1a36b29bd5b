//! The time flash takes: wait states, prefetch and a small cache in front of the array.
//!
//! The array delivers whole lines. A read occupies it for `wait_states + 1` cycles, the first of which the core's own
//! timing already charges; what is returned here is the stall on top. One read is under way at a time: a demand read
//! waits for a prefetch that has begun. With prefetch on, the line after the one just delivered is read as soon as the
//! array is free. Instruction and data lines are cached apart, and of each kind the least recently used makes room.

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
    /// The most lines a cache holds.
    pub const MAX_LINES: usize = 254;

    /// Flash as fast as the core.
    pub const IDEAL: Self =
        Self { line_bytes: 8, wait_states: 0, prefetch: false, instruction_lines: 0, data_lines: 0 };
}

/// A cache of so many lines compares them all; a larger one looks them up.
const FEW: usize = 2;

/// No line: lines are numbered from address 0 and never reach this.
const NONE: u32 = u32::MAX;

/// Lines kept, the least recently used of which makes room for a new one.
#[derive(Clone, Debug)]
struct Lines {
    capacity: usize,
    /// Up to two lines are kept here, the one used last first.
    recent: [u32; 2],
    /// More are found here: for each line of flash up to the highest met, the slot that holds it plus one; 0 if none.
    slot_of: Vec<u8>,
    /// The cycle at which the line in each slot plus one was used last.
    used: [u64; 256],
    /// The line in each slot.
    lines: Vec<u32>,
}

impl Lines {
    fn new(capacity: usize) -> Self {
        let capacity = capacity.min(FlashTiming::MAX_LINES);
        Self { capacity, recent: [NONE; 2], slot_of: Vec::new(), used: [0; 256], lines: Vec::new() }
    }

    /// The slot of `line` plus one, 0 if it is not here.
    #[inline(always)]
    fn slot(&self, line: u32) -> u8 {
        self.slot_of.get(line as usize).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn hold<const MANY: bool>(&self, line: u32) -> bool {
        if MANY { self.slot(line) != 0 } else { self.recent.contains(&line) }
    }

    /// The slots of `line` and of the line after it, plus one; 0 for one that is not here.
    #[inline(always)]
    fn slots(&self, line: u32) -> (u8, u8) {
        let line = line as usize;
        match self.slot_of.get(line..line + 2) {
            Some(&[slot, next]) => (slot, next),
            _ => (0, 0),
        }
    }

    /// Whether `line` is here; if so it counts as used at the cycle `now`.
    #[inline(always)]
    fn hit<const MANY: bool>(&mut self, line: u32, now: u64) -> bool {
        if !MANY {
            let [newer, older] = self.recent;
            if line == older {
                self.recent = [older, newer];
            }
            return line == newer || line == older;
        }
        let slot = self.slot(line);
        self.used[usize::from(slot)] = now;
        slot != 0
    }

    /// Keeps `line`, which is not here, from the cycle `now` on.
    #[inline(always)]
    fn insert<const MANY: bool>(&mut self, line: u32, now: u64) {
        match self.capacity {
            _ if MANY => self.make_room_for(line, now),
            0 => {}
            1 => self.recent[0] = line,
            _ => self.recent = [line, self.recent[0]],
        }
    }

    fn make_room_for(&mut self, line: u32, now: u64) {
        let slot = if self.lines.len() < self.capacity {
            self.lines.push(line);
            self.lines.len()
        } else {
            let oldest = (1..=self.lines.len()).min_by_key(|slot| self.used[*slot]).unwrap_or(1);
            let evicted = std::mem::replace(&mut self.lines[oldest - 1], line);
            self.slot_of[evicted as usize] = 0;
            oldest
        };
        // One more, so that the line after the last can be asked for.
        if self.slot_of.len() <= line as usize + 1 {
            self.slot_of.resize(line as usize + 2, 0);
        }
        self.slot_of[line as usize] = slot as u8;
        self.used[slot] = now;
    }

    fn clear(&mut self) {
        *self = Self::new(self.capacity);
    }
}

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
    instructions: Lines,
    data: Lines,
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
            instructions: Lines::new(timing.instruction_lines),
            data: Lines::new(timing.data_lines),
        }
    }

    /// The settings in force.
    pub fn timing(&self) -> FlashTiming {
        self.timing
    }

    /// Forgets the cached instruction lines (`true` for the first) or data lines, as the caches' reset bits do.
    pub fn forget(&mut self, instructions: bool, data: bool) {
        if instructions {
            self.instructions.clear();
        }
        if data {
            self.data.clear();
        }
    }

    /// The number of the line that holds `offset`, a byte offset from the start of flash.
    pub fn line(&self, offset: u32) -> u32 {
        offset >> self.line_shift
    }

    /// Whether the instruction cache holds more lines than [`Self::fetch`] compares one by one.
    pub fn caches_many(&self) -> bool {
        self.timing.instruction_lines > FEW
    }

    /// Whether an instruction fetch from `line` at the cycle `now` is done at once and asks for nothing else: the way that
    /// code in a large cache goes. If not, nothing has happened yet.
    #[inline(always)]
    pub fn fetch_cached(&mut self, line: u32, now: u64) -> bool {
        if line == self.current {
            return true;
        }
        let (slot, next) = self.instructions.slots(line);
        let cached = slot != 0 && next != 0;
        if cached {
            self.current = line;
            self.instructions.used[usize::from(slot)] = now;
        }
        cached
    }

    /// Stall of an instruction fetch from `line` that begins at the cycle `now`; `MANY` is [`Self::caches_many`], which the
    /// caller knows beforehand.
    #[inline(always)]
    pub fn fetch<const MANY: bool>(&mut self, line: u32, now: u64) -> u32 {
        if line == self.current { 0 } else { self.fetch_other::<MANY>(line, now) }
    }

    #[inline(always)]
    fn fetch_other<const MANY: bool>(&mut self, line: u32, now: u64) -> u32 {
        let delivered = if self.instructions.hit::<MANY>(line, now) {
            now
        } else {
            let delivered = if line == self.prefetched { self.prefetched_at.max(now) } else { self.read_array(now) };
            self.instructions.insert::<MANY>(line, now);
            delivered
        };
        self.current = line;
        if self.timing.prefetch {
            self.read_ahead::<MANY>(line + 1, delivered + 1);
        }
        (delivered - now) as u32
    }

    /// Stall of a data read at `offset`, a byte offset from the start of flash, that begins at the cycle `now`.
    #[inline]
    pub fn read_data(&mut self, offset: u32, now: u64) -> u32 {
        if self.timing.data_lines > FEW {
            self.read_data_through::<true>(self.line(offset), now)
        } else {
            self.read_data_through::<false>(self.line(offset), now)
        }
    }

    #[inline(always)]
    fn read_data_through<const MANY: bool>(&mut self, line: u32, now: u64) -> u32 {
        if self.data.hit::<MANY>(line, now) {
            return 0;
        }
        let delivered = self.read_array(now);
        self.data.insert::<MANY>(line, now);
        (delivered - now) as u32
    }

    /// Reads the array as soon as it is free from the cycle `now` on; the cycle in which the read delivers.
    #[inline(always)]
    fn read_array(&mut self, now: u64) -> u64 {
        let delivered = self.busy_until.max(now) + self.wait_states;
        self.busy_until = delivered + 1;
        delivered
    }

    #[inline(always)]
    fn read_ahead<const MANY: bool>(&mut self, line: u32, from: u64) {
        if line == self.prefetched || self.instructions.hold::<MANY>(line) {
            return;
        }
        self.prefetched = line;
        self.prefetched_at = self.read_array(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fetch as the caller who knows the cache makes it.
    fn fetch(flash: &mut FlashInterface, line: u32, now: u64) -> u32 {
        if flash.caches_many() { flash.fetch::<true>(line, now) } else { flash.fetch::<false>(line, now) }
    }

    fn interface(wait_states: u32, prefetch: bool, instruction_lines: usize) -> FlashInterface {
        FlashInterface::new(FlashTiming { line_bytes: 8, wait_states, prefetch, instruction_lines, data_lines: 0 })
    }

    #[test]
    fn without_prefetch_each_new_line_costs_its_wait_states() {
        let mut flash = interface(1, false, 0);
        assert_eq!(
            [fetch(&mut flash, 0, 0), fetch(&mut flash, 0, 2), fetch(&mut flash, 1, 5), fetch(&mut flash, 0, 10)],
            [1, 0, 1, 1]
        );
    }

    #[test]
    fn prefetch_hides_the_wait_of_straight_code_but_not_of_a_jump() {
        let mut flash = interface(1, true, 0);
        assert_eq!(fetch(&mut flash, 0, 0), 1);
        assert_eq!(fetch(&mut flash, 1, 5), 0, "read ahead since cycle 2");
        assert_eq!(fetch(&mut flash, 9, 20), 1, "a jump misses");
    }

    #[test]
    fn a_demand_read_waits_for_a_prefetch_under_way() {
        let mut flash = interface(2, true, 0);
        assert_eq!(fetch(&mut flash, 0, 0), 2);
        // Line 1 is being read from cycle 3 to 6; a jump at cycle 4 waits 2 cycles for the array, then 2 of its own.
        assert_eq!(fetch(&mut flash, 9, 4), 4);
    }

    #[test]
    fn a_loop_that_fits_the_cache_stalls_once_a_line() {
        let mut flash = interface(1, false, 2);
        let stalls: u32 = (0..10).map(|turn| fetch(&mut flash, turn % 2, u64::from(turn) * 4)).sum();
        assert_eq!(stalls, 2);
        assert_eq!(fetch(&mut flash, 2, 50), 1);
        assert_eq!(fetch(&mut flash, 1, 54), 0, "most recently used, still there");
        assert_eq!(fetch(&mut flash, 0, 58), 1, "evicted");
    }

    #[test]
    fn data_reads_go_past_the_instruction_cache() {
        let mut flash = interface(1, false, 2);
        fetch(&mut flash, 0, 0);
        assert_eq!(flash.read_data(0, 10), 1);
        assert_eq!(flash.read_data(0, 12), 1);
    }

    /// STM32F4: 128-bit lines, 64 for instructions, 8 for data, five wait states at 180 MHz (RM0390).
    fn accelerator(prefetch: bool) -> FlashInterface {
        FlashInterface::new(FlashTiming {
            line_bytes: 16,
            wait_states: 5,
            prefetch,
            instruction_lines: 64,
            data_lines: 8,
        })
    }

    #[test]
    fn a_loop_of_64_lines_stays_and_one_of_65_never_does() {
        for (lines, stalls) in [(64, 64 * 5), (65, 3 * 65 * 5)] {
            let mut flash = accelerator(false);
            let turns = (0..3 * lines).map(|turn| fetch(&mut flash, turn % lines, 10 * u64::from(turn)));
            assert_eq!(turns.sum::<u32>(), stalls, "{lines} lines");
        }
    }

    #[test]
    fn straight_code_of_eight_cycles_a_line_runs_at_full_speed_with_prefetch() {
        let mut flash = accelerator(true);
        let (mut now, mut stalls) = (0, Vec::new());
        for line in 0..5 {
            let stall = fetch(&mut flash, line, now);
            stalls.push(stall);
            now += 8 + u64::from(stall);
        }
        assert_eq!(stalls, [5, 0, 0, 0, 0]);
    }

    #[test]
    fn data_lines_are_kept_apart_from_instructions_until_they_are_forgotten() {
        let mut flash = accelerator(false);
        assert_eq!(flash.read_data(0x100, 0), 5);
        assert_eq!(flash.read_data(0x10C, 10), 0, "the same line");
        assert_eq!(fetch(&mut flash, 0x10, 20), 5, "not an instruction line");
        flash.forget(false, true);
        assert_eq!(flash.read_data(0x100, 40), 5);
        assert_eq!(fetch(&mut flash, 0x11, 60), 5);
        assert_eq!(fetch(&mut flash, 0x10, 70), 0);
    }
}
