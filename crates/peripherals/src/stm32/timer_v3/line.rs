//! An input of a timer: two flip-flops of the timer's clock, then a filter (RM0490, "Input capture mode"; TIMx_CCMR1.IC1F,
//! TIMx_SMCR.ETF, TIMx_BDTR.BKF). Time is counted in periods of that clock.

/// The filter of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Equal samples in a row that make a new level.
    pub samples: u64,
    /// Periods of the timer's clock from one sample to the next.
    pub every: u64,
}

impl Filter {
    /// The filter that a field of four bits selects; tDTS is `dts` periods of the timer's clock.
    pub const fn new(field: u32, dts: u64) -> Self {
        const DIVIDED: [(u64, u64); 12] =
            [(2, 6), (2, 8), (4, 6), (4, 8), (8, 6), (8, 8), (16, 5), (16, 6), (16, 8), (32, 5), (32, 6), (32, 8)];
        match field & 15 {
            0 => Self { samples: 1, every: dts },
            field @ 1..=3 => Self { samples: 1 << field, every: 1 },
            field => {
                let (divider, samples) = DIVIDED[field as usize - 4];
                Self { samples, every: divider * dts }
            }
        }
    }
}

/// One input.
#[derive(Clone, Debug)]
pub struct Line {
    /// The level before the flip-flops.
    pub raw: bool,
    /// The level behind the filter.
    pub level: bool,
    /// Levels on their way through the flip-flops, each with the tick at which it arrives: never more than flip-flops.
    coming: Vec<(u64, bool)>,
    /// The level behind the flip-flops.
    taken: bool,
    /// Samples in a row that differ from `level`.
    different: u64,
    filter: Filter,
    /// The tick up to which this holds.
    at: u64,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            raw: false,
            level: false,
            coming: Vec::new(),
            taken: false,
            different: 0,
            filter: Filter::new(0, 1),
            at: 0,
        }
    }
}

impl Line {
    /// Selects the filter; another one begins anew.
    pub fn set_filter(&mut self, filter: Filter) {
        if self.filter != filter {
            self.filter = filter;
            self.different = 0;
        }
    }

    /// The level before the flip-flops, of which there are `stages`, is `raw` from a time in the period after `now` on.
    pub fn set(&mut self, raw: bool, now: u64, stages: u64) {
        self.raw = raw;
        let arrival = now.saturating_add(stages);
        self.coming.retain(|(at, _)| *at < arrival);
        if self.coming.last().map_or(self.taken, |(_, last)| *last) != raw {
            self.coming.push((arrival, raw));
        }
    }

    /// The tick at which something happens next if `raw` stays; `u64::MAX` if nothing does.
    pub fn next(&self) -> u64 {
        let arrival = self.coming.first().map_or(u64::MAX, |(at, _)| *at);
        if self.taken == self.level { arrival } else { arrival.min(self.flip()) }
    }

    /// The tick of the sample that makes a new level.
    fn flip(&self) -> u64 {
        let Filter { samples, every } = self.filter;
        let first = (self.at / every).saturating_add(1);
        first.saturating_add(samples.saturating_sub(self.different + 1)).saturating_mul(every)
    }

    /// Goes on up to the tick `to`, whatever happens on the way.
    pub fn catch_up(&mut self, to: u64) {
        while self.at < to {
            self.advance(self.next().min(to));
        }
    }

    /// Goes on up to the tick `to`, which is not beyond [`Self::next`]; true if the level has changed there.
    pub fn advance(&mut self, to: u64) -> bool {
        let Filter { samples, every } = self.filter;
        if to <= self.at {
            return false;
        }
        if self.taken != self.level {
            // Of the samples before `to`: the one at `to` may be of a level that arrives then.
            self.different += (to - 1) / every - self.at / every;
        } else if (to - 1) / every != self.at / every {
            self.different = 0;
        }
        self.at = to;
        if self.coming.first().is_some_and(|(at, _)| *at <= to) {
            self.taken = self.coming.remove(0).1;
        }
        if to.is_multiple_of(every) {
            self.different = if self.taken == self.level { 0 } else { self.different + 1 };
        }
        let flips = self.different >= samples;
        if flips {
            self.level = self.taken;
            self.different = 0;
        }
        flips
    }
}

/// The prescaler of ETR, which divides before the flip-flops.
#[derive(Clone, Debug, Default)]
pub struct Divider {
    level: bool,
    rises: u32,
}

impl Divider {
    /// The level behind the divider by `1 << shift`, after a level `high` before it.
    pub fn pass(&mut self, high: bool, shift: u32) -> bool {
        self.rises = self.rises.wrapping_add(u32::from(high && !self.level));
        self.level = high;
        match shift {
            0 => high,
            shift => self.rises >> (shift - 1) & 1 != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels behind a filter, sample by sample.
    fn slowly(filter: Filter, raw: impl Fn(u64) -> bool, end: u64) -> Vec<(u64, bool)> {
        let (mut level, mut same, mut changes) = (false, 0, Vec::new());
        for tick in (filter.every..=end).step_by(filter.every as usize) {
            let sample = tick >= 2 && raw(tick - 2);
            same = if sample == level { 0 } else { same + 1 };
            if same == filter.samples {
                level = sample;
                same = 0;
                changes.push((tick, level));
            }
        }
        changes
    }

    #[test]
    fn a_filter_gives_what_its_samples_give() {
        let mut random = 12345u64;
        for field in 0..16 {
            for dts in [1, 2, 4] {
                let filter = Filter::new(field, dts);
                let mut line = Line::default();
                line.set_filter(filter);
                let (mut edges, mut at) = (vec![(0, false)], 0);
                for _ in 0..60 {
                    random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    at += 1 + (random >> 33) % (filter.every * filter.samples * 2);
                    edges.push((at, !edges[edges.len() - 1].1));
                }
                let mut changes = Vec::new();
                let run = |line: &mut Line, to: u64, changes: &mut Vec<(u64, bool)>| {
                    while line.at < to {
                        let next = line.next().min(to);
                        if line.advance(next) {
                            changes.push((next, line.level));
                        }
                    }
                };
                for (at, level) in &edges {
                    run(&mut line, *at, &mut changes);
                    line.set(*level, *at, 2);
                }
                let end = at + 10_000;
                run(&mut line, end, &mut changes);
                let raw = |tick: u64| edges[edges.partition_point(|(at, _)| *at <= tick) - 1].1;
                assert_eq!(changes, slowly(filter, raw, end), "{filter:?}");
            }
        }
    }
}
