//! Steps the flash interface cycle by cycle: docs/timing.md (Flash, rules 1, 2 and 4 to 6).

/// The settings of the flash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// Bytes of one read of the array.
    pub line_bytes: u32,
    /// Cycles of a read beyond the first one: wait states.
    pub wait: u64,
    /// Tells if the line after the fetched one is read ahead.
    pub prefetch: bool,
    /// Lines in the instruction cache.
    pub instruction_lines: usize,
    /// Lines in the data cache.
    pub data_lines: usize,
    /// Tells if a line that was read ahead enters the instruction cache when it is fetched.
    pub caches_prefetched: bool,
}

/// A line, and the first cycle in which it is available without waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Delivered {
    line: u32,
    at: u64,
}

/// The lines of a cache, the most recently used one last.
#[derive(Debug)]
struct Cache {
    lines: Vec<u32>,
    room: usize,
}

impl Cache {
    fn hit(&mut self, line: u32) -> bool {
        let place = self.lines.iter().position(|kept| *kept == line);
        place.map(|place| self.lines.remove(place)).inspect(|line| self.lines.push(*line)).is_some()
    }

    fn insert(&mut self, line: u32) {
        self.lines.push(line);
        if self.lines.len() > self.room {
            self.lines.remove(0);
        }
    }
}

/// The interface. In each cycle it serves data first, then instructions, and then may read ahead.
#[derive(Debug)]
pub(super) struct Interface {
    settings: Settings,
    /// The first cycle in which the array can start another read.
    free_at: u64,
    /// The line fetched last.
    at_hand: Option<Delivered>,
    /// The line read ahead.
    ahead: Option<Delivered>,
    instructions: Cache,
    data: Cache,
}

impl Interface {
    pub fn new(settings: Settings) -> Self {
        let cache = |room| Cache { lines: Vec::new(), room };
        Self {
            settings,
            free_at: 0,
            at_hand: None,
            ahead: None,
            instructions: cache(settings.instruction_lines),
            data: cache(settings.data_lines),
        }
    }

    /// Returns the line that contains `address`.
    pub fn line(&self, address: u32) -> u32 {
        address / self.settings.line_bytes
    }

    /// Starts a read of the array in `cycle`, unless one is under way. Returns the cycle in which its address phase
    /// ends.
    fn read(&mut self, cycle: u64) -> Option<u64> {
        (self.free_at <= cycle).then(|| {
            self.free_at = cycle + self.settings.wait + 1;
            cycle + self.settings.wait
        })
    }

    /// Returns the end of the address phase of a data read at `address`; `None` if the array has not started it by
    /// `cycle`.
    pub fn read_data(&mut self, address: u32, cycle: u64) -> Option<u64> {
        let line = self.line(address);
        if self.data.hit(line) {
            return Some(cycle);
        }
        let end = self.read(cycle)?;
        self.data.insert(line);
        Some(end)
    }

    /// Returns the end of the address phase of a fetch from `address`; `None` if the array has not started it by
    /// `cycle`.
    pub fn fetch(&mut self, address: u32, cycle: u64) -> Option<u64> {
        let line = self.line(address);
        if let Some(at_hand) = self.at_hand.filter(|at_hand| at_hand.line == line) {
            return Some(at_hand.at.max(cycle));
        }
        let at = if self.instructions.hit(line) {
            cycle
        } else if let Some(ahead) = self.ahead.take_if(|ahead| ahead.line == line) {
            if self.settings.caches_prefetched {
                self.instructions.insert(line);
            }
            ahead.at.max(cycle)
        } else {
            let at = self.read(cycle)?;
            self.instructions.insert(line);
            at
        };
        self.at_hand = Some(Delivered { line, at });
        Some(at)
    }

    /// Starts to read the next line ahead, if that is due in `cycle` and the array is free.
    pub fn read_ahead(&mut self, cycle: u64) {
        let Some(at_hand) = self.at_hand.filter(|at_hand| at_hand.at < cycle) else { return };
        let line = at_hand.line + 1;
        let known = self.instructions.lines.contains(&line) || self.ahead.is_some_and(|ahead| ahead.line == line);
        if self.settings.prefetch
            && !known
            && let Some(at) = self.read(cycle)
        {
            self.ahead = Some(Delivered { line, at });
        }
    }
}
