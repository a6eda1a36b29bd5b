//! The counter of a low-power timer: its value as a function of time or of edges, its matches, and its output.

use crate::{Instant, Span};

/// A counter with its reload and compare values.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    /// When the value became what it is; later than now before a counter that was started runs.
    since: Instant,
    value: u16,
    reload: u16,
    compare: u16,
    /// Values that the next period takes.
    next: [Option<u16>; 2],
    runs: bool,
    single: bool,
    high: bool,
    /// Edges of an external clock that the prescaler holds.
    divided: u8,
    /// CFGR.WAVE: the output keeps the level of its first pulse.
    pub(super) set_once: bool,
    /// CFGR.PRELOAD: new values wait for the end of a period.
    pub(super) preload: bool,
}

impl Default for Counter {
    fn default() -> Self {
        Self {
            since: Instant::NEVER,
            value: 0,
            reload: 1,
            compare: 0,
            next: [None; 2],
            runs: false,
            single: false,
            high: false,
            divided: 0,
            set_once: false,
            preload: false,
        }
    }
}

/// The matches that a counter has passed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passed {
    pub(super) compare: bool,
    pub(super) reload: bool,
    pub(super) output: bool,
}

impl Counter {
    pub(super) const fn value(&self) -> u16 {
        self.value
    }

    pub(super) const fn output(&self) -> bool {
        self.high
    }

    pub(super) const fn runs(&self) -> bool {
        self.runs
    }

    /// True if periods follow each other alike, without an edge of the output.
    pub(super) fn is_steady(&self) -> bool {
        self.compare >= self.reload && !self.high && !self.single && self.next == [None; 2]
    }

    /// Begins at 0 at `at`, and ends after one period if `single`.
    pub(super) fn start(&mut self, at: Instant, single: bool) {
        self.value = 0;
        self.since = at;
        self.runs = true;
        self.single = single;
        self.divided = 0;
        if !self.set_once {
            self.high = false;
        }
        self.renew();
    }

    pub(super) fn stop(&mut self) {
        self.runs = false;
        self.value = 0;
        self.high = false;
        self.renew();
    }

    /// The period under way is the last (RM0440, LPTIM_CR.SNGSTRT), or no longer.
    pub(super) fn set_single(&mut self, single: bool) {
        self.single = single;
    }

    /// Begins anew at 0.
    pub(super) fn clear(&mut self, now: Instant) {
        self.value = 0;
        self.since = self.since.max(now);
        self.high = self.high && self.set_once;
    }

    /// Takes ARR (`reload`) or CMP at once.
    pub(super) fn load(&mut self, reload: bool, value: u16) {
        self.next[usize::from(!reload)] = None;
        *(if reload { &mut self.reload } else { &mut self.compare }) = value;
    }

    /// Takes ARR (`reload`) or CMP as PRELOAD says.
    pub(super) fn update(&mut self, reload: bool, value: u16) {
        if self.preload && self.runs {
            self.next[usize::from(!reload)] = Some(value);
        } else {
            self.load(reload, value);
        }
    }

    fn renew(&mut self) {
        for (place, reload) in [(0, true), (1, false)] {
            if let Some(value) = self.next[place].take() {
                self.load(reload, value);
            }
        }
    }

    /// The counts from the value to the end of the period.
    fn left(&self) -> u64 {
        // Above the reload value the counter goes on to its own end.
        let last = if self.value <= self.reload { self.reload } else { u16::MAX };
        u64::from(last - self.value) + 1
    }

    /// The counts to the next match, edge of the output, or end of the period.
    fn ahead(&self) -> u64 {
        let value = u64::from(self.value);
        let exceeds = if self.compare < self.reload { u64::from(self.compare) + 1 } else { 0 };
        let places = [u64::from(self.compare), exceeds, u64::from(self.reload)];
        places.into_iter().filter(|place| *place > value).map(|place| place - value).fold(self.left(), u64::min)
    }

    /// When the next of these comes, with counts of `step`.
    pub(super) fn next_at(&self, step: Span) -> Instant {
        if self.runs { self.since.after(step.times(self.ahead())) } else { Instant::NEVER }
    }

    /// Counts up to `now`, with counts of `step`.
    pub(super) fn count_to(&mut self, now: Instant, step: Span) -> Passed {
        let mut passed = Passed::default();
        if !self.runs || now < self.since {
            return passed;
        }
        let (mut counts, rest) = now.since(self.since).divide(step);
        let period = u64::from(self.reload) + 1;
        // Nothing new happens after two whole periods.
        if counts > 4 * 0x1_0000 && !self.single {
            counts = 2 * 0x1_0000 + (counts - 2 * 0x1_0000) % period;
        }
        while counts > 0 && self.runs {
            let ahead = self.ahead();
            if counts < ahead {
                self.value = self.value.saturating_add(counts as u16);
                break;
            }
            counts -= ahead;
            self.go(ahead, &mut passed);
        }
        self.since = now.before(rest);
        passed
    }

    /// Goes `counts` ahead, to where something happens.
    fn go(&mut self, counts: u64, passed: &mut Passed) {
        if counts == self.left() {
            self.value = 0;
            // Of a single pulse whose output is set once, the level stays.
            if self.high && !(self.set_once && self.single) {
                self.high = false;
                passed.output = true;
            }
            self.renew();
            self.runs = !self.single;
        } else {
            self.value = self.value.saturating_add(counts as u16);
        }
        self.matches(passed);
    }

    fn matches(&mut self, passed: &mut Passed) {
        passed.compare |= self.runs && self.value == self.compare;
        passed.reload |= self.value == self.reload && self.runs;
        if self.runs && self.value > self.compare && self.value <= self.reload && !self.high {
            self.high = true;
            passed.output = true;
        }
    }

    /// Counts one edge.
    pub(super) fn step(&mut self, up: bool) -> Passed {
        let mut passed = Passed::default();
        if up {
            self.go(1, &mut passed);
        } else {
            self.value = if self.value == 0 { self.reload } else { self.value - 1 };
            self.matches(&mut passed);
            self.high = self.value > self.compare;
        }
        passed
    }

    /// An edge of an external clock reaches the prescaler of `2^prescaler`. Returns `true` if it is one of the counter's.
    pub(super) fn divide(&mut self, prescaler: u32) -> bool {
        self.divided = (self.divided + 1) & ((1 << (prescaler & 7)) - 1) as u8;
        self.divided == 0
    }

    /// The time that counts has gone from `from` to `now`, and the clock's period from `before` to `after`.
    pub(super) fn rescale(&mut self, (from, now): (Instant, Instant), (before, after): (Span, Span)) {
        if self.since == Instant::NEVER {
            return;
        }
        self.since = if self.since > from {
            now.after(self.since.since(from).rescaled(before, after))
        } else {
            now.before(from.since(self.since).rescaled(before, after))
        };
    }

    pub(super) fn refine(&mut self, times: u64) {
        self.since = self.since.refined(times);
    }
}
