//! The settings of a part's flash.

/// The current settings of a part's flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashTiming {
    /// Bytes the array delivers at once; a power of two.
    pub line_bytes: u32,
    /// Extra cycles of a read of the array; 0 makes everything else irrelevant.
    pub wait_states: u32,
    /// True if the next line is read ahead.
    pub prefetch: bool,
    /// Instruction lines the cache holds: 0 when it is off or absent, at most [`Self::MAX_LINES`].
    pub instruction_lines: usize,
    /// Data lines the cache holds: 0 when it is off or absent, at most [`Self::MAX_LINES`].
    pub data_lines: usize,
    /// A line that was read ahead is cached when it is asked for, as one that was missing is.
    pub caches_prefetched: bool,
    /// The sets of one cache in two ways for instructions and data together, a power of two; 0 where the two have caches of
    /// their own. A way of a set has room for two lines that adjoin, each of which is there or not.
    pub shared_sets: u32,
}

impl FlashTiming {
    /// The most lines a cache holds.
    pub const MAX_LINES: usize = 254;

    /// The most cycles from one line to the next.
    pub const MOST_GAP: u32 = 4;

    /// Flash as fast as the core.
    pub const IDEAL: Self = Self {
        line_bytes: 8,
        wait_states: 0,
        prefetch: false,
        instruction_lines: 0,
        data_lines: 0,
        caches_prefetched: false,
        shared_sets: 0,
    };

    /// The most cycles that any access stalls: for a read under way, for another master's that goes first, and its own, asked for at
    /// most [`Self::MOST_GAP`] cycles after the line before it was there.
    pub const fn worst_stall(&self) -> u32 {
        3 * (self.wait_states + 1) + Self::MOST_GAP
    }

    /// The same for a core that waits for each of its reads, while no other master begins a read. At most one read of another master is
    /// under way when the core asks, and the core's own follows. With prefetch it is as for any core.
    pub const fn worst_stall_in_order(&self) -> u32 {
        if self.prefetch { self.worst_stall() } else { 2 * (self.wait_states + 1) }
    }
}
